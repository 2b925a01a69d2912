// SPDX-License-Identifier: MIT
/// \file
/// Order: sorting, the middle, the largest, distinct numbers, searching, random order.
#include <algorithm>
#include <functional>
#include <numeric>

#include "../src/array/random_arrays.h"
#include "../src/array/sorting.h"
#include "../src/array/statistics.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

Doubles sorted(Doubles x) {
  std::sort(x.begin(), x.end());
  return x;
}

Doubles order_of(const Doubles& x) {
  Doubles order(x.size());
  std::iota(order.begin(), order.end(), 0.0);
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
    return x[static_cast<std::size_t>(a)] < x[static_cast<std::size_t>(b)];
  });
  return order;
}

Doubles middle(const Doubles& x) {
  const Doubles all = sorted(x);
  return {(all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2.0};
}

const LaneFunction kSort = {
    .operation = "sort",
    .function = [](const Array& x, std::int64_t axis) { return sort(x, axis); },
    .reference = sorted,
    .factor = 0.0,
    .reduces = false};
const LaneFunction kArgsort = {
    .operation = "argsort",
    .function = [](const Array& x, std::int64_t axis) { return argsort(x, axis); },
    .reference = order_of,
    .answer = DType::int64,
    .reduces = false};
const LaneFunction kMedian = {
    .operation = "median",
    .function = [](const Array& x, std::int64_t axis) { return median(x, {axis}); },
    .reference = middle};

constexpr std::int64_t kLargest = 10;
const LaneFunction kTopK = {
    .operation = "top_k",
    .function = [](const Array& x, std::int64_t axis) { return top_k(x, kLargest, axis).values; },
    .reference =
        [](const Doubles& x) {
          Doubles largest(kLargest);
          std::partial_sort_copy(x.begin(), x.end(), largest.begin(), largest.end(),
                                 std::greater<>());
          return largest;
        }};

Case unique_case(std::int64_t n) {
  constexpr std::int64_t kDistinct = 1000;
  return make_case({.operation = "unique",
                    .sizes = {n},
                    .dtype = DType::int64,
                    .inputs = {{{n}, DType::int64, 0.0, kDistinct}},
                    .function = [](const Arrays& x) { return unique(x[0]); },
                    .reference =
                        [](const std::vector<Doubles>& x) {
                          Doubles all = sorted(x[0]);
                          all.erase(std::unique(all.begin(), all.end()), all.end());
                          return all;
                        },
                    .written = bytes_of(kDistinct, DType::int64)});
}

/// Places of all numbers among a hundredth as many.
Case searchsorted_case(std::int64_t n) {
  return make_case({.operation = "searchsorted",
                    .sizes = {n},
                    .dtype = DType::float32,
                    .inputs = {{{n / 100}}, {{n}}},
                    .function = [](const Arrays& x) { return searchsorted(x[0], x[1]); },
                    .reference =
                        [](const std::vector<Doubles>& x) {
                          Doubles places;
                          for (const double one : x[1]) {
                            places.push_back(static_cast<double>(
                                std::lower_bound(x[0].begin(), x[0].end(), one) - x[0].begin()));
                          }
                          return places;
                        },
                    .written = bytes_of(n, DType::int64),
                    .arrange = [](Arrays& x) { x[0] = sort(x[0]); }});
}

/// Compared are the numbers in order, and that they were not in order.
Case permutation_case(std::int64_t n) {
  return make_case({.operation = "permutation",
                    .sizes = {n},
                    .dtype = DType::int64,
                    .inputs = {},
                    .function = [=](const Arrays&) { return permutation(n, {3, 1}); },
                    .written = bytes_of(n, DType::int64),
                    .error =
                        [](const Array& y, const Arrays&) {
                          const Doubles got = y.to_vector<double>();
                          Doubles all(got.size());
                          std::iota(all.begin(), all.end(), 0.0);
                          return got == all ? 1.0 : relative_error(sorted(got), all);
                        }});
}

}  // namespace

std::vector<Case> order_cases(bool quick) {
  const Extent extent(quick);
  const std::int64_t n = extent.count();
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::float64, DType::int64}) {
    LaneFunction sorting = kSort;
    // Integers of a range so wide that hardly any two are equal.
    if (dtype == DType::int64) sorting.low = -(sorting.high = 1e12);
    cases.push_back(lane_case(sorting, Lanes::one, dtype, extent));
  }
  for (const LaneFunction& one : {kSort, kArgsort, kMedian}) {
    for (const Lanes lanes : {Lanes::one, Lanes::rows, Lanes::columns}) {
      if (one.operation == "sort" && lanes == Lanes::one) continue;
      cases.push_back(lane_case(one, lanes, DType::float32, extent));
    }
  }
  cases.push_back(lane_case(kTopK, Lanes::one, DType::float32, extent));
  cases.push_back(unique_case(n));
  cases.push_back(searchsorted_case(n));
  cases.push_back(permutation_case(n));
  return cases;
}

}  // namespace gaia::bench
