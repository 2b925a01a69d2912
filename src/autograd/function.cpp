// SPDX-License-Identifier: MIT
#include "function.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "../array/ops.h"
#include "grad_mode.h"
#include "node.h"

namespace gaia {
namespace {

std::atomic<std::uint64_t> operations_recorded{0};

bool is_recorded(const std::vector<Tensor>& inputs) {
  return grad_enabled() && std::any_of(inputs.begin(), inputs.end(),
                                       [](const Tensor& input) { return input.requires_grad(); });
}

}  // namespace

Tensor TensorAccess::tensor(TensorState state) {
  Tensor result;
  *result.state_ = std::move(state);
  return result;
}

Edge::Edge(const Tensor& input) : output(0), likeness(input.value()) {
  const std::shared_ptr<TensorState>& state = TensorAccess::state(input);
  if (!state->requires_grad) return;
  node = state->node;
  output = state->output;
  if (!node) leaf = state;
}

Node::Node(std::unique_ptr<Operation> recorded)
    : order(operations_recorded.fetch_add(1, std::memory_order_relaxed)),
      operation(std::move(recorded)) {}

void Node::release() noexcept {
  // What an operation keeps alive may be the last to hold further operations, a million deep: the
  // outermost call destroys them one after the other.
  thread_local Operation* dead = nullptr;
  thread_local bool at_work = false;
  if (!operation) return;
  operation->next_dead = dead;
  dead = operation.release();
  if (at_work) return;
  at_work = true;
  while (dead != nullptr) delete std::exchange(dead, dead->next_dead);
  at_work = false;
}

SavedArray::SavedArray(Array array) : array_(std::move(array)), version_(array_.version()) {}

SavedArray saved_for(const Tensor& input, const Array& x) {
  return grad_enabled() && input.requires_grad() ? SavedArray(x) : SavedArray();
}

SavedTensor::SavedTensor(Tensor tensor)
    : tensor_(std::move(tensor)), version_(tensor_->value().version()) {}

SavedTensor saved_for(const Tensor& input, const Tensor& x) {
  return grad_enabled() && input.requires_grad() ? SavedTensor(x) : SavedTensor();
}

namespace {

std::vector<Tensor> record_as(bool is_twice, std::string name, const std::vector<Tensor>& inputs,
                              std::vector<Array> values, BackwardFunction backward) {
  std::shared_ptr<Node> node;
  if (is_recorded(inputs)) {
    auto operation = std::make_unique<Operation>(Operation{std::move(name), current_device()});
    operation->inputs = std::vector<Edge>(inputs.begin(), inputs.end());
    operation->outputs = std::vector<Likeness>(values.begin(), values.end());
    operation->backward = std::move(backward);
    operation->is_twice = is_twice;
    node = std::make_shared<Node>(std::move(operation));
  }
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool differentiable = node && is_floating(values[i].dtype());
    results.push_back(TensorAccess::tensor({.value = std::move(values[i]),
                                            .requires_grad = differentiable,
                                            .node = differentiable ? node : nullptr,
                                            .output = i}));
  }
  return results;
}

Tensor record_as(bool is_twice, std::string name, const std::vector<Tensor>& inputs, Array value,
                 BackwardFunction backward) {
  // Most operations of inference come here: nothing is created for them but the result.
  if (!is_recorded(inputs)) return Tensor(std::move(value));
  std::vector<Array> values;
  values.push_back(std::move(value));
  return record_as(is_twice, std::move(name), inputs, std::move(values), std::move(backward))
      .front();
}

}  // namespace

std::vector<Tensor> record(std::string name, const std::vector<Tensor>& inputs,
                           std::vector<Array> values, BackwardFunction backward) {
  return record_as(false, std::move(name), inputs, std::move(values), std::move(backward));
}

Tensor record(std::string name, const std::vector<Tensor>& inputs, Array value,
              BackwardFunction backward) {
  return record_as(false, std::move(name), inputs, std::move(value), std::move(backward));
}

std::vector<Tensor> detail::record_twice(std::string name, const std::vector<Tensor>& inputs,
                                         std::vector<Array> values, BackwardFunction backward) {
  return record_as(true, std::move(name), inputs, std::move(values), std::move(backward));
}

Tensor detail::record_twice(std::string name, const std::vector<Tensor>& inputs, Array value,
                            BackwardFunction backward) {
  return record_as(true, std::move(name), inputs, std::move(value), std::move(backward));
}

}  // namespace gaia
