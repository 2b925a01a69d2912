// SPDX-License-Identifier: MIT
/// \file
/// A sort that keeps the order of what is alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace gaia {

/// Sorts values by `before`, a strict weak order; of two that are alike the first stays the first.
/// std::stable_sort does the same but calls what C++17 deprecates in the library of GCC 12,
/// and newer compilers warn of that.
template <class T, class Before>
void sort_stably(std::vector<T>& values, const Before& before) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (before(values[a], values[b])) return true;
    return a < b && !before(values[b], values[a]);
  });
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t i : order) sorted.push_back(std::move(values[i]));
  values = std::move(sorted);
}

}  // namespace gaia
