// SPDX-License-Identifier: MIT
#include "../../src/learning/statistic_readout.h"

#include <cmath>
#include <numbers>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"

using namespace gaia;
using gaia::test::complaint_of;

namespace {

/// Rows whose principal components are the three axes, in their order.
std::vector<double> along_axes() {
  std::vector<double> rows;
  for (const double sign : {-1.0, 1.0}) {
    rows.insert(rows.end(), {3.0 * sign, 0.0, 0.0, 0.0, 2.0 * sign, 0.0, 0.0, 0.0, sign});
  }
  return rows;
}

StatisticReadout components(bool subspace) {
  StatisticReadout readout({.features = 3},
                           {.measured = Statistic::components, .subspace = subspace});
  readout.add(along_axes(), {});
  readout.solve();
  return readout;
}

}  // namespace

TEST_CASE("weights agree with components by the cosine of each row") {
  StatisticReadout readout = components(false);
  const double angle = 0.3;
  const std::vector<double> weights = {
      2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.0, 0.0, -5.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> cosines = readout.predict(weights);
  REQUIRE(cosines.size() == 3);
  CHECK(cosines[0] == Approx(std::cos(angle)).epsilon(1e-12));
  CHECK(cosines[1] == Approx(1.0).epsilon(1e-12));
  CHECK(cosines[2] == 0.0);
}

TEST_CASE("the largest angle is of spans, whatever spans them") {
  StatisticReadout readout = components(true);
  for (const double angle : {0.0, 1e-6, 0.4, std::numbers::pi / 2.0}) {
    // Spanned by the first axis and by one that is turned out of the plane of the first two.
    const std::vector<double> weights = {1.0,  3.0 * std::cos(angle), 3.0 * std::sin(angle),
                                         -2.0, 1.0 * std::cos(angle), std::sin(angle)};
    const std::vector<double> found = readout.predict(weights);
    REQUIRE(found.size() == 1);
    CHECK(found[0] == Approx(angle).margin(1e-9));
  }
  // Rows that span less than they are many.
  CHECK(readout.predict(std::vector<double>{1, 0, 0, 2, 0, 0})[0] == std::numbers::pi / 2.0);
}

TEST_CASE("weights are as far from what is expected as plain sums say") {
  StatisticOptions options{.measured = Statistic::weights, .expected = {1.0, 2.0}};
  StatisticReadout all({.features = 1}, options);
  CHECK(all.predict(std::vector<double>{1.5, 0.0})[0] ==
        Approx(std::sqrt((0.25 + 4.0) / 2.0)).epsilon(1e-14));
  options.places = {3, 0};
  options.deviation = {0.5, 2.0};
  StatisticReadout some({.features = 1}, options);
  CHECK(some.predict(std::vector<double>{1.5, 9.0, 9.0, 0.0})[0] ==
        Approx((1.0 / 0.25 + 0.25 / 4.0) / 2.0).epsilon(1e-14));
  CHECK_THROWS_AS(some.predict(std::vector<double>{1.5, 9.0, 9.0}), ShapeError);
}

TEST_CASE("a statistic goes on from its state") {
  StatisticReadout readout = components(false);
  StatisticReadout other({.features = 3}, {.measured = Statistic::components});
  CHECK_FALSE(other.is_solved());
  other.set_state(readout.state());
  CHECK(other.is_solved());
  const std::vector<double> weights = {1.0, 0.5, 0.2, 0.3, 0.1, 0.7};
  CHECK(other.predict(weights) == readout.predict(weights));
  CHECK_THROWS_AS(other.set_state(std::vector<double>{1.0, 2.0}), ShapeError);
  CHECK_THROWS_AS(other.set_solution({}), ArgumentError);
}

TEST_CASE("measures know which way they are good") {
  CHECK(is_error_measure("quantisation error"));
  CHECK(is_error_measure("chi-square error"));
  CHECK(is_error_measure("largest angle"));
  for (const char* const name : {"chi_square", "quantisation_error", "largest_angle", "rms_error",
                                 "mse", "nrmse", "nrmse_at", "log_loss", "loss"}) {
    CHECK(is_error_measure(name));
  }
  for (const char* const name :
       {"kurtosis", "cosine", "R2", "r2", "accuracy", "AUC", "valid_steps"}) {
    CHECK_FALSE(is_error_measure(name));
  }
  CHECK(find_statistic("R2") == nullptr);
  for (const StatisticMeasure& one : statistic_measures()) {
    CHECK(find_statistic(one.name) == &one);
    const double low = error_of(one, 0.2);
    const double high = error_of(one, 0.3);
    CHECK((one.is_error ? low < high : high < low));
    CHECK(low > 0.0);
  }
  CHECK(StatisticOptions{.measured = Statistic::components, .subspace = true}.measure().name ==
        std::string("largest angle"));
  CHECK_SAYS(complaint_of<ArgumentError>([] { statistic_from_name("curtosis"); }), "kurtosis");
}
