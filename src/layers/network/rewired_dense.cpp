// SPDX-License-Identifier: MIT
#include "rewired_dense.h"

#include <cmath>
#include <numbers>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"

namespace gaia {

RewiredDense::RewiredDense(std::int64_t inputs, std::int64_t outputs, const RewireOptions& rewire,
                           const DenseOptions& options)
    : rewire_(rewire),
      activation_(options.activation),
      has_bias_(options.bias),
      random_(RandomStream::named(options.random.seed,
                                  "synapses/" + std::to_string(options.random.stream))) {
  check_size("dense", "inputs", inputs);
  check_size("dense", "outputs", outputs);
  check_trainable("dense", options.dtype);
  check(rewire_);
  const std::int64_t all = inputs * outputs;
  const std::int64_t count = rounded_share(rewire_.density, all);
  std::vector<double> drawn(static_cast<std::size_t>(all));
  random_.uniforms(0, drawn);
  std::vector<std::int64_t> places(drawn.size());
  for (std::size_t j = 0; j < places.size(); ++j) places[j] = static_cast<std::int64_t>(j);
  std::vector<double> mask(drawn.size(), 0.0);
  for (const std::int64_t j : least(std::move(places), drawn, count)) {
    mask[static_cast<std::size_t>(j)] = 1.0;
  }
  mask_ = from_values(mask, {outputs, inputs}).astype(options.dtype);
  const Fan fan = {inputs, outputs};
  weights_ =
      Tensor(initial_weights(options.init, {outputs, inputs}, fan, options.dtype, options.random) *
                 mask_ * (1.0 / std::sqrt(rewire_.density)),
             true);
  add("weights", weights_);
  if (has_bias_) {
    bias_ = Tensor(initial_bias(options.init, outputs, fan, options.dtype, options.random), true);
    add("bias", bias_);
  }
  add("mask", mask_);
}

Tensor RewiredDense::forward(const Tensor& x) {
  return activate(activation_, has_bias_ ? linear(x, weights_, bias_) : linear(x, weights_));
}

Tensor RewiredDense::forward_bfloat16(const Tensor& x, DType answer) {
  return dense_bfloat16(x, weights_, bias_, activation_, answer);
}

bool RewiredDense::turns_over(std::int64_t step) const {
  if (rewire_.every == 0 || rewire_.share == 0.0 || step % rewire_.every != 0) return false;
  return rewire_.until == 0 || step < rewire_.until;
}

Array RewiredDense::turn_over(std::int64_t step, const Array& gradient) {
  const std::vector<double> before = mask_.to_vector<double>();
  std::vector<double> growth(before.size());
  if (rewire_.by == RewireOptions::By::random) {
    const std::int64_t round = step / rewire_.every;  // numbers of no other time
    random_.uniforms(static_cast<std::uint64_t>(round * mask_.size()), growth);
  } else {
    growth = gradient.to_vector<double>();
    for (double& g : growth) g = -std::abs(g);
  }
  double share = rewire_.share;
  if (rewire_.until > 0) {
    const double part = static_cast<double>(step) / static_cast<double>(rewire_.until);
    share *= (1.0 + std::cos(std::numbers::pi * part)) / 2.0;
  }
  const std::int64_t there = rounded_share(rewire_.density, mask_.size());
  std::vector<double> mask = before;
  gaia::turn_over(mask, weights_.value().to_vector<double>(), growth,
                  std::llround(share * static_cast<double>(there)));
  std::vector<double> same(mask.size());
  for (std::size_t j = 0; j < same.size(); ++j) same[j] = mask[j] == before[j] ? 1.0 : 0.0;
  const DType dtype = mask_.dtype();
  mask_.assign(from_values(mask, mask_.shape()).astype(dtype));
  hold(weights_.value());
  return from_values(same, mask_.shape()).astype(dtype);
}

void RewiredDense::hold(const Array& of_weights) const { of_weights *= mask_; }

void RewiredDense::round_mask() const { mask_.assign(greater(mask_, 0.5).astype(mask_.dtype())); }

}  // namespace gaia
