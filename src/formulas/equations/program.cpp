// SPDX-License-Identifier: MIT
#include "program.h"

#include <algorithm>

#include "../../core/message.h"
#include "evaluate.h"

namespace gaia {
namespace {

/// Every place that a tick, with the update after it, may read.
std::vector<EquationPlace> places_read(const EquationProgram& program, bool learns) {
  const EquationTick& tick = learns ? program.learning : program.still;
  std::vector<EquationPlace> read = {tick.output};
  const auto add_steps = [&read](const std::vector<EquationStep>& steps) {
    for (const EquationStep& step : steps) read.insert(read.end(), {step.a, step.b, step.c});
  };
  read.insert(read.end(), tick.memory.begin(), tick.memory.end());
  add_steps(tick.steps);
  if (!learns) return read;
  add_steps(program.vector_steps);
  for (const auto& place : {program.dw, program.de}) {
    if (place) read.push_back(*place);
  }
  for (const EquationBack& back : program.backs) read.push_back(back.factors);
  for (const auto& terms : {program.dw_terms, program.de_terms}) {
    for (const EquationTerm& term : terms) read.push_back(term.factor);
  }
  return read;
}

bool contains(const std::vector<EquationPlace>& places, const EquationPlace& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

/// The place of the old value of a memory.
EquationPlace old_memory(std::size_t memory) {
  return {EquationPlace::Of::neuron,
          static_cast<std::uint16_t>(EquationProgram::kFirstMemory + memory)};
}

}  // namespace

std::vector<bool> EquationProgram::signals_read(bool learns) const {
  const std::vector<EquationPlace> read = places_read(*this, learns);
  std::vector<bool> found;
  std::uint16_t of_layer = kFirstLayerSignal;
  std::uint16_t of_neurons = first_neuron_signal();
  for (const EquationSignal& signal : signals) {
    const EquationPlace place = signal.of_neurons
                                    ? EquationPlace{EquationPlace::Of::neuron, of_neurons++}
                                    : EquationPlace{EquationPlace::Of::layer, of_layer++};
    found.push_back(contains(read, place));
  }
  return found;
}

std::uint16_t EquationProgram::first_draw() const {
  const auto of_neurons =
      std::count_if(signals.begin(), signals.end(),
                    [](const EquationSignal& signal) { return signal.of_neurons; });
  return static_cast<std::uint16_t>(first_neuron_signal() + of_neurons);
}

std::vector<bool> EquationProgram::draws_read(bool learns) const {
  const std::vector<EquationPlace> read = places_read(*this, learns);
  std::vector<bool> found;
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const auto index = static_cast<std::uint16_t>(first_draw() + k);
    found.push_back(contains(read, {EquationPlace::Of::neuron, index}));
  }
  return found;
}

std::vector<bool> EquationProgram::memories_of_output() const {
  std::vector<bool> found;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    found.push_back(!(still.memory[m] == old_memory(m)));
  }
  return found;
}

bool EquationProgram::output_remembers() const {
  std::vector<EquationPlace> read = {still.output};
  for (const EquationStep& step : still.steps) read.insert(read.end(), {step.a, step.b, step.c});
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (contains(read, old_memory(m))) return true;
  }
  return false;
}

bool EquationProgram::reads_tick() const {
  return contains(places_read(*this, true), {EquationPlace::Of::layer, kTick});
}

bool EquationProgram::reads_learning() const {
  const EquationPlace place = {EquationPlace::Of::constant, kLearning};
  std::vector<EquationPlace> read = places_read(*this, true);
  for (const EquationStep& step : constant_steps) read.insert(read.end(), {step.a, step.b, step.c});
  return contains(read, place);
}

std::span<const double> EquationProgram::literals() const {
  const std::size_t first = kFirstParameter + parameters.size();
  return std::span(constants).subspan(first, constants.size() - first - constant_steps.size());
}

std::vector<double> EquationProgram::bound_constants(const std::vector<double>& values,
                                                     std::int64_t inputs, std::int64_t outputs,
                                                     bool learns) const {
  if (values.size() != parameters.size()) {
    throw InternalError(message("[bound_constants] expected {} parameters, got {}",
                                parameters.size(), values.size()));
  }
  std::vector<double> bound = constants;
  bound[kInputs] = static_cast<double>(inputs);
  bound[kOutputs] = static_cast<double>(outputs);
  bound[kLearning] = learns ? 1.0 : 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) bound[kFirstParameter + i] = values[i];
  for (const EquationStep& step : constant_steps) {
    const int operands = operand_count(step.op);
    bound[step.result.index] =
        evaluate(step.op, bound[step.a.index], operands > 1 ? bound[step.b.index] : 0.0,
                 operands > 2 ? bound[step.c.index] : 0.0);
  }
  return bound;
}

}  // namespace gaia
