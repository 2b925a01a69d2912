// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/narma10.h"
#include "../../support/catch.h"
#include "../../support/statistics.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

/// Largest |y(t+1) - right-hand side| over the rows that have ten before them.
double residual(const std::vector<double>& u, const std::vector<double>& y) {
  double largest = 0.0;
  for (std::size_t t = 9; t + 1 < y.size(); ++t) {
    double sum = 0.0;
    for (std::size_t i = 0; i <= 9; ++i) sum += y[t - i];
    const double expected = 0.3 * y[t] + 0.05 * y[t] * sum + 1.5 * u[t - 9] * u[t] + 0.1;
    largest = std::max(largest, std::abs(y[t + 1] - expected));
  }
  return largest;
}

// Unbounded, the input of this seed drives y to infinity at this step.
constexpr std::uint64_t kDiverging = 1;
constexpr std::int64_t kDivergesAt = 2575;

TEST_CASE("narma10 obeys its equation") {
  for (const std::uint64_t seed : {std::uint64_t{0}, kDiverging, std::uint64_t{42}}) {
    const std::vector<double> x = read_all(*make_narma10({}, 20000, seed));
    CHECK(residual(column(x, 2, 0), column(x, 2, 1)) < 1e-14);
  }
}

TEST_CASE("narma10 begins with nothing before its first step") {
  const std::vector<double> x = read_all(*make_narma10({.washout = 0}, 30, 3));
  std::vector<double> u(9, 0.0);
  std::vector<double> y(9, 0.0);
  for (std::size_t t = 0; t < 30; ++t) {
    u.push_back(x[2 * t]);
    y.push_back(x[2 * t + 1]);
  }
  CHECK(y[9] == 0.0);
  CHECK(residual(u, y) < 1e-15);
}

TEST_CASE("narma10 input is uniform from 0 to 0.5 and independent in time") {
  const std::vector<double> u = column(read_all(*make_narma10({}, 50000, 3)), 2, 0);
  CHECK(test::kolmogorov_smirnov(u, [](double v) { return 2.0 * v; }) < 1.95);
  double sum = 0.0;
  for (std::size_t t = 1; t < u.size(); ++t) sum += (u[t] - 0.25) * (u[t - 1] - 0.25) * 48.0;
  CHECK(std::abs(sum / 50000.0) < 0.02);
}

TEST_CASE("narma10 drops the washout") {
  const std::vector<double> all = read_all(*make_narma10({.washout = 0}, 150, 0));
  const std::vector<double> late = read_all(*make_narma10({.washout = 100}, 50, 0));
  CHECK(std::equal(late.begin(), late.end(), all.begin() + 200));
}

TEST_CASE("narma10 is the plain process as long as that does not run away") {
  const auto bounded = make_narma10({.washout = 0}, 20000, kDiverging);
  const auto plain = make_narma10({.washout = 0, .bounded = false}, 20000, kDiverging);
  const std::int64_t before = kDivergesAt - 40;
  CHECK(read_rows(*bounded, 0, before) == read_rows(*plain, 0, before));
  const std::vector<double> y = column(read_all(*bounded), 2, 1);
  CHECK(*std::max_element(y.begin(), y.end()) <= 1.2 + 1e-12);
  const std::vector<double> u = column(read_all(*bounded), 2, 0);
  CHECK(*std::min_element(u.begin(), u.end()) >= 0.0);
  CHECK(*std::max_element(u.begin(), u.end()) < 0.5);
}

TEST_CASE("narma10 says when it runs away, again and again") {
  const auto series = make_narma10({.washout = 0, .bounded = false}, 20000, kDiverging);
  std::vector<double> block(2 * 20000);
  const std::string expected =
      "[narma10] step 2575: y = 18.54 has left [0, 10]; this input drives it to infinity, use "
      "another seed than 1";
  CHECK_THROWS_WITH(series->read(0, 20000, block), expected);
  CHECK_THROWS_AS(series->read(kDivergesAt, 1, block), DataError);
  CHECK_NOTHROW(series->read(0, kDivergesAt, block));
  CHECK_THROWS_WITH(make_narma10({.washout = 3000, .bounded = false}, 1, kDiverging), expected);
}

TEST_CASE("narma10 refuses options that make no series") {
  CHECK_THROWS_WITH(make_narma10({.washout = -1}, 3, 0),
                    "[narma10] washout: expected an integer from 0 to 1000000000, got -1");
}

}  // namespace
}  // namespace gaia
