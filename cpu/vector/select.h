// SPDX-License-Identifier: MIT
/// \file
/// One of two numbers, by a mask.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// y_i = holds_i ? a_i : b_i for n neighbours; with a step of 0 for a or b, the same one always.
    /// y may be a or b.
    template <class T> void select_row(const bool* holds, const T* a, std::int64_t a_step,
                                       const T* b, std::int64_t b_step, T* y, std::int64_t n);)

}  // namespace gaia::cpu
