// SPDX-License-Identifier: MIT
/// \file
/// Runs the agent of an experiment in its environment, episode by episode, then its controls in
/// environments with the same random numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../players/agent_verdict.h"
#include "resume.h"

namespace gaia {

/// How far an agent is.
struct AgentProgress {
  std::int64_t steps_done = 0;  ///< Of the agent and of its controls.
  std::int64_t steps = 0;       ///< Of both, at most: environments may end episodes earlier.
  std::int64_t episode = 0;     ///< Of what runs now, from 0.
  std::int64_t episodes = 0;
  std::string control = {};  ///< What runs now; empty: the agent.
  double last_return = 0.0;  ///< Of its last episode; NaN before.
  double seconds = 0.0;      ///< Of running since the first step.
};

struct AgentRunOptions {
  bool overwrite = false;
  std::string command_line = {};
  std::optional<double> max_seconds = {};  ///< Of wall time, acting after a step.
  const std::atomic<bool>* stop = nullptr;
  std::atomic<bool>* checkpoint = nullptr;  ///< As RunOptions has it.
  CutRun* cut = nullptr;                    ///< As RunOptions has it.
  std::function<void(const AgentProgress&)> on_progress = {};
};

struct AgentSummary {
  RunStatus status = RunStatus::complete;
  std::string file;
  std::int64_t steps_done = 0;  ///< Of the agent and of its controls.
  std::int64_t steps = 0;
  std::int64_t episodes_done = 0;  ///< Of the agent.
  std::int64_t episodes = 0;
  double seconds = 0.0;
  const char* reward_units = "1";
  AgentVerdict verdict;
  std::vector<std::string> left_out;  ///< Controls: "NAME: why".
  std::int64_t impossible = 0;  ///< Observations that the agent's model holds to be impossible.
  std::string one_seed = {};    ///< Sentence on the one seed, as RunSummary has it.
};

/// Runs the agent.  Same seed, same numbers.  A run that was cut and goes on leaves the same
/// datasets bit for bit as one that was not.  \throws as run_experiment.
AgentSummary run_agent(Experiment& experiment, const AgentRunOptions& options = {});

}  // namespace gaia
