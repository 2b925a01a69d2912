// SPDX-License-Identifier: MIT
#include "hebbian.h"

#include <algorithm>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/random_arrays.h"
#include "../../core/log.h"
#include "../../core/message.h"
#include "../../learning/catalogue/catalogue.h"
#include "../../learning/rule_execution.h"
#include "../../learning/weight_domain.h"
#include "../choices.h"
#include "layer_kind.h"

namespace gaia {
namespace {

/// Between the bounds where there are some: outside of them no weight could stay.
Array first_weights(const HebbianOptions& options, std::int64_t outputs, std::int64_t inputs) {
  if (options.init == Init::samples) return zeros({outputs, inputs}, options.dtype);
  if (!options.bounds || options.init != Init::uniform) {
    return initial_weights(options.init, outputs, inputs, options.dtype, options.random);
  }
  return random_uniform({outputs, inputs}, options.bounds->low, options.bounds->high,
                        DType::float64, options.random)
      .astype(options.dtype);
}

/// Signals at the ticks [first, end) of those that signals [streams, ticks] are of.
TickSignals of_ticks(const TickSignals& signals, std::int64_t first, std::int64_t end) {
  TickSignals part;
  for (const auto& [name, values] : signals) part[name] = values.slice(1, first, end);
  return part;
}

/// learn_together of layers each of which has a rate for every stretch of ticks: together where
/// all have the same stretches, else one after another, so that each gives what it gives alone.
void learn_in_stretches(std::vector<Learner>& layers,
                        const std::vector<std::vector<AutoRate::Stretch>>& stretches,
                        const Array& x, const Array& y) {
  const auto ends_alike = [&](const std::vector<AutoRate::Stretch>& other) {
    return std::ranges::equal(other, stretches[0], {}, &AutoRate::Stretch::end,
                              &AutoRate::Stretch::end);
  };
  const bool together = std::ranges::all_of(stretches, ends_alike);
  const std::size_t at_once = together ? layers.size() : 1;
  const std::int64_t streams = x.shape(0) / std::ssize(layers);
  for (std::size_t first = 0; first < layers.size(); first += at_once) {
    const auto row = static_cast<std::int64_t>(first) * streams;
    const std::int64_t rows = static_cast<std::int64_t>(at_once) * streams;
    const Array samples = x.slice(0, row, row + rows);
    const Array answers = y.slice(0, row, row + rows);
    for (std::size_t k = 0; k < stretches[first].size(); ++k) {
      for (std::size_t i = first; i < first + at_once; ++i) {
        learning_rate_of(layers[i].plasticity.rule) = stretches[i][k].rate;
      }
      const auto& [begin, end, rate] = stretches[first][k];
      learn_together({&layers[first], at_once}, samples.slice(1, begin, end),
                     answers.slice(1, begin, end));
    }
  }
}

}  // namespace

void HebbianOptions::keys(ConfigVisitor& v) {
  const auto assigns_output = [this] {
    const auto* const written = std::get_if<EquationRule>(&rule);
    return written != nullptr && written->program().assigns_output;
  };
  v.where(!assigns_output(), "equations that leave y alone", [&] {
    v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  });
  v.choice({"init", "initial weights"}, plastic_inits(init));
  describe_rule(v, rule, automatic_rate);
  const auto* const by_equations = std::get_if<EquationRule>(&rule);
  if (assigns_output()) {
    v.forbid({"activation", ""}, "the equations assign y");
  }
  bool is_bounded = bounds.has_value();
  WeightBounds between = bounds.value_or(WeightBounds{});
  v.where(by_equations != nullptr, "rule: a map with equations", [&] {
    v.word_or_map({"bounds", "numbers between which every weight is held"},
                  {{"none"},
                   [&] { return is_bounded ? "map" : "none"; },
                   [&](const std::string& word) { is_bounded = word == "map"; }},
                  "map", [&] {
                    v.number({"low", "the least weight", true}, between.low, kAnyNumber);
                    v.number({"high", "the largest weight", true}, between.high, kAnyNumber);
                    if (is_bounded && !(between.low < between.high)) {
                      v.refuse({"high", ""}, "must be above low");
                    }
                  });
  });
  bounds = is_bounded ? std::optional(between) : std::nullopt;
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
    found.push_back(
        message("{} neurons under rule {} read {} numbers; the weights of those beyond tend to 0",
                outputs, rule_name(rule), inputs));
  }
  const NamedRule* const entry = named_rule(rule_name(rule));
  if (learn && entry != nullptr && entry->made_for_init != nullptr &&
      (to_string(init) != entry->made_for_init || outputs > inputs)) {
    found.push_back(
        message("rule {} keeps orthonormal weights orthonormal and does nothing of the kind to "
                "others; begin with init: {}, and with no more neurons than the {} numbers that "
                "they read",
                entry->name, entry->made_for_init, inputs));
  }
  if (const auto* const written = std::get_if<EquationRule>(&rule); written != nullptr && learn) {
    const std::string need = needs_positive_weights(*written, inputs, outputs);
    const bool stays = bounds && bounds->low >= 0.0;
    const bool begins = init == Init::zeros || (init == Init::uniform && stays);
    if (!need.empty() && !(stays && begins)) {
      found.push_back(
          message("rule.equations: the rule {}, which negative weights do not allow, {}{}", need,
                  begins ? "and learning may make them negative; "
                         : "and init: " + to_string(init) + " begins with such; ",
                  kPositiveWeightsWayOut));
    }
  }
  return found;
}

void HebbianOptions::drop_idle() {
  if (control.normalization == Normalization::l2) control.homeostasis.reset();
}

void HebbianOptions::simplify() {
  const bool by_equations = std::holds_alternative<EquationRule>(rule);
  *this = {.rule = by_equations ? rule : rule_from_name(rule_name(rule)),
           .init = Init::zeros,
           .random = random};
}

HebbianLayer::HebbianLayer(std::int64_t input_size, std::int64_t output_size,
                           const HebbianOptions& options)
    : Layer(input_size, output_size, options.dtype),
      made_with_(options),
      plasticity_{options.rule, options.control, options.activation, options.executor,
                  options.chunk},
      bounds_(options.bounds),
      learns_(options.learn) {
  check(plasticity_);
  const auto* const by_equations = std::get_if<EquationRule>(&options.rule);
  if (bounds_ && by_equations == nullptr) {
    throw ArgumentError(
        "[hebbian layer] bounds hold the weights of a rule by its equations alone; "
        "rule " +
        rule_name(options.rule) + " has none");
  }
  if (bounds_ && !(bounds_->low < bounds_->high)) {
    fail<ArgumentError>("[hebbian layer] bounds must have low < high, got {} and {}", bounds_->low,
                        bounds_->high);
  }
  if (options.control.homeostasis && options.control.normalization == Normalization::l2) {
    log_once(LogLevel::warning, "homeostasis under l2",
             "[hebbian layer] homeostasis has no effect under normalization l2, where its factor "
             "cancels; use max_norm or none");
  }
  if (options.automatic_rate) {
    const std::optional<double> limit = stability_limit(options.rule);
    if (!limit) {
      throw ArgumentError("[hebbian layer] an automatic rate needs a rule with a known limit, got " +
                          rule_name(options.rule) + "; give it a learning_rate");
    }
    rate_.emplace(*limit);
  }
  weights_ = first_weights(options, output_size, input_size);
  if (by_equations != nullptr) {
    equations_.emplace(*by_equations, input_size, output_size, options.dtype, options.random);
    return;
  }
  const std::vector<RuleMemory> memories = memories_of(options.rule);
  memory_ = zeros({std::ssize(memories), output_size}, options.dtype);
  for (std::int64_t m = 0; m < memory_.shape(0); ++m) {
    memory_.slice(0, m, m + 1).fill(memories[static_cast<std::size_t>(m)].initial);
  }
}

std::unique_ptr<LayerKind> HebbianLayer::kind() const {
  return LayerKind::Of<HebbianOptions>::with(made_with_);
}

std::unique_ptr<Layer> HebbianLayer::clone() const {
  auto twin = std::make_unique<HebbianLayer>(*this);
  twin->weights_ = weights_.copy();
  twin->memory_ = memory_.copy();
  if (equations_) twin->equations_ = equations_->copy();
  return twin;
}

std::vector<NamedArray> HebbianLayer::arrays() const {
  std::vector<NamedArray> arrays = {{"weights", NamedArray::Role::weights, weights_}};
  if (rate_) arrays.push_back({"automatic_rate", NamedArray::Role::state, rate_->state()});
  if (equations_) {
    add_equation_arrays(arrays);
    return arrays;
  }
  std::int64_t row = 0;
  for (const RuleMemory& memory : memories_of(plasticity_.rule)) {
    arrays.push_back({memory.name, NamedArray::Role::memory,
                      memory_.slice(0, row, row + 1).squeeze({0}), memory});
    ++row;
  }
  return arrays;
}

void HebbianLayer::add_equation_arrays(std::vector<NamedArray>& arrays) const {
  const auto& rule = std::get<EquationRule>(plasticity_.rule);
  // Of a single stream without the axis of streams.
  const auto of_stream = [](const Array& x) { return x.shape(0) == 1 ? x.squeeze({0}) : x; };
  const auto row = [&](const Array& x, std::size_t number) {
    const auto first = static_cast<std::int64_t>(number);
    return of_stream(x.slice(1, first, first + 1).squeeze({1}));
  };
  const std::vector<RuleMemory> memories = memories_of(plasticity_.rule);
  for (std::size_t m = 0; m < memories.size(); ++m) {
    arrays.push_back(
        {memories[m].name, NamedArray::Role::memory, row(equations_->memory(), m), memories[m]});
  }
  const EquationProgram& program = rule.program();
  for (std::size_t k = 0; k < program.traces.size(); ++k) {
    arrays.push_back(
        {"trace/" + program.traces[k].name, NamedArray::Role::trace, row(equations_->traces(), k)});
  }
  if (program.has_eligibility) {
    arrays.push_back(
        {"eligibility", NamedArray::Role::eligibility, of_stream(equations_->eligibility())});
  }
  arrays.push_back({"tick", NamedArray::Role::state, equations_->tick()});
  if (!program.draws.empty()) {
    arrays.push_back({"ticks_before", NamedArray::Role::state, equations_->ticks_before()});
  }
}

std::vector<std::pair<std::string, std::string>> HebbianLayer::attributes() const {
  // On a GPU the executor of a rule with a name depends on the size of the layer (docs/gpu.md).
  const bool on_cpu = weights_.device().is_cpu();
  if (!equations_ && !on_cpu) return {};
  const std::int64_t streams = equations_ ? equations_->memory().shape(0) : 1;
  return execution_of(plasticity_, bounds_.has_value(), streams, on_cpu).attributes();
}

std::vector<std::string> HebbianLayer::signal_columns() const {
  std::vector<std::string> columns;
  if (!equations_) return columns;
  const auto add = [&](const std::string& column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  };
  for (const EquationSignalSource& signal :
       std::get<EquationRule>(plasticity_.rule).options().signals) {
    if (signal.is_labels) add("labels");
    for (const std::string& column : signal.columns) add(column);
  }
  return columns;
}

void HebbianLayer::allocate_state(std::int64_t streams) {
  if (equations_) equations_->allocate(std::get<EquationRule>(plasticity_.rule), streams);
}

void HebbianLayer::reset_state() {
  if (equations_) equations_->reset(std::get<EquationRule>(plasticity_.rule));
}

void HebbianLayer::keep(ArrayUndo& undo, bool learn) {
  const bool learns = learn && learns_;
  if (learns) undo.keep(weights_);
  if (learns && rate_) {
    undo.before_put_back([this, before = AutoRate(*rate_)] {
      rate_->state().assign(before.state());  // whoever shares it
      *rate_ = before;
    });
  }
  if (equations_) {
    equations_->keep(undo, learns);
  } else if (learns && memory_.size() > 0) {
    undo.keep(memory_);
  }
}

bool HebbianLayer::repeats() const {
  const auto* const rule = std::get_if<Rule>(&plasticity_.rule);
  return rule == nullptr || !std::holds_alternative<CustomRule>(*rule);
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
  assign_finite("set_weights", weights_, values);
}

std::vector<AutoRate::Stretch> HebbianLayer::stretches(const Array& x) {
  if (rate_) return rate_->read(x, rate_factor_);
  PlasticityRule rule = plasticity_.rule;
  return {{0, x.shape(1), learning_rate_of(rule) * rate_factor_}};
}

void HebbianLayer::answer_by_equations(const Array& x, bool learning, const Array& y) {
  const Array samples = x.shape(2) > 1 && x.strides()[2] != 1 ? x.contiguous() : x;
  const auto process = [&](const Plasticity& plasticity, const Array& here,
                           const TickSignals& signals, const Array& answers) {
    equations_->process(
        std::get<EquationRule>(plasticity.rule),
        {plasticity.activation, plasticity.control, bounds_, plasticity.executor, plasticity.chunk},
        weights_, here, learning, signals, answers);
  };
  if (!learning || !rate_) {
    process(current(), samples, signals_, y);
  } else {
    Plasticity plasticity = plasticity_;
    for (const auto& [first, end, rate] : rate_->read(samples, rate_factor_)) {
      learning_rate_of(plasticity.rule) = rate;
      process(plasticity, samples.slice(1, first, end), of_ticks(signals_, first, end),
              y.slice(1, first, end));
    }
  }
  weights_.count_change();
}

void HebbianLayer::answer(const Array& x, bool learning, const Array& y) {
  if (equations_) return answer_by_equations(x, learning && learns_, y);
  if (!learning || !learns_) return answer_linearly(plasticity_.activation, x, weights_, {}, y);
  std::vector<Learner> alone = {{current(), weights_, memory_}};
  if (!rate_) return learn_together(alone, x, y);
  learn_in_stretches(alone, {stretches(x)}, x, y);
}

std::string HebbianLayer::why_not_replica(const Layer& other) const {
  const std::string why_not = Layer::why_not_replica(other);
  const auto* twin = dynamic_cast<const HebbianLayer*>(&other);
  if (!why_not.empty() || twin == nullptr) return why_not;
  if (twin->learns_ != learns_) return twin->learns_ ? "learns" : "does not learn";
  if (equations_ && twin->equations_) {
    const std::string apart = std::get<EquationRule>(plasticity_.rule)
                                  .why_not_together(std::get<EquationRule>(twin->plasticity_.rule));
    if (!apart.empty()) return "is unlike: its " + apart;
  }
  const std::string unlike = why_not_together(plasticity_, twin->plasticity_);
  return unlike.empty() ? "" : "is unlike: its " + unlike;
}

void HebbianLayer::answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learning,
                                   const Array& y) {
  if (!learning || !learns_ || equations_) {
    return Layer::answer_replicas(replicas, x, learning, y);
  }
  std::vector<Learner> learners;
  std::vector<std::vector<AutoRate::Stretch>> stretches;
  const std::int64_t streams = x.shape(0) / std::ssize(replicas);
  for (std::size_t r = 0; r < replicas.size(); ++r) {
    auto& layer = dynamic_cast<HebbianLayer&>(*replicas[r]);
    learners.push_back({layer.current(), layer.weights_, layer.memory_});
    const auto first = static_cast<std::int64_t>(r) * streams;
    stretches.push_back(layer.stretches(x.slice(0, first, first + streams)));
  }
  learn_in_stretches(learners, stretches, x, y);
}

void HebbianLayer::move_to_current_device() {
  weights_ = on_current_device(weights_, "hebbian layer");
  if (equations_) {
    equations_->move_to_current_device();
  } else {
    memory_ = on_current_device(memory_, "hebbian layer");
  }
}

}  // namespace gaia
