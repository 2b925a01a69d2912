// SPDX-License-Identifier: MIT
#include "evaluate.h"

#include "../../core/error.h"
#include "../elementwise.h"

namespace gaia {

int operand_count(EquationOp op) {
  switch (op) {
    case EquationOp::where:
      return 3;
    case EquationOp::add:
    case EquationOp::subtract:
    case EquationOp::multiply:
    case EquationOp::divide:
    case EquationOp::power:
    case EquationOp::less:
    case EquationOp::less_equal:
    case EquationOp::greater:
    case EquationOp::greater_equal:
    case EquationOp::equal:
    case EquationOp::not_equal:
    case EquationOp::logical_and:
    case EquationOp::logical_or:
    case EquationOp::minimum:
    case EquationOp::maximum:
    case EquationOp::kwta:
      return 2;
    default:
      return 1;
  }
}

bool crosses_layer(EquationOp op) { return op >= EquationOp::layer_sum; }

double evaluate(EquationOp op, double a, double b, double c) {
  switch (op) {
    case EquationOp::copy:
      return a;
    case EquationOp::add:
      return a + b;
    case EquationOp::subtract:
      return a - b;
    case EquationOp::multiply:
      return a * b;
    case EquationOp::divide:
      return a / b;
    case EquationOp::power:
      return Power{}.value(a, b);
    case EquationOp::negate:
      return -a;
    case EquationOp::less:
      return a < b;
    case EquationOp::less_equal:
      return a <= b;
    case EquationOp::greater:
      return a > b;
    case EquationOp::greater_equal:
      return a >= b;
    case EquationOp::equal:
      return a == b;
    case EquationOp::not_equal:
      return a != b;
    case EquationOp::logical_and:
      return LogicalAnd{}.value(a, b);
    case EquationOp::logical_or:
      return LogicalOr{}.value(a, b);
    case EquationOp::logical_not:
      return a == 0.0;
    case EquationOp::where:
      return a != 0.0 ? b : c;
    case EquationOp::exp:
      return Exp{}.value(a);
    case EquationOp::log:
      return Log{}.value(a);
    case EquationOp::sqrt:
      return Sqrt{}.value(a);
    case EquationOp::abs:
      return Abs{}.value(a);
    case EquationOp::sign:
      return Sign{}.value(a);
    case EquationOp::tanh:
      return Tanh{}.value(a);
    case EquationOp::sigmoid:
      return Sigmoid{}.value(a);
    case EquationOp::relu:
      return Relu{}.value(a);
    case EquationOp::floor:
      return Floor{}.value(a);
    case EquationOp::minimum:
      return Minimum{}.value(a, b);
    case EquationOp::maximum:
      return Maximum{}.value(a, b);
    default:
      throw InternalError("[evaluate] the operation crosses the layer");
  }
}

}  // namespace gaia
