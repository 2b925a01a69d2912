// SPDX-License-Identifier: MIT
#include "hebbian.h"

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/log.h"
#include "../choices.h"

namespace gaia {

void HebbianOptions::keys(ConfigVisitor& v) {
  v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  v.choice({"init", "initial weights"}, inits(init));
  describe_rule(v, rule, automatic_rate);
  v.choice({"normalization", "what holds the length of a neuron's weights"},
           choice_of({"none", "l2", "max_norm"}, control.normalization, normalization_from_name));
  v.where(control.normalization == Normalization::max_norm, "normalization: max_norm", [&] {
    v.number({"bound", "largest length of a neuron's weights"}, control.bound, kPositive);
  });
  std::optional<Homeostasis>& homeostasis = control.homeostasis;
  v.word_or_map({"homeostasis", "scales a neuron's weights towards a target answer"},
                {{"none"},
                 [&] { return homeostasis ? "map" : "none"; },
                 [&](const std::string& word) {
                   if (word == "none") homeostasis.reset();
                   if (word == "map" && !homeostasis) homeostasis = Homeostasis{};
                 }},
                "map", [&] {
                  v.number({"target", "the answer aimed at"}, homeostasis->target, kAnyNumber);
                  v.number({"strength", "how fast"}, homeostasis->strength, kNotNegative);
                });
}

std::vector<std::string> HebbianOptions::warnings(std::int64_t inputs, std::int64_t outputs) const {
  std::vector<std::string> found;
  if (control.homeostasis && control.normalization == Normalization::l2) {
    found.emplace_back("homeostasis has no effect under normalization l2, which cancels it");
  }
  if (std::holds_alternative<CoupledRule>(rule) && outputs > inputs) {
    found.push_back(std::to_string(outputs) + " neurons under rule " + rule_name(rule) + " read " +
                    std::to_string(inputs) + " numbers; the weights of those beyond tend to 0");
  }
  return found;
}

void HebbianOptions::drop_idle() {
  if (control.normalization == Normalization::l2) control.homeostasis.reset();
}

void HebbianOptions::simplify() {
  *this = {.rule = rule_from_name(rule_name(rule)), .init = Init::zeros, .random = random};
}

HebbianLayer::HebbianLayer(std::int64_t input_size, std::int64_t output_size,
                           const HebbianOptions& options)
    : Layer(input_size, output_size, options.dtype),
      plasticity_{options.rule, options.control, options.activation, options.executor,
                  options.chunk},
      learns_(options.learn) {
  check(plasticity_);
  if (options.control.homeostasis && options.control.normalization == Normalization::l2) {
    log_once(LogLevel::warning, "homeostasis under l2",
             "[hebbian layer] homeostasis has no effect under normalization l2, where its factor "
             "cancels; use max_norm or none");
  }
  weights_ = initial_weights(options.init, output_size, input_size, options.dtype, options.random);
  const std::vector<RuleMemory> memories = memories_of(options.rule);
  memory_ = zeros({std::ssize(memories), output_size}, options.dtype);
  for (std::int64_t m = 0; m < memory_.shape(0); ++m) {
    memory_.slice(0, m, m + 1).fill(memories[static_cast<std::size_t>(m)].initial);
  }
}

std::unique_ptr<Layer> HebbianLayer::clone() const {
  auto twin = std::make_unique<HebbianLayer>(*this);
  twin->weights_ = weights_.copy();
  twin->memory_ = memory_.copy();
  return twin;
}

std::vector<NamedArray> HebbianLayer::arrays() const {
  std::vector<NamedArray> arrays = {{"weights", NamedArray::Role::weights, weights_}};
  std::int64_t row = 0;
  for (const RuleMemory& memory : memories_of(plasticity_.rule)) {
    arrays.push_back({memory.name, NamedArray::Role::memory,
                      memory_.slice(0, row, row + 1).squeeze({0}), memory});
    ++row;
  }
  return arrays;
}

std::int64_t HebbianLayer::operations_per_tick(bool learn) const {
  return (learn && learns_ ? 4 : 2) * weights_.size();
}

Plasticity HebbianLayer::current() const {
  Plasticity plasticity = plasticity_;
  if (rate_factor_ != 1.0) learning_rate_of(plasticity.rule) *= rate_factor_;
  return plasticity;
}

void HebbianLayer::set_weights(const Array& values) {
  if (!(values.shape() == weights_.shape())) {
    throw ShapeError("[set_weights] expected " + to_string(weights_.shape()) + ", got " +
                     to_string(values.shape()));
  }
  weights_.assign(values);
}

void HebbianLayer::answer(const Array& x, bool learning, const Array& y) {
  if (!learning || !learns_) return answer_linearly(plasticity_.activation, x, weights_, {}, y);
  const Learner alone{current(), weights_, memory_};
  learn_together({&alone, 1}, x, y);
}

std::string HebbianLayer::why_not_replica(const Layer& other) const {
  const std::string why_not = Layer::why_not_replica(other);
  const auto* twin = dynamic_cast<const HebbianLayer*>(&other);
  if (!why_not.empty() || twin == nullptr) return why_not;
  if (twin->learns_ != learns_) return twin->learns_ ? "learns" : "does not learn";
  const std::string unlike = why_not_together(plasticity_, twin->plasticity_);
  return unlike.empty() ? "" : "is unlike: its " + unlike;
}

void HebbianLayer::answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learning,
                                   const Array& y) {
  if (!learning || !learns_) return Layer::answer_replicas(replicas, x, learning, y);
  std::vector<Learner> layers;
  for (Layer* const replica : replicas) {
    const auto& layer = dynamic_cast<const HebbianLayer&>(*replica);
    layers.push_back({layer.current(), layer.weights_, layer.memory_});
  }
  learn_together(layers, x, y);
}

void HebbianLayer::move_to_current_device() {
  weights_ = on_current_device(weights_, "hebbian layer");
  memory_ = on_current_device(memory_, "hebbian layer");
}

}  // namespace gaia
