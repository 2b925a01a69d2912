// SPDX-License-Identifier: MIT
/// \file
/// What a ContinuousAgent is made of.  Not for users.
#pragma once

#include <string>

#include "agent.h"

namespace gaia::agents {

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
  std::vector<double> first_mean() const;
  void choose(std::span<const double> chosen);
  void drop_plan();

  std::int64_t observation_size, action_size;
  std::vector<double> action_low, action_high;
  ContinuousAgentOptions options;
  WorldModel model;
  Replay replay;
  std::vector<double> observation;  ///< The last one; empty at the beginning of an episode.
  std::vector<double> action;       ///< Since then; empty before it is chosen.
  ContinuousPlan last_plan;
  std::vector<double> search_mean;  ///< Where the next search begins; empty: in the middle.
  std::int64_t planned_steps = 0;   ///< Steps of the last plan that were done.
  std::uint64_t plans = 0;
  TrainingReport training;
  std::int64_t trained = 0;  ///< Transitions that had come at the last training.
  std::int64_t steps = 0, episodes = 0;
};

}  // namespace gaia::agents
