// SPDX-License-Identifier: MIT
#include "../../../src/agents/discrete/tables_world.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

/// A lamp with a switch, seen through a dirty window.
TablesOptions lamp() {
  return {.factors = {{.name = "lamp",
                       .transitions = {{2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0}},
                       .states = {"off", "on"},
                       .actions = {"wait", "press"}}},
          .modalities = {{.name = "light",
                          .likelihood = {{2, 2}, {0.9, 0.2, 0.1, 0.8}},
                          .preferences = {0, 1.5}}},
          .random = {3, 1}};
}

}  // namespace

TEST_CASE("a world of tables that are written down is what they say") {
  DiscreteWorld world = lamp().make();
  CHECK(world.model().tables().transitions[0].values ==
        std::vector<double>{1, 0, 0, 1, 0, 1, 1, 0});
  CHECK(world.model().tables().preferences == std::vector<std::vector<double>>{{0, 1.5}});
  CHECK(world.model().tables().initial == std::vector<std::vector<double>>{{0.5, 0.5}});
  // Pressing turns the lamp, waiting leaves it; light is seen as often as the table says.
  int on = 0, seen_on = 0;
  world.reset();
  for (int t = 0; t < 4000; ++t) {
    const std::int64_t before = world.state()[0];
    const std::int64_t press = t % 3 == 0;
    const Observation seen = world.step({press});
    CHECK(world.state()[0] == (press == 1 ? 1 - before : before));
    if (world.state()[0] == 1) {
      ++on;
      seen_on += seen[0] == 1;
    }
  }
  CHECK(std::abs(static_cast<double>(seen_on) / on - 0.8) < 0.04);  // 3 standard deviations: 0.028
  CHECK(lamp().names().actions[0] == std::vector<std::string>{"wait", "press"});
}

TEST_CASE("factors and modalities without names have numbers, and depend on what they say") {
  TablesOptions two = lamp();
  two.factors.push_back({.transitions = {{1, 1, 1}, {1}}});
  two.modalities[0].depends_on = {0};
  two.modalities.push_back({.likelihood = {{2, 2, 1}, {0.5, 0, 0.5, 1}}});
  const DiscreteWorld world = two.make();
  CHECK(two.names().factors == std::vector<std::string>{"lamp", "1"});
  CHECK(world.model().tables().depends_on == std::vector<std::vector<std::int64_t>>{{0}, {0, 1}});
  CHECK(world.model().tables().preferences[1] == std::vector<double>{0, 0});
}

TEST_CASE("tables that make no world are refused") {
  TablesOptions wrong = lamp();
  wrong.modalities[0].likelihood.values[0] = 0.8;
  CHECK_THROWS_AS(wrong.make(), ArgumentError);
  wrong = lamp();
  wrong.factors[0].states = {"off"};
  CHECK_THROWS_WITH(wrong.make(), ContainsSubstring("factors[0].states: expected 2 names, got 1"));
  wrong = lamp();
  wrong.factors.push_back(wrong.factors[0]);
  CHECK_THROWS_WITH(wrong.make(), ContainsSubstring("names that differ, got 'lamp' twice"));
}
