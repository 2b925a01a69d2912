// SPDX-License-Identifier: MIT
/// \file
/// Many numbers into one, and running totals: of one long lane, of the rows and of the columns of a
/// matrix.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "../src/array/reductions.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

/// Long, since a million numbers added in turn in double lose more than gaia does.
double sum_of(const Doubles& x) {
  return static_cast<double>(std::accumulate(x.begin(), x.end(), 0.0L));
}
double length_of(const Doubles& x) { return static_cast<double>(x.size()); }

double squares_around(const Doubles& x, double center) {
  long double total = 0.0L;
  for (const double one : x) total += (one - center) * (one - center);
  return static_cast<double>(total);
}

Doubles running_totals(Doubles x) {
  long double total = 0.0L;
  for (double& one : x) one = static_cast<double>(total += one);
  return x;
}

using Lane = const Doubles&;

const LaneFunction kSum = {
    .operation = "sum",
    .function = [](const Array& x, std::int64_t axis) { return sum(x, {axis}); },
    .reference = [](Lane x) { return Doubles{sum_of(x)}; }};
const LaneFunction kMean = {
    .operation = "mean",
    .function = [](const Array& x, std::int64_t axis) { return mean(x, {axis}); },
    .reference = [](Lane x) { return Doubles{sum_of(x) / length_of(x)}; }};
// Near 1, so that a million of them make neither 0 nor infinity.
const LaneFunction kProd = {
    .operation = "prod",
    .function = [](const Array& x, std::int64_t axis) { return prod(x, {axis}); },
    .reference =
        [](Lane x) {
          return Doubles{std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>())};
        },
    .low = 0.999,
    .high = 1.001,
    .factor = 100.0};
const LaneFunction kMax = {
    .operation = "max",
    .function = [](const Array& x, std::int64_t axis) { return max(x, {axis}); },
    .reference = [](Lane x) { return Doubles{*std::max_element(x.begin(), x.end())}; },
    .factor = 0.0};
const LaneFunction kArgmax = {
    .operation = "argmax",
    .function = [](const Array& x, std::int64_t axis) { return argmax(x, axis); },
    .reference =
        [](Lane x) {
          return Doubles{static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin())};
        },
    .answer = DType::int64};
const LaneFunction kStd = {
    .operation = "std",
    .function = [](const Array& x, std::int64_t axis) { return gaia::std(x, {axis}); },
    .reference =
        [](Lane x) {
          return Doubles{::sqrt(squares_around(x, sum_of(x) / length_of(x)) / length_of(x))};
        }};
const LaneFunction kNorm = {
    .operation = "norm",
    .function = [](const Array& x, std::int64_t axis) { return norm(x, {axis}); },
    .reference = [](Lane x) { return Doubles{::sqrt(squares_around(x, 0.0))}; }};
const LaneFunction kLogsumexp = {
    .operation = "logsumexp",
    .function = [](const Array& x, std::int64_t axis) { return logsumexp(x, {axis}); },
    .reference =
        [](Lane x) {
          double total = 0.0;
          for (const double one : x) total += ::exp(one);
          return Doubles{::log(total)};
        }};
const LaneFunction kCumsum = {
    .operation = "cumsum",
    .function = [](const Array& x, std::int64_t axis) { return cumsum(x, axis); },
    .reference = running_totals,
    .factor = 10.0,
    .reduces = false};
const LaneFunction kCount = {
    .operation = "count_nonzero",
    .function = [](const Array& x, std::int64_t axis) { return count_nonzero(x, {axis}); },
    .reference =
        [](Lane x) {
          return Doubles{length_of(x) - static_cast<double>(std::count(x.begin(), x.end(), 0.0))};
        },
    .low = 0.0,
    .high = 1.0,
    .answer = DType::int64};
// Masks that have to be read to their ends.
const LaneFunction kAny = {
    .operation = "any",
    .function = [](const Array& x, std::int64_t axis) { return any(x, {axis}); },
    .reference = [](Lane x) { return Doubles{*std::max_element(x.begin(), x.end())}; },
    .low = 0.0,
    .high = 0.0};
const LaneFunction kAll = {
    .operation = "all",
    .function = [](const Array& x, std::int64_t axis) { return all(x, {axis}); },
    .reference = [](Lane x) { return Doubles{*std::min_element(x.begin(), x.end())}; },
    .low = 1.0,
    .high = 1.0};

}  // namespace

std::vector<Case> reduction_cases(bool quick) {
  const Extent extent(quick);
  std::vector<Case> cases;
  const auto add = [&](LaneFunction one, DType dtype, std::initializer_list<Lanes> places) {
    if (dtype == DType::int64) {
      one.low = -1000.0;
      one.high = 1000.0;
    }
    for (const Lanes lanes : places) cases.push_back(lane_case(one, lanes, dtype, extent));
  };
  const auto everywhere = {Lanes::one, Lanes::rows, Lanes::columns};
  // sum/ELEMENTS and max/ELEMENTS of float32 stand among the elementwise cases.
  for (const LaneFunction& one : {kSum, kMax}) {
    add(one, DType::float32, {Lanes::rows, Lanes::columns});
    add(one, DType::float64, everywhere);
    add(one, DType::int64, everywhere);
  }
  for (const LaneFunction& one : {kMean, kProd, kArgmax, kStd, kNorm, kCumsum, kLogsumexp}) {
    add(one, DType::float32, everywhere);
  }
  for (const LaneFunction& one : {kMean, kStd, kCumsum}) add(one, DType::float64, {Lanes::one});
  for (const LaneFunction& one : {kArgmax, kCumsum}) add(one, DType::int64, {Lanes::one});
  for (const LaneFunction& one : {kAny, kAll, kCount}) add(one, DType::boolean, everywhere);
  add(kCount, DType::float32, {Lanes::one});
  return cases;
}

}  // namespace gaia::bench
