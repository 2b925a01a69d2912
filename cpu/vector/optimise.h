// SPDX-License-Identifier: MIT
/// \file
/// A step of gradient descent along a run of neighbours in memory.
#pragma once

#include <cstdint>

#include "../../src/formulas/optimiser_rules.h"
#include "../instruction_set.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Step number `step` of the rule, for n parameters w with gradients g.  Memory that the rule
    /// does not have (a, b) is null.
    template <class T> void optimise_run(const OptimiserRule& rule, std::int64_t step, T* w,
                                         const T* g, T* a, T* b, std::int64_t n);)

}  // namespace gaia::cpu
