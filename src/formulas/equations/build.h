// SPDX-License-Identifier: MIT
/// \file
/// Builds the program of a rule from its meaning: steps in order, which use as few places for
/// intermediate values as possible.
#pragma once

#include "equations.h"
#include "known_names.h"
#include "multiply_out.h"

namespace gaia::equation_language {

EquationProgram build_program(const EquationText& rule, const KnownNames& names,
                              const Analysis& analysis, const MultipliedOut& sums);

}  // namespace gaia::equation_language
