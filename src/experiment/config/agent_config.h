// SPDX-License-Identifier: MIT
/// \file
/// An agent in an environment, as an experiment has them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "../../agents/continuous/agent.h"
#include "../../agents/discrete/agent.h"
#include "../../agents/environment_kind.h"

namespace gaia {

/// environment:
struct EnvironmentConfig {
  Kind<agents::EnvironmentKind> kind;
  std::int64_t episodes = 1;
  std::int64_t steps = 1;  ///< Actions in an episode, at most.
};

/// How the concentrations of a table begin.
struct ConcentrationConfig {
  /// The table of the agent's model, or the same for all entries.
  enum class Prior { model, uniform };
  bool is_learnt = false;
  Prior prior = Prior::uniform;
  /// Count of each entry of a uniform prior; factor of a model's probabilities.
  double count = 1.0;
  double rate = 1.0;  ///< How many counts an observation is worth.
};

std::string to_string(ConcentrationConfig::Prior prior);
/// \throws ArgumentError for an unknown name.
ConcentrationConfig::Prior prior_from_name(std::string_view name);

std::string to_string(agents::ParameterGain gain);
/// \throws ArgumentError for an unknown name.
agents::ParameterGain parameter_gain_from_name(std::string_view name);

/// agent: type: discrete
struct DiscreteAgentConfig {
  static constexpr const char* name = "discrete";
  bool has_own_model = false;  ///< Else it has that of its world.
  Kind<agents::EnvironmentKind> model;
  std::int64_t horizon = 1;
  /// [policies, steps] of the factor that has actions, or [policies, steps, factors]; empty: all.
  NestedNumbers policies;
  bool has_tree = false;
  agents::TreeOptions tree;
  agents::PlanningOptions planning;
  agents::InferenceOptions inference;
  std::int64_t window = 1;
  ConcentrationConfig likelihoods, transitions, initial;
  double forgetting = 0.0;
  bool by_whole_policy = false;
  bool is_sampled = false;
  double action_precision = 16.0;

  bool learns() const {
    return likelihoods.is_learnt || transitions.is_learnt || initial.is_learnt;
  }
};

std::string to_string(agents::LearntPolicyOptions::Act act);
/// \throws ArgumentError for an unknown name.
agents::LearntPolicyOptions::Act act_from_name(std::string_view name);

/// agent: type: continuous
struct ContinuousAgentConfig {
  static constexpr const char* name = "continuous";
  /// All but the random numbers; of the model `unread` and `dtype` follow from other keys.
  agents::ContinuousAgentOptions options = {.preference = {}, .random = {}};
  /// The reward of the last step is the last observation, which the model predicts and does not
  /// read.
  bool reads_reward = false;
  /// Whether a policy is learnt, as `policy` says; else `options` have none.
  bool has_policy = false;
  agents::LearntPolicyOptions policy = {};

  bool learns() const { return options.is_learning; }
  /// Whether a policy is learnt that acts, too.
  bool policy_acts() const {
    return has_policy && options.is_learning &&
           policy.act != agents::LearntPolicyOptions::Act::planning;
  }
};

/// What is run beside an agent for comparison.
std::vector<std::string> known_agent_controls();

/// agent:
struct AgentConfig {
  static constexpr const char* name = "agent";
  std::variant<DiscreteAgentConfig, ContinuousAgentConfig> kind;
  EnvironmentConfig environment;
  std::vector<std::string> controls = {"random", "no_epistemic", "frozen"};

  std::string type() const;
  bool is_discrete() const { return std::holds_alternative<DiscreteAgentConfig>(kind); }
  bool learns() const;
};

}  // namespace gaia
