// SPDX-License-Identifier: MIT
#include "normalization.h"

#include <cmath>
#include <limits>
#include <string>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/function.h"
#include "../../autograd/fused.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "../../formulas/representable.h"
#include "dense.h"

namespace gaia {

void check_norm_epsilon(const char* type, double epsilon, DType dtype) {
  if (!(epsilon >= 0.0) || std::isinf(epsilon)) {
    fail<ArgumentError>("[{}] epsilon: expected a finite number >= 0, got {}", type, epsilon);
  }
  check_representable(message("[{}] epsilon", type), epsilon, dtype);
}

LayerNorm::LayerNorm(const Shape& shape, const NormOptions& options)
    : shape_(shape), options_(options) {
  check_size("layer_norm", "axes", shape.rank());
  for (const std::int64_t length : shape) check_size("layer_norm", "shape", length);
  check_trainable("layer_norm", options.dtype);
  check_norm_epsilon("layer_norm", options.epsilon, options.dtype);
  if (!options_.affine) return;
  weight_ = Tensor(ones(shape, options.dtype), true);
  bias_ = Tensor(zeros(shape, options.dtype), true);
  add("weight", weight_);
  add("bias", bias_);
}

Tensor LayerNorm::forward(const Tensor& x) {
  bool fits = x.rank() >= shape_.rank();
  for (int axis = 1; fits && axis <= shape_.rank(); ++axis) {
    fits = x.shape(-axis) == shape_[shape_.rank() - axis];
  }
  if (!fits) {
    fail<ShapeError>("[layer_norm] expected last axes {}, got shape {}", shape_, x.shape());
  }
  const LayerNormOptions options = {.axes = shape_.rank(), .epsilon = options_.epsilon};
  if (!options_.affine) return layer_norm(x, {}, {}, options);
  return layer_norm(x, weight_, bias_, options);
}

namespace {

/// (x - mean(x)) / sqrt(var(x) + epsilon) over `axes`, with the gradient through mean and variance:
/// dx = rstd (dy - mean(dy) - y mean(dy y)).
Tensor standardize(const Tensor& x, const Axes& axes, const MeanAndVariance& of, double epsilon) {
  // The variance may be out of the range of float32; its root is not.
  const Array rstd = (1.0 / sqrt(of.variance + epsilon)).astype(x.dtype());
  const Array y = (x.value() - of.mean.astype(x.dtype())) * rstd;
  return record("batch_norm", {x}, y, [axes, rstd, saved_y = SavedArray(y)](GradientFlow& flow) {
    const Array& dy = flow.gradient();
    const Array& h = flow.saved(saved_y);
    flow.give(0, rstd * (dy - mean(dy, axes, true) - h * mean(dy * h, axes, true)));
  });
}

}  // namespace

BatchNorm::BatchNorm(const char* type, int least_rank, int most_rank, std::int64_t channels,
                     const BatchNormOptions& options)
    : least_rank_(least_rank), most_rank_(most_rank), channels_(channels), options_(options) {
  check_size(type, "channels", channels);
  check_trainable(type, options.dtype);
  check_norm_epsilon(type, options.epsilon, options.dtype);
  if (!(options_.momentum >= 0.0 && options_.momentum <= 1.0)) {
    fail<ArgumentError>("[{}] momentum: expected 0 to 1, got {}", type,
                        std::to_string(options_.momentum));
  }
  running_mean_ = zeros({channels}, options.dtype);
  running_variance_ = ones({channels}, options.dtype);
  if (options_.affine) {
    weight_ = Tensor(ones({channels}, options.dtype), true);
    bias_ = Tensor(zeros({channels}, options.dtype), true);
    add("weight", weight_);
    add("bias", bias_);
  }
  add("running_mean", running_mean_);
  add("running_variance", running_variance_);
}

Tensor BatchNorm::forward(const Tensor& x) {
  if (x.rank() < least_rank_ || x.rank() > most_rank_ || x.shape(1) != channels_) {
    fail<ShapeError>("[{}] expected [batch, {}{}, got shape {}", type(), channels_,
                     most_rank_ == 4 ? ", height, width]" : "] or [batch, channels, length]",
                     x.shape());
  }
  Axes axes;
  Shape per_channel = {1, channels_};
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != 1) axes.push_back(axis);
    if (axis > 1) per_channel.push_back(1);
  }
  const RepeatedState repeated({&running_mean_, &running_variance_});
  Tensor y;
  if (is_training()) {
    const std::int64_t count = x.size() / channels_;
    if (count < 2) {
      fail<ShapeError>(
          "[{}] expected more than one value per channel while training, got shape {}; call eval() "
          "to answer one sample",
          type(), x.shape());
    }
    const MeanAndVariance of = mean_and_variance(x.value(), axes);
    const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    const double largest = options_.dtype == DType::float32
                               ? static_cast<double>(std::numeric_limits<float>::max())
                               : std::numeric_limits<double>::max();
    const auto move = [&](const Array& running, const Array& now) {
      const Array before = running.astype(DType::float64);
      const Array next = before + options_.momentum * (now.reshape({channels_}) - before);
      // A batch with NaN would never go away again.
      running.assign(where(isnan(next), before, minimum(next, largest)));
    };
    move(running_mean_, of.mean);
    move(running_variance_, of.variance * unbiased);
    y = standardize(x, axes, of, options_.epsilon);
  } else {
    const Array rstd = 1.0 / sqrt(running_variance_ + options_.epsilon);
    y = (x - Tensor(running_mean_.reshape(per_channel))) * Tensor(rstd.reshape(per_channel));
  }
  if (!options_.affine) return y;
  return y * reshape(weight_, per_channel) + reshape(bias_, per_channel);
}

void BatchNormKind::add_to(const ModulePlace& place) const {
  if (place.shape.rank() == 4) {
    place.net.add<BatchNorm2d>(place.shape[1], placed(options, place));
  } else {
    place.net.add<BatchNorm1d>(place.shape[1], placed(options, place));
  }
}

}  // namespace gaia
