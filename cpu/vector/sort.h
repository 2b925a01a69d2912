// SPDX-License-Identifier: MIT
/// \file
/// Sorting keys: numbers of which none is NaN.
#pragma once

#include <cstdint>

#include "../instruction_set.h"
#include "../sort_keys.h"

namespace gaia::cpu {

/// How keys have been parted: the first `below` are smaller than all others, those from `above` on
/// are larger, and those between them, if any, are equal.
struct PartedKeys {
  std::int64_t below;
  std::int64_t above;
};

/// Numbers whose order keys do not tell.
struct Untold {
  bool nan;
  bool negative_zero;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Writes the keys of n numbers that lie so far apart: NaN has that of infinity.  For the
    /// falling order they rise as the numbers fall.
    template <class T> Untold keys_of(const T* x, std::int64_t stride, SortedAs<T>* keys,
                                      std::int64_t n, bool falling);
    /// And back; the keys may be where the numbers come to.
    template <class T> void numbers_of(const SortedAs<T>* keys, T* x, std::int64_t stride,
                                       std::int64_t n, bool falling);
    /// Sorts n keys, of which none may be NaN; 0 and -0 count as equal, and either may take the
    /// place of both.  What is not sorted after so many steps of quicksort, one within the other,
    /// because their borders were unlucky, std::sort does.
    template <class K> void sort_keys(K* keys, std::int64_t n, int steps);
    /// One step of it, n >= 2.
    template <class K> PartedKeys part_keys(K * keys, std::int64_t n);)

}  // namespace gaia::cpu
