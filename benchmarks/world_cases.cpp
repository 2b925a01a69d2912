// SPDX-License-Identifier: MIT
#include "world_cases.h"

#include <string>
#include <vector>

#include "../src/agents/continuous/worlds.h"
#include "../src/core/error.h"

namespace gaia::bench {

using nlohmann::json;

json run_world_case(const json& one) {
  const auto name = one.at("world").get<std::string>();
  agents::ContinuousWorld world = [&] {
    if (name == "pendulum") return agents::pendulum({.random = {}});
    if (name == "mountain_car") return agents::mountain_car({.random = {}});
    throw ArgumentError("[world case] expected pendulum or mountain_car, got " + name);
  }();
  const bool is_each = one.contains("states");
  json result = {{"observations", json::array()},
                 {"states", json::array()},
                 {"rewards", json::array()},
                 {"terminal", json::array()}};
  std::size_t t = 0;
  for (const json& action : one.at("actions")) {
    if (is_each) {
      world.set_state({.variables = one.at("states").at(t).get<std::vector<double>>()});
    } else if (t == 0) {
      world.set_state({.variables = one.at("state").get<std::vector<double>>()});
    }
    const agents::ContinuousStep step = world.step(action.get<std::vector<double>>());
    result["observations"].push_back(step.observation);
    result["states"].push_back(world.state().variables);
    result["rewards"].push_back(step.reward);
    result["terminal"].push_back(world.is_terminal());
    ++t;
    if (world.is_done() && !is_each) break;
  }
  return result;
}

}  // namespace gaia::bench
