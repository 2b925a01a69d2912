// SPDX-License-Identifier: MIT
/// \file
/// What a ContinuousAgent is made of.  Not for users.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "agent.h"

namespace gaia::agents {

/// \throws ArgumentError for options out of their range.
void check(const LearntPolicyOptions& policy);

/// What a training did, its loss the mean over the last tenth of its steps.
TrainingReport report_of(const WorldModel::Training& done);

/// Adds the time until it goes.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct ContinuousAgent::Parts {
  Parts(std::int64_t observations, std::vector<double> low, std::vector<double> high,
        ContinuousAgentOptions chosen);

  RandomStream stream(const std::string& purpose) const;
  bool is_random() const { return steps < options.random_steps; }
  bool needs_plan() const {
    return last_plan.actions.empty() || planned_steps >= options.actions_per_plan * options.hold;
  }
  GaussianFreeEnergy terms(const WorldModel::Rollout& rollout) const;
  Array objective_of(const GaussianFreeEnergy& terms) const;
  Array steps_of(std::span<const double> candidates, std::int64_t count) const;
  /// Whether the policy acts next, once no plan goes on.
  bool is_turn_of_policy() const;
  /// Whether the policy acts alone and nothing has come that it could learn from.
  bool rests() const;
  std::vector<double> first_mean() const;
  std::vector<double> mean_of_policy() const;
  std::vector<double> action_of_policy();
  void learn_policy();
  void set_policy_state(const ArrayMap& state);
  void choose(std::span<const double> chosen, Chooser by);
  void drop_plan();

  std::int64_t observation_size, action_size;
  std::vector<double> action_low, action_high;
  ContinuousAgentOptions options;
  WorldModel model;
  Replay replay;
  std::vector<double> observation;  ///< The last one; empty at the beginning of an episode.
  std::vector<double> action;       ///< Since then; empty before it is chosen.
  ContinuousPlan last_plan;
  std::vector<double> search_mean;  ///< Mean at which the next search begins; empty: the middle.
  std::int64_t planned_steps = 0;   ///< Steps of the last plan that were done.
  std::uint64_t plans = 0;
  TrainingReport training;
  std::int64_t trained = 0;  ///< Transitions that had come at the last training.
  std::int64_t steps = 0, episodes = 0;
  Chooser chooser = Chooser::other;
  ChoiceTimes times;

  std::unique_ptr<StochasticActionModel> policy;  ///< Null without one.
  std::vector<double> policy_action;              ///< The last one that it chose.
  std::int64_t policy_held = 0;     ///< Steps for which that was done; 0 where it is over.
  std::int64_t policy_actions = 0;  ///< Since the last plan.
  TrainingReport policy_training;
  std::int64_t policy_learnt = 0;  ///< Choices that had come at its last training.
};

}  // namespace gaia::agents
