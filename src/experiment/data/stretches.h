// SPDX-License-Identifier: MIT
/// \file
/// Stretches of whole numbers that follow on each other: of steps, rows or ticks.
#pragma once

#include <cstdint>
#include <vector>

namespace gaia {

/// The numbers [begin, end).
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t count() const { return end - begin; }
  bool operator==(const Stretch&) const = default;
};

/// In order; none is empty, and none touches the next.
using Stretches = std::vector<Stretch>;

/// Adds one that begins where the last ends or behind it; of an overlap what is not there yet.
void append(Stretches& stretches, Stretch added);

std::int64_t count_of(const Stretches& stretches);
bool contains(const Stretches& stretches, std::int64_t number);
/// What is in both.
Stretches intersection(const Stretches& a, const Stretches& b);
/// What is in `a` and not in `b`.
Stretches difference(const Stretches& a, const Stretches& b);
/// The first border, a begin or an end, behind `number`; `most` where there is none before it.
std::int64_t next_border(const Stretches& stretches, std::int64_t number, std::int64_t most);

}  // namespace gaia
