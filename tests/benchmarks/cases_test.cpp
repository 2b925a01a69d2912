// SPDX-License-Identifier: MIT
#include "../../benchmarks/cases.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "../../benchmarks/case_rows.h"
#include "../../src/array/reductions.h"
#include "../support/catch.h"

using namespace gaia::bench;
using gaia::Array;
using gaia::DType;

TEST_CASE("An answer is as wrong as its worst number, beside the largest that was wanted") {
  CHECK(relative_error(std::vector<double>{1, 2, 4}, {1, 2, 4}) == 0.0);
  CHECK(relative_error(std::vector<double>{1, 3, 4}, {1, 2, -4}) == 2.0);
  CHECK(relative_error(std::vector<double>{}, {}) == 0.0);
}

TEST_CASE("An answer that is not finite or of another length is wrong beside any right one") {
  const std::vector<double> wanted = {1, 2};
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const double error = relative_error({1, bad}, wanted);
    CHECK_FALSE(std::max(0.0, error) <= 1.0);
    CHECK_FALSE(std::max(error, 0.0) <= 1.0);
    CHECK_FALSE(std::max({0.0, error, 0.0}) <= 1.0);
  }
  CHECK_FALSE(relative_error({1}, wanted) <= 1.0);
  CHECK_FALSE(relative_error({1, 2}, {0, 0}) <= 1.0);
}

TEST_CASE("A function of lanes is checked along the axis that its case names") {
  const auto error = [](Lanes lanes, std::int64_t axis) {
    const LaneFunction running = {
        .operation = "cumsum",
        .function = [=](const Array& x, std::int64_t) { return gaia::cumsum(x, axis); },
        .reference =
            [](Doubles x) {
              std::partial_sum(x.begin(), x.end(), x.begin());
              return x;
            },
        .reduces = false};
    const Case one = lane_case(running, lanes, DType::float64, Extent(true));
    return one.prepare(one.inputs()).error() / one.tolerance;
  };
  CHECK(error(Lanes::one, 0) <= 1.0);
  CHECK(error(Lanes::rows, 1) <= 1.0);
  CHECK(error(Lanes::columns, 0) <= 1.0);
  CHECK_FALSE(error(Lanes::rows, 0) <= 1.0);
  CHECK_FALSE(error(Lanes::columns, 1) <= 1.0);
}

TEST_CASE("A row of a table has its sizes in the name and its bytes from its inputs") {
  const Case one = make_case({.operation = "twice",
                              .sizes = {3, 4},
                              .dtype = DType::float32,
                              .inputs = {{{3, 4}}, {{3}, DType::int64, 0.0, 3.0}},
                              .function = [](const Arrays& x) { return x[0]; },
                              .reference = [](const std::vector<Doubles>& x) { return x[0]; },
                              .written = 5.0});
  CHECK(one.name == "twice/3x4/float32");
  CHECK(one.bytes == 12 * 4 + 3 * 8 + 5);
  CHECK(one.prepare(one.inputs()).error() == 0.0);
}
