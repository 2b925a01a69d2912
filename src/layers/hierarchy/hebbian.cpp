// SPDX-License-Identifier: MIT
#include "hebbian.h"

#include <algorithm>
#include <cmath>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/random_arrays.h"
#include "../../core/log.h"
#include "../../core/message.h"
#include "../../learning/rule_execution.h"
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

/// \throws ArgumentError for a chain out of its ranges, or of weights that no text moves.
void check_chain(const SynapseChain& chain, const EquationRule* by_equations) {
  if (by_equations == nullptr || !by_equations->program().dw) {
    throw ArgumentError(
        "[hebbian layer] a chain stands behind weights that a rule moves by its equations, with a "
        "dw; write the rule as its text (`gaia rules NAME` prints it)");
  }
  require(chain.length >= 2 && chain.length <= SynapseChain::kLongest,
          "[hebbian layer] chain length must be 2 to 32, got {}",
          static_cast<double>(chain.length));
  require(chain.ratio >= 1 && std::isfinite(chain.ratio),
          "[hebbian layer] chain ratio must be >= 1, got {}", chain.ratio);
  require(chain.rate > 0 && chain.rate <= 0.5,
          "[hebbian layer] chain rate must be in (0, 0.5], got {}", chain.rate);
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

HebbianLayer::HebbianLayer(std::int64_t input_size, std::int64_t output_size,
                           const HebbianOptions& options)
    : Layer(input_size, output_size, options.dtype),
      made_with_(options),
      plasticity_{options.rule, options.control, options.activation, options.executor,
                  options.chunk},
      bounds_(options.bounds),
      learns_(options.learn),
      top_down_(options.top_down),
      random_(options.random) {
  check(plasticity_);
  check_rule(options.rule, options.dtype);
  if (options.lateral && options.top_down) {
    throw ArgumentError(
        "[hebbian layer] lateral has no place beside top_down; take one of the two");
  }
  if (options.lateral) {
    lateral_.emplace(*options.lateral, options.activation, output_size, options.dtype);
    plasticity_.rule = text_under_lateral(options.rule, *options.lateral);
  }
  const auto* const by_equations = std::get_if<EquationRule>(&plasticity_.rule);
  if (bounds_ && !std::holds_alternative<EquationRule>(options.rule)) {
    throw ArgumentError(
        "[hebbian layer] bounds hold the weights of a rule by its equations alone; "
        "rule " +
        rule_name(options.rule) + " has none");
  }
  if (bounds_ && !(bounds_->low < bounds_->high)) {
    fail<ArgumentError>("[hebbian layer] bounds must have low < high, got {} and {}", bounds_->low,
                        bounds_->high);
  }
  if (options.chain) check_chain(*options.chain, by_equations);
  if (options.control.homeostasis && options.control.normalization == Normalization::l2) {
    log_once(LogLevel::warning, "homeostasis under l2",
             "[hebbian layer] homeostasis has no effect under normalization l2, where its factor "
             "cancels; use max_norm or none");
  }
  if (by_equations == nullptr) check_top_down();
  if (options.automatic_rate) {
    const std::optional<double> limit = stability_limit(options.rule);
    if (!limit) {
      throw ArgumentError(
          "[hebbian layer] an automatic rate needs a rule with a known limit, got " +
          rule_name(options.rule) + "; give it a learning_rate");
    }
    rate_.emplace(*limit);
  }
  weights_ = first_weights(options, output_size, input_size);
  if (options.rewire) {
    rewire_.emplace(*options.rewire, input_size, output_size, options.dtype, options.random);
    rewire_->hold(weights_);
  }
  if (by_equations != nullptr) {
    equations_.emplace(*by_equations, input_size, output_size, options.dtype, options.random);
    if (options.chain) equations_->add_chain(*options.chain);
    check_top_down();
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
  if (rewire_) twin->rewire_ = rewire_->copy();
  if (lateral_) twin->lateral_ = lateral_->copy();
  return twin;
}

std::vector<NamedArray> HebbianLayer::arrays() const {
  std::vector<NamedArray> arrays = {{"weights", NamedArray::Role::weights, weights_}};
  if (lateral_) {
    arrays.push_back({"lateral/weights", NamedArray::Role::weights, lateral_->weights()});
    if (lateral_->options().form == LateralForm::settle) {
      arrays.push_back({"lateral/threshold", NamedArray::Role::weights, lateral_->threshold()});
      arrays.push_back({"lateral/first_ticks", NamedArray::Role::state, lateral_->first_ticks()});
    }
  }
  if (rate_) arrays.push_back({"automatic_rate", NamedArray::Role::state, rate_->state()});
  if (rewire_) {
    arrays.push_back({"mask", NamedArray::Role::synapse, rewire_->mask()});
    arrays.push_back({"rewire_ticks", NamedArray::Role::state, rewire_->ticks()});
    if (rewire_->products().size() > 0) {
      arrays.push_back({"rewire_products", NamedArray::Role::state, rewire_->products()});
    }
  }
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
  // Without the axis of streams where there is a single one.
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
  for (std::int64_t k = 0; k < equations_->chained().shape(0); ++k) {
    arrays.push_back({"chain/u" + std::to_string(k + 2), NamedArray::Role::synapse,
                      equations_->chained().slice(0, k, k + 1).squeeze({0})});
  }
  // Component rules never read it, and earlier checkpoints of theirs have none.
  if (!has_plain_rule()) {
    arrays.push_back({"tick", NamedArray::Role::state, equations_->tick()});
  }
  if (!program.draws.empty()) {
    arrays.push_back({"ticks_before", NamedArray::Role::state, equations_->ticks_before()});
  }
}

RuleSite HebbianLayer::rule_site(const Device& device) const {
  const bool has_chain = equations_ && equations_->chained().size() > 0;
  return {.plasticity = plasticity_,
          .is_bounded = bounds_.has_value(),
          .streams = equations_ ? equations_->memory().shape(0) : 1,
          .chain_length = has_chain ? equations_->chained().shape(0) + 1 : 0,
          .device = device,
          .dtype = weights_.dtype(),
          .inputs = weights_.shape(1),
          .outputs = weights_.shape(0)};
}

std::vector<std::pair<std::string, std::string>> HebbianLayer::attributes() const {
  // On a GPU the executor of a rule with a name depends on the size of the layer (docs/gpu.md).
  const bool on_cpu = lateral_ || weights_.device().is_cpu();
  if (!equations_ && !on_cpu) return {};
  RuleExecution told = execution_of(rule_site(lateral_ ? Device::cpu() : weights_.device()));
  if (rewire_) {
    told.executor = "stepwise";
    told.executor_why = "a mask has a Gram matrix of its own for each neuron";
  }
  if (told.executor == "chunkwise" && hands_out_drive()) {
    told.executor = "stepwise";
    told.executor_why = "the drive of every tick, of which top_down makes y, is handed out";
  }
  if (lateral_ && !weights_.device().is_cpu()) told.tell_host();
  return told.attributes();
}

std::vector<std::string> HebbianLayer::signal_columns() const {
  std::vector<std::string> columns;
  if (top_down_) columns = top_down_->signal_columns();
  if (!equations_) return columns;
  const auto add = [&](const std::string& column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  };
  for (const EquationSignalSource& signal :
       std::get<EquationRule>(plasticity_.rule).options().signals) {
    if (signal.is_handed_over) continue;
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
  if (learns && lateral_) lateral_->keep(undo);
  if (learns) undo.keep(weights_);
  if (learns && rewire_) rewire_->keep(undo);
  if (learns && rate_) {
    undo.before_put_back([this, before = AutoRate(*rate_)] {
      rate_->state().assign(before.state());  // anyone who shares it
      *rate_ = before;
    });
  }
  if (equations_) {
    equations_->keep(undo, learns);
  } else if (learns && memory_.size() > 0) {
    undo.keep(memory_);
  }
}

bool HebbianLayer::has_plain_rule() const {
  const auto* const text = std::get_if<EquationRule>(&plasticity_.rule);
  return text == nullptr || (is_component_rule(*text) && !lateral_);
}

bool HebbianLayer::repeats() const {
  const auto* const rule = std::get_if<Rule>(&plasticity_.rule);
  return rule == nullptr || !std::holds_alternative<CustomRule>(*rule);
}

std::int64_t HebbianLayer::operations_per_tick(bool learn) const {
  const bool learns = learn && learns_;
  const std::int64_t chained = learns && equations_ ? equations_->chained().size() : 0;
  return (learns ? 4 : 2) * weights_.size() + 6 * chained +
         (lateral_ ? lateral_->operations_per_tick(learns) : 0);
}

Plasticity HebbianLayer::current() const {
  Plasticity plasticity = plasticity_;
  if (rate_factor_ != 1.0) learning_rate_of(plasticity.rule) *= rate_factor_;
  if (rewire_) {  // the mask comes before normalisation (Rewire::end_tick), which homeostasis knows
    if (plasticity.control.normalization == Normalization::l2)
      plasticity.control.homeostasis.reset();
    plasticity.control.normalization = Normalization::none;
    plasticity.executor = Executor::stepwise;
  }
  return plasticity;
}

void HebbianLayer::set_weights(const Array& values) {
  assign_finite("set_weights", weights_, values);
  if (rewire_) rewire_->hold(weights_);
}

std::vector<AutoRate::Stretch> HebbianLayer::stretches(const Array& x) {
  if (rate_) return rate_->read(x, rate_factor_);
  PlasticityRule rule = plasticity_.rule;
  return {{0, x.shape(1), learning_rate_of(rule) * rate_factor_}};
}

EquationPlan HebbianLayer::plan() const {
  if (!rewire_) {
    return {plasticity_.activation, plasticity_.control, bounds_, plasticity_.executor,
            plasticity_.chunk};
  }
  const Plasticity now = current();  // normalisation and bounds come behind the mask
  return {now.activation, now.control, std::nullopt, now.executor, now.chunk};
}

void HebbianLayer::answer_by_equations(const Array& x, bool learning, const Array& y) {
  const Array samples = x.shape(2) > 1 && x.strides()[2] != 1 ? x.contiguous() : x;
  const auto process = [&](const Plasticity& plasticity, const Array& here,
                           const TickSignals& signals, const Array& answers) {
    EquationPlan run = plan();
    if (lateral_) {
      begin_lateral(plasticity, here.shape(0));
      run.lateral = &*lateral_;
    }
    equations_->process(std::get<EquationRule>(plasticity.rule), run, weights_, here, learning,
                        signals, answers);
  };
  if (!learning || !rate_) {
    process(current(), samples, signals_, y);
  } else {
    Plasticity plasticity = current();
    for (const auto& [first, end, rate] : rate_->read(samples, rate_factor_)) {
      learning_rate_of(plasticity.rule) = rate;
      process(plasticity, samples.slice(1, first, end), of_ticks(signals_, first, end),
              y.slice(1, first, end));
    }
  }
  weights_.count_change();
}

void HebbianLayer::begin_lateral(Plasticity plasticity, std::int64_t streams) {
  const auto* const rate = std::get<EquationRule>(plasticity.rule).parameter("rate");
  lateral_->begin(streams, rate == nullptr ? 0.0 : *rate, rate_factor_);
}

void HebbianLayer::answer_on_cpu(const Array& x, bool learning, const Array& y) {
  const Array answers = [&] {
    const GPUContext host(Device::cpu());
    move_to_current_device();
    const Array samples = on_current_device(x, "hebbian layer");
    const Array made = Array::uninitialized(y.shape(), y.dtype());
    const std::int64_t first = learning ? lateral_->threshold_alone(x.shape(1)) : 0;
    const TickSignals signals = signals_;
    for (std::int64_t t = 0; t < first; ++t) {
      const Array now = made.slice(1, t, t + 1);
      signals_ = of_ticks(signals, t, t + 1);
      answer_by_equations(samples.slice(1, t, t + 1), false, now);
      lateral_->move_threshold(now);
    }
    signals_ = of_ticks(signals, first, x.shape(1));
    if (first < x.shape(1)) {
      answer_by_equations(samples.slice(1, first, x.shape(1)), learning,
                          made.slice(1, first, x.shape(1)));
    }
    signals_ = signals;
    return made;
  }();
  move_to_current_device();
  y.assign(on_current_device(answers, "hebbian layer"));
}

void HebbianLayer::answer(const Array& x, bool learning, const Array& y) {
  if (rewire_ && learning && learns_) return answer_rewired(x, y);
  answer_at_once(x, learning, y);
}

void HebbianLayer::answer_rewired(const Array& x, const Array& y) {
  const TickSignals signals = signals_;
  for (std::int64_t t = 0; t < x.shape(1); ++t) {
    const Array sample = x.slice(1, t, t + 1);
    const Array answer = y.slice(1, t, t + 1);
    signals_ = of_ticks(signals, t, t + 1);
    answer_at_once(sample, true, answer);
    std::vector<Array> others;
    if (equations_ && equations_->eligibility().size() > 0) {
      others.push_back(equations_->eligibility());
    }
    if (equations_ && equations_->chained().size() > 0) others.push_back(equations_->chained());
    rewire_->end_tick(sample, answer, weights_, others, plasticity_.control, bounds_);
  }
  signals_ = signals;
}

void HebbianLayer::answer_at_once(const Array& x, bool learning, const Array& y) {
  const bool learns = learning && learns_;
  if (lateral_) return answer_on_cpu(x, learns, y);
  if (equations_ && (learns || !has_plain_rule())) return answer_by_equations(x, learns, y);
  if (!learns) return answer_linearly(plasticity_.activation, x, weights_, {}, y);
  std::vector<Learner> alone = {{current(), weights_, memory_}};
  if (!rate_) return learn_together(alone, x, y);
  learn_in_stretches(alone, {stretches(x)}, x, y);
}

std::string HebbianLayer::why_not_replica(const Layer& other) const {
  const std::string why_not = Layer::why_not_replica(other);
  const auto* twin = dynamic_cast<const HebbianLayer*>(&other);
  if (!why_not.empty() || twin == nullptr) return why_not;
  if (twin->learns_ != learns_) return twin->learns_ ? "learns" : "does not learn";
  if (twin->top_down_.has_value() != top_down_.has_value()) {
    return twin->top_down_ ? "has a top_down" : "has no top_down";
  }
  if (top_down_) {
    const std::string apart = top_down_->why_not_together(*twin->top_down_);
    if (!apart.empty()) return "is unlike: its " + apart;
  }
  if (lateral_.has_value() != twin->lateral_.has_value() ||
      (lateral_ && lateral_->options().form != twin->lateral_->options().form)) {
    return "is unlike: its lateral connections are others";
  }
  if (equations_ && twin->equations_) {
    const std::string apart = std::get<EquationRule>(plasticity_.rule)
                                  .why_not_together(std::get<EquationRule>(twin->plasticity_.rule));
    if (!apart.empty()) return "is unlike: its " + apart;
  }
  if (rewire_.has_value() != twin->rewire_.has_value()) {
    return twin->rewire_ ? "is rewired" : "is not rewired";
  }
  if (equations_ && twin->equations_ &&
      !(equations_->chained().shape() == twin->equations_->chained().shape())) {
    return "is unlike: its chains have another length";
  }
  const std::string unlike = why_not_together(plasticity_, twin->plasticity_);
  return unlike.empty() ? "" : "is unlike: its " + unlike;
}

void HebbianLayer::answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learning,
                                   const Array& y) {
  if (!learning || !learns_ || rewire_) {
    return Layer::answer_replicas(replicas, x, learning, y);
  }
  if (equations_) return answer_together(replicas, x, y);
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

void HebbianLayer::answer_together(std::span<Layer* const> replicas, const Array& x,
                                   const Array& y) {
  std::vector<HebbianLayer*> layers;
  std::vector<Plasticity> now;
  for (Layer* const replica : replicas) {
    layers.push_back(&dynamic_cast<HebbianLayer&>(*replica));
    if (layers.back()->lateral_ || layers.back()->rate_) {  // each by itself
      return Layer::answer_replicas(replicas, x, true, y);
    }
    now.push_back(layers.back()->current());
  }
  const Array samples = x.shape(2) > 1 && x.strides()[2] != 1 ? x.contiguous() : x;
  const std::int64_t streams = x.shape(0) / std::ssize(replicas);
  std::vector<EquationLearner> learners;
  std::int64_t first = 0;
  for (std::size_t r = 0; r < layers.size(); ++r, first += streams) {
    HebbianLayer& layer = *layers[r];
    const auto& rule = std::get<EquationRule>(now[r].rule);
    learners.push_back(
        {*layer.equations_, rule, layer.plan(), layer.weights_,
         samples.slice(0, first, first + streams),
         gather_signals(rule, layer.signals_,
                        {streams, x.shape(1), layer.weights_.shape(0), layer.dtype(), true}),
         y.slice(0, first, first + streams)});
  }
  EquationState::process_together(learners, true);
  for (const HebbianLayer* const layer : layers) layer->weights_.count_change();
}

void HebbianLayer::move_to_current_device() {
  weights_ = on_current_device(weights_, "hebbian layer");
  if (rewire_) rewire_->move_to_current_device();
  if (lateral_) lateral_->move_to_current_device();
  if (equations_) {
    equations_->move_to_current_device();
  } else {
    memory_ = on_current_device(memory_, "hebbian layer");
  }
}

}  // namespace gaia
