// SPDX-License-Identifier: MIT
#include "../../../src/experiment/players/agent_verdict.h"

#include <cmath>

#include "../../support/catch.h"

using namespace gaia;
using Catch::Matchers::WithinAbs;

namespace {

std::vector<double> alternating(double a, double b, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i % 2 == 0 ? a : b);
  return values;
}

}  // namespace

TEST_CASE("returns are judged by their mean and spread from an episode on") {
  const ReturnScore score = return_score({100, 1, 2, 3, 6}, 1);
  CHECK(score.episodes == 4);
  CHECK(score.mean == 3.0);
  CHECK_THAT(score.deviation, WithinAbs(std::sqrt((4 + 1 + 0 + 9) / 3.0), 1e-12));
  CHECK_THAT(score.standard_error(), WithinAbs(std::sqrt(14.0 / 3.0) / 2.0, 1e-12));
  CHECK(return_score({1, 2}, 2).episodes == 0);
  CHECK(return_score({7}, 0).deviation == 0.0);
}

TEST_CASE("an agent is told to be better, no better, or worse than each of its controls") {
  const AgentVerdict verdict = agent_verdict(false, 100, alternating(1, 3, 100),
                                             {{"random", alternating(-1, 1, 100)},
                                              {"no_epistemic", alternating(1, 3.1, 100)},
                                              {"frozen", alternating(4, 6, 100)}},
                                             "nat");
  CHECK(verdict.first_episode == 0);
  CHECK(verdict.is_bad);
  CHECK(verdict.text ==
        "the mean return of 2 nat over 100 episodes is better than that of random actions (0 nat), "
        "and is no better than that of no epistemic value (2.05 nat), and is worse than that of "
        "learning off (5 nat)");
}

TEST_CASE("of an agent that learns the second half counts") {
  std::vector<double> returns(10, 0.0), frozen(10, 0.0);
  for (std::size_t i = 5; i < 10; ++i) returns[i] = 4.0;
  frozen[0] = 50.0;
  const AgentVerdict verdict = agent_verdict(true, 10, returns, {{"frozen", frozen}}, "1");
  CHECK(verdict.first_episode == 5);
  CHECK_FALSE(verdict.is_bad);
  CHECK(verdict.text ==
        "the mean return of 4 over the last 5 episodes is better than that of learning off (0)");
}

TEST_CASE("planning, which a policy learns from, is told of and is no control to surpass") {
  const std::vector<double> own = alternating(1, 3, 100);
  const auto told = [&](std::vector<double> planning) {
    return agent_verdict(true, 100, own,
                         {{"random", alternating(-1, 1, 100)}, {"planning", std::move(planning)}},
                         "1");
  };
  CHECK_FALSE(told(alternating(4, 6, 100)).is_bad);
  CHECK(told(alternating(4, 6, 100)).text ==
        "the mean return of 2 over the last 50 episodes is better than that of random actions (0), "
        "and is worse than that of planning throughout (5), which the policy learns from");
  CHECK_SAYS(told(own).text, "no different from that of planning throughout (2)");
  CHECK_SAYS(told(alternating(-6, -4, 100)).text, "is better than that of planning");
  CHECK(agent_verdict(true, 100, own, {{"planning", alternating(4, 6, 100)}}, "1").text ==
        "the mean return of 2 over the last 50 episodes is worse than that of planning throughout "
        "(5), which the policy learns from");
}

TEST_CASE("one episode tells nothing") {
  const AgentVerdict verdict = agent_verdict(true, 2, {1, 9}, {{"random", {1, 2}}}, "nat");
  CHECK(verdict.agent.episodes == 1);
  CHECK_SAYS(verdict.text, "cannot be told from one episode");
  CHECK_FALSE(verdict.is_bad);
}

TEST_CASE("without episodes or controls nothing is told") {
  CHECK(agent_verdict(true, 10, {1, 2}, {{"random", {1, 2}}}, "nat").text.empty());
  CHECK(agent_verdict(false, 2, {1, 2}, {}, "nat").text.empty());
  // A control that has not run to the end is left out.
  CHECK(agent_verdict(false, 2, {1, 2}, {{"random", {1}}}, "nat").controls.empty());
  CHECK_FALSE(agent_verdict(false, 2, {1, 2}, {{"random", {0, 0}}}, "nat").text.empty());
}
