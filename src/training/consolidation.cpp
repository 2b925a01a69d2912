// SPDX-License-Identifier: MIT
#include "consolidation.h"

#include <algorithm>
#include <cmath>

#include "../array/create.h"
#include "../array/device.h"
#include "../array/functions.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "../core/names.h"
#include "data.h"
#include "data_parallel.h"

namespace gaia {
namespace {

using Method = ConsolidateOptions::Method;

constexpr NameTable<Method, 3> kMethods = {
    {{"ewc", Method::ewc},
     {"synaptic_intelligence", Method::synaptic_intelligence},
     {"last_weights", Method::last_weights}}};

const char* const kTasks = "tasks";

std::string name_of_state(std::size_t parameter, const char* what) {
  return std::to_string(parameter) + "." + what;
}

}  // namespace

void ConsolidateOptions::keys(ConfigVisitor& v) {
  v.choice({"method", "what says how important a weight is", true},
           {{"ewc", "synaptic_intelligence", "last_weights"},
            [this] { return name_of(kMethods, method); },
            [this](const std::string& word) { method = consolidation_from_name(word); }});
  v.number({"strength", "how strongly weights are pulled to those of the last task", true},
           strength, kNotNegative);
  v.where(method == Method::synaptic_intelligence,
          "network.consolidate.method: synaptic_intelligence", [&] {
            v.number({"damping", "added to the square of the way that a weight has gone"}, damping,
                     kPositive);
          });
  v.where(method == Method::ewc, "network.consolidate.method: ewc", [&] {
    v.integer({"samples", "first samples of a task with which importance is measured"}, samples,
              {1});
  });
}

Method consolidation_from_name(std::string_view name) {
  return from_name(kMethods, name, "consolidate.method");
}

Consolidation::Consolidation(std::vector<Tensor> parameters, const ConsolidateOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  const auto& [method, strength, damping, samples] = options_;
  require(!parameters_.empty(), "[consolidate] expected parameters, got none");
  require(strength >= 0.0 && std::isfinite(strength),
          "[consolidate] strength: expected at least 0, got {}", strength);
  require(damping > 0.0 && std::isfinite(damping),
          "[consolidate] damping: expected more than 0, got {}", damping);
  require(samples >= 1, "[consolidate] samples: expected at least 1, got {}", samples);
  for (const Tensor& parameter : parameters_) {
    const GPUContext scope(parameter.device());
    importance_.push_back(zeros(parameter.shape(), parameter.dtype()));
    anchors_.push_back(parameter.value().copy());
    if (follows_path()) path_.push_back(zeros(parameter.shape(), parameter.dtype()));
  }
}

void Consolidation::before_step(double rate) {
  moved_.assign(parameters_.size(), {});
  const double factor = follows_path() ? 2.0 * options_.strength : options_.strength;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& parameter = parameters_[i];
    if (!parameter.has_grad()) continue;
    const GPUContext scope(parameter.device());
    const Array gradient = parameter.grad();
    if (follows_path()) moved_[i] = {gradient, parameter.value().copy()};
    if (tasks_ == 0 || factor == 0.0) continue;
    // At a rate of 0 there is no step.
    const Array stiffness = importance_[i] * factor;
    const Array limited = rate > 0.0 ? minimum(stiffness, 1.0 / rate) : stiffness;
    // A new array: gradients of several parameters may share one.
    parameter.set_grad(gradient + limited * (parameter.value() - anchors_[i]));
  }
}

void Consolidation::after_step() {
  if (!follows_path()) return;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    if (moved_[i].before.size() == 0) continue;
    const GPUContext scope(parameters_[i].device());
    path_[i] -= moved_[i].gradient * (parameters_[i].value() - moved_[i].before);
  }
  moved_.clear();
}

void Consolidation::add_fisher(Module& net, const Array& x, const Array& y, const Loss& loss) {
  const Evaluating evaluating(net);
  std::vector<Array> sums;
  for (const Array& importance : importance_) {
    const GPUContext scope(importance.device());
    sums.push_back(zeros(importance.shape(), importance.dtype()));
  }
  const std::int64_t count = std::min(options_.samples, x.shape(0));
  const DataLoader one_by_one(x.slice(0, 0, count), y.slice(0, 0, count), {.batch_size = 1});
  for (const Batch& sample : one_by_one.epoch(0)) {
    net.zero_grad();
    checked_loss(loss, net.forward(sample.x), sample.y, "consolidate").backward();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].has_grad()) continue;
      const GPUContext scope(parameters_[i].device());
      sums[i] += square(parameters_[i].grad());
    }
  }
  net.zero_grad();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const GPUContext scope(sums[i].device());
    importance_[i] += sums[i] * (1.0 / static_cast<double>(count));
  }
}

void Consolidation::end_task(Module& net, const Array& x, const Array& y, const Loss& loss) {
  if (x.rank() == 0 || y.rank() == 0 || x.shape(0) != y.shape(0) || x.shape(0) == 0) {
    fail<ShapeError>("[consolidate] expected samples [n, ...] and as many targets, got {} and {}",
                     x.shape(), y.shape());
  }
  if (options_.method == Method::ewc) add_fisher(net, x, y, loss);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const GPUContext scope(parameters_[i].device());
    const Array& now = parameters_[i].value();
    if (options_.method == Method::last_weights) importance_[i].fill(1.0);
    if (follows_path()) {
      importance_[i] += maximum(path_[i], 0.0) / (square(now - anchors_[i]) + options_.damping);
      path_[i].fill(0.0);
    }
    anchors_[i].assign(now);
  }
  ++tasks_;
}

ArrayMap Consolidation::state() const {
  ArrayMap arrays;
  arrays[kTasks] = full({}, static_cast<double>(tasks_), DType::int64);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    arrays[name_of_state(i, "importance")] = importance_[i];
    arrays[name_of_state(i, "anchor")] = anchors_[i];
    if (follows_path()) arrays[name_of_state(i, "path")] = path_[i];
  }
  return arrays;
}

void Consolidation::set_state(const ArrayMap& state) {
  const ArrayMap mine = this->state();
  for (const auto& [name, value] : mine) {
    const auto found = state.find(name);
    if (found == state.end()) {
      fail<ArgumentError>("[consolidate] expected an array '{}' in the state, got none", name);
    }
    if (!(found->second.shape() == value.shape())) {
      fail<ShapeError>("[consolidate] expected {} of shape {}, got {}", name, value.shape(),
                       found->second.shape());
    }
  }
  if (state.size() != mine.size()) {
    fail<ArgumentError>("[consolidate] expected {} arrays of {}, got {}", mine.size(),
                        name_of(kMethods, options_.method), state.size());
  }
  tasks_ = static_cast<std::int64_t>(state.at(kTasks).item());
  for (const auto& [name, value] : mine) {
    if (name != kTasks) value.assign(state.at(name));
  }
}

}  // namespace gaia
