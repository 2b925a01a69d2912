// SPDX-License-Identifier: MIT
/// \file
/// What the steps of a program compute, one number at a time in double.
#pragma once

#include "code.h"

namespace gaia {

/// How many of a, b and c an operation reads.
int operand_count(EquationOp op);

/// op(a, b, c), of an operation that does not cross the layer.
/// \throws InternalError for one that does.
double evaluate(EquationOp op, double a, double b = 0.0, double c = 0.0);

}  // namespace gaia
