// SPDX-License-Identifier: MIT
#include "prelu.h"

#include <cmath>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {

Tensor prelu(const Tensor& x, const Tensor& weight) {
  const int axis = x.rank() > 1 ? 1 : 0;
  const std::int64_t channels = x.rank() > 0 ? x.shape(axis) : 1;
  if (weight.rank() > 1 || (weight.size() != 1 && weight.size() != channels)) {
    fail<ShapeError>("[prelu] expected a weight of [1] or [{}], got {}", channels, weight.shape());
  }
  Shape shape = Shape::filled(x.rank(), 1);
  if (x.rank() > 0) shape[axis] = weight.size();
  return where(greater(x.value(), 0.0), x, x * reshape(weight, shape));
}

PReluLayer::PReluLayer(const PReluOptions& options) {
  check_size("prelu", "channels", options.channels);
  check_trainable("prelu", options.dtype);
  if (!std::isfinite(options.start)) {
    fail<ArgumentError>("[prelu] start: expected a finite number, got {}", options.start);
  }
  weight_ = Tensor(full({options.channels}, options.start, options.dtype), true);
  add("weight", weight_);
}

}  // namespace gaia
