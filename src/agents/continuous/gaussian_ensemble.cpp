// SPDX-License-Identifier: MIT
#include "gaussian_ensemble.h"

#include <cmath>
#include <string>
#include <utility>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "../../layers/network/dense.h"

namespace gaia::agents {
namespace {

/// How much the distance of the bounds of the log variance counts in the loss.
constexpr double kBoundsWeight = 0.01;

}  // namespace

GaussianEnsemble::GaussianEnsemble(std::int64_t inputs, std::int64_t outputs,
                                   const GaussianEnsembleOptions& options)
    : members_(options.members), inputs_(inputs), outputs_(outputs), dtype_(options.dtype) {
  check_trainable("gaussian_ensemble", options.dtype);
  check_size("gaussian_ensemble", "members", options.members);
  check_size("gaussian_ensemble", "inputs", inputs);
  check_size("gaussian_ensemble", "outputs", outputs);
  for (const std::int64_t units : options.hidden) {
    check_size("gaussian_ensemble", "hidden", units);
  }
  if (!(options.least_log_variance < options.most_log_variance) ||
      !std::isfinite(options.least_log_variance) || !std::isfinite(options.most_log_variance)) {
    fail<ArgumentError>(
        "[gaussian_ensemble] log variance: expected two finite bounds, the lower first, got {} and "
        "{}",
        options.least_log_variance, options.most_log_variance);
  }
  std::vector<std::int64_t> sizes = {inputs};
  sizes.insert(sizes.end(), options.hidden.begin(), options.hidden.end());
  sizes.push_back(2 * outputs);
  const std::size_t layers = sizes.size() - 1;
  weights_.reserve(layers);  // parameters keep their address
  biases_.reserve(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string number = std::to_string(i);
    const RandomStream stream = RandomStream::named(
        options.random.seed, "ensemble/" + number + "/" + std::to_string(options.random.stream));
    const double deviation = 1.0 / std::sqrt(static_cast<double>(sizes[i]));
    // Drawn in float64, so that both precisions start from the same weights.
    weights_.emplace_back(
        random_normal({members_, sizes[i + 1], sizes[i]}, 0.0, deviation, DType::float64, stream)
            .astype(dtype_),
        true);
    biases_.emplace_back(zeros({members_, 1, sizes[i + 1]}, dtype_), true);
    add("weights." + number, weights_.back());
    add("bias." + number, biases_.back());
  }
  least_ = Tensor(full({members_, 1, outputs}, options.least_log_variance, dtype_), true);
  most_ = Tensor(full({members_, 1, outputs}, options.most_log_variance, dtype_), true);
  add("least", least_);
  add("most", most_);
}

Tensor GaussianEnsemble::raw(const Tensor& x) {
  Tensor y = x;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    y = matmul(y, weights_[i].swapaxes(-1, -2)) + biases_[i];
    if (i + 1 < weights_.size()) y = silu(y);
  }
  return y;
}

Tensor GaussianEnsemble::bounded(const Tensor& raw_log_variance, bool dimensions_first) const {
  // The bounds [E, 1, D] with as many axes of length 1 as there are others.
  Shape shape;
  for (int axis = 0; axis < raw_log_variance.rank(); ++axis) shape.push_back(1);
  shape[dimensions_first ? 1 : 0] = members_;
  shape[dimensions_first ? 0 : raw_log_variance.rank() - 1] = outputs_;
  const auto placed = [&](const Tensor& bound) {
    return dimensions_first ? bound.transpose({2, 1, 0}).reshape(shape) : bound.reshape(shape);
  };
  const Tensor least = placed(least_), most = placed(most_);
  const Tensor below = most - softplus(most - raw_log_variance);
  return least + softplus(below - least);
}

GaussianEnsemble::Prediction GaussianEnsemble::predict(const Tensor& x) {
  const Tensor y = raw(x);
  return {.mean = y.slice(-1, 0, outputs_), .log_variance = bounded(y.slice(-1, outputs_))};
}

Tensor GaussianEnsemble::forward(const Tensor& x) {
  const Prediction prediction = predict(x);
  return concatenate({prediction.mean, prediction.log_variance}, -1);
}

Tensor GaussianEnsemble::loss(const Array& x, const Array& y, const Array& weights) {
  const Prediction prediction = predict(x);
  const Tensor apart = prediction.mean - y;
  const Tensor likelihood =
      0.5 * sum(square(apart) * exp(-prediction.log_variance) + prediction.log_variance, {-1});
  // A member without weight: 0 over 1.
  const Array total = sum(weights, {-1}, true);
  const Array share = weights / where(equal(total, zeros_like(total)), ones_like(total), total);
  const auto members = static_cast<double>(members_);
  return sum(likelihood * share) / members + kBoundsWeight / members * sum(most_ - least_);
}

}  // namespace gaia::agents
