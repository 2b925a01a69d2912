// SPDX-License-Identifier: MIT
#include "normalization.h"

#include <cmath>
#include <limits>

#include "../core/message.h"
#include "fused.h"
#include "ops.h"

namespace gaia {
namespace {

/// Numbers of the channels, in a shape that broadcasts to x.
Tensor along_channels(const char* function, const char* what, const Tensor& numbers,
                      const Shape& x) {
  if (!(numbers.shape() == Shape{x[1]})) {
    fail<ShapeError>("[{}] {}: expected [{}], one for each channel, got {}", function, what, x[1],
                     numbers.shape());
  }
  Shape shape = Shape::filled(x.rank(), 1);
  shape[1] = x[1];
  return reshape(numbers, shape);
}

Tensor grouped_norm(const char* function, const Tensor& x, std::int64_t groups,
                    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                    double epsilon) {
  if (!(epsilon >= 0.0) || std::isinf(epsilon)) {
    fail<ArgumentError>("[{}] epsilon: expected a finite number >= 0, got {}", function, epsilon);
  }
  const std::int64_t batch = x.shape(0);
  // Lengths are written out, since -1 cannot be told of an array without elements.
  std::int64_t together = x.shape(1) / groups;
  for (int axis = 2; axis < x.rank(); ++axis) together *= x.shape(axis);
  const Tensor rows = reshape(x, {batch, groups, together});
  Tensor y = reshape(layer_norm(rows, {}, {}, {.epsilon = epsilon}), x.shape());
  if (weight) y = y * along_channels(function, "weight", *weight, x.shape());
  if (bias) y = y + along_channels(function, "bias", *bias, x.shape());
  return y;
}

}  // namespace

Tensor group_norm(const Tensor& x, std::int64_t groups, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, const GroupNormOptions& options) {
  if (x.rank() < 2) {
    fail<ShapeError>("[group_norm] expected [batch, channels, ...], got shape {}", x.shape());
  }
  if (groups < 1 || x.shape(1) % groups != 0) {
    fail<ArgumentError>("[group_norm] groups: expected a divisor of {} channels, got {}",
                        x.shape(1), groups);
  }
  return grouped_norm("group_norm", x, groups, weight, bias, options.epsilon);
}

Tensor instance_norm(const Tensor& x, const std::optional<Tensor>& weight,
                     const std::optional<Tensor>& bias, const GroupNormOptions& options) {
  std::int64_t positions = x.rank() < 3 ? 0 : 1;
  for (int axis = 2; axis < x.rank(); ++axis) positions *= x.shape(axis);
  if (x.rank() < 3 || positions == 1 || x.shape(1) < 1) {
    fail<ShapeError>(
        "[instance_norm] expected [batch, channels, positions...] with more than one position, got "
        "shape {}",
        x.shape());
  }
  return grouped_norm("instance_norm", x, x.shape(1), weight, bias, options.epsilon);
}

Tensor rms_norm(const Tensor& x, const std::optional<Tensor>& weight,
                const RmsNormOptions& options) {
  if (options.axes < 1 || options.axes > x.rank()) {
    fail<ShapeError>("[rms_norm] axes: expected 1 to {}, got {}", x.rank(), options.axes);
  }
  const double epsilon = options.epsilon.value_or(
      x.dtype() == DType::float64 ? std::numeric_limits<double>::epsilon()
                                  : static_cast<double>(std::numeric_limits<float>::epsilon()));
  if (!(epsilon >= 0.0) || std::isinf(epsilon)) {
    fail<ArgumentError>("[rms_norm] epsilon: expected a finite number >= 0, got {}", epsilon);
  }
  Axes axes;
  Shape lengths;
  for (int axis = x.rank() - options.axes; axis < x.rank(); ++axis) {
    axes.push_back(axis);
    lengths.push_back(x.shape(axis));
  }
  if (weight && !(weight->shape() == lengths)) {
    fail<ShapeError>("[rms_norm] expected a weight of shape {}, got {}", lengths, weight->shape());
  }
  const Tensor y = x / sqrt(mean(square(x), axes, true) + epsilon);
  return weight ? y * *weight : y;
}

}  // namespace gaia
