// SPDX-License-Identifier: MIT
#include "reduce.h"

#include <cmath>
#include <limits>

#include "../array/create.h"
#include "../array/joining.h"
#include "../array/operands.h"
#include "function.h"
#include "joining.h"
#include "pointwise.h"
#include "twice.h"
#include "views.h"

namespace gaia {
namespace {

/// How a reduction's results lie over its input.
struct Span {
  Span(const Tensor& x, const Axes& axes, const char* function) : whole(x.shape()), kept(whole) {
    for (const std::int64_t axis : reduced_axes(axes, x.rank(), function)) {
      const int which = static_cast<int>(axis);
      count *= static_cast<double>(whole[which]);
      kept[which] = 1;
    }
  }

  /// A result with length 1 along the reduced axes.
  template <class T>
  T keep(const T& y) const {
    return y.reshape(kept);
  }
  /// A result beside each element it was computed from.
  template <class T>
  T spread(const T& y) const {
    return keep(y).broadcast_to(whole);
  }

  Shape whole;
  Shape kept;
  double count = 1.0;  ///< Elements per result.
};

/// What each element has of the gradient that those of them where `mask` holds share equally.
template <class T>
T shared(const T& gradient, const Array& mask, const Axes& axes) {
  const Array sharers = sum(mask, axes, true).astype(gradient.dtype());
  return multiply(divide(gradient, T(sharers)), T(mask));
}

/// The elements that are the extremum share its gradient.
Tensor extremum(const char* name, const Tensor& x, const Axes& axes, Array value) {
  const Span span(x, axes, name);
  return record_twice(name, {x}, value,
                      [span, axes, x = SavedArray(x.value()), y = SavedArray(value)](auto& flow) {
                        const Array mask = equal(flow.saved(x), span.keep(flow.saved(y)));
                        flow.give(0, shared(span.keep(flow.gradient()), mask, axes));
                      });
}

/// d/dx of (sum |x|^p)^(1/p) = y, times dy: y and dy lie beside x.
template <class T>
T norm_gradient(const T& x, const T& y, const T& dy, double order, const Axes& axes) {
  if (order == 0.0) return T(zeros(x.shape(), x.dtype()));
  if (std::isinf(order)) {
    return multiply(sign(x), shared(dy, equal(abs(value_of(x)), value_of(y)), axes));
  }
  if (order == 1.0) return multiply(sign(x), dy);
  // Powers of shares, which neither overflow nor vanish; 0 where all is 0.
  const T share = divide(x, where(equal(value_of(y), 0.0), 1.0, y));
  if (order == 2.0) return multiply(share, dy);
  const T slope = multiply(sign(x), power(abs(share), order - 1.0));
  return multiply(where(equal(value_of(x), 0.0), 0.0, slope), dy);
}

/// The sum of each element and those behind it.
template <class T>
T cumsum_from_behind(const T& x, std::int64_t axis) {
  return flip(cumsum(flip(x, {axis}), axis), {axis});
}

/// d/dx of the running products along `axis`, times dy: sum_{i >= k} dy_i prod_{j <= i, j != k}
/// x_j. Before the first zero the product is y_i / x_k, and those from the zero on vanish; at the
/// first zero it is the product of the others, up to the second; behind it all vanish.
Array cumprod_gradient(const Array& x, const Array& dy, std::int64_t axis) {
  const Array is_zero = equal(x, 0.0);
  const Array zeros_so_far = cumsum(is_zero, axis);
  const Array before = equal(zeros_so_far, 0);
  const Array since_first = equal(zeros_so_far, 1);
  const Array is_first = logical_and(is_zero, since_first);
  const Array products = multiply(dy, cumprod(where(is_first, 1.0, x), axis));
  const Array sums_before = cumsum_from_behind(where(before, products, 0.0), axis);
  const Array sums_since = cumsum_from_behind(where(since_first, products, 0.0), axis);
  return where(before, divide(sums_before, x), where(is_first, sums_since, 0.0));
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "sum");
  return record_twice("sum", {x}, sum(x.value(), axes, keep_dims),
                      [span](auto& flow) { flow.give(0, span.spread(flow.gradient())); });
}

Tensor mean(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "mean");
  return record_twice("mean", {x}, mean(x.value(), axes, keep_dims), [span](auto& flow) {
    flow.give(0, span.spread(divide(flow.gradient(), span.count)));
  });
}

Tensor var(const Tensor& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  const Span span(x, axes, "var");
  return record_twice("var", {x}, var(x.value(), axes, ddof, keep_dims),
                      [span, axes, ddof, x = SavedTensor(x)](auto& flow) {
                        const auto& values = flow.saved(x);
                        const auto distance = subtract(values, mean(values, axes, true));
                        const double scale = 2.0 / (span.count - static_cast<double>(ddof));
                        flow.give(0,
                                  multiply(distance, span.keep(multiply(flow.gradient(), scale))));
                      });
}

Tensor std(const Tensor& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  const Span span(x, axes, "std");
  const Array value = std(x.value(), axes, ddof, keep_dims);
  return record_twice(
      "std", {x}, value, [span, axes, ddof, x = SavedTensor(x), y = SavedArray(value)](auto& flow) {
        const auto& values = flow.saved(x);
        const auto deviation = flow.result(y);
        const auto distance = subtract(values, mean(values, axes, true));
        const double scale = 1.0 / (span.count - static_cast<double>(ddof));
        const auto slope = where(equal(value_of(deviation), 0.0), 0.0,
                                 divide(multiply(flow.gradient(), scale), deviation));
        flow.give(0, multiply(distance, span.keep(slope)));
      });
}

Tensor prod(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "prod");
  return record("prod", {x}, prod(x.value(), axes, keep_dims),
                [span, axes, x = SavedArray(x.value())](GradientFlow& flow) {
                  // Each element's slope is the product of the others: without zeros, the product
                  // divided by the element; of one zero, the product of the rest; of more, 0.
                  const Array& values = flow.saved(x);
                  const Array is_zero = equal(values, 0.0);
                  const Array number_of_zeros = sum(is_zero, axes, true);
                  const Array others = where(is_zero, 1.0, values);
                  const Array product = prod(others, axes, true);
                  const Array slope =
                      where(is_zero, where(equal(number_of_zeros, 1), product, 0.0),
                            where(equal(number_of_zeros, 0), divide(product, others), 0.0));
                  flow.give(0, multiply(slope, span.keep(flow.gradient())));
                });
}

Tensor max(const Tensor& x, const Axes& axes, bool keep_dims) {
  return extremum("max", x, axes, max(x.value(), axes, keep_dims));
}

Tensor min(const Tensor& x, const Axes& axes, bool keep_dims) {
  return extremum("min", x, axes, min(x.value(), axes, keep_dims));
}

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "logsumexp");
  const Array value = logsumexp(x.value(), axes, keep_dims);
  return record_twice("logsumexp", {x}, value,
                      [span, x = SavedTensor(x), y = SavedArray(value)](auto& flow) {
                        // Slopes of nothing but -inf are 0, not NaN.
                        const auto total = flow.result(y);
                        constexpr double kLowest = -std::numeric_limits<double>::infinity();
                        const auto finite = where(equal(value_of(total), kLowest), 0.0, total);
                        const auto slope = exp(subtract(flow.saved(x), span.keep(finite)));
                        flow.give(0, multiply(slope, span.keep(flow.gradient())));
                      });
}

Tensor norm(const Tensor& x, const Axes& axes, bool keep_dims, double order) {
  const Span span(x, axes, "norm");
  const Array value = norm(x.value(), axes, keep_dims, order);
  return record_twice(
      "norm", {x}, value,
      [span, axes, order, x = SavedTensor(x), y = SavedArray(value)](auto& flow) {
        const auto length = span.keep(flow.result(y));
        flow.give(0, norm_gradient(flow.saved(x), length, span.keep(flow.gradient()), order, axes));
      });
}

Tensor cumsum(const Tensor& x, std::optional<std::int64_t> axis) {
  if (!axis) return cumsum(reshape(x, {x.size()}), 0);
  if (x.rank() == 0) return cumsum(reshape(x, {1}), axis);
  return record_twice("cumsum", {x}, cumsum(x.value(), axis), [axis = *axis](auto& flow) {
    flow.give(0, cumsum_from_behind(flow.gradient(), axis));
  });
}

Tensor cumprod(const Tensor& x, std::optional<std::int64_t> axis) {
  if (!axis) return cumprod(reshape(x, {x.size()}), 0);
  if (x.rank() == 0) return cumprod(reshape(x, {1}), axis);
  return record("cumprod", {x}, cumprod(x.value(), axis),
                [axis = *axis, x = SavedArray(x.value())](GradientFlow& flow) {
                  flow.give(0, cumprod_gradient(flow.saved(x), flow.gradient(), axis));
                });
}

Tensor softmax(const Tensor& x, std::int64_t axis) {
  const Array value = softmax(x.value(), axis);
  return record_twice("softmax", {x}, value, [axis, y = SavedArray(value)](auto& flow) {
    const auto& share = flow.result(y);
    const auto mean_gradient = sum(multiply(flow.gradient(), share), {axis}, true);
    flow.give(0, multiply(share, subtract(flow.gradient(), mean_gradient)));
  });
}

Tensor log_softmax(const Tensor& x, std::int64_t axis) {
  const Array value = log_softmax(x.value(), axis);
  return record_twice("log_softmax", {x}, value, [axis, y = SavedArray(value)](auto& flow) {
    const auto total = sum(flow.gradient(), {axis}, true);
    flow.give(0, subtract(flow.gradient(), multiply(exp(flow.result(y)), total)));
  });
}

}  // namespace gaia
