// SPDX-License-Identifier: MIT
/// \file
/// Comparisons of numbers that lie side by side.
#pragma once

#include <cstdint>

#include "../../src/formulas/elementwise.h"
#include "../instruction_set.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// y = f(a, b) for n numbers.  A step is 1, or 0 where one number stands for all.  Returns
    /// false, having done nothing, for functions of truth of what is not bool.
    template <class T> bool compare_run(const Comparison& f, const T* a, std::int64_t a_step,
                                        const T* b, std::int64_t b_step, bool* y, std::int64_t n);)

}  // namespace gaia::cpu
