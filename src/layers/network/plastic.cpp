// SPDX-License-Identifier: MIT
#include "plastic.h"

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {
namespace {

/// \throws ArgumentError for a rule that reads what a network does not have.
void refuse_signals(const EquationRule& rule) {
  const std::vector<bool> is_read = rule.program().signals_read(true);
  for (std::size_t s = 0; s < is_read.size(); ++s) {
    if (!is_read[s]) continue;
    throw ArgumentError("[plastic] the rule reads the signal " + rule.program().signals[s].name +
                        ", but a network has no columns beside its samples; leave it out, or let "
                        "the layer learn in a hierarchy");
  }
}

}  // namespace

std::string why_steps(const EquationRule& rule) {
  const EquationProgram& program = rule.program();
  if (!program.traces.empty()) return "has traces";
  if (program.has_eligibility) return "has an eligibility";
  if (program.output_remembers()) return "makes y of a memory";
  return program.reads_tick() ? "reads t" : "";
}

PlasticModule::PlasticModule(std::int64_t inputs, std::int64_t outputs,
                             const HebbianOptions& options)
    : inputs_(inputs), learns_(options.learn), bounds_(options.bounds), random_(options.random) {
  if (const auto* const rule = std::get_if<EquationRule>(&options.rule)) refuse_signals(*rule);
  const HebbianLayer layer(inputs, outputs, options);
  plasticity_ = layer.plasticity();
  weights_ = layer.weights();
  add("weights", weights_);
  std::vector<NamedArray> memories;
  for (const NamedArray& array : layer.arrays()) {
    if (array.role == NamedArray::Role::memory) memories.push_back(array);
  }
  std::vector<bool> begins_anew(memories.size(), false);
  if (equations() != nullptr) {
    const EquationProgram& program = equations()->program();
    begins_anew = program.memories_of_output();
    for (std::size_t m = 0; m < begins_anew.size(); ++m) {
      if (equations()->memories_kept().has(program.memories[m].name)) begins_anew[m] = false;
    }
  }
  memories_.reserve(memories.size());  // buffers keep their address
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (begins_anew[m]) continue;
    carried_.push_back(static_cast<std::int64_t>(m));
    add(memories[m].name, memories_.emplace_back(memories[m].value.copy()));
  }
  if (equations() != nullptr && !equations()->program().draws.empty()) add("draws", ticks_);
}

RuleExecution PlasticModule::execution(std::int64_t batch) const {
  return execution_of({.plasticity = plasticity_,
                       .is_bounded = bounds_.has_value(),
                       .streams = batch,
                       .device = weights_.device(),
                       .dtype = weights_.dtype(),
                       .inputs = weights_.shape(1),
                       .outputs = weights_.shape(0)});
}

Array PlasticModule::learn_from(const Array& samples) {
  const auto count = std::ssize(memories_);
  const std::int64_t outputs = weights_.shape(0);
  if (count == 1) return learn(plasticity_, weights_, memories_.front(), samples);
  const Array memory = zeros({count, outputs}, weights_.dtype());
  const auto row = [&](std::int64_t m) { return memory.slice(0, m, m + 1).squeeze({0}); };
  for (std::int64_t m = 0; m < count; ++m) row(m).assign(memories_[static_cast<std::size_t>(m)]);
  const Array answers = learn(plasticity_, weights_, memory, samples);
  for (std::int64_t m = 0; m < count; ++m) memories_[static_cast<std::size_t>(m)].assign(row(m));
  return answers;
}

EquationState PlasticModule::begin(std::int64_t batch) const {
  EquationState state(*equations(), inputs_, weights_.shape(0), weights_.dtype(), random_, ticks_);
  state.allocate(*equations(), batch);
  for (std::size_t k = 0; k < carried_.size(); ++k) {
    state.memory().slice(1, carried_[k], carried_[k] + 1).assign(memories_[k]);
  }
  return state;
}

Array PlasticModule::run(EquationState& state, const Array& samples, bool learns) {
  const Array y = Array::uninitialized({samples.shape(0), samples.shape(1), weights_.shape(0)},
                                       weights_.dtype());
  state.process(*equations(),
                {plasticity_.activation, plasticity_.control, bounds_, plasticity_.executor,
                 plasticity_.chunk},
                weights_, samples, learns, TickSignals{}, y);
  if (learns) weights_.count_change();
  return y;
}

void PlasticModule::keep(const EquationState& state) {
  ticks_ += static_cast<std::int64_t>(state.tick().item());
  for (std::size_t k = 0; k < carried_.size(); ++k) {
    const Array of_samples = state.memory().slice(1, carried_[k], carried_[k] + 1);
    memories_[k].assign(mean(of_samples.squeeze({1}), {0}));
  }
}

void PlasticModule::check_samples(const Tensor& x) const {
  const std::string inputs = std::to_string(inputs_);
  const std::string why = equations() == nullptr ? "" : why_steps(*equations());
  if (x.rank() < (why.empty() ? 2 : 3) || x.rank() > 3 || x.shape(-1) != inputs_) {
    const std::string expected = why.empty()
                                     ? message("[batch, {}] or [batch, steps, {}]", inputs, inputs)
                                     : "[batch, steps, " + inputs + "]";
    fail<ShapeError>("[plastic] expected {}, got shape {}{}", expected, x.shape(),
                     why.empty() ? ""
                                 : ": the rule " + why +
                                       ", and that begins anew for every sample, so that samples "
                                       "need steps");
  }
  if (x.requires_grad() && equations() != nullptr && equations()->program().assigns_output) {
    throw ArgumentError(
        "[plastic] the equations assign y, so no gradient reaches what lies below the layer; put "
        "it below all layers that are trained, give it x.detach(), or leave y alone, which is f(z) "
        "then");
  }
}

Tensor PlasticModule::forward(const Tensor& x) {
  check_samples(x);
  const RepeatedState repeated({&weights_}, &memories_, &ticks_);
  weights_ = on_current_device(weights_, "plastic");
  for (Array& memory : memories_) memory = on_current_device(memory, "plastic");
  const auto answer = [&](const Tensor& samples, const Array& weights) {
    return activate(plasticity_.activation, linear(samples, Tensor(weights)));
  };
  const std::int64_t batch = x.shape(0);
  const std::int64_t steps = x.rank() == 3 ? x.shape(1) : 1;
  const bool by_equations = equations() != nullptr;
  const bool assigns_output = by_equations && equations()->program().assigns_output;
  const bool learns = is_training() && learns_ && steps > 0;
  if (!learns && !assigns_output) return answer(x, weights_);

  const Array samples = on_current_device(x.value(), "plastic").astype(weights_.dtype());
  const Array in_time = samples.reshape({batch, steps, inputs_}).contiguous();
  if (learns && in_time.device().is_cpu() && first_not_finite(in_time) >= 0) {
    throw DivergedError(
        "[plastic] expected finite samples to learn from, got NaN or Inf, of the data or of the "
        "layers below; the weights are as they were before",
        -1, -1, 0);
  }
  std::optional<EquationState> state;
  if (by_equations) state.emplace(begin(batch));
  const auto process = [&](const Array& some) {
    return by_equations ? run(*state, some, learns) : learn_from(some);
  };
  if (!x.requires_grad()) {
    const Array y = process(in_time);
    if (by_equations && learns) keep(*state);
    return x.rank() == 3 ? y : y.squeeze({1});
  }
  // The way back needs the weights of each step.
  std::vector<Tensor> answers;
  for (std::int64_t t = 0; t < steps; ++t) {
    answers.push_back(answer(x.rank() == 3 ? slice(x, 1, t, t + 1) : x, weights_.copy()));
    process(in_time.slice(1, t, t + 1).contiguous());
  }
  if (by_equations) keep(*state);
  return answers.size() == 1 ? answers.front() : concatenate(answers, 1);
}

}  // namespace gaia
