// SPDX-License-Identifier: MIT
#include "plastic.h"

#include "../../array/create.h"
#include "../../autograd/ops.h"
#include "../../core/error.h"
#include "dense.h"

namespace gaia {

PlasticModule::PlasticModule(std::int64_t inputs, std::int64_t outputs,
                             const HebbianOptions& options)
    : inputs_(inputs), learns_(options.learn) {
  const HebbianLayer layer(inputs, outputs, options);
  plasticity_ = layer.plasticity();
  weights_ = layer.weights();
  add("weights", weights_);
  const std::vector<NamedArray> arrays = layer.arrays();
  memories_.reserve(arrays.size());  // buffers keep their address
  for (const NamedArray& array : arrays) {
    if (array.role == NamedArray::Role::memory)
      add(array.name, memories_.emplace_back(array.value));
  }
}

Array PlasticModule::learn_from(const Array& samples) {
  const auto count = std::ssize(memories_);
  const std::int64_t outputs = weights_.shape(0);
  if (count == 1) return learn(plasticity_, weights_, memories_.front(), samples);
  const Array memory = zeros({count, outputs}, weights_.dtype());
  const auto row = [&](std::int64_t m) { return memory.slice(0, m, m + 1).squeeze({0}); };
  for (std::int64_t m = 0; m < count; ++m) row(m).assign(memories_[static_cast<std::size_t>(m)]);
  const Array answers = learn(plasticity_, weights_, memory, samples);
  for (std::int64_t m = 0; m < count; ++m) memories_[static_cast<std::size_t>(m)].assign(row(m));
  return answers;
}

Tensor PlasticModule::forward(const Tensor& x) {
  if (x.rank() < 2 || x.rank() > 3 || x.shape(-1) != inputs_) {
    const std::string inputs = std::to_string(inputs_);
    throw ShapeError("[plastic] expected [batch, " + inputs + "] or [batch, steps, " + inputs +
                     "], got shape " + to_string(x.shape()));
  }
  weights_ = on_current_device(weights_, "plastic");
  for (Array& memory : memories_) memory = on_current_device(memory, "plastic");
  const auto answer = [&](const Tensor& samples, const Array& weights) {
    return activate(plasticity_.activation, linear(samples, Tensor(weights)));
  };
  const bool has_steps = x.rank() == 2 || x.shape(1) > 0;
  if (!is_training() || !learns_ || !has_steps) return answer(x, weights_);

  const Array samples = on_current_device(x.value(), "plastic").astype(weights_.dtype());
  const std::int64_t batch = x.shape(0);
  const std::int64_t steps = x.rank() == 3 ? x.shape(1) : 1;
  const Array in_time = samples.reshape({batch, steps, inputs_}).contiguous();
  if (!x.requires_grad()) {
    const Array y = learn_from(in_time);
    return x.rank() == 3 ? y : y.squeeze({1});
  }
  // The way back needs the weights of each step.
  std::vector<Tensor> answers;
  for (std::int64_t t = 0; t < steps; ++t) {
    answers.push_back(answer(x.rank() == 3 ? slice(x, 1, t, t + 1) : x, weights_.copy()));
    learn_from(in_time.slice(1, t, t + 1).contiguous());
  }
  return answers.size() == 1 ? answers.front() : concatenate(answers, 1);
}

}  // namespace gaia
