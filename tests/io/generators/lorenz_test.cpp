// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/lorenz.h"
#include "../../support/catch.h"
#include "../../support/near.h"
#include "../../support/statistics.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

/// The system from x[0..2] on, by the implicit midpoint rule with a tiny step (fixed-point
/// iteration): shares nothing with the generator but the equations.
std::vector<double> trajectory_of(const LorenzOptions& o, std::vector<double> x, std::size_t rows,
                                  double step) {
  const auto per_row = static_cast<std::size_t>(std::llround(o.dt / step));
  std::vector<double> shown = x;
  while (shown.size() < 3 * rows) {
    for (std::size_t i = 0; i < per_row; ++i) {
      std::vector<double> next = x;
      for (int iteration = 0; iteration < 8; ++iteration) {
        const double a = 0.5 * (x[0] + next[0]);
        const double b = 0.5 * (x[1] + next[1]);
        const double c = 0.5 * (x[2] + next[2]);
        next = {x[0] + step * o.sigma * (b - a), x[1] + step * (a * (o.rho - c) - b),
                x[2] + step * (a * b - o.beta * c)};
      }
      x = next;
    }
    shown.insert(shown.end(), x.begin(), x.end());
  }
  return shown;
}

TEST_CASE("lorenz solves its equations") {
  LorenzOptions options;
  SECTION("with the defaults, after the washout") {}
  SECTION("from its start") { options.washout = 0; }
  SECTION("with other parameters") {
    options = {.sigma = 16.0, .rho = 45.92, .beta = 4.0, .dt = 0.01};
  }
  SECTION("with a step that is no multiple of the inner one") { options.dt = 0.0175; }
  const std::vector<double> x = read_all(*make_lorenz(options, 61, 5));
  const std::vector<double> start(x.begin(), x.begin() + 3);
  // Errors grow by e^0.9 a unit of time; 60 rows are up to 1.5.
  CHECK(largest_difference(x, trajectory_of(options, start, 61, options.dt / 1000)) < 2e-5);
}

TEST_CASE("lorenz starts near (1, 1, 1), elsewhere for every seed") {
  std::array<std::vector<double>, 3> offsets;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<double> x = read_all(*make_lorenz({.washout = 0}, 1, seed));
    for (std::size_t c = 0; c < 3; ++c) offsets[c].push_back((x[c] - 1.0) / 0.1);
  }
  for (const std::vector<double>& offset : offsets) {
    CHECK(test::kolmogorov_smirnov(offset, test::normal_cdf) < 1.95);
  }
}

TEST_CASE("lorenz drops the washout") {
  const std::vector<double> all = read_all(*make_lorenz({.washout = 0}, 150, 0));
  const std::vector<double> late = read_all(*make_lorenz({.washout = 100}, 50, 0));
  CHECK(std::equal(late.begin(), late.end(), all.begin() + 300));
}

TEST_CASE("lorenz visits both wings of its attractor and stays on it") {
  const std::vector<double> block = read_all(*make_lorenz({}, 20000, 0));
  const test::Moments x(column(block, 3, 0));
  const test::Moments z(column(block, 3, 2));
  // Long-time averages, known to a few per cent from 500 units of time.
  CHECK(x.mean == Approx(0.0).margin(1.5));
  CHECK(std::sqrt(x.variance) == Approx(7.92).epsilon(0.04));
  CHECK(z.mean == Approx(23.55).epsilon(0.03));
  CHECK(std::sqrt(z.variance) == Approx(8.63).epsilon(0.05));
}

TEST_CASE("lorenz comes to rest where convection does not set in") {
  const std::vector<double> x = read_all(*make_lorenz({.rho = 0.5, .washout = 4000}, 3, 0));
  for (const double value : x) CHECK(value == Approx(0.0).margin(1e-9));
}

TEST_CASE("lorenz refuses options that make no series") {
  CHECK_THROWS_WITH(make_lorenz({.sigma = std::nan("")}, 3, 0),
                    "[lorenz] sigma: expected a finite number, got nan");
  CHECK_THROWS_WITH(make_lorenz({.rho = INFINITY}, 3, 0),
                    "[lorenz] rho: expected a finite number, got inf");
  CHECK_THROWS_WITH(make_lorenz({.beta = -INFINITY}, 3, 0),
                    "[lorenz] beta: expected a finite number, got -inf");
  CHECK_THROWS_WITH(make_lorenz({.dt = -0.1}, 3, 0),
                    "[lorenz] dt: expected a number above 0, at most 10, got -0.1");
  CHECK_THROWS_WITH(make_lorenz({.washout = -1}, 3, 0),
                    "[lorenz] washout: expected an integer from 0 to 1000000000, got -1");
  CHECK_THROWS_WITH_TEXT(make_lorenz({.sigma = 1e6}, 3, 0), DataError,
                         "[lorenz] the state has left the finite numbers");
}

}  // namespace
}  // namespace gaia
