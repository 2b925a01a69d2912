// SPDX-License-Identifier: MIT
/// \file
/// Agents on models that are written as JSON, with given observations and actions: what
/// conformance/agents.py hands to gaia and to another program.
///
/// A case has `name`; `likelihoods` and `transitions`, lists of {"shape", "values"}; `preferences`,
/// `initial` and, where there are, `habits`; `horizon`; `observations` and `actions`, one of each
/// for every step.  Tables may be counts.  With `learn` they are concentrations that are learnt,
/// and with `parameter_gain` what is learnt about them counts too, as 1/a - 1/a0.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../src/agents/discrete/agent.h"

namespace gaia::bench {

using namespace agents;

struct AgentCase {
  std::string name;
  ModelTables tables;
  Concentrations concentrations;
  std::int64_t horizon = 1;
  bool has_parameter_gain = false;
  std::vector<Observation> observations;
  std::vector<Action> actions;
};

AgentCase read_agent_case(const nlohmann::json& json);

/// The tables of a world, as a case without observations.
nlohmann::json case_of_model(const std::string& name, const GenerativeModel& model,
                             std::int64_t horizon);

/// Options with which pymdp infers: 10 rounds, all factors of a round at once, until the free
/// energy changes by less than 1e-3; and with its constants unless `is_exact`.
DiscreteAgentOptions options_of(const AgentCase& one, bool is_exact);

/// Runs the case.  `steps`: for each the `beliefs`, `G`, `posterior`, and the `action` that gaia
/// would have taken; then, where they are learnt, `likelihoods`, `transitions` and `initial` as
/// concentrations.
nlohmann::json run_agent_case(const AgentCase& one, bool is_exact);

}  // namespace gaia::bench
