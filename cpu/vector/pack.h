// SPDX-License-Identifier: MIT
/// \file
/// Keys and their places in one integer, so that sorting it keeps the order of equal keys.
#pragma once

#include <cstdint>

#include "../instruction_set.h"
#include "../sort_keys.h"

namespace gaia::cpu {

struct KeyRange {
  std::int64_t least;
  std::int64_t most;
};

/// A key counts from `least`, without its last digits, so many as are `left_out`; its place has the
/// `of_place` digits below it.
struct Packing {
  std::int64_t least;
  int left_out;
  int of_place;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// The keys of the values of n >= 1 numbers that lie so far apart, each joined with `flip` by
    /// exclusive or.
    template <class T> KeyRange value_keys_of(const T* x, std::int64_t stride, std::int64_t n,
                                              SortKey<T> flip, std::int64_t* keys);
    /// Packs each of n keys with its place.
    void pack_with_places(const Packing& packing, std::int64_t* keys, std::int64_t n);
    /// Whether two neighbours among n packed keys are not told apart by what of them was packed.
    bool have_alike(const Packing& packing, const std::int64_t* packed, std::int64_t n);)

}  // namespace gaia::cpu
