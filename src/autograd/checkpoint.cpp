// SPDX-License-Identifier: MIT
#include "checkpoint.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "../array/precision.h"
#include "../core/message.h"
#include "../core/repeatable.h"
#include "function.h"
#include "grad_mode.h"
#include "node.h"
#include "trace_guard.h"

namespace gaia {
namespace {

using Segment = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// A leaf of these numbers, of any floating type.
Tensor segment_input(const Array& value, bool requires_grad) {
  return TensorAccess::tensor({.value = value, .requires_grad = requires_grad});
}

Tensor handle_of(const std::shared_ptr<TensorState>& leaf) {
  Tensor handle;
  const_cast<std::shared_ptr<TensorState>&>(TensorAccess::state(handle)) = leaf;
  return handle;
}

/// The leaves that `results` were computed from beside `inputs`, by operations from number `first`
/// on.
std::vector<Tensor> leaves_read(const std::vector<Tensor>& results,
                                const std::vector<Tensor>& inputs, std::uint64_t first) {
  std::unordered_set<const void*> met;
  for (const Tensor& input : inputs) met.insert(TensorAccess::state(input).get());
  std::vector<Tensor> leaves;
  std::vector<Edge> open(results.begin(), results.end());
  while (!open.empty()) {
    const Edge edge = std::move(open.back());
    open.pop_back();
    if (edge.leaf && met.insert(edge.leaf.get()).second) leaves.push_back(handle_of(edge.leaf));
    if (!edge.node || !met.insert(edge.node.get()).second) continue;
    const Operation* operation = edge.node->operation.get();
    if (edge.node->order < first) {
      fail<ArgumentError>(
          "[checkpoint] expected a function of its inputs and of leaves, got one that reads a "
          "tensor of shape {} which was computed before, by {}; hand it over among the inputs, or "
          "detach() it",
          edge.likeness.shape, operation != nullptr ? operation->name : "an operation");
    }
    if (operation == nullptr) continue;
    open.insert(open.end(), operation->inputs.begin(), operation->inputs.end());
  }
  return leaves;
}

/// What is needed to compute a segment again.
struct Repeat {
  Segment f;
  std::vector<SavedArray> inputs = {};
  std::vector<bool> requires_grad = {};
  std::vector<Tensor> leaves = {};
  std::vector<SavedArray> leaf_values = {};
  std::vector<Likeness> results = {};
  std::vector<std::size_t> differentiable = {};  ///< Positions among the results.
  MatmulPrecision precision = matmul_precision();
  bool second_order = records_for_second_order();
  RunLog log = {};
};

std::vector<Tensor> computed_again(const Repeat& repeat, const std::vector<Tensor>& inputs) {
  const EnableGrad recording;
  const TraceGuard traces;
  const MatmulPrecisionScope precision(repeat.precision);
  std::optional<SecondOrder> second_order;
  if (repeat.second_order) second_order.emplace();
  const Rerun rerun(repeat.log);
  const std::vector<Tensor> results = repeat.f(inputs);
  check_repeats(rerun.is_complete());
  if (results.size() != repeat.results.size()) {
    fail<ArgumentError>("[checkpoint] expected {} results, as the first time, got {}",
                        repeat.results.size(), results.size());
  }
  std::vector<Tensor> roots;
  for (const std::size_t i : repeat.differentiable) {
    const Likeness& like = repeat.results[i];
    const Tensor& result = results[i];
    if (!(result.shape() == like.shape) || result.dtype() != like.dtype ||
        !result.requires_grad()) {
      fail<ArgumentError>(
          "[checkpoint] expected result {} to be of shape {} and {} and to require a gradient, as "
          "the first time, got shape {}, {}{}; let the function not depend on what changes between "
          "forward and backward",
          i, like.shape, like.dtype, result.shape(), result.dtype(),
          result.requires_grad() ? "" : " and no gradient");
    }
    roots.push_back(result);
  }
  return roots;
}

void undo_segment(const Repeat& repeat, GradientFlow& flow) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < repeat.inputs.size(); ++i) {
    inputs.push_back(segment_input(flow.saved(repeat.inputs[i]), repeat.requires_grad[i]));
  }
  for (const SavedArray& value : repeat.leaf_values) flow.saved(value);
  const std::vector<Tensor> roots = computed_again(repeat, inputs);

  std::vector<Tensor> wanted;
  std::vector<std::size_t> places;
  const auto want = [&](const Tensor& tensor, std::size_t place) {
    if (!flow.needs(place)) return;
    wanted.push_back(tensor);
    places.push_back(place);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) want(inputs[i], i);
  for (std::size_t i = 0; i < repeat.leaves.size(); ++i) want(repeat.leaves[i], inputs.size() + i);
  std::vector<Array> seeds;
  for (std::size_t k = 0; k < roots.size(); ++k) seeds.push_back(flow.gradient(k));
  const std::vector<Array> gradients =
      grad(roots, wanted, {.seeds = std::move(seeds), .allow_unused = true});
  for (std::size_t i = 0; i < places.size(); ++i) flow.give(places[i], gradients[i]);
}

}  // namespace

std::vector<Tensor> checkpoint(const Segment& f, const std::vector<Tensor>& inputs) {
  if (!grad_enabled()) return f(inputs);
  const auto repeat = std::make_shared<Repeat>(Repeat{.f = f});
  std::vector<Tensor> own;
  for (const Tensor& input : inputs) {
    repeat->inputs.emplace_back(input.value());
    repeat->requires_grad.push_back(input.requires_grad());
    own.push_back(segment_input(input.value(), input.requires_grad()));
  }
  // The history that this run leaves tells which parameters it read, and goes at the end.
  const std::uint64_t first = Node(nullptr).order;
  std::vector<Tensor> results;
  {
    const FirstRun scope(repeat->log);
    results = f(own);
  }
  repeat->leaves = leaves_read(results, own, first);
  std::vector<Tensor> sources = inputs;
  for (const Tensor& leaf : repeat->leaves) {
    repeat->leaf_values.emplace_back(leaf.value());
    sources.push_back(leaf);
  }
  std::vector<Array> values;
  for (std::size_t i = 0; i < results.size(); ++i) {
    repeat->results.emplace_back(results[i].value());
    if (!results[i].requires_grad()) {
      results[i] = results[i].detach();
      continue;
    }
    repeat->differentiable.push_back(i);
    values.push_back(results[i].value());
  }
  if (values.empty()) return results;
  const std::vector<Tensor> recorded =
      record("checkpoint", sources, std::move(values),
             [repeat](GradientFlow& flow) { undo_segment(*repeat, flow); });
  for (std::size_t k = 0; k < recorded.size(); ++k) {
    results[repeat->differentiable[k]] = recorded[k];
  }
  return results;
}

Tensor checkpoint(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                  const std::vector<Tensor>& inputs) {
  const Segment listed = [f](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x)}; };
  return checkpoint(listed, inputs).front();
}

Tensor checkpoint(const std::function<Tensor(const Tensor&)>& f, const Tensor& input) {
  const Segment listed = [f](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{f(x.front())};
  };
  return checkpoint(listed, std::vector<Tensor>{input}).front();
}

namespace {

struct StateCopy {
  std::vector<Array> arrays;
  std::int64_t count;
};

}  // namespace

RepeatedState::RepeatedState(std::initializer_list<Array*> arrays, std::vector<Array>* more,
                             std::int64_t* count) {
  if (!in_repeatable_work()) return;
  std::vector<Array*> all = arrays;
  if (more != nullptr) {
    for (Array& array : *more) all.push_back(&array);
  }
  const StateCopy first = repeatable([&] {
    StateCopy now{{}, count != nullptr ? *count : 0};
    for (const Array* array : all) now.arrays.push_back(array->copy());
    return now;
  });
  check_repeats(first.arrays.size() == all.size());
  if (!in_rerun()) return;
  places_ = std::move(all);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    before_.push_back(std::move(*places_[i]));
    *places_[i] = first.arrays[i].copy();  // the log stays for another sweep
  }
  count_ = count;
  if (count_ != nullptr) count_before_ = std::exchange(*count_, first.count);
}

RepeatedState::~RepeatedState() {
  for (std::size_t i = 0; i < places_.size(); ++i) *places_[i] = std::move(before_[i]);
  if (count_ != nullptr) *count_ = count_before_;
}

}  // namespace gaia
