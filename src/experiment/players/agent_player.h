// SPDX-License-Identifier: MIT
/// \file
/// An agent in its environment, as a run follows it: step by step, whatever sort of agent it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../array/device.h"
#include "../config/config.h"
#include "../config/config_writer.h"

namespace gaia {

/// A coordinate of what is recorded: 0, 1, ... length - 1.
struct AgentAxis {
  std::string name;
  std::int64_t length = 0;
  std::string long_name;
  std::vector<std::string> labels = {};  ///< What they stand for; empty: nothing but numbers.
};

/// A number, or several, of a step, of an episode, or of what was learnt.
struct AgentVariable {
  std::string name;
  std::string long_name;
  const char* units = "1";
  bool is_integer = false;
  std::vector<std::string> axes = {};  ///< Names of coordinates, behind that of steps or episodes.
};

/// What a sort of agent leaves in a results file.
struct AgentLayout {
  std::vector<AgentAxis> axes;
  std::vector<AgentVariable> steps;     ///< Variables of each step.
  std::vector<AgentVariable> plans;     ///< Variables of each policy at each step.
  std::vector<AgentVariable> episodes;  ///< Variables of each episode, next to its return.
  std::vector<AgentVariable> learnt;    ///< Variables at the end.
  std::vector<AgentVariable> fixed;     ///< Variables of plans that are the same at every step.
  std::vector<std::vector<double>> fixed_values;
  std::string reward;        ///< What a reward is.
  const char* reward_units;  ///< Units of the reward: "nat".
  Attributes about;          ///< Attributes that describe the agent.
};

/// Numbers by variable, row by row.
using AgentColumns = std::vector<std::vector<double>>;

/// What came of a step.
struct AgentStep {
  double reward = 0.0;
  bool has_ended = false;  ///< The environment has ended the episode.
};

/// An agent, or what is run beside it for comparison, in an environment of its own.
class AgentPlayer {
 public:
  virtual ~AgentPlayer() = default;

  virtual void begin_episode() = 0;
  /// Observes, learns, plans and acts.
  virtual AgentStep step() = 0;
  /// Takes in what the last action has led to; what was learnt stays.
  virtual void end_episode() = 0;

  /// Append the numbers of the variables of AgentLayout: of the last step, of its plan, of the
  /// episode that has just ended.
  virtual void add_step(AgentColumns& columns) const = 0;
  virtual void add_plan(AgentColumns& columns) const = 0;
  virtual void add_episode(AgentColumns& columns) const = 0;
  /// What was learnt until now, one row for each variable.
  virtual AgentColumns learnt() const = 0;

  /// Why the model of the agent holds what it has observed last to be impossible, and what to do;
  /// empty where it does not, or has no probabilities.
  virtual std::string impossible() const { return {}; }

  /// Time that choosing took on the clock since the player was built, for results; of an agent
  /// without a learnt policy empty.
  virtual Attributes times() const { return {}; }

  /// Everything from which it goes on bit for bit, between two steps.
  virtual ArrayMap save() const = 0;
  /// \throws Error for what no player of this experiment has saved.
  virtual void restore(const ArrayMap& saved) = 0;
};

/// What the agent of an experiment leaves.
AgentLayout agent_layout(const ExperimentConfig& config);

/// The agent of an experiment, or, by the name of a control, what is run beside it.
std::unique_ptr<AgentPlayer> make_player(const ExperimentConfig& config,
                                         const std::string& control = "");

/// Device of an agent: `auto` is the CPU, since its networks are small.
Device agent_device(const ExperimentConfig& config);

/// Controls that are run, and those that are left out: "NAME: why".
struct AgentControls {
  std::vector<std::string> run;
  std::vector<std::string> left_out;
};
AgentControls agent_controls(const AgentConfig& agent);

/// "random actions", "no epistemic value", "learning off", "planning throughout".
std::string agent_control_title(const std::string& control);

}  // namespace gaia
