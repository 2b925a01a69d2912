// SPDX-License-Identifier: MIT
// Agents compared with pymdp 0.0.7.1, by numbers that it has computed: conformance/agents.py
// computed the file, and compares more models where pymdp is installed.
#include <cmath>
#include <fstream>

#include "../../../benchmarks/agent_cases.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::agents;
using nlohmann::json;

namespace {

void collect(const json& value, std::vector<double>& numbers) {
  if (value.is_number()) {
    numbers.push_back(value.get<double>());
  } else if (value.is_object()) {
    collect(value.at("values"), numbers);
  } else {
    for (const json& one : value) collect(one, numbers);
  }
}

double difference(const json& a, const json& b) {
  std::vector<double> one, other;
  collect(a, one);
  collect(b, other);
  if (one.size() != other.size() || one.empty()) return INFINITY;
  double most = 0;
  for (std::size_t k = 0; k < one.size(); ++k) most = std::max(most, std::abs(one[k] - other[k]));
  return most;
}

json vectors() {
  std::ifstream file(GAIA_SOURCE_DIR "/tests/agents/discrete/pymdp_vectors.json");
  REQUIRE(file);
  return json::parse(file);
}

}  // namespace

TEST_CASE("Beliefs, G, posteriors and what is learnt are pymdp's") {
  const json all = vectors();
  CHECK(all.at("computed_by") == "inferactively-pymdp 0.0.7.1, MIT licence");
  REQUIRE(all.at("cases").size() == 9);
  for (const json& one : all.at("cases")) {
    const json& expected = one.at("expected");
    INFO(expected.at("name"));
    const bench::AgentCase source = bench::read_agent_case(one.at("case"));
    const json found = bench::run_agent_case(source, false);
    REQUIRE(found.at("steps").size() == 6);
    REQUIRE(expected.at("steps").size() == 6);
    for (std::size_t t = 0; t < 6; ++t) {
      INFO("step " << t);
      const json& mine = found.at("steps")[t];
      const json& theirs = expected.at("steps")[t];
      CHECK(difference(mine.at("beliefs"), theirs.at("beliefs")) < 1e-9);
      CHECK(difference(mine.at("G"), theirs.at("G")) < 1e-9);
      CHECK(difference(mine.at("posterior"), theirs.at("posterior")) < 1e-9);
    }
    for (const char* key : {"likelihoods", "transitions", "initial"}) {
      if (!expected.contains(key)) continue;
      CHECK(difference(found.at(key), expected.at(key)) < 1e-9);
    }
    // Without the constants of SPM G is exact, and pymdp's is off by a little.
    const json exact = bench::run_agent_case(source, true);
    for (std::size_t t = 0; t < 6; ++t) {
      const double off = difference(exact.at("steps")[t].at("G"), expected.at("steps")[t].at("G"));
      CHECK(off < 1e-4);
      CHECK(off > 1e-9);
    }
  }
}
