// SPDX-License-Identifier: MIT
#include "reductions.h"

#include <algorithm>
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The result of a reduction before its elements are set: of length 1 along the reduced axes.
struct Reduced {
  Axes axes;
  Array result;

  Reduced(const Array& x, const Axes& wanted, DType dtype, const char* function)
      : axes(reduced_axes(wanted, x.rank(), function)) {
    Shape kept = x.shape();
    for (const std::int64_t axis : axes) kept[static_cast<int>(axis)] = 1;
    result = Array::uninitialized(kept, dtype);
  }
  Array finished(bool keep_dims) const {
    return keep_dims || axes.empty() ? result : result.squeeze(axes);
  }
};

/// `of_nothing`: what comes of no elements; none where that is refused.
Array reduce(Reduction kind, const Array& x, const Axes& axes, bool keep_dims, DType dtype,
             std::optional<double> of_nothing, const char* function) {
  const Reduced reduced(x, axes, dtype, function);
  if (x.size() > 0) {
    const Array input = on_current_device(x, function);
    backend_for(KernelFamily::reduction).reduce(kind, input.view(), reduced.result.view());
  } else if (of_nothing) {
    reduced.result.fill(*of_nothing);
  } else if (std::any_of(reduced.axes.begin(), reduced.axes.end(),
                         [&](std::int64_t axis) { return x.shape(static_cast<int>(axis)) == 0; })) {
    fail<ShapeError>("[{}] of no elements is not defined; got shape {}", function, x.shape());
  }
  return reduced.finished(keep_dims);
}

/// sum (x - center)^2 in float64, with the reduced axes kept; center is float64 and keeps them too.
Array squares(const Array& x, const Array& center, const Axes& axes, const char* function) {
  const Reduced reduced(x, axes, DType::float64, function);
  if (x.size() > 0) {
    const Array input = on_current_device(x, function);
    backend_for(KernelFamily::reduction)
        .squares(input.view(), center.view(), reduced.result.view());
  } else {
    reduced.result.fill(0.0);
  }
  return reduced.result;
}

MeanAndVariance mean_and_variance_of(const Array& x, const Axes& axes, std::int64_t ddof,
                                     const char* function) {
  const Array center =
      reduce(Reduction::mean, x, axes, true, DType::float64, std::nan(""), function);
  const Array total = squares(x, center, axes, function);
  const std::int64_t count = total.size() > 0 ? x.size() / total.size() : 0;
  return {center, total / static_cast<double>(std::max<std::int64_t>(0, count - ddof))};
}

Array drop(const Array& x, const Axes& axes, bool keep_dims, const char* function) {
  if (keep_dims || x.rank() == 0) return x;
  return x.squeeze(normalize_axes(axes, x.rank(), function));
}

DType sum_result(DType dtype) { return is_floating(dtype) ? computing(dtype) : DType::int64; }

Array arg_reduce(ArgReduction kind, const Array& x, std::optional<std::int64_t> axis,
                 bool keep_dims, const char* function) {
  if (!axis) {
    const Array position = arg_reduce(kind, x.reshape({-1}), 0, false, function);
    return keep_dims ? position.reshape(Shape::filled(x.rank(), 1)) : position;
  }
  if (x.rank() == 0) return arg_reduce(kind, at_least_1d(x), axis, false, function);
  const int which = normalize_axis(*axis, x.rank(), function);
  if (x.shape(which) == 0) {
    fail<ShapeError>("[{}] axis {} of shape {} is empty", function, which, x.shape());
  }
  Shape kept = x.shape();
  kept[which] = 1;
  const Array result = Array::uninitialized(kept, DType::int64);
  if (x.size() > 0) {
    const Array input = on_current_device(x, function).swapaxes(which, -1);
    backend_for(KernelFamily::reduction)
        .arg_reduce(kind, input.view(), result.swapaxes(which, -1).view());
  }
  return keep_dims ? result : result.squeeze({which});
}

Array scan(Scan kind, const Array& x, std::optional<std::int64_t> axis, const char* function) {
  if (!axis) return scan(kind, x.reshape({-1}), 0, function);
  if (x.rank() == 0) return scan(kind, at_least_1d(x), axis, function);
  const int which = normalize_axis(*axis, x.rank(), function);
  Array result = Array::uninitialized(x.shape(), sum_result(x.dtype()));
  if (x.size() > 0) {
    const Array input = on_current_device(x, function).swapaxes(which, -1);
    backend_for(KernelFamily::scan).scan(kind, input.view(), result.swapaxes(which, -1).view());
  }
  return result;
}

}  // namespace

Array sum(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::sum, x, axes, keep_dims, sum_result(x.dtype()), 0.0, "sum");
}

Array prod(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::prod, x, axes, keep_dims, sum_result(x.dtype()), 1.0, "prod");
}

Array mean(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::mean, x, axes, keep_dims, floating_result(x.dtype()), std::nan(""),
                "mean");
}

Array var(const Array& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  const Array result =
      mean_and_variance_of(x, axes, ddof, "var").variance.astype(floating_result(x.dtype()));
  return drop(result, axes, keep_dims, "var");
}

Array std(const Array& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  const Array variance = mean_and_variance_of(x, axes, ddof, "std").variance;
  return drop(sqrt(variance).astype(floating_result(x.dtype())), axes, keep_dims, "std");
}

MeanAndVariance mean_and_variance(const Array& x, const Axes& axes, std::int64_t ddof) {
  return mean_and_variance_of(x, axes, ddof, "mean_and_variance");
}

Array norm(const Array& x, const Axes& axes, bool keep_dims, double order) {
  const DType dtype = floating_result(x.dtype());
  const auto join = [&](Reduction kind, const Array& terms, DType in, std::optional<double> none) {
    return reduce(kind, terms, axes, keep_dims, in, none, "norm");
  };
  if (order == 2.0) return join(Reduction::norm, x, dtype, 0.0);
  if (order == 0.0) {
    return join(Reduction::sum, prepare(x, DType::boolean, "norm"), DType::int64, 0.0)
        .astype(dtype);
  }
  const Array sizes = apply(Abs{}, x, dtype, "norm");
  if (order == kInfinity) return join(Reduction::max, sizes, dtype, {});
  if (order == -kInfinity) return join(Reduction::min, sizes, dtype, {});
  if (order == 1.0) return join(Reduction::sum, sizes, dtype, 0.0);
  // Powers of shares of the largest, or of an order below 0 of the smallest, do not overflow.
  const Reduction kind = order > 0.0 ? Reduction::max : Reduction::min;
  const Array extreme = reduce(kind, sizes, axes, true, dtype, 1.0, "norm");
  const Array unit = where(logical_and(isfinite(extreme), not_equal(extreme, 0.0)), extreme, 1.0);
  const Array total =
      reduce(Reduction::sum, power(sizes / unit, order), axes, true, dtype, 0.0, "norm");
  return drop(power(total, 1.0 / order) * unit, axes, keep_dims, "norm");
}

Array logsumexp(const Array& x, const Axes& axes, bool keep_dims) {
  const DType dtype = floating_result(x.dtype());
  const Array numbers = prepare(x, dtype, "logsumexp");
  const Array largest = reduce(Reduction::max, numbers, axes, true, dtype, -kInfinity, "logsumexp");
  // Infinities are left to exp and log.
  const Array shift = where(isfinite(largest), largest, 0.0);
  return drop(log(sum(exp(numbers - shift), axes, true)) + shift, axes, keep_dims, "logsumexp");
}

Array max(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::max, x, axes, keep_dims, computing(x.dtype()), {}, "max");
}

Array min(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::min, x, axes, keep_dims, computing(x.dtype()), {}, "min");
}

Array argmax(const Array& x, std::optional<std::int64_t> axis, bool keep_dims) {
  return arg_reduce(ArgReduction::max, x, axis, keep_dims, "argmax");
}

Array argmin(const Array& x, std::optional<std::int64_t> axis, bool keep_dims) {
  return arg_reduce(ArgReduction::min, x, axis, keep_dims, "argmin");
}

Array any(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::max, prepare(x, DType::boolean, "any"), axes, keep_dims, DType::boolean,
                0.0, "any");
}

Array all(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::min, prepare(x, DType::boolean, "all"), axes, keep_dims, DType::boolean,
                1.0, "all");
}

Array count_nonzero(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::sum, prepare(x, DType::boolean, "count_nonzero"), axes, keep_dims,
                DType::int64, 0.0, "count_nonzero");
}

Array cumsum(const Array& x, std::optional<std::int64_t> axis) {
  return scan(Scan::sum, x, axis, "cumsum");
}

Array cumprod(const Array& x, std::optional<std::int64_t> axis) {
  return scan(Scan::prod, x, axis, "cumprod");
}

}  // namespace gaia
