// SPDX-License-Identifier: MIT
/// \file
/// An agent that acts by active inference: it infers states from outcomes, policies from their
/// expected free energy, and learns its model from what it has seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/random.h"
#include "../saved_state.h"
#include "beliefs.h"
#include "dirichlet.h"
#include "expected_free_energy.h"
#include "generative_model.h"
#include "tree_search.h"

namespace gaia::agents {

struct DiscreteAgentOptions {
  std::int64_t horizon = 1;  ///< Steps of each policy, where `policies` is empty.
  /// The policies that are judged; empty: all combinations of actions over the horizon.
  std::vector<Policy> policies = {};
  /// Looks ahead in a tree in the place of judging policies.
  std::optional<TreeOptions> tree = std::nullopt;
  PlanningOptions planning = {};

  InferenceOptions inference = {};
  /// Steps whose states are inferred together, 1 or more.  Beyond 1 beliefs about the past are
  /// revised by what comes later, which learning profits from.
  std::int64_t window = 1;

  DirichletOptions learning = {};

  /// What an action is chosen by: for each factor the posterior of its next action, summed over
  /// policies; or whole policies.
  bool by_whole_policy = false;
  /// Draws from the posterior to the power `action_precision`.  By default the most probable action
  /// is taken, of those that are equal within 1e-9 the first.
  bool is_sampled = false;
  double action_precision = 16.0;  ///< alpha, 0 or more.
  RandomStream random = next_stream();
  /// Warns of the first observation that the model holds to be impossible.
  bool warns = true;
};

/// One agent in one world.  A trial begins with `reset`, and every step of it is
///
///     const Action action = agent.step(observation);
///
/// which is infer, learn, plan, act; each of them can be called by itself.
class DiscreteAgent {
 public:
  /// Where concentrations are given, the model's tables are their means, and are learnt.
  /// \throws ArgumentError for options that are out of their range or do not fit the model.
  explicit DiscreteAgent(GenerativeModel model, DiscreteAgentOptions options = {},
                         Concentrations concentrations = {});

  /// Infers states, learns, plans, and chooses an action.
  Action step(const Observation& observation);

  /// Beliefs about the states now.  What is expected before the outcome is D at the first step of a
  /// trial, and later follows from the beliefs of the step before and the action since.
  /// \throws ArgumentError for outcomes that the model does not have, and where no action was
  /// chosen since the last observation.
  const Beliefs& infer(const Observation& observation);
  /// Counts the last observation and the transition to it.  Does nothing without concentrations.
  void learn();
  /// Judges policies from the beliefs of now.
  const Plan& plan();
  /// Chooses an action by the last plan.
  Action act();
  /// Reports that this action was taken, by anyone.
  void take(const Action& action);

  /// Ends a trial: the beginning that it had is counted for D, if that is learnt, and the next
  /// observation is the first of another trial.  What was learnt stays.
  void reset();

  /// Everything from which the agent goes on bit for bit, in one that was created alike: between
  /// two steps, or between trials.  The last plan is not kept.
  SavedState save() const;
  /// Goes on from what `save` gave, and with the plan of then where it is given.
  /// \throws ArgumentError for what no agent of these options has saved; nothing has changed then.
  void restore(const SavedState& saved, Plan last_plan = {});

  const GenerativeModel& model() const { return model_; }
  const DiscreteAgentOptions& options() const { return options_; }
  const Concentrations& concentrations() const { return concentrations_; }
  const std::vector<Policy>& policies() const { return policies_; }

  const Beliefs& beliefs() const { return beliefs_; }  ///< Current beliefs.
  /// Beliefs of the steps of the window, the current ones last.
  const std::vector<Beliefs>& window_beliefs() const { return window_beliefs_; }
  /// Variational free energy of the window, in nats; with a window of 1 that of the last step.
  double free_energy() const { return free_energy_; }
  std::int64_t iterations() const { return iterations_; }  ///< Iterations of the last inference.
  /// Why the model holds the last observation to be impossible; empty where it does not.  A
  /// probability of 0 counts as 1e-16 (log_floor), so beliefs then follow from that number.
  const std::string& impossible() const { return impossible_; }
  const Plan& last_plan() const { return plan_; }
  /// For each factor the posterior of its next action: Q(policies that begin with it).
  std::vector<std::vector<double>> action_posterior() const;

 private:
  void look_at(const Observation& observation);
  void infer_step(const Observation& observation);
  void infer_steps();
  void check_options() const;
  void take_saved(const SavedState& saved);
  std::size_t draw(const std::vector<double>& probabilities);
  std::size_t chosen(const std::vector<double>& posterior);

  GenerativeModel model_;
  DiscreteAgentOptions options_;
  Concentrations concentrations_, first_concentrations_;
  std::vector<Policy> policies_;

  std::vector<Observation> observations_;  ///< Observations of the window.
  std::vector<Action> actions_;            ///< Between them, and one more once it is chosen.
  Beliefs prior_;                          ///< Before the first observation of the window.
  Beliefs beliefs_;                        ///< Current beliefs.
  std::vector<Beliefs> window_beliefs_;
  Action led_by_;  ///< The action before the last observation.
  /// q(s now, s before) of each factor.
  std::vector<std::vector<double>> last_pair_;
  std::optional<Beliefs> beginning_;  ///< About the first step of the trial.
  bool has_left_beginning_ = false;   ///< The window no longer has the first step.
  double free_energy_ = 0.0;
  std::int64_t iterations_ = 0;
  std::string impossible_;  ///< Reason why the last observation is so; not saved.
  std::int64_t seen_ = 0;   ///< Observations of this trial; not saved.
  bool has_warned_ = false;
  Plan plan_;
  std::uint64_t draws_ = 0;
};

}  // namespace gaia::agents
