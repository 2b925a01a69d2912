// SPDX-License-Identifier: MIT
/// \file
/// Which of many numbers are the largest so many: a selection, not a sort.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../instruction_set.h"

namespace gaia::cpu {

/// An integer for a number that is as large among integers as the number is among numbers: 0 and
/// -0 are equal, NaN is behind all.
template <class T>
using RankKey = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The first of a row: those whose key is above the border, and so many of those that are on it,
/// the ones of lower index.
template <class T>
struct FirstOfRow {
  RankKey<T> border;
  std::int64_t on_border;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// The first `count` of n numbers, 1 <= count <= n, whose keys are written to `keys` [n].
    template <class T> FirstOfRow<T> first_of_row(const T* x, std::int64_t n, std::int64_t count,
                                                  RankKey<T>* keys);
    /// y = x, or 1 where x is null, of those that belong to the first, else 0.
    template <class T> void keep_first_of_row(const FirstOfRow<T>& first, const RankKey<T>* keys,
                                              const T* x, T* y, std::int64_t n);
    /// The place of the last of the first: the one of rank count - 1.
    template <class T>
    std::int64_t last_of_first(const FirstOfRow<T>& first, const RankKey<T>* keys, std::int64_t n);)

}  // namespace gaia::cpu
