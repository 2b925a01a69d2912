// SPDX-License-Identifier: MIT
#include "optimisers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/keys.h"
#include "../core/message.h"
#include "../core/names.h"
#include "../formulas/representable.h"
#include "optimiser_step.h"

namespace gaia {
namespace {

/// Checks the ranges of the keys of one rule.
struct RangeCheck {
  std::string rule;
  DType dtype;

  void number(const Key& key, double value, NumberRange range) const {
    const bool fits = range.above_least ? value > range.least : value >= range.least;
    if (!fits || (range.below_most && value >= range.most) || std::isinf(value)) {
      const char* const expected = range.below_most    ? "0 <= x < 1"
                                   : range.above_least ? "more than 0"
                                                       : "at least 0";
      fail<ArgumentError>("[{}] {}: expected {}, got {}", rule, key.name, expected, value);
    }
    check_representable(message("[{}] {}", rule, key.name), value, dtype);
  }
  void flag(const Key& /*key*/, bool /*value*/) const {}
};

}  // namespace

std::string optimiser_name(const OptimiserRule& rule) {
  return std::visit([]<class R>(const R& /*r*/) { return std::string(R::name); }, rule);
}

std::vector<std::string> optimiser_names() {
  OptimiserRule any;
  return choice_of(any).known;
}

OptimiserRule optimiser_from_name(std::string_view name) {
  OptimiserRule rule;
  const Choice choice = choice_of(rule);
  const std::string word(name);
  if (std::find(choice.known.begin(), choice.known.end(), word) == choice.known.end()) {
    fail<ArgumentError>("unknown optimiser '{}'{}; known: {}", word,
                        did_you_mean(name, choice.known), join(choice.known));
  }
  choice.set(word);
  return rule;
}

void check(const OptimiserRule& rule, DType dtype) {
  const RangeCheck range{optimiser_name(rule), dtype};
  std::visit(
      [&](auto r) {
        range.number({"learning_rate", ""}, r.learning_rate, kNotNegative);
        range.number({"weight_decay", ""}, r.weight_decay, kNotNegative);
        r.keys(range);
        if constexpr (requires { r.nesterov; }) {
          if (r.nesterov && r.momentum == 0.0) {
            throw ArgumentError("[sgd] nesterov: expected momentum above 0 with it, got 0");
          }
        }
      },
      rule);
}

Optimiser::Optimiser(std::vector<Tensor> parameters, const OptimiserRule& rule)
    : parameters_(std::move(parameters)), rule_(rule) {
  check(rule_);
  unscaled_rate_ = learning_rate();
  if (parameters_.empty()) throw ArgumentError("[optimiser] expected parameters, got none");
  std::set<const void*> seen;
  for (const Tensor& parameter : parameters_) {
    if (!parameter.is_leaf() || !parameter.requires_grad()) {
      fail<ArgumentError>(
          "[optimiser] expected leaves that require a gradient, got one of shape {} that is not",
          parameter.shape());
    }
    if (!seen.insert(&parameter.value()).second) {
      fail<ArgumentError>("[optimiser] expected each parameter once, got one of shape {} twice",
                          parameter.shape());
    }
    check(rule_, parameter.dtype());
    memory_.push_back(fresh_memory(parameter));
  }
}

Optimiser::Memory Optimiser::fresh_memory(const Tensor& parameter) const {
  const GPUContext scope(parameter.device());
  const int count = state_count(rule_);
  Memory memory;
  if (count > 0) memory.first = zeros(parameter.shape(), parameter.dtype());
  if (count > 1) memory.second = zeros(parameter.shape(), parameter.dtype());
  return memory;
}

void Optimiser::step() {
  // One call for all parameters that have taken equally many steps on one device: as a rule all.
  std::map<std::pair<std::int64_t, std::string>, std::vector<OptimisedArray>> groups;
  std::map<std::string, Device> devices;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].has_grad()) continue;
    Memory& memory = memory_[i];
    ++memory.steps;
    const Device device = parameters_[i].device();
    devices[to_string(device)] = device;
    groups[{memory.steps, to_string(device)}].push_back(
        {parameters_[i].value(), parameters_[i].grad(), memory.first, memory.second});
  }
  for (const auto& [key, entries] : groups) {
    const GPUContext scope(devices.at(key.second));
    optimiser_step(rule_, key.first, entries);
  }
}

void Optimiser::zero_grad() {
  for (Tensor& parameter : parameters_) parameter.zero_grad();
}

double Optimiser::learning_rate() const {
  return std::visit([](const auto& rule) { return rule.learning_rate; }, rule_);
}

void Optimiser::use_rate(double rate) {
  OptimiserRule changed = rule_;
  std::visit([&](auto& rule) { rule.learning_rate = rate; }, changed);
  check(changed);
  rule_ = changed;
}

void Optimiser::set_learning_rate(double rate) {
  use_rate(rate);
  for (const Tensor& parameter : parameters_) check(rule_, parameter.dtype());
  unscaled_rate_ = rate;
}

void Optimiser::scale_learning_rate(double factor) { use_rate(unscaled_rate_ * factor); }

void Optimiser::forget(std::size_t number, const Array& kept) {
  if (number >= parameters_.size()) {
    fail<ArgumentError>("[optimiser] expected one of {} parameters, got number {}",
                        parameters_.size(), number);
  }
  if (!(kept.shape() == parameters_[number].shape())) {
    fail<ShapeError>("[optimiser] expected what is kept of shape {}, got {}",
                     parameters_[number].shape(), kept.shape());
  }
  for (const Array* const memory : {&memory_[number].first, &memory_[number].second}) {
    if (memory->shape() == kept.shape()) *memory *= kept;
  }
}

ArrayMap Optimiser::state() const {
  ArrayMap arrays;
  arrays["learning_rate"] = full({}, unscaled_rate_, DType::float64);
  const int count = state_count(rule_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::string prefix = std::to_string(i) + ".";
    arrays[prefix + "steps"] = full({}, static_cast<double>(memory_[i].steps), DType::int64);
    if (count > 0) arrays[prefix + "first"] = memory_[i].first.copy();
    if (count > 1) arrays[prefix + "second"] = memory_[i].second.copy();
  }
  return arrays;
}

void Optimiser::set_state(const ArrayMap& state) {
  const ArrayMap mine = this->state();
  for (const auto& [name, value] : mine) {
    const auto found = state.find(name);
    if (found == state.end()) {
      throw ArgumentError("[optimiser] expected an array '" + name + "' in the state, got none");
    }
    if (!(found->second.shape() == value.shape())) {
      fail<ShapeError>("[optimiser] expected {} of shape {}, got {}", name, value.shape(),
                       found->second.shape());
    }
  }
  if (state.size() != mine.size()) {
    fail<ArgumentError>("[optimiser] expected {} arrays of the rule {}, got {}", mine.size(),
                        optimiser_name(rule_), state.size());
  }
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::string name = std::to_string(i) + ".steps";
    const double steps = state.at(name).item();
    if (steps >= 0.0 && steps <= 0x1p53 && steps == std::floor(steps)) continue;
    fail<ArgumentError>("[optimiser] expected {} to be a count, got {}", name, steps);
  }
  set_learning_rate(state.at("learning_rate").item());
  const int count = state_count(rule_);
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const std::string prefix = std::to_string(i) + ".";
    memory_[i].steps = static_cast<std::int64_t>(state.at(prefix + "steps").item());
    if (count > 0) memory_[i].first.assign(state.at(prefix + "first"));
    if (count > 1) memory_[i].second.assign(state.at(prefix + "second"));
  }
}

double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm) {
  std::vector<Array> gradients;
  for (const Tensor& parameter : parameters) {
    if (parameter.has_grad()) gradients.push_back(parameter.grad());
  }
  if (!(max_norm >= 0.0)) {
    fail<ArgumentError>("[clip_grad_norm] max_norm: expected at least 0, got {}", max_norm);
  }
  const double norm = total_norm(gradients);
  const double factor = max_norm / (norm + 1e-6);
  if (factor >= 1.0) return norm;
  // New arrays: gradients of several parameters may share one.
  const std::vector<Array> clipped = scaled(gradients, factor);
  auto next = clipped.begin();
  for (Tensor parameter : parameters) {
    if (parameter.has_grad()) parameter.set_grad(*next++);
  }
  return norm;
}

void clip_grad_value(const std::vector<Tensor>& parameters, double limit) {
  if (!(limit >= 0.0)) {
    fail<ArgumentError>("[clip_grad_value] limit: expected at least 0, got {}", limit);
  }
  for (Tensor parameter : parameters) {
    if (parameter.has_grad()) parameter.set_grad(clip(parameter.grad(), -limit, limit));
  }
}

}  // namespace gaia
