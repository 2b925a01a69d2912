// SPDX-License-Identifier: MIT
/// \file
/// Which way results take to memory.
#pragma once

#include <cstdint>

namespace gaia::cpu {

/// An ordinary store reads the line that it changes first.  One past the caches does not, which
/// saves a third of a copy's traffic, but what is read again soon must then come back.
enum class Stores { through_caches, past_caches };

/// For a result of so many bytes, which takes the place of an operand if `in_place`: its lines have
/// been read then.  No core's share of a cache holds more than this.
inline Stores stores_for(std::int64_t bytes, bool in_place) {
  constexpr std::int64_t most_cached = std::int64_t{24} << 20;
  return bytes > most_cached && !in_place ? Stores::past_caches : Stores::through_caches;
}

}  // namespace gaia::cpu
