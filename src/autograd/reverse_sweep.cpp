// SPDX-License-Identifier: MIT
#include "reverse_sweep.h"

#include <algorithm>
#include <string>
#include <utility>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/message.h"

namespace gaia {

void GradientSum::add(const Array& gradient) {
  total = count == 0 ? gradient : gaia::add(total, gradient);
  ++count;
}

// A gradient that was only passed on may share its memory with others, or repeat elements.
Array GradientSum::own() const { return count == 1 ? total.copy() : total; }

const Array& GradientFlow::gradient(std::size_t output) const { return gradients_.at(output); }

bool GradientFlow::needs(std::size_t input) const {
  return sweep_.reaches(operation_.inputs.at(input));
}

void GradientFlow::give(std::size_t input, const Array& gradient) {
  const Edge& edge = operation_.inputs.at(input);
  if (!sweep_.reaches(edge)) return;
  const Likeness& like = edge.likeness;
  try {
    const Array summed = sum_to_shape(gradient, like.shape).astype(like.dtype);
    const GPUContext there(like.device);
    sweep_.give(edge, on_current_device(summed, "backward"));
  } catch (const ShapeError&) {
    fail<ShapeError>("[backward] of {}: expected a gradient of shape {} for input {}, got {}",
                     operation_.name, like.shape, input, gradient.shape());
  }
}

const Array& GradientFlow::saved(const SavedArray& array) const {
  const std::int64_t version = array.array_.version();
  if (version != array.version_) {
    fail<ArgumentError>(
        "[backward] of {} needs a value of shape {} that was changed in place since: expected "
        "version {}, got {}; change a copy(), or change it after backward",
        operation_.name, array.array_.shape(), array.version_, version);
  }
  return array.array_;
}

ReverseSweep::ReverseSweep(const char* function, const std::vector<Tensor>& roots,
                           const std::vector<Tensor>* wanted)
    : function_(function), roots_(roots), wanted_(wanted) {
  collect();
  mark();
}

void ReverseSweep::collect() {
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

void ReverseSweep::mark() {
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

bool ReverseSweep::reaches(const Edge& edge) const {
  if (edge.leaf) return wanted_ == nullptr || wanted_leaves_.contains(edge.leaf.get());
  if (!edge.node) return false;
  const Visit& visit = visits_[places_.at(edge.node.get())];
  return visit.is_undone || visit.is_wanted;
}

void ReverseSweep::give(const Edge& edge, const Array& gradient) {
  if (edge.leaf) {
    leaves_[edge.leaf].add(gradient);
    return;
  }
  std::vector<GradientSum>& gradients = visits_[places_.at(edge.node.get())].gradients;
  if (gradients.size() <= edge.output) gradients.resize(edge.output + 1);
  gradients[edge.output].add(gradient);
}

void ReverseSweep::undo(Visit& visit) {
  const Operation& operation = *visit.node->operation;
  const GPUContext scope(operation.device);
  visit.gradients.resize(operation.outputs.size());
  std::vector<Array> gradients;
  for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
    const Likeness& like = operation.outputs[i];
    const GradientSum& sum = visit.gradients[i];
    gradients.push_back(sum.count > 0 ? sum.total : zeros({}, like.dtype).broadcast_to(like.shape));
  }
  if (!visit.is_wanted) visit.gradients = {};
  GradientFlow flow(*this, operation, gradients);
  operation.backward(flow);
}

void ReverseSweep::run(const std::vector<Array>& seeds, bool retain_graph) {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const Edge edge(roots_[i]);
    const GPUContext there(edge.likeness.device);
    const Array seed = on_current_device(seeds[i], function_).astype(edge.likeness.dtype);
    if (reaches(edge)) give(edge, seed.broadcast_to(edge.likeness.shape));
  }
  for (Visit& visit : visits_) {
    if (!visit.is_undone) continue;
    if (!visit.gradients.empty()) undo(visit);
    if (!retain_graph) visit.node->release();
  }
}

bool ReverseSweep::has_met(const Tensor& wanted) const {
  const TensorState& state = *TensorAccess::state(wanted);
  return state.node ? places_.contains(state.node.get()) : met_leaves_.contains(&state);
}

const GradientSum& ReverseSweep::at(const Tensor& wanted) const {
  static const GradientSum nothing;
  const std::shared_ptr<TensorState>& state = TensorAccess::state(wanted);
  if (!state->node) {
    const auto found = leaves_.find(state);
    return found != leaves_.end() ? found->second : nothing;
  }
  const auto place = places_.find(state->node.get());
  if (place == places_.end()) return nothing;
  const std::vector<GradientSum>& gradients = visits_[place->second].gradients;
  return state->output < gradients.size() ? gradients[state->output] : nothing;
}

}  // namespace gaia
