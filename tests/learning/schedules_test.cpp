// SPDX-License-Identifier: MIT
#include "../../src/learning/schedules.h"

#include <cmath>
#include <numbers>

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

TEST_CASE("Schedules have the shapes that they are named after") {
  const Schedule steps = step_schedule(3, 0.5);
  CHECK(steps(0) == 1.0);
  CHECK(steps(2) == 1.0);
  CHECK(steps(3) == 0.5);
  CHECK(steps(8) == 0.25);
  CHECK(exponential_schedule(0.9)(4) == Approx(std::pow(0.9, 4)));
  const Schedule cosine = cosine_schedule(10, 0.1);
  CHECK(cosine(0) == 1.0);
  CHECK(cosine(5) == Approx(0.55));
  CHECK(cosine(1) == Approx(0.1 + 0.9 * (1.0 + std::cos(std::numbers::pi / 10.0)) / 2.0));
  CHECK(cosine(10) == 0.1);
  CHECK(cosine(1000) == 0.1);
  const Schedule warm = warm_up(4, exponential_schedule(0.5));
  CHECK(warm(0) == 0.25);
  CHECK(warm(3) == 1.0);
  CHECK(warm(4) == 1.0);
  CHECK(warm(6) == 0.25);
  CHECK(warm_up(2)(7) == 1.0);
}

TEST_CASE("The rate falls where a loss no longer does") {
  ReduceOnPlateau plateau({.factor = 0.5, .patience = 2, .threshold = 0.1, .least = 0.2});
  CHECK(plateau.observe(10.0) == 1.0);
  CHECK(plateau.observe(8.0) == 1.0);
  CHECK(plateau.observe(7.5) == 1.0);  // not below 8 (1 - 0.1): 1
  CHECK(plateau.observe(7.3) == 1.0);  // 2
  CHECK(plateau.observe(9.0) == 0.5);  // 3
  CHECK(plateau.observe(7.1) == 0.5);  // progress
  for (int i = 0; i < 3; ++i) plateau.observe(7.1);
  CHECK(plateau.observe(7.1) == 0.25);
  for (int i = 0; i < 9; ++i) plateau.observe(NAN);
  CHECK(plateau.observe(7.1) == 0.2);
}

TEST_CASE("Schedules refuse what is out of range") {
  CHECK_THROWS_AS(step_schedule(0), ArgumentError);
  CHECK_THROWS_AS(step_schedule(1, 0.0), ArgumentError);
  CHECK_THROWS_AS(exponential_schedule(1.1), ArgumentError);
  CHECK_THROWS_AS(cosine_schedule(0), ArgumentError);
  CHECK_THROWS_AS(cosine_schedule(1, -0.1), ArgumentError);
  CHECK_THROWS_AS(warm_up(0), ArgumentError);
  CHECK_THROWS_AS(ReduceOnPlateau({.factor = 1.0}), ArgumentError);
  CHECK_THROWS_AS(ReduceOnPlateau({.patience = -1}), ArgumentError);
}
