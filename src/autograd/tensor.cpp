// SPDX-License-Identifier: MIT
#include "tensor.h"

#include <mutex>
#include <type_traits>
#include <utility>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "grad_mode.h"
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

bool Tensor::has_grad_tensor() const { return state_->gradient_tensor.has_value(); }

const Tensor& Tensor::grad_tensor() const {
  if (!state_->gradient_tensor) {
    throw ArgumentError(
        "[grad_tensor] there is no gradient that can be differentiated: expected backward with "
        "create_graph = true before, and no other sweep since");
  }
  return *state_->gradient_tensor;
}

void Tensor::set_grad(Array gradient) {
  if (gradient.shape() != shape()) {
    fail<ShapeError>("[set_grad] expected shape {}, got {}", shape(), gradient.shape());
  }
  if (gradient.dtype() != dtype()) {
    fail<DTypeError>("[set_grad] expected {}, got {}; use astype first", dtype(), gradient.dtype());
  }
  state_->gradient = std::move(gradient);
  state_->gradient_tensor.reset();
}

void Tensor::zero_grad() {
  state_->gradient.reset();
  state_->gradient_tensor.reset();
}

namespace {

/// The sum in memory of its own: a gradient that was only passed on may share its memory with
/// others, or repeat elements.
Array own(const GradientSum<Array>& sum) { return sum.count == 1 ? sum.total.copy() : sum.total; }

/// Adds the gradients that can be differentiated again to those of the leaves.
void backward_twice(const Tensor& root, const Array& first) {
  const EnableGrad recording;
  const std::vector<Tensor> roots = {root};
  ReverseSweep<Tensor> sweep("backward", roots, nullptr);
  sweep.run({Tensor(first)}, true);

  const std::lock_guard lock(leaves_change);
  std::vector<std::pair<std::shared_ptr<TensorState>, Tensor>> sums;
  for (const auto& [leaf, arrived] : sweep.leaves()) {
    const GPUContext there(leaf->value.device());
    const std::optional<Tensor>& before = leaf->gradient_tensor;
    sums.emplace_back(leaf, before           ? add(*before, arrived.total)
                            : leaf->gradient ? add(Tensor(*leaf->gradient), arrived.total)
                                             : arrived.total);
  }
  for (auto& [leaf, sum] : sums) {
    leaf->gradient = sum.value().copy();
    leaf->gradient_tensor = std::move(sum);
  }
}

/// \throws as `grad`.
void check_grad(std::size_t seeds, const std::vector<Tensor>& outputs,
                const std::vector<Tensor>& inputs) {
  if (seeds != 0 && seeds != outputs.size()) {
    fail<ArgumentError>("[grad] expected a seed for each of {} outputs, got {}", outputs.size(),
                        seeds);
  }
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) continue;
    throw ArgumentError(
        "[grad] expected inputs that require a gradient; use set_requires_grad "
        "before computing with them");
  }
}

/// What arrived at each of the inputs, zeros for those that the outputs do not depend on.
template <class G>
std::vector<G> arrived_at(const ReverseSweep<G>& sweep, const std::vector<Tensor>& inputs,
                          bool allow_unused) {
  std::vector<G> results;
  for (const Tensor& input : inputs) {
    const GPUContext there(input.device());
    const GradientSum<G>& arrived = sweep.at(input);
    if (!sweep.has_met(input) && !allow_unused) {
      fail<ArgumentError>(
          "[grad] the outputs do not depend on input {}; use allow_unused for zeros instead",
          results.size());
    }
    if (arrived.count == 0) {
      results.push_back(G(zeros(input.shape(), input.dtype())));
    } else if constexpr (std::is_same_v<G, Array>) {
      results.push_back(own(arrived));
    } else {
      results.push_back(arrived.total);
    }
  }
  return results;
}

}  // namespace

void Tensor::backward(const BackwardOptions& options) const {
  const Array* given = options.gradient ? &*options.gradient : nullptr;
  const Array first = seed(*this, given, "backward");
  if (options.create_graph) return backward_twice(*this, first);
  const std::vector<Tensor> roots = {*this};
  ReverseSweep<Array> sweep("backward", roots, nullptr);
  sweep.run({first}, options.retain_graph);

  const std::lock_guard lock(leaves_change);
  std::vector<std::pair<std::shared_ptr<TensorState>, Array>> sums;
  for (const auto& [leaf, arrived] : sweep.leaves()) {
    const GPUContext there(leaf->value.device());
    sums.emplace_back(leaf, leaf->gradient ? add(*leaf->gradient, arrived.total) : own(arrived));
  }
  for (auto& [leaf, sum] : sums) {
    leaf->gradient = std::move(sum);
    leaf->gradient_tensor.reset();
  }
}

Tensor Tensor::detach() const { return Tensor(value()); }

std::vector<Array> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                        const GradOptions& options) {
  check_grad(options.seeds.size(), outputs, inputs);
  std::vector<Array> seeds;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Array* given = options.seeds.empty() ? nullptr : &options.seeds[i];
    seeds.push_back(seed(outputs[i], given, "grad"));
  }
  ReverseSweep<Array> sweep("grad", outputs, &inputs);
  sweep.run(seeds, options.retain_graph);
  return arrived_at(sweep, inputs, options.allow_unused);
}

std::vector<Tensor> detail::grad_of_graph(const std::vector<Tensor>& outputs,
                                          const std::vector<Tensor>& inputs,
                                          const CreateGraph& options) {
  check_grad(options.seeds.size(), outputs, inputs);
  const EnableGrad recording;
  std::vector<Tensor> seeds;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (options.seeds.empty()) {
      seeds.emplace_back(seed(outputs[i], nullptr, "grad"));
    } else {
      seed(outputs[i], &options.seeds[i].value(), "grad");
      seeds.push_back(options.seeds[i]);
    }
  }
  ReverseSweep<Tensor> sweep("grad", outputs, &inputs);
  sweep.run(seeds, true);
  return arrived_at(sweep, inputs, options.allow_unused);
}

}  // namespace gaia
