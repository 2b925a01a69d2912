// SPDX-License-Identifier: MIT
#include "tensor.h"

#include <mutex>
#include <string>
#include <utility>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "node.h"
#include "reverse_sweep.h"

namespace gaia {
namespace {

void check_can_require_grad(const Array& value, const char* function) {
  if (value.dtype() == DType::float32 || value.dtype() == DType::float64) return;
  fail<DTypeError>(
      "[{}] expected float32 or float64 where a gradient is required, got {}; use astype first",
      function, value.dtype());
}

/// The gradient that a sweep begins with at `root`.
Array seed(const Tensor& root, const Array* given, const char* function) {
  if (!root.requires_grad()) {
    fail<ArgumentError>(
        "[{}] expected a tensor that requires a gradient, got one that does not; was it made from "
        "constants only, or under NoGrad?",
        function);
  }
  if (given == nullptr) {
    const GPUContext there(root.device());
    if (root.size() == 1) return ones(root.shape(), root.dtype());
    fail<ArgumentError>(
        "[{}] expected a tensor of one element, or a gradient to begin with; got shape {} and no "
        "gradient",
        function, root.shape());
  }
  // Throws where it does not broadcast.
  broadcast_strides(given->shape(), given->strides(), root.shape(), function);
  return *given;
}

std::mutex leaves_change;

}  // namespace

Tensor::Tensor() : state_(std::make_shared<TensorState>()) {}

Tensor::Tensor(Array value, bool requires_grad) : Tensor() {
  if (requires_grad) check_can_require_grad(value, "Tensor");
  state_->value = std::move(value);
  state_->requires_grad = requires_grad;
}

const Array& Tensor::value() const { return state_->value; }
const Shape& Tensor::shape() const { return value().shape(); }
std::int64_t Tensor::shape(int axis) const { return value().shape(axis); }
int Tensor::rank() const { return value().rank(); }
std::int64_t Tensor::size() const { return value().size(); }
DType Tensor::dtype() const { return value().dtype(); }
Device Tensor::device() const { return value().device(); }
double Tensor::item() const { return value().item(); }

bool Tensor::requires_grad() const { return state_->requires_grad; }
bool Tensor::is_leaf() const { return state_->node == nullptr; }

void Tensor::set_requires_grad(bool required) {
  if (!is_leaf()) {
    throw ArgumentError(
        "[set_requires_grad] expected a leaf, got the result of an operation; use detach() first");
  }
  if (required) check_can_require_grad(value(), "set_requires_grad");
  state_->requires_grad = required;
}

bool Tensor::has_grad() const { return state_->gradient.has_value(); }

const Array& Tensor::grad() const {
  if (!has_grad()) {
    throw ArgumentError(
        "[grad] there is no gradient: expected backward() before, from something made of this "
        "tensor, and a leaf that requires a gradient");
  }
  return *state_->gradient;
}

void Tensor::set_grad(Array gradient) {
  if (gradient.shape() != shape()) {
    fail<ShapeError>("[set_grad] expected shape {}, got {}", shape(), gradient.shape());
  }
  if (gradient.dtype() != dtype()) {
    fail<DTypeError>("[set_grad] expected {}, got {}; use astype first", dtype(), gradient.dtype());
  }
  state_->gradient = std::move(gradient);
}

void Tensor::zero_grad() { state_->gradient.reset(); }

void Tensor::backward(const BackwardOptions& options) const {
  const Array* given = options.gradient ? &*options.gradient : nullptr;
  const Array first = seed(*this, given, "backward");
  const std::vector<Tensor> roots = {*this};
  ReverseSweep sweep("backward", roots, nullptr);
  sweep.run({first}, options.retain_graph);

  const std::lock_guard lock(leaves_change);
  std::vector<std::pair<std::shared_ptr<TensorState>, Array>> sums;
  for (const auto& [leaf, arrived] : sweep.leaves()) {
    const GPUContext there(leaf->value.device());
    sums.emplace_back(leaf, leaf->gradient ? add(*leaf->gradient, arrived.total) : arrived.own());
  }
  for (auto& [leaf, sum] : sums) leaf->gradient = std::move(sum);
}

Tensor Tensor::detach() const { return Tensor(value()); }

std::vector<Array> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                        const GradOptions& options) {
  if (!options.seeds.empty() && options.seeds.size() != outputs.size()) {
    fail<ArgumentError>("[grad] expected a seed for each of {} outputs, got {}", outputs.size(),
                        options.seeds.size());
  }
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) continue;
    throw ArgumentError(
        "[grad] expected inputs that require a gradient; use set_requires_grad "
        "before computing with them");
  }
  std::vector<Array> seeds;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Array* given = options.seeds.empty() ? nullptr : &options.seeds[i];
    seeds.push_back(seed(outputs[i], given, "grad"));
  }
  ReverseSweep sweep("grad", outputs, &inputs);
  sweep.run(seeds, options.retain_graph);

  std::vector<Array> results;
  for (const Tensor& input : inputs) {
    const GPUContext there(input.device());
    const GradientSum& arrived = sweep.at(input);
    if (!sweep.has_met(input) && !options.allow_unused) {
      fail<ArgumentError>(
          "[grad] the outputs do not depend on input {}; use allow_unused for zeros instead",
          results.size());
    }
    results.push_back(arrived.count > 0 ? arrived.own() : zeros(input.shape(), input.dtype()));
  }
  return results;
}

}  // namespace gaia
