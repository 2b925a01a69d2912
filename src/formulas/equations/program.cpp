// SPDX-License-Identifier: MIT
#include "program.h"

#include "../../core/error.h"
#include "evaluate.h"

namespace gaia {

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
