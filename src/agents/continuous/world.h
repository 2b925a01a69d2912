// SPDX-License-Identifier: MIT
/// \file
/// A world whose observations and actions are vectors of real numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../../core/random.h"

namespace gaia::agents {

/// What an action led to.
struct ContinuousStep {
  std::vector<double> observation;
  double reward = 0.0;
  bool is_done = false;  ///< The episode is over: by what happened, or by its number of steps.
};

/// How a world works.  Variables are what it remembers from one step to the next.
struct ContinuousDynamics {
  std::string name;
  std::vector<std::string> observation_names;
  std::vector<std::string> action_names;
  std::vector<double> action_low, action_high;  ///< Actions beyond are cut to these.
  /// Variables at the beginning of an episode, drawn evenly between these.
  std::vector<double> start_low, start_high;

  struct Change {
    double reward = 0.0;
    bool is_terminal = false;
  };
  /// Changes the variables by an action as it was given, which may be beyond the bounds.
  std::function<Change(std::span<double> variables, std::span<const double> action)> change;
  std::function<std::vector<double>(std::span<const double> variables)> observe;
  std::int64_t max_steps = 0;  ///< Most steps of an episode.
};

/// What is needed to go on as if nothing had been between.
struct ContinuousWorldState {
  std::vector<double> variables;  ///< Empty before the first `reset`.
  std::int64_t steps = 0;
  std::uint64_t draws = 0;
  bool is_terminal = false;

  bool operator==(const ContinuousWorldState&) const = default;
};

/// One world.  An episode is
///
///     std::vector<double> observation = world.reset();
///     while (!world.is_done()) observation = world.step(action).observation;
class ContinuousWorld {
 public:
  /// \throws ArgumentError for dynamics that do not fit together.
  ContinuousWorld(ContinuousDynamics dynamics, RandomStream random);

  const std::string& name() const { return dynamics_.name; }
  std::int64_t observation_size() const { return std::ssize(dynamics_.observation_names); }
  std::int64_t action_size() const { return std::ssize(dynamics_.action_names); }
  const std::vector<std::string>& observation_names() const { return dynamics_.observation_names; }
  const std::vector<std::string>& action_names() const { return dynamics_.action_names; }
  const std::vector<double>& action_low() const { return dynamics_.action_low; }
  const std::vector<double>& action_high() const { return dynamics_.action_high; }
  std::int64_t max_steps() const { return dynamics_.max_steps; }

  /// Draws the variables of another episode and observes.
  std::vector<double> reset();
  /// \throws ArgumentError for an action of another size or that is not finite, before the first
  ///         `reset`, and when the episode is over.
  ContinuousStep step(std::span<const double> action);

  /// Whether the episode is over, by what happened or by its number of steps.
  bool is_done() const { return state_.is_terminal || state_.steps >= dynamics_.max_steps; }
  /// Whether it is over by what happened, such as that a goal was reached.
  bool is_terminal() const { return state_.is_terminal; }

  const ContinuousWorldState& state() const { return state_; }
  /// \throws ArgumentError for variables of another number, or not finite, and negative steps.
  void set_state(ContinuousWorldState state);
  /// What is observed in the present variables.  \throws ArgumentError before the first `reset`.
  std::vector<double> observe() const;

 private:
  void need_beginning(const char* function) const;

  ContinuousDynamics dynamics_;
  RandomStream random_;
  ContinuousWorldState state_;
};

}  // namespace gaia::agents
