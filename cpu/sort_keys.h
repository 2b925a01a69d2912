// SPDX-License-Identifier: MIT
/// \file
/// Numbers as signed integers that are ordered as ComesBefore orders the numbers, and back.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace gaia::cpu {

/// The type of the keys of T.
template <class T>
using SortKey = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;

/// What takes the place of T while it is sorted.
template <class T>
using SortedAs = std::conditional_t<std::is_floating_point_v<T>, T, SortKey<T>>;

/// The key of x.  -0 comes right before 0; all NaN have one key, the largest.
template <class T>
SortKey<T> sort_key(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    // Below 0 the size grows downwards.
    constexpr auto most = std::numeric_limits<SortKey<T>>::max();
    const auto bits = std::bit_cast<SortKey<T>>(x);
    const SortKey<T> key = bits ^ (bits >> (8 * sizeof(T) - 1) & most);
    return x == x ? key : most;
  } else {
    return static_cast<SortKey<T>>(x);
  }
}

/// The key of a number that counts as equal to others of its value: 0 for -0.
template <class T>
SortKey<T> sort_key_of_value(T x) {
  return sort_key(x == T(0) ? T(0) : x);
}

}  // namespace gaia::cpu
