// SPDX-License-Identifier: MIT
#include "reverse_sweep.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "../array/create.h"
#include "../array/operands.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "reduce.h"
#include "views.h"

namespace gaia {

namespace {

[[noreturn]] void changed_in_place(const Operation& operation, const Array& array,
                                   std::int64_t version) {
  fail<ArgumentError>(
      "[backward] of {} needs a value of shape {} that was changed in place since: expected "
      "version {}, got {}; change a copy(), or change it after backward",
      operation.name, array.shape(), version, array.version());
}

/// x summed over the axes along which something of `shape` was broadcast to it.
Array summed(const Array& x, const Shape& shape) { return sum_to_shape(x, shape); }

Tensor summed(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int extra = x.rank() - shape.rank();
  // Throws where it does not broadcast.
  if (extra < 0 || !(broadcast_shapes(shape, x.shape(), "backward") == x.shape())) {
    throw ShapeError("[backward] a gradient of another shape");
  }
  Axes axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis < extra || (shape[axis - extra] == 1 && x.shape()[axis] != 1)) axes.push_back(axis);
  }
  return reshape(axes.empty() ? x : sum(x, axes), shape);
}

Array brought(const Array& x, const Likeness& like) {
  const Array cast = x.astype(like.dtype);
  const GPUContext there(like.device);
  return on_current_device(cast, "backward");
}

Tensor brought(const Tensor& x, const Likeness& like) {
  const Tensor cast = x.dtype() == like.dtype ? x : x.astype(like.dtype);
  return cast.device() == like.device ? cast : cast.to(like.device);
}

/// The gradient as an input of an operation takes it.
template <class G>
G fitting(const Operation& operation, std::size_t input, const G& gradient) {
  const Likeness& like = operation.inputs.at(input).likeness;
  try {
    return brought(summed(gradient, like.shape), like);
  } catch (const ShapeError&) {
    fail<ShapeError>("[backward] of {}: expected a gradient of shape {} for input {}, got {}",
                     operation.name, like.shape, input, gradient.shape());
  }
}

}  // namespace

const Array& GradientFlow::gradient(std::size_t output) const { return gradients_->at(output); }

bool GradientFlow::needs(std::size_t input) const {
  return sweep_->reaches(operation_->inputs.at(input));
}

void GradientFlow::give(std::size_t input, const Array& gradient) {
  const Edge& edge = operation_->inputs.at(input);
  if (sweep_->reaches(edge)) sweep_->give(edge, fitting(*operation_, input, gradient));
}

const Array& GradientFlow::saved(const SavedArray& array) const {
  if (array.array_.version() != array.version_) {
    changed_in_place(*operation_, array.array_, array.version_);
  }
  return array.array_;
}

const Array& GradientFlow::saved(const SavedTensor& tensor) const {
  const Array& value = tensor.tensor_->value();
  if (value.version() != tensor.version_) {
    changed_in_place(*operation_, value, tensor.version_);
  }
  return value;
}

const Array& GradientFlow::result(const SavedArray& array, std::size_t) const {
  return saved(array);
}

const Tensor& TensorFlow::gradient(std::size_t output) const { return gradients_.at(output); }

bool TensorFlow::needs(std::size_t input) const {
  return sweep_.reaches(node_->operation->inputs.at(input));
}

void TensorFlow::give(std::size_t input, const Tensor& gradient) {
  const Operation& operation = *node_->operation;
  const Edge& edge = operation.inputs.at(input);
  if (sweep_.reaches(edge)) sweep_.give(edge, fitting(operation, input, gradient));
}

const Tensor& TensorFlow::saved(const SavedTensor& tensor) const {
  const Array& value = tensor.tensor_->value();
  if (value.version() != tensor.version_) {
    changed_in_place(*node_->operation, value, tensor.version_);
  }
  return *tensor.tensor_;
}

const Array& TensorFlow::saved(const SavedArray& array) const {
  if (array.array_.version() != array.version_) {
    changed_in_place(*node_->operation, array.array_, array.version_);
  }
  return array.array_;
}

Tensor TensorFlow::result(const SavedArray& array, std::size_t output) const {
  return TensorAccess::tensor(
      {.value = saved(array), .requires_grad = true, .node = node_, .output = output});
}

void TensorFlow::refuse() const {
  fail<ArgumentError>(
      "[backward] the gradient of {} cannot be differentiated again; docs/autograd.md lists the "
      "functions whose gradients can, and recurrent layers can within a SecondOrder scope",
      node_->operation->name);
}

template <class G>
ReverseSweep<G>::ReverseSweep(const char* function, const std::vector<Tensor>& roots,
                              const std::vector<Tensor>* wanted)
    : function_(function), roots_(roots), wanted_(wanted) {
  collect();
  mark();
}

template <class G>
void ReverseSweep<G>::collect() {
  std::vector<const std::shared_ptr<Node>*> open;
  for (const Tensor& root : roots_) {
    const TensorState& state = *TensorAccess::state(root);
    open.push_back(&state.node);
    if (!state.node) met_leaves_.insert(&state);
  }
  while (!open.empty()) {
    const std::shared_ptr<Node>& node = *open.back();
    open.pop_back();
    if (!node || !places_.emplace(node.get(), 0).second) continue;
    visits_.push_back({node});
    if (!node->operation) continue;
    for (const Edge& edge : node->operation->inputs) {
      open.push_back(&edge.node);
      if (edge.leaf) met_leaves_.insert(edge.leaf.get());
    }
  }
  std::sort(visits_.begin(), visits_.end(),
            [](const Visit& a, const Visit& b) { return a.node->order > b.node->order; });
  for (std::size_t i = 0; i < visits_.size(); ++i) places_[visits_[i].node.get()] = i;
}

template <class G>
void ReverseSweep<G>::mark() {
  if (wanted_ != nullptr) {
    for (const Tensor& tensor : *wanted_) {
      const std::shared_ptr<TensorState>& state = TensorAccess::state(tensor);
      const auto place = places_.find(state->node.get());
      if (!state->node) wanted_leaves_.insert(state.get());
      if (place != places_.end()) visits_[place->second].is_wanted = true;
    }
  }
  for (auto visit = visits_.rbegin(); visit != visits_.rend(); ++visit) {
    const Operation* operation = visit->node->operation.get();
    if (operation == nullptr) {
      if (visit->is_wanted) continue;
      fail<ArgumentError>(
          "[{}] part of the history was dropped by an earlier sweep; use retain_graph = true there "
          "to walk it again",
          function_);
    }
    visit->is_undone = std::any_of(operation->inputs.begin(), operation->inputs.end(),
                                   [this](const Edge& edge) { return reaches(edge); });
  }
}

template <class G>
bool ReverseSweep<G>::reaches(const Edge& edge) const {
  if (edge.leaf) return wanted_ == nullptr || wanted_leaves_.contains(edge.leaf.get());
  if (!edge.node) return false;
  const Visit& visit = visits_[places_.at(edge.node.get())];
  return visit.is_undone || visit.is_wanted;
}

template <class G>
void ReverseSweep<G>::give(const Edge& edge, const G& gradient) {
  if (edge.leaf) {
    leaves_[edge.leaf].add(gradient);
    return;
  }
  std::vector<GradientSum<G>>& gradients = visits_[places_.at(edge.node.get())].gradients;
  if (gradients.size() <= edge.output) gradients.resize(edge.output + 1);
  gradients[edge.output].add(gradient);
}

template <class G>
void ReverseSweep<G>::undo(Visit& visit) {
  const Operation& operation = *visit.node->operation;
  const GPUContext scope(operation.device);
  visit.gradients.resize(operation.outputs.size());
  std::vector<G> gradients;
  for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
    const Likeness& like = operation.outputs[i];
    const GradientSum<G>& sum = visit.gradients[i];
    gradients.push_back(sum.count > 0 ? sum.total
                                      : G(zeros({}, like.dtype).broadcast_to(like.shape)));
  }
  if (!visit.is_wanted) visit.gradients = {};
  if constexpr (std::is_same_v<G, Array>) {
    GradientFlow flow(*this, operation, gradients);
    operation.backward(flow);
  } else {
    TensorFlow tensors(*this, visit.node, gradients);
    if (!operation.is_twice) tensors.refuse();
    GradientFlow flow(tensors);
    operation.backward(flow);
  }
}

template <class G>
void ReverseSweep<G>::run(const std::vector<G>& seeds, bool retain_graph) {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const Edge edge(roots_[i]);
    const GPUContext there(edge.likeness.device);
    if (reaches(edge))
      give(edge, brought(seeds[i], edge.likeness).broadcast_to(edge.likeness.shape));
  }
  for (Visit& visit : visits_) {
    if (!visit.is_undone) continue;
    if (!visit.gradients.empty()) undo(visit);
    if (!retain_graph) visit.node->release();
  }
}

template <class G>
bool ReverseSweep<G>::has_met(const Tensor& wanted) const {
  const TensorState& state = *TensorAccess::state(wanted);
  return state.node ? places_.contains(state.node.get()) : met_leaves_.contains(&state);
}

template <class G>
const GradientSum<G>& ReverseSweep<G>::at(const Tensor& wanted) const {
  static const GradientSum<G> nothing;
  const std::shared_ptr<TensorState>& state = TensorAccess::state(wanted);
  if (!state->node) {
    const auto found = leaves_.find(state);
    return found != leaves_.end() ? found->second : nothing;
  }
  const auto place = places_.find(state->node.get());
  if (place == places_.end()) return nothing;
  const std::vector<GradientSum<G>>& gradients = visits_[place->second].gradients;
  return state->output < gradients.size() ? gradients[state->output] : nothing;
}

template class ReverseSweep<Array>;
template class ReverseSweep<Tensor>;

}  // namespace gaia
