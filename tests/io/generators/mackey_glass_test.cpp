// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/mackey_glass.h"
#include "../../support/catch.h"
#include "../../support/near.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

using test::read_all;

/// The equation integrated by Heun's method with a tiny step, the whole past kept and interpolated
/// linearly: shares nothing with the generator but the equation.
std::vector<double> reference(const MackeyGlassOptions& o, std::size_t rows, double step) {
  const auto per_row = static_cast<std::size_t>(std::llround(o.dt / step));
  std::vector<double> x = {1.2};
  const auto past = [&](double time) {
    if (time <= 0.0) return 1.2;
    const double position = time / step;
    const auto i = std::min(static_cast<std::size_t>(position), x.size() - 2);
    const double part = position - static_cast<double>(i);
    return (1.0 - part) * x[i] + part * x[i + 1];
  };
  const auto slope = [&](double now, double before) {
    return o.beta * before / (1.0 + std::pow(before, o.n)) - o.gamma * now;
  };
  std::vector<double> shown = {x[0]};
  for (std::size_t i = 0; shown.size() < rows; ++i) {
    const double t = static_cast<double>(i) * step;
    const double k1 = slope(x[i], past(t - o.tau));
    const double k2 = slope(x[i] + step * k1, past(t + step - o.tau));
    x.push_back(x[i] + 0.5 * step * (k1 + k2));
    if ((i + 1) % per_row == 0) shown.push_back(x.back());
  }
  return shown;
}

TEST_CASE("mackey_glass solves its equation from the constant past") {
  const MackeyGlassOptions options{.washout = 0};
  const std::vector<double> x = read_all(*make_mackey_glass(options, 200, 0));
  CHECK(x[0] == 1.2);
  CHECK(largest_difference(x, reference(options, 200, 1.0 / 1024)) < 1e-7);
}

TEST_CASE("mackey_glass solves its equation for other parameters") {
  MackeyGlassOptions options{.washout = 0};
  double tolerance = 1e-7;
  SECTION("a delay shorter than the largest step") {
    options.tau = 0.07;
    options.n = 2.0;
  }
  SECTION("an exponent that is not whole") { options.n = 9.65; }
  SECTION("rows far apart") {
    options.dt = 6.0;
    options.tau = 30.0;
  }
  SECTION("rows close together") { options.dt = 0.03125; }
  // Where steps do not divide the delay, the corner of the past at time 0 comes back inside of one.
  SECTION("an irrational delay") {
    options.tau = 17.0 + std::sqrt(0.5);
    tolerance = 1e-5;
  }
  SECTION("an irrational delay shorter than a row") {
    options.tau = 0.6180339887;
    tolerance = 1e-5;
  }
  CHECK(largest_difference(read_all(*make_mackey_glass(options, 100, 0)),
                           reference(options, 100, 1.0 / 1024)) < tolerance);
}

TEST_CASE("mackey_glass converges with the step") {
  // Rows ten times as close make the inner step finer; every tenth row must agree.
  const std::vector<double> coarse = read_all(*make_mackey_glass({.washout = 0}, 150, 0));
  const std::vector<double> fine =
      read_all(*make_mackey_glass({.dt = 0.01, .washout = 0}, 14901, 0));
  std::vector<double> thinned;
  for (std::size_t i = 0; i < fine.size(); i += 100) thinned.push_back(fine[i]);
  CHECK(largest_difference(coarse, thinned) < 1e-8);
}

TEST_CASE("mackey_glass drops the washout") {
  const std::vector<double> all = read_all(*make_mackey_glass({.washout = 0}, 150, 0));
  const std::vector<double> late = read_all(*make_mackey_glass({.washout = 100}, 50, 0));
  CHECK(std::equal(late.begin(), late.end(), all.begin() + 100));
}

TEST_CASE("mackey_glass squashes its rows, and then adds the noise") {
  const std::vector<double> x = read_all(*make_mackey_glass({}, 50, 0));
  const std::vector<double> squashed = read_all(*make_mackey_glass({.squash = 1.0}, 50, 0));
  const std::vector<double> noisy =
      read_all(*make_mackey_glass({.noise = 0.1, .squash = 1.0}, 50, 3));
  const std::vector<double> noise = read_all(*make_mackey_glass({.noise = 0.1}, 50, 3));
  for (std::size_t r = 0; r < x.size(); ++r) {
    CHECK(squashed[r] == std::tanh(x[r] - 1.0));
    CHECK(noisy[r] - squashed[r] == Approx(noise[r] - x[r]).margin(1e-12));
  }
  CHECK_THROWS_WITH(make_mackey_glass({.squash = INFINITY}, 3, 0),
                    "[mackey_glass] squash: expected a finite number, got inf");
}

TEST_CASE("mackey_glass rests where production equals decay") {
  // beta / (1 + x^n) = gamma at x = 1, so x(t) tends to 1 for a short delay.
  const std::vector<double> x = read_all(*make_mackey_glass({.tau = 2.0}, 10, 0));
  for (const double value : x) CHECK(value == Approx(1.0).margin(1e-9));
}

TEST_CASE("mackey_glass is chaotic and bounded with the defaults") {
  const std::vector<double> x = read_all(*make_mackey_glass({}, 5000, 0));
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  CHECK(*least > 0.2);
  CHECK(*least < 0.5);
  CHECK(*most > 1.25);
  CHECK(*most < 1.4);
}

TEST_CASE("mackey_glass refuses options that make no series") {
  CHECK_THROWS_WITH(make_mackey_glass({.tau = 0.0}, 3, 0),
                    "[mackey_glass] tau: expected a number above 0, at most 10000, got 0");
  CHECK_THROWS_WITH(make_mackey_glass({.beta = INFINITY}, 3, 0),
                    "[mackey_glass] beta: expected a finite number, got inf");
  CHECK_THROWS_WITH(make_mackey_glass({.gamma = std::nan("")}, 3, 0),
                    "[mackey_glass] gamma: expected a finite number, got nan");
  CHECK_THROWS_WITH(make_mackey_glass({.n = -1.0}, 3, 0),
                    "[mackey_glass] n: expected a number above 0, got -1");
  CHECK_THROWS_WITH(make_mackey_glass({.dt = 0.0}, 3, 0),
                    "[mackey_glass] dt: expected a number above 0, at most 1000, got 0");
  CHECK_THROWS_WITH(make_mackey_glass({.dt = 1e-6}, 3, 0),
                    "[mackey_glass] dt: expected a number from tau / 100000 to 100000 tau, got "
                    "1e-06, tau being 17");
  CHECK_THROWS_WITH(make_mackey_glass({.washout = -1}, 3, 0),
                    "[mackey_glass] washout: expected an integer from 0 to 1000000000, got -1");
}

TEST_CASE("mackey_glass says when it leaves the finite numbers, and keeps what came before") {
  const auto series = make_mackey_glass({.gamma = -1.0, .washout = 0}, 10000, 0);
  std::vector<double> x;
  std::vector<double> row(1);
  const auto read_until_it_throws = [&] {
    for (std::int64_t t = 0; t < 10000; ++t) {
      series->read(t, 1, row);
      x.push_back(row[0]);
    }
  };
  CHECK_THROWS_WITH(read_until_it_throws(),
                    "[mackey_glass] x has left the finite numbers; expected other parameters");
  REQUIRE(x.size() > 10);
  REQUIRE(x.size() < 10000);
  const auto last = static_cast<std::int64_t>(x.size()) - 1;
  CHECK_THROWS_AS(series->read(last + 1, 1, row), DataError);
  series->read(last, 1, row);
  CHECK(row[0] == x.back());
}

}  // namespace
}  // namespace gaia
