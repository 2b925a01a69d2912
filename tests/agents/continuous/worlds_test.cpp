// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/worlds.h"

#include <cmath>
#include <fstream>

#include "../../../benchmarks/world_cases.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::agents;
using nlohmann::json;

namespace {

double apart(const json& one, const json& other) {
  if (one.is_array()) {
    if (one.size() != other.size() || one.empty()) return INFINITY;
    double most = 0;
    for (std::size_t k = 0; k < one.size(); ++k) most = std::max(most, apart(one[k], other[k]));
    return most;
  }
  if (one.is_boolean()) return one == other ? 0 : INFINITY;
  return std::abs(one.get<double>() - other.get<double>());
}

}  // namespace

TEST_CASE("Pendulum and mountain car move as Gymnasium's do") {
  std::ifstream file(GAIA_SOURCE_DIR "/tests/agents/continuous/gymnasium_vectors.json");
  REQUIRE(file);
  const json all = json::parse(file);
  CHECK(all.at("computed_by") == "gymnasium 1.4.0, MIT licence");
  REQUIRE(all.at("cases").size() == 6);
  int ends = 0;
  for (const json& one : all.at("cases")) {
    const json& expected = one.at("expected");
    const json found = bench::run_world_case(one.at("case"));
    for (const char* what : {"observations", "states", "rewards", "terminal"}) {
      INFO(one.at("case").at("world") << ", " << what);
      CHECK(apart(found.at(what), expected.at(what)) < 1e-12);
    }
    ends += expected.at("terminal").back().get<bool>();
  }
  CHECK(ends == 3);
}

TEST_CASE("A pushed mass is where the sum of its series says") {
  constexpr double kMass = 2.0, kDamping = 0.5, kStep = 0.1;
  ContinuousWorld world = point_mass(
      {.dimensions = 2, .mass = kMass, .damping = kDamping, .time_step = kStep, .random = {3, 1}});
  CHECK(world.observation_names() ==
        std::vector<std::string>{"position x", "position y", "speed x", "speed y"});
  CHECK(world.action_names() == std::vector<std::string>{"force x", "force y"});
  world.set_state({.variables = {0.3, -0.8, 0.2, 0.1}});
  const std::vector<double> force = {0.7, -0.4};
  ContinuousStep last;
  constexpr int kSteps = 40;
  for (int t = 0; t < kSteps; ++t) last = world.step(force);
  double reward = 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    // v_n = v* + (v_0 - v*) r^n with r = 1 - c dt and v* = u / (m c), and x the sum of v dt.
    const double x0 = axis == 0 ? 0.3 : -0.8, v0 = axis == 0 ? 0.2 : 0.1;
    const double r = 1 - kDamping * kStep, limit = force[axis] / (kMass * kDamping);
    const double v = limit + (v0 - limit) * std::pow(r, kSteps);
    const double x =
        x0 + kStep * (kSteps * limit + (v0 - limit) * r * (1 - std::pow(r, kSteps)) / (1 - r));
    CHECK(last.observation[axis] == Approx(x).epsilon(1e-12));
    CHECK(last.observation[2 + axis] == Approx(v).epsilon(1e-12));
    reward -= x * x + 0.1 * force[axis] * force[axis];
  }
  CHECK(last.reward == Approx(reward).epsilon(1e-12));
}

TEST_CASE("Actions beyond the bounds are cut to them") {
  for (const double beyond : {1.5, -7.0}) {
    const double bound = std::copysign(1.0, beyond);
    ContinuousWorld mass = point_mass({.random = {1, 1}}), same = point_mass({.random = {1, 1}});
    mass.reset();
    same.reset();
    CHECK(mass.step(std::vector{beyond}).observation == same.step(std::vector{bound}).observation);
  }
}

TEST_CASE("A car that hits the left end stops there, and needs speed at a goal that asks for it") {
  ContinuousWorld car = mountain_car({.random = {1, 1}});
  car.set_state({.variables = {-1.19, -0.05}});
  CHECK(car.step(std::vector{-1.0}).observation == std::vector{-1.2, 0.0});
  ContinuousWorld fast = mountain_car({.goal_speed = 0.03, .random = {1, 1}});
  fast.set_state({.variables = {0.46, 0.001}});
  CHECK_FALSE(fast.step(std::vector{1.0}).is_done);
  fast.set_state({.variables = {0.44, 0.06}});
  const ContinuousStep there = fast.step(std::vector{0.5});
  CHECK(there.is_done);
  CHECK(fast.is_terminal());
  CHECK(there.reward == Approx(100 - 0.025));
}

TEST_CASE("Worlds begin where their options say, differently each time, and end in time") {
  ContinuousWorld car = mountain_car({.max_steps = 3, .random = {4, 1}});
  double least = 1, most = -1;
  for (int episode = 0; episode < 200; ++episode) {
    const std::vector<double> start = car.reset();
    CHECK(start[1] == 0.0);
    least = std::min(least, start[0]);
    most = std::max(most, start[0]);
    CHECK_FALSE(car.step(std::vector{0.0}).is_done);
    CHECK_FALSE(car.step(std::vector{0.0}).is_done);
    CHECK(car.step(std::vector{0.0}).is_done);
    CHECK(car.is_done());
    CHECK_FALSE(car.is_terminal());
  }
  CHECK(least > -0.6);
  CHECK(least < -0.59);
  CHECK(most < -0.4);
  CHECK(most > -0.41);
}

TEST_CASE("A world goes on from its state, and the same stream gives the same episodes") {
  ContinuousWorld one = pendulum({.random = {5, 1}}), other = pendulum({.random = {5, 1}});
  CHECK(one.reset() == other.reset());
  one.step(std::vector{1.0});
  const ContinuousWorldState state = one.state();
  std::vector<std::vector<double>> first;
  for (int t = 0; t < 5; ++t) first.push_back(one.step(std::vector{0.3}).observation);
  first.push_back(one.reset());
  ContinuousWorld resumed = pendulum({.random = {5, 1}});
  resumed.set_state(state);
  std::vector<std::vector<double>> second;
  for (int t = 0; t < 5; ++t) second.push_back(resumed.step(std::vector{0.3}).observation);
  second.push_back(resumed.reset());
  CHECK(first == second);
  CHECK(pendulum({.random = {6, 1}}).reset() != pendulum({.random = {5, 1}}).reset());
}

TEST_CASE("What a world cannot take is refused") {
  ContinuousWorld world = pendulum({.max_steps = 1, .random = {1, 1}});
  CHECK_THROWS_WITH_TEXT(world.step(std::vector{0.0}), ArgumentError, "reset()");
  CHECK_THROWS_WITH_TEXT(world.observe(), ArgumentError, "reset()");
  world.reset();
  CHECK_THROWS_WITH_TEXT(world.step(std::vector{0.0, 1.0}), ArgumentError, "expected 1 finite");
  CHECK_THROWS_WITH_TEXT(world.step(std::vector<double>{NAN}), ArgumentError, "not all finite");
  world.step(std::vector{0.0});
  CHECK_THROWS_WITH_TEXT(world.step(std::vector{0.0}), ArgumentError, "reset() begins another");
  CHECK_THROWS_WITH_TEXT(world.set_state({.variables = {1.0}}), ArgumentError, "2 variables");
  CHECK_THROWS_WITH_TEXT(pendulum({.mass = 0}), ArgumentError, "[pendulum.mass]");
  CHECK_THROWS_WITH_TEXT(pendulum({.max_steps = 0}), ArgumentError, "max_steps");
  CHECK_THROWS_WITH_TEXT(point_mass({.dimensions = 3}), ArgumentError, "1 or 2");
  CHECK_THROWS_WITH_TEXT(point_mass({.damping = 20.0}), ArgumentError, "[point_mass.damping]");
  CHECK_THROWS_WITH_TEXT(mountain_car({.start_low = 0.0}), ArgumentError, "start_low");
  CHECK_THROWS_WITH_TEXT(mountain_car({.goal = 0.7}), ArgumentError, "mountain_car.goal");
}
