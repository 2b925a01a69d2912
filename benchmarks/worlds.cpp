// SPDX-License-Identifier: MIT
/// \file
/// gaia's part of conformance/worlds.py: reads a list of cases from the standard input and writes a
/// list of what they did.
#include <iostream>

#include "world_cases.h"

int main() {
  const nlohmann::json cases = nlohmann::json::parse(std::cin);
  nlohmann::json results = nlohmann::json::array();
  for (const nlohmann::json& one : cases) results.push_back(gaia::bench::run_world_case(one));
  std::cout << results << "\n";
}
