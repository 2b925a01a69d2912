// SPDX-License-Identifier: MIT
#include "pointwise.h"

#include "../../array/random_arrays.h"
#include "../../autograd/checkpoint.h"
#include "../../core/message.h"

namespace gaia {

Tensor Flatten::forward(const Tensor& x) {
  if (x.rank() == 0) throw ShapeError("[flatten] expected [batch, ...], got shape []");
  const std::int64_t batch = x.shape(0);
  std::int64_t length = 1;
  for (int axis = 1; axis < x.rank(); ++axis) length *= x.shape(axis);
  return reshape(x, {batch, length});
}

Tensor Reshape::forward(const Tensor& x) {
  if (x.rank() == 0) throw ShapeError("[reshape] expected [batch, ...], got shape []");
  Shape shape = shape_;
  shape.insert(0, x.shape(0));
  return reshape(x, shape);
}

Dropout::Dropout(const DropoutOptions& options)
    : probability_(options.probability), random_(options.random) {
  if (!(probability_ >= 0.0 && probability_ <= 1.0)) {
    fail<ArgumentError>("[dropout] probability: expected 0 <= p <= 1, got {}", probability_);
  }
  add("draws", calls_);
}

Tensor Dropout::forward(const Tensor& x) {
  if (!is_training() || probability_ == 0.0) return x;
  const RepeatedState repeated({}, nullptr, &calls_);
  const RandomStream stream = RandomStream::named(
      random_.seed, "dropout/" + std::to_string(random_.stream) + "/" + std::to_string(calls_++));
  const double keep = 1.0 - probability_;
  const Array mask = bernoulli(x.shape(), keep, floating_result(x.dtype()), stream);
  return x * Tensor(keep == 0.0 ? mask : mask / keep);
}

}  // namespace gaia
