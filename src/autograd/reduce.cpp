// SPDX-License-Identifier: MIT
#include "reduce.h"

#include <limits>

#include "../array/create.h"
#include "../array/joining.h"
#include "function.h"

namespace gaia {
namespace {

/// How a reduction's results lie over its input.
struct Span {
  Span(const Tensor& x, const Axes& axes, const char* function) : whole(x.shape()), kept(whole) {
    for (const std::int64_t axis : normalize_axes(axes, x.rank(), function)) {
      const int which = static_cast<int>(axis);
      count *= static_cast<double>(whole[which]);
      kept[which] = 1;
    }
  }

  /// A result with length 1 along the reduced axes.
  Array keep(const Array& y) const { return y.reshape(kept); }
  /// A result beside each element it was made from.
  Array spread(const Array& y) const { return keep(y).broadcast_to(whole); }

  Shape whole;
  Shape kept;
  double count = 1.0;  ///< Elements per result.
};

/// x, and 0 where the condition holds.
Array zero_where(const Array& condition, const Array& x) {
  return where(condition, zeros({}, x.dtype()), x);
}

/// The elements that are the extremum share its gradient.
Tensor extremum(const char* name, const Tensor& x, const Axes& axes, Array value) {
  const Span span(x, axes, name);
  return record(name, {x}, value,
                [span, axes, x = SavedArray(x.value()), y = SavedArray(value)](GradientFlow& flow) {
                  const Array mask = equal(flow.saved(x), span.keep(flow.saved(y)));
                  const Array ties = sum(mask, axes, true).astype(flow.gradient().dtype());
                  const Array share = divide(span.keep(flow.gradient()), ties);
                  flow.give(0, multiply(share, mask));
                });
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "sum");
  return record("sum", {x}, sum(x.value(), axes, keep_dims),
                [span](GradientFlow& flow) { flow.give(0, span.spread(flow.gradient())); });
}

Tensor mean(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "mean");
  return record("mean", {x}, mean(x.value(), axes, keep_dims), [span](GradientFlow& flow) {
    flow.give(0, span.spread(divide(flow.gradient(), span.count)));
  });
}

Tensor var(const Tensor& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  const Span span(x, axes, "var");
  return record("var", {x}, var(x.value(), axes, ddof, keep_dims),
                [span, axes, ddof, x = SavedArray(x.value())](GradientFlow& flow) {
                  const Array& values = flow.saved(x);
                  const Array distance = subtract(values, mean(values, axes, true));
                  const double scale = 2.0 / (span.count - static_cast<double>(ddof));
                  flow.give(0, multiply(distance, span.keep(multiply(flow.gradient(), scale))));
                });
}

Tensor std(const Tensor& x, const Axes& axes, std::int64_t ddof, bool keep_dims) {
  const Span span(x, axes, "std");
  const Array value = std(x.value(), axes, ddof, keep_dims);
  return record(
      "std", {x}, value,
      [span, axes, ddof, x = SavedArray(x.value()), y = SavedArray(value)](GradientFlow& flow) {
        const Array& values = flow.saved(x);
        const Array& deviation = flow.saved(y);
        const Array distance = subtract(values, mean(values, axes, true));
        const double scale = 1.0 / (span.count - static_cast<double>(ddof));
        const Array slope =
            zero_where(equal(deviation, 0.0), divide(multiply(flow.gradient(), scale), deviation));
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
                  const Array others = where(is_zero, ones({}, values.dtype()), values);
                  const Array product = prod(others, axes, true);
                  const Array slope =
                      where(is_zero, zero_where(not_equal(number_of_zeros, 1), product),
                            zero_where(not_equal(number_of_zeros, 0), divide(product, others)));
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
  return record("logsumexp", {x}, value,
                [span, x = SavedArray(x.value()), y = SavedArray(value)](GradientFlow& flow) {
                  // Of nothing but -inf the slopes are 0, not NaN.
                  const Array& total = flow.saved(y);
                  const Array lowest =
                      full({}, -std::numeric_limits<double>::infinity(), total.dtype());
                  const Array finite = zero_where(equal(total, lowest), total);
                  const Array slope = exp(subtract(flow.saved(x), span.keep(finite)));
                  flow.give(0, multiply(slope, span.keep(flow.gradient())));
                });
}

Tensor norm(const Tensor& x, const Axes& axes, bool keep_dims) {
  const Span span(x, axes, "norm");
  const Array value = norm(x.value(), axes, keep_dims);
  return record("norm", {x}, value,
                [span, x = SavedArray(x.value()), y = SavedArray(value)](GradientFlow& flow) {
                  const Array& length = flow.saved(y);
                  const Array slope =
                      zero_where(equal(length, 0.0), divide(flow.gradient(), length));
                  flow.give(0, multiply(flow.saved(x), span.keep(slope)));
                });
}

Tensor cumsum(const Tensor& x, std::int64_t axis) {
  return record("cumsum", {x}, cumsum(x.value(), axis), [axis](GradientFlow& flow) {
    flow.give(0, flip(cumsum(flip(flow.gradient(), {axis}), axis), {axis}));
  });
}

Tensor softmax(const Tensor& x, std::int64_t axis) {
  const Array value = softmax(x.value(), axis);
  return record("softmax", {x}, value, [axis, y = SavedArray(value)](GradientFlow& flow) {
    const Array& share = flow.saved(y);
    const Array mean_gradient = sum(multiply(flow.gradient(), share), {axis}, true);
    flow.give(0, multiply(share, subtract(flow.gradient(), mean_gradient)));
  });
}

Tensor log_softmax(const Tensor& x, std::int64_t axis) {
  const Array value = log_softmax(x.value(), axis);
  return record("log_softmax", {x}, value, [axis, y = SavedArray(value)](GradientFlow& flow) {
    const Array total = sum(flow.gradient(), {axis}, true);
    flow.give(0, subtract(flow.gradient(), multiply(exp(flow.saved(y)), total)));
  });
}

}  // namespace gaia
