// SPDX-License-Identifier: MIT
/// \file
/// Sorting signed integers: the keys of whatever is to be sorted.
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

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// The keys of n numbers that lie so far apart, each joined with `flip` by exclusive or.
    template <class T> void keys_of(const T* x, std::int64_t stride, SortKey<T>* keys,
                                    std::int64_t n, SortKey<T> flip);
    /// And back.
    template <class T> void numbers_of(const SortKey<T>* keys, T* x, std::int64_t stride,
                                       std::int64_t n, SortKey<T> flip);
    /// Sorts n keys; `room` holds as many.
    template <class K> void sort_keys(K* keys, K* room, std::int64_t n);
    /// One step of it, n >= 2.
    template <class K> PartedKeys part_keys(K* keys, K* room, std::int64_t n);)

}  // namespace gaia::cpu
