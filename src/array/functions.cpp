// SPDX-License-Identifier: MIT
#include "functions.h"

#include <cmath>
#include <limits>

#include "../core/message.h"
#include "apply.h"
#include "backend.h"
#include "create.h"
#include "kernel_families.h"
#include "operands.h"
#include "ops.h"

namespace gaia {
namespace {

/// What a function that computes whole numbers makes of bool.
Array of_bool(const Unary& f, const Array& x, const char* function) {
  if (std::holds_alternative<Abs>(f)) return on_current_device(x, function).copy();
  if (std::holds_alternative<Square>(f)) return square(x.astype(DType::int64));
  fail<DTypeError>("[{}] is not defined for bool; use astype first", function);
}

using RowFunction = void (Backend::*)(const View&, const View&);

Array along(RowFunction f, const Array& x, std::int64_t axis, const char* function) {
  const int which = normalize_axis(axis, x.rank(), function);
  if (x.shape(which) == 0) {
    fail<ShapeError>("[{}] axis {} of shape {} is empty", function, which, x.shape());
  }
  const Array input =
      prepare(x, floating_result(x.dtype()), function).swapaxes(which, -1).contiguous();
  Array result = Array::uninitialized(input.shape(), input.dtype());
  if (x.size() > 0) (backend_for(KernelFamily::softmax).*f)(input.view(), result.view());
  return result.swapaxes(which, -1);
}

}  // namespace

Array elementwise(const Unary& f, const Array& x) {
  const UnaryFacts& facts = facts_of(f);
  if (!is_floating(x.dtype())) {
    if (facts.whole == Whole::unchanged) return on_current_device(x, facts.name).copy();
    if (facts.whole == Whole::computed) {
      if (x.dtype() == DType::boolean) return of_bool(f, x, facts.name);
      return apply(f, x, x.dtype(), facts.name);
    }
  }
  return apply(f, x, facts.name);
}

Array round(const Array& x, int decimals) {
  if (decimals == 0) return elementwise(Round{}, x);
  const double scale = std::pow(10.0, std::abs(decimals));
  if (!is_floating(x.dtype())) {
    if (decimals > 0) return on_current_device(x, "round").copy();
    return multiply(elementwise(Round{}, divide(x, scale)), scale).astype(x.dtype());
  }
  if (decimals > 0) return divide(elementwise(Round{}, multiply(x, scale)), scale);
  return multiply(elementwise(Round{}, divide(x, scale)), scale);
}

Array clip(const Array& x, std::optional<Scalar> low, std::optional<Scalar> high) {
  if (!low && !high) throw ArgumentError("[clip] expected a lower or an upper bound, got neither");
  if (is_floating(x.dtype())) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return apply(Clip{low ? low->value : -infinity, high ? high->value : infinity}, x, "clip");
  }
  Array result = low ? maximum(x, *low) : x;
  if (high) result = minimum(result, *high);
  return result;
}

Array isnan(const Array& x) {
  const Array numbers = prepare(x, computing(x.dtype()), "isnan");
  return compare(NotEqual{}, numbers, numbers, "isnan");
}

Array isinf(const Array& x) {
  if (!is_floating(x.dtype())) return zeros(x.shape(), DType::boolean);
  return compare(Equal{}, abs(x), full({}, std::numeric_limits<double>::infinity()), "isinf");
}

Array isfinite(const Array& x) {
  if (!is_floating(x.dtype())) return ones(x.shape(), DType::boolean);
  return compare(Less{}, abs(x), full({}, std::numeric_limits<double>::infinity()), "isfinite");
}

Array logical_not(const Array& x) { return equal(x, 0); }

Array softmax(const Array& x, std::int64_t axis) {
  return along(&Backend::softmax, x, axis, "softmax");
}
Array log_softmax(const Array& x, std::int64_t axis) {
  return along(&Backend::log_softmax, x, axis, "log_softmax");
}

Array activate(Activation f, const Array& x) {
  if (f == Activation::softmax) return softmax(x, -1);
  if (f == Activation::coates) return relu(x - mean(x, {-1}, true));
  return dispatch_activation(f, [&](auto functor) -> Array {
    if constexpr (std::is_same_v<decltype(functor), Identity>) {
      return on_current_device(x, "activate");
    } else {
      return apply(functor, x, "activate");
    }
  });
}

void activate(Activation f, const Array& x, const Array& y) {
  if (is_of_row(f)) return y.assign(activate(f, x));
  dispatch_activation(f, [&](auto functor) {
    if constexpr (std::is_same_v<decltype(functor), Identity>) {
      if (x.view().data != y.view().data) y.assign(x);
    } else {
      apply(functor, x, y);
    }
  });
}

}  // namespace gaia
