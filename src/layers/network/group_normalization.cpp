// SPDX-License-Identifier: MIT
#include "group_normalization.h"

#include "../../array/create.h"
#include "../../autograd/normalization.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {
namespace {

void check_channels(const Module& layer, const Tensor& x, int least_rank, std::int64_t channels) {
  if (x.rank() >= least_rank && x.shape(1) == channels) return;
  fail<ShapeError>("[{}] expected [batch, {}, ...], got shape {}", layer.type(), channels,
                   x.shape());
}

std::optional<Tensor> where_affine(bool affine, const Tensor& parameter) {
  return affine ? std::optional<Tensor>(parameter) : std::nullopt;
}

}  // namespace

GroupNorm::GroupNorm(std::int64_t groups, std::int64_t channels, const NormOptions& options)
    : groups_(groups), channels_(channels), options_(options) {
  check_size("group_norm", "channels", channels);
  check_trainable("group_norm", options.dtype);
  if (groups < 1 || channels % groups != 0) {
    fail<ArgumentError>("[group_norm] groups: expected a divisor of {} channels, got {}", channels,
                        groups);
  }
  check_norm_epsilon("group_norm", options.epsilon, options.dtype);
  if (!options.affine) return;
  weight_ = Tensor(ones({channels}, options.dtype), true);
  bias_ = Tensor(zeros({channels}, options.dtype), true);
  add("weight", weight_);
  add("bias", bias_);
}

Tensor GroupNorm::forward(const Tensor& x) {
  check_channels(*this, x, 2, channels_);
  return group_norm(x, groups_, where_affine(options_.affine, weight_),
                    where_affine(options_.affine, bias_), {.epsilon = options_.epsilon});
}

InstanceNorm::InstanceNorm(std::int64_t channels, const NormOptions& options)
    : channels_(channels), options_(options) {
  check_size("instance_norm", "channels", channels);
  check_trainable("instance_norm", options.dtype);
  check_norm_epsilon("instance_norm", options.epsilon, options.dtype);
  if (!options.affine) return;
  weight_ = Tensor(ones({channels}, options.dtype), true);
  bias_ = Tensor(zeros({channels}, options.dtype), true);
  add("weight", weight_);
  add("bias", bias_);
}

Tensor InstanceNorm::forward(const Tensor& x) {
  check_channels(*this, x, 3, channels_);
  return instance_norm(x, where_affine(options_.affine, weight_),
                       where_affine(options_.affine, bias_), {.epsilon = options_.epsilon});
}

RmsNorm::RmsNorm(const Shape& shape, const RmsNormLayerOptions& options)
    : shape_(shape), options_(options) {
  check_size("rms_norm", "axes", shape.rank());
  for (const std::int64_t length : shape) check_size("rms_norm", "shape", length);
  check_trainable("rms_norm", options.dtype);
  check_norm_epsilon("rms_norm", options.epsilon.value_or(0.0), options.dtype);
  if (!options.affine) return;
  weight_ = Tensor(ones(shape, options.dtype), true);
  add("weight", weight_);
}

Tensor RmsNorm::forward(const Tensor& x) {
  bool fits = x.rank() >= shape_.rank();
  for (int axis = 1; fits && axis <= shape_.rank(); ++axis) {
    fits = x.shape(-axis) == shape_[shape_.rank() - axis];
  }
  if (!fits) fail<ShapeError>("[rms_norm] expected last axes {}, got shape {}", shape_, x.shape());
  return rms_norm(x, where_affine(options_.affine, weight_),
                  {.axes = shape_.rank(), .epsilon = options_.epsilon});
}

}  // namespace gaia
