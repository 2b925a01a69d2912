// SPDX-License-Identifier: MIT
/// \file
/// From what a rule means to a program: steps in order, in as few places as it takes.
#pragma once

#include "equations.h"
#include "known_names.h"
#include "multiply_out.h"

namespace gaia::equation_language {

EquationProgram build_program(const EquationText& rule, const KnownNames& names,
                              const Analysis& analysis, const MultipliedOut& sums);

}  // namespace gaia::equation_language
