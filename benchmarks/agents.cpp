// SPDX-License-Identifier: MIT
/// \file
/// Runs agents on cases (agent_cases.h) for conformance/agents.py.
///
///     agents CASES.json [--exact]   writes what came out of each, and the seconds that it took
///     agents --worlds               writes the tables of gaia's own worlds
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>

#include "../src/agents/discrete/worlds.h"
#include "agent_cases.h"

namespace {

using nlohmann::json;

json worlds() {
  using namespace gaia;
  using namespace gaia::agents;
  json list = json::array();
  list.push_back(bench::case_of_model("T-maze", t_maze({.random = {1, 1}}).model(), 2));
  list.push_back(bench::case_of_model("bandit", two_armed_bandit({.random = {1, 1}}).model(), 2));
  list.push_back(bench::case_of_model(
      "grid 4 x 4", grid_world({.slip = 0.1, .accuracy = 0.9, .random = {1, 1}}).model(), 3));
  return list;
}

json run(const std::string& path, bool is_exact) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  json results = json::array();
  for (const json& source : json::parse(file)) {
    const gaia::bench::AgentCase one = gaia::bench::read_agent_case(source);
    const auto start = std::chrono::steady_clock::now();
    json result = gaia::bench::run_agent_case(one, is_exact);
    result["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string first = count > 1 ? words[1] : "";
    if (first.empty() || first == "--help") {
      std::cout << "agents CASES.json [--exact] | agents --worlds\n";
      return first.empty() ? 2 : 0;
    }
    const bool is_exact = count > 2 && words[2] == std::string("--exact");
    std::cout << (first == "--worlds" ? worlds() : run(first, is_exact)) << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
