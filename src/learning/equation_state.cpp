// SPDX-License-Identifier: MIT
#include "equation_state.h"

#include "../array/create.h"
#include "../array/device.h"
#include "../array/kernel_families.h"
#include "../array/ops.h"
#include "../core/log.h"
#include "../core/message.h"

namespace gaia {
namespace {

/// float32 has no whole numbers of more bits, so that from there on t is every second tick's.
constexpr std::int64_t kLastExactTick = std::int64_t{1} << 24;

void warn_of_rounded_ticks(const EquationProgram& program, DType dtype, std::int64_t ticks) {
  if (ticks <= kLastExactTick || dtype != DType::float32 || !program.reads_tick()) return;
  log_once(LogLevel::warning, "t beyond 2^24",
           "[rule] the equations read t, which float32 rounds beyond 16 777 216 (2^24) ticks of a "
           "trial; float64 counts on, as does a memory that is put back to 0 in time");
}

}  // namespace

EquationState::EquationState(const EquationRule& rule, std::int64_t inputs, std::int64_t outputs,
                             DType dtype, const RandomStream& random, std::int64_t ticks_before)
    : inputs_(inputs),
      outputs_(outputs),
      dtype_(dtype),
      draws_(RandomStream::named(random.seed, "draws/" + std::to_string(random.stream))) {
  for (const EquationSignalSource& signal : rule.options().signals) {
    if (signal.is_list && std::ssize(signal.columns) != outputs) {
      fail<ArgumentError>(
          "[rule] the signal {} has {} columns, one for each of {} neurons expected; make the "
          "layer of size {}, or name one column",
          signal.name, signal.columns.size(), outputs, signal.columns.size());
    }
  }
  rule.trace_keeps();  // refuses what is no time constant
  {
    const GPUContext host(Device::cpu());  // which counts ticks without waiting for the device
    tick_ = zeros({1}, DType::int64);
    ticks_before_ = zeros({1}, DType::int64);
  }
  ticks_before_.fill(static_cast<double>(ticks_before));
  allocate(rule, 1);
}

void EquationState::add_chain(const SynapseChain& chain) {
  chain_ = chain;
  chained_ = zeros({chain.length - 1, outputs_, inputs_}, dtype_);
}

void EquationState::fill_memory(const EquationRule& rule, const MemoriesKept& but) {
  const auto& memories = rule.program().memories;
  for (std::int64_t m = 0; m < std::ssize(memories); ++m) {
    if (but.has(memories[static_cast<std::size_t>(m)].name)) continue;
    memory_.slice(1, m, m + 1).fill(rule.initial(memories[static_cast<std::size_t>(m)].name));
  }
}

void EquationState::allocate(const EquationRule& rule, std::int64_t streams) {
  const EquationProgram& program = rule.program();
  if (memory_.rank() == 3 && memory_.shape(0) == streams) return;
  memory_ = zeros({streams, std::ssize(program.memories), outputs_}, dtype_);
  fill_memory(rule, {});
  traces_ = zeros({streams, std::ssize(program.traces), inputs_}, dtype_);
  eligibility_ = zeros({program.has_eligibility ? streams : 0, outputs_, inputs_}, dtype_);
  begin_ticks();
}

void EquationState::begin_ticks() {
  ticks_before_.fill(ticks_before_.item() + tick_.item());
  tick_.fill(0.0);
}

void EquationState::reset(const EquationRule& rule) {
  fill_memory(rule, rule.memories_kept());
  traces_.fill(0.0);
  if (eligibility_.size() > 0) eligibility_.fill(0.0);
  begin_ticks();
}

void EquationState::process(const EquationRule& rule, const EquationPlan& plan,
                            const Array& weights, const Array& x, bool learns,
                            const TickSignals& signals, const Array& y) {
  allocate(rule, x.shape(0));
  if (y.size() == 0) return;
  process(rule, plan, weights, x, learns,
          gather_signals(rule, signals, {x.shape(0), x.shape(1), outputs_, dtype_, learns}), y);
}

void EquationState::process(const EquationRule& rule, const EquationPlan& plan,
                            const Array& weights, const Array& x, bool learns,
                            const EquationSignals& gathered, const Array& y) {
  const EquationLearner alone{*this, rule, plan, weights, x, gathered, y};
  process_together({&alone, 1}, learns);
}

void EquationState::process_together(std::span<const EquationLearner> layers, bool learns) {
  std::vector<EquationRun> runs;
  for (const EquationLearner& layer : layers) {
    layer.state.allocate(layer.rule, layer.x.shape(0));
    if (layer.y.size() > 0) runs.push_back(layer.state.run_of(layer, learns));
  }
  if (runs.empty()) return;
  if (runs.size() == 1) {
    backend_for(KernelFamily::equations).equations(runs[0]);
  } else {
    backend_for(KernelFamily::equations).equations_together(runs);
  }
  for (const EquationLearner& layer : layers) {
    if (layer.y.size() == 0) continue;
    layer.state.tick_.fill(layer.state.tick_.item() + static_cast<double>(layer.x.shape(1)));
    layer.y.count_change();
  }
}

EquationRun EquationState::run_of(const EquationLearner& layer, bool learns) const {
  const EquationPlan& plan = layer.plan;
  const EquationProgram& program = layer.rule.program();
  EquationRun run;
  run.activation = plan.activation;
  run.control = plan.control;
  run.samples = layer.x.view();
  run.weights = layer.weights.view();
  run.outputs = layer.y.view();
  run.program = &program;
  run.parameters = layer.rule.parameters();
  run.trace_keeps = layer.rule.trace_keeps();
  run.learns = learns;
  run.first_tick = static_cast<std::int64_t>(tick_.item());
  warn_of_rounded_ticks(program, dtype_, run.first_tick + layer.x.shape(1));
  run.random = draws_;
  run.ticks_before = static_cast<std::int64_t>(ticks_before_.item());
  run.bounds = plan.bounds;
  run.memory = memory_.view();
  run.traces = traces_.view();
  if (program.has_eligibility) run.eligibility = eligibility_.view();
  run.chain = chain_;
  if (chain_) run.chained = chained_.view();
  run.layer_signals = layer.signals.of_layer.view();
  run.neuron_signals = layer.signals.of_neurons.view();
  run.executor = plan.executor;
  run.chunk = plan.chunk;
  run.lateral = plan.lateral;
  run.precision = matmul_precision();
  return run;
}

void EquationState::look(const EquationRule& rule, const EquationPlan& plan, const Array& weights,
                         const Array& x, bool learns, const TickSignals& signals,
                         const Array& y) const {
  // Who does not ask whether it learns answers alike where it does not, and changes no weights.
  const bool as_learning = learns && rule.program().reads_learning();
  EquationState twin = *this;
  twin.memory_ = memory_.copy();
  twin.traces_ = traces_.copy();
  if (as_learning) twin.eligibility_ = eligibility_.copy();
  twin.tick_ = tick_.copy();
  twin.ticks_before_ = ticks_before_.copy();
  twin.process(rule, plan, as_learning ? weights.copy() : weights, x, as_learning, signals, y);
}

void EquationState::keep(ArrayUndo& undo, bool learns) {
  undo.keep(memory_);
  undo.keep(traces_);
  learns ? undo.keep(eligibility_) : undo.keep_handle(eligibility_);
  if (chain_) learns ? undo.keep(chained_) : undo.keep_handle(chained_);
  undo.keep(tick_);
  undo.keep(ticks_before_);
}

EquationState EquationState::copy() const {
  EquationState twin = *this;
  twin.memory_ = memory_.copy();
  twin.traces_ = traces_.copy();
  twin.eligibility_ = eligibility_.copy();
  if (chain_) twin.chained_ = chained_.copy();
  twin.tick_ = tick_.copy();
  twin.ticks_before_ = ticks_before_.copy();
  return twin;
}

void EquationState::move_to_current_device() {
  memory_ = on_current_device(memory_, "rule");
  traces_ = on_current_device(traces_, "rule");
  eligibility_ = on_current_device(eligibility_, "rule");
  if (chain_) chained_ = on_current_device(chained_, "rule");
}

}  // namespace gaia
