// SPDX-License-Identifier: MIT
/// \file
/// Observations that a model holds to be impossible are reported, once, with step and modality.
#include "../../../src/agents/discrete/impossible.h"

#include "../../../src/agents/discrete/agent.h"
#include "../../../src/agents/discrete/worlds.h"
#include "../../support/catch.h"
#include "../../support/log_capture.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

/// Two states that stay as they are.  Modality 0 never shows outcome 2; modality 1 never agrees
/// with it on outcome 1.
ModelTables two_states() {
  ModelTables tables;
  tables.likelihoods = {
      {{3, 2}, {0.9, 0.2, 0.1, 0.8, 0, 0}}, {{2, 2}, {1, 0, 0, 1}}, {{2, 2}, {0, 1, 1, 0}}};
  tables.transitions = {{{2, 2, 1}, {1, 0, 0, 1}}};
  return tables;
}

}  // namespace

TEST_CASE("An observation is impossible under every state, or where it was not expected") {
  ModelTables tables = two_states();
  const GenerativeModel model(tables);
  CHECK(why_impossible(model, {0, 0, 1}).empty());
  CHECK(why_impossible(model, {unobserved, unobserved, unobserved}).empty());
  CHECK(why_impossible(model, {2, 0, 1}) ==
        "outcome 2 of modality 0 has probability 0 under every state (likelihoods[0])");
  CHECK(why_impossible(model, {unobserved, 1, 1}) ==
        "outcome 1 of modality 1 and outcome 1 of modality 2 together have probability 0 under "
        "every state");
  // The second state alone shows it, and the first was certain.
  CHECK(why_impossible(model, {unobserved, 1, unobserved}).empty());
  CHECK(why_impossible(model, {unobserved, 1, unobserved}, {{1.0, 0.0}}) ==
        "outcome 1 of modality 1 has probability 0 in every state that was expected of this step "
        "(initial, transitions)");
  CHECK(why_impossible(model, {unobserved, 1, unobserved}, {{1.0 - 1e-6, 1e-6}}).empty());
}

TEST_CASE("An agent warns once of what is impossible, with step and modality") {
  const GenerativeModel model(two_states());
  for (const std::int64_t window : {1, 3}) {
    const test::LogCapture log;
    DiscreteAgent agent(model, {.window = window, .random = {1, 1}});
    for (const std::int64_t outcome : {0, 0, 2, 0, 2}) {
      agent.step({outcome, unobserved, unobserved});
      const bool is_new = outcome == 2;
      CHECK(agent.impossible().empty() != is_new);
    }
    CHECK(log.count(LogLevel::warning,
                    "[agent] step 2 of a trial: outcome 2 of modality 0 has probability 0 under "
                    "every state (likelihoods[0]); a probability of 0 counts as 1e-16") == 1);
    DiscreteAgent quiet(model, {.window = window, .random = {1, 1}, .warns = false});
    quiet.step({2, unobserved, unobserved});
    CHECK_FALSE(quiet.impossible().empty());
    CHECK(log.count(LogLevel::warning, "impossible") == 0);
    CHECK(log.count(LogLevel::warning, "[agent]") == 1);
  }
}

TEST_CASE("An agent that has the model of its world warns of nothing") {
  const test::LogCapture log;
  DiscreteWorld world = t_maze({.random = {1, 1}});
  DiscreteAgent agent(world.model(), {.horizon = 2, .random = {1, 2}});
  for (int trial = 0; trial < 20; ++trial) {
    agent.reset();
    Observation o = world.reset();
    for (int t = 0; t < 2; ++t) {
      o = world.step(agent.step(o));
      CHECK(agent.impossible().empty());
    }
  }
  CHECK(log.count(LogLevel::warning, "[agent]") == 0);
}
