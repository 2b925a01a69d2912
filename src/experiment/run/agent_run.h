// SPDX-License-Identifier: MIT
/// \file
/// Runs the agent of an experiment in its environment, episode by episode, then its controls in
/// environments with the same random numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../players/agent_verdict.h"
#include "run.h"

namespace gaia {

struct AgentSummary final : RunSummary {
  // Its steps are those of the agent and of its controls.
  std::int64_t episodes_done = 0;  ///< Episodes that the agent has ended.
  std::int64_t episodes = 0;
  const char* reward_units = "1";
  AgentVerdict verdict;
  std::vector<std::string> left_out;  ///< Controls: "NAME: why".
  std::int64_t impossible = 0;  ///< Observations that the agent's model holds to be impossible.
  Attributes times;             ///< What choosing took, of an agent with a learnt policy.

  std::string text() const override;
  Fields fields() const override;
};

/// How far an agent is: "41 %  episode 412/1000 of the agent  return -3.05  52.1 k steps/s  ETA 3
/// s".  `control` is what runs now, empty for the agent itself; `last_return` that of its last
/// episode, NaN before.
struct AgentProgress {
  std::int64_t steps_done = 0;  ///< Steps of the agent and its controls.
  std::int64_t steps = 0;       ///< Most steps of both: episodes may end earlier.
  std::int64_t episode = 0;     ///< From 0.
  std::int64_t episodes = 0;
  std::string_view control = {};
  double last_return = 0.0;
  double seconds = 0.0;  ///< Time of running since the first step.

  /// Callback for Progress; this must outlive it.
  Progress progress() const;
};

/// Runs the agent of an experiment, as run_experiment.
AgentSummary run_agent(Experiment& experiment, const RunOptions& options = {});

}  // namespace gaia
