// SPDX-License-Identifier: MIT
/// \file
/// One of two numbers by a mask, and the places of some of many.
#pragma once

#include <cstdint>

#include "../instruction_set.h"
#include "../sort_keys.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// y_i = holds_i ? a_i : b_i for n neighbours; with a step of 0 for a or b, the same one
    /// always. y may be a or b.
    template <class T> void select_row(const bool* holds, const T* a, std::int64_t a_step,
                                       const T* b, std::int64_t b_step, T* y, std::int64_t n);
    /// Writes the places of those of n neighbours whose key, joined with `flip` by exclusive or, is
    /// not above `border`, in their order, and returns how many they are; `places` holds n.
    template <class T> std::int64_t places_up_to(const T* x, std::int64_t n, SortKey<T> flip,
                                                 SortKey<T> border, std::int64_t* places);
    /// Whether none of n neighbours is below `low`, nor `high` or above it; -2^62 <= low <= 0 and
    /// 0 <= high <= 2^62.
    bool all_within(const std::int64_t* x, std::int64_t n, std::int64_t low, std::int64_t high);
    /// How many of n neighbours are true.
    std::int64_t count_of_true(const bool* mask, std::int64_t n);
    /// Writes the places of those that are, the first place being `first`, until `end`; returns
    /// where it has come to.
    std::int64_t * places_of_true(const bool* mask, std::int64_t n, std::int64_t first,
                                  std::int64_t* places, const std::int64_t* end);)

}  // namespace gaia::cpu
