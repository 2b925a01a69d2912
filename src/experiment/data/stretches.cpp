// SPDX-License-Identifier: MIT
#include "stretches.h"

#include <algorithm>

namespace gaia {
namespace {

/// The first that ends behind `number`.
Stretches::const_iterator first_behind(const Stretches& stretches, std::int64_t number) {
  return std::upper_bound(stretches.begin(), stretches.end(), number,
                          [](std::int64_t n, const Stretch& one) { return n < one.end; });
}

}  // namespace

void append(Stretches& stretches, Stretch added) {
  if (added.count() <= 0) return;
  if (stretches.empty() || stretches.back().end < added.begin) {
    stretches.push_back(added);
  } else {
    stretches.back().end = std::max(stretches.back().end, added.end);
  }
}

std::int64_t count_of(const Stretches& stretches) {
  std::int64_t count = 0;
  for (const Stretch& one : stretches) count += one.count();
  return count;
}

bool contains(const Stretches& stretches, std::int64_t number) {
  const auto found = first_behind(stretches, number);
  return found != stretches.end() && found->begin <= number;
}

Stretches intersection(const Stretches& a, const Stretches& b) {
  Stretches both;
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    append(both, {std::max(left->begin, right->begin), std::min(left->end, right->end)});
    if (left->end < right->end) {
      ++left;
    } else {
      ++right;
    }
  }
  return both;
}

Stretches difference(const Stretches& a, const Stretches& b) {
  Stretches left;
  auto other = b.begin();
  for (Stretch one : a) {
    while (other != b.end() && other->end <= one.begin) ++other;
    for (auto next = other; next != b.end() && next->begin < one.end; ++next) {
      append(left, {one.begin, next->begin});
      one.begin = std::max(one.begin, next->end);
    }
    append(left, one);
  }
  return left;
}

std::int64_t next_border(const Stretches& stretches, std::int64_t number, std::int64_t most) {
  const auto found = first_behind(stretches, number);
  if (found == stretches.end()) return most;
  return std::min(most, found->begin > number ? found->begin : found->end);
}

}  // namespace gaia
