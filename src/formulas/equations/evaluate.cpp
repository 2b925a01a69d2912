// SPDX-License-Identifier: MIT
#include "evaluate.h"

#include "../../core/error.h"
#include "functions.h"

namespace gaia {

int operand_count(EquationOp op) {
  if (op == EquationOp::where) return 3;
  const bool has_two = op == EquationOp::kwta || with_function_of_two(op, [](const auto&) {});
  return has_two ? 2 : 1;
}

double evaluate(EquationOp op, double a, double b, double c) {
  if (op == EquationOp::where) return a != 0.0 ? b : c;
  double result = 0.0;
  const bool is_known =
      with_function_of_one(op, [&](const auto& function) { result = function(a); }) ||
      with_function_of_two(op, [&](const auto& function) { result = function(a, b); });
  if (!is_known) throw InternalError("[evaluate] the operation crosses the layer");
  return result;
}

}  // namespace gaia
