// SPDX-License-Identifier: MIT
#include "functions.h"

#include <cmath>
#include <limits>
#include <string>

#include "../core/message.h"
#include "../formulas/representable.h"
#include "apply.h"
#include "backend.h"
#include "create.h"
#include "operands.h"
#include "ops.h"

namespace gaia {
namespace {

/// For functions that leave integers integers.
Array arithmetic(const Unary& f, const Array& x, const char* function) {
  if (x.dtype() == DType::boolean) {
    fail<DTypeError>("[{}] is not defined for bool; use astype first", function);
  }
  return apply(f, x, computing(x.dtype()), function);
}

/// For functions that do nothing to whole numbers.
Array rounded(const Unary& f, const Array& x, const char* function) {
  if (!is_floating(x.dtype())) return on_current_device(x, function).copy();
  return apply(f, x, function);
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
  if (x.size() > 0) (backend(current_device()).*f)(input.view(), result.view());
  return result.swapaxes(which, -1);
}

}  // namespace

Array negative(const Array& x) { return arithmetic(Negate{}, x, "negative"); }
Array abs(const Array& x) {
  if (x.dtype() == DType::boolean) return on_current_device(x, "abs").copy();
  return arithmetic(Abs{}, x, "abs");
}
Array sign(const Array& x) { return arithmetic(Sign{}, x, "sign"); }
Array square(const Array& x) {
  return arithmetic(Square{}, x.dtype() == DType::boolean ? x.astype(DType::int64) : x, "square");
}
Array sqrt(const Array& x) { return apply(Sqrt{}, x, "sqrt"); }
Array rsqrt(const Array& x) { return apply(Rsqrt{}, x, "rsqrt"); }
Array reciprocal(const Array& x) { return apply(Reciprocal{}, x, "reciprocal"); }
Array exp(const Array& x) { return apply(Exp{}, x, "exp"); }
Array exp2(const Array& x) { return apply(Exp2{}, x, "exp2"); }
Array expm1(const Array& x) { return apply(Expm1{}, x, "expm1"); }
Array log(const Array& x) { return apply(Log{}, x, "log"); }
Array log2(const Array& x) { return apply(Log2{}, x, "log2"); }
Array log10(const Array& x) { return apply(Log10{}, x, "log10"); }
Array log1p(const Array& x) { return apply(Log1p{}, x, "log1p"); }
Array sin(const Array& x) { return apply(Sin{}, x, "sin"); }
Array cos(const Array& x) { return apply(Cos{}, x, "cos"); }
Array tan(const Array& x) { return apply(Tan{}, x, "tan"); }
Array arcsin(const Array& x) { return apply(Arcsin{}, x, "arcsin"); }
Array arccos(const Array& x) { return apply(Arccos{}, x, "arccos"); }
Array arctan(const Array& x) { return apply(Arctan{}, x, "arctan"); }
Array sinh(const Array& x) { return apply(Sinh{}, x, "sinh"); }
Array cosh(const Array& x) { return apply(Cosh{}, x, "cosh"); }
Array tanh(const Array& x) { return apply(Tanh{}, x, "tanh"); }
Array arcsinh(const Array& x) { return apply(Arcsinh{}, x, "arcsinh"); }
Array arccosh(const Array& x) { return apply(Arccosh{}, x, "arccosh"); }
Array arctanh(const Array& x) { return apply(Arctanh{}, x, "arctanh"); }
Array erf(const Array& x) { return apply(Erf{}, x, "erf"); }
Array erfc(const Array& x) { return apply(Erfc{}, x, "erfc"); }

Array floor(const Array& x) { return rounded(Floor{}, x, "floor"); }
Array ceil(const Array& x) { return rounded(Ceil{}, x, "ceil"); }
Array trunc(const Array& x) { return rounded(Trunc{}, x, "trunc"); }

Array round(const Array& x, int decimals) {
  if (decimals == 0) return rounded(Round{}, x, "round");
  const double scale = std::pow(10.0, std::abs(decimals));
  if (!is_floating(x.dtype())) {
    if (decimals > 0) return on_current_device(x, "round").copy();
    return multiply(rounded(Round{}, divide(x, scale), "round"), scale).astype(x.dtype());
  }
  if (decimals > 0) return divide(rounded(Round{}, multiply(x, scale), "round"), scale);
  return multiply(rounded(Round{}, divide(x, scale), "round"), scale);
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

Array sigmoid(const Array& x) { return apply(Sigmoid{}, x, "sigmoid"); }
Array log_sigmoid(const Array& x) { return apply(LogSigmoid{}, x, "log_sigmoid"); }
Array relu(const Array& x) { return apply(Relu{}, x, "relu"); }
Array selu(const Array& x) { return apply(Selu{}, x, "selu"); }
Array silu(const Array& x) { return apply(Silu{}, x, "silu"); }
Array leaky_relu(const Array& x, double negative_slope) {
  return apply(LeakyRelu{negative_slope}, x, "leaky_relu");
}
Array elu(const Array& x, double alpha) { return apply(Elu{alpha}, x, "elu"); }
Array softplus(const Array& x, double beta, double threshold) {
  check_representable("[softplus] beta", beta, x.dtype());
  return apply(Softplus{beta, threshold}, x, "softplus");
}
Array gelu(const Array& x, GeluForm form) {
  if (form == GeluForm::exact) return apply(GeluExact{}, x, "gelu");
  return apply(GeluTanh{}, x, "gelu");
}

Array softmax(const Array& x, std::int64_t axis) {
  return along(&Backend::softmax, x, axis, "softmax");
}
Array log_softmax(const Array& x, std::int64_t axis) {
  return along(&Backend::log_softmax, x, axis, "log_softmax");
}

Array activate(Activation f, const Array& x) {
  if (f == Activation::softmax) return softmax(x, -1);
  return dispatch_activation(f, [&](auto functor) -> Array {
    if constexpr (std::is_same_v<decltype(functor), Identity>) {
      return on_current_device(x, "activate");
    } else {
      return apply(functor, x, "activate");
    }
  });
}

void activate(Activation f, const Array& x, const Array& y) {
  if (f == Activation::softmax) return y.assign(softmax(x, -1));
  dispatch_activation(f, [&](auto functor) {
    if constexpr (std::is_same_v<decltype(functor), Identity>) {
      if (x.view().data != y.view().data) y.assign(x);
    } else {
      apply(functor, x, y);
    }
  });
}

}  // namespace gaia
