// SPDX-License-Identifier: MIT
#include "program.h"

#include <algorithm>

#include "../../core/error.h"
#include "evaluate.h"

namespace gaia {

std::vector<bool> EquationProgram::signals_read(bool learns) const {
  const EquationTick& tick = learns ? learning : still;
  std::vector<EquationPlace> read = {tick.output};
  const auto add_steps = [&read](const std::vector<EquationStep>& steps) {
    for (const EquationStep& step : steps) read.insert(read.end(), {step.a, step.b, step.c});
  };
  read.insert(read.end(), tick.memory.begin(), tick.memory.end());
  add_steps(tick.steps);
  if (learns) {
    add_steps(vector_steps);
    for (const auto& place : {dw, de}) {
      if (place) read.push_back(*place);
    }
    for (const EquationBack& back : backs) read.push_back(back.factors);
    for (const auto& terms : {dw_terms, de_terms}) {
      for (const EquationTerm& term : terms) read.push_back(term.factor);
    }
  }
  std::vector<bool> found;
  std::uint16_t of_layer = kFirstLayerSignal;
  std::uint16_t of_neurons = first_neuron_signal();
  for (const EquationSignal& signal : signals) {
    const EquationPlace place = signal.of_neurons
                                    ? EquationPlace{EquationPlace::Of::neuron, of_neurons++}
                                    : EquationPlace{EquationPlace::Of::layer, of_layer++};
    found.push_back(std::find(read.begin(), read.end(), place) != read.end());
  }
  return found;
}

std::vector<double> EquationProgram::bound_constants(const std::vector<double>& values,
                                                     std::int64_t inputs, std::int64_t outputs,
                                                     bool learns) const {
  if (values.size() != parameters.size()) {
    throw InternalError("[bound_constants] expected " + std::to_string(parameters.size()) +
                        " parameters, got " + std::to_string(values.size()));
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
