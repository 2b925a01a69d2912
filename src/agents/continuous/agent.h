// SPDX-License-Identifier: MIT
/// \file
/// An agent of active inference in a world of real numbers: it learns a model of the world from
/// what it sees, and takes the actions whose expected free energy under that model is least.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../../array/array_map.h"
#include "../../core/random.h"
#include "cross_entropy_method.h"
#include "expected_free_energy.h"
#include "replay.h"
#include "stochastic_action_model.h"
#include "world_model.h"

namespace gaia::agents {

/// A policy that is learnt from what planning chooses, and that may act in its place.
struct LearntPolicyOptions {
  /// Who acts once the policy was taught: planning, beside which the policy only learns; the policy
  /// alone, so that nothing is planned and nothing is learnt any more; or both by turns, so that
  /// planning tells what to do in states that the policy has led to (Ross, Gordon & Bagnell 2011,
  /// "A reduction of imitation learning and structured prediction to no-regret online learning",
  /// AISTATS).
  enum class Act { planning, policy, mixed };
  Act act = Act::planning;
  /// Episodes at the beginning in which the policy does not act.
  std::int64_t teaching_episodes = 10;
  /// Period of `mixed`: planning chooses each such action, the policy those between; 2 or more.
  std::int64_t plan_every = 5;
  bool is_sampled = false;       ///< Draws its actions; else takes the middle of the distribution.
  bool starts_search = false;    ///< A search begins with what the policy would do, by the model.
  double training_ratio = 20.0;  ///< Steps of training for each choice that has come.
  /// Options of the network; `unread` and `dtype` are those of the world model.
  StochasticActionOptions model = {};
};

struct ContinuousAgentOptions {
  /// Which observations are preferred, and how much.
  GaussianPreference preference;

  WorldModelOptions model = {};

  std::int64_t horizon = 15;  ///< Actions of a plan.
  std::int64_t hold = 1;      ///< Steps for which each action of a plan is held.
  CrossEntropyOptions search = {};
  /// How much of the plan is done before there is another: 1 plans anew at every action.
  std::int64_t actions_per_plan = 1;
  bool use_preference = true;        ///< Counts the cross-entropy with what is preferred.
  bool use_information_gain = true;  ///< Counts what observations tell about the model.

  bool is_learning = true;  ///< Without, the model stays as it began.
  /// Steps at the beginning of which actions are drawn evenly, each held as in plans.
  std::int64_t random_steps = 200;
  /// Trains every so many transitions as well, 0: only where an episode ends.
  std::int64_t training_interval = 0;
  /// Steps of training for each transition that has come since the last training.
  double training_ratio = 2.0;
  std::int64_t replay_capacity = 100'000;  ///< Transitions; beyond, the oldest go.

  std::optional<LearntPolicyOptions> policy = {};

  RandomStream random = next_stream();
};

/// Who chose an action.
enum class Chooser { chance, planning, policy, other };

/// What choosing took on the clock since the agent was created; no part of its state.
struct ChoiceTimes {
  double planning_seconds = 0.0, policy_seconds = 0.0;
  std::int64_t planned_steps = 0, policy_steps = 0;  ///< Actions that each has chosen, or held.
};

/// What the last plan is expected to bring, in nats, summed over the steps of the horizon.
///
///     expected_free_energy = risk + ambiguity = cross_entropy - information_gain
///
/// Where `use_preference` or `use_information_gain` is off, `objective` leaves its term out, and
/// the others stay what they are.
struct ContinuousPlan {
  std::vector<std::vector<double>> actions;       ///< Numbers of each action of the plan.
  std::vector<std::vector<double>> observations;  ///< Expected after each step.
  double risk = 0.0;              ///< KL[Q(o) || P(o)]: outcomes expected, from those preferred.
  double ambiguity = 0.0;         ///< E_members[H[Q(o | member)]]: noise that the members expect.
  double cross_entropy = 0.0;     ///< -E_Q(o)[ln P(o)].
  double information_gain = 0.0;  ///< H[Q(o)] - ambiguity: what outcomes tell about the members.
  double expected_free_energy = 0.0;  ///< G.
  double objective = 0.0;             ///< Number that was minimised.
};

/// What the last training did.
struct TrainingReport {
  std::int64_t steps = 0;      ///< Steps of gradient descent.
  double loss = 0.0;           ///< Mean over the last tenth of the steps, in nats.
  double gradient_norm = 0.0;  ///< The largest before clipping.
};

/// One agent in one world.  An episode is
///
///     std::vector<double> observation = world.reset();
///     while (!world.is_done()) observation = world.step(agent.step(observation)).observation;
///     agent.end_episode(observation);
///
/// `step` is observe, learn where it is time, plan where it is the turn of planning, act; each can
/// be called by itself.
class ContinuousAgent {
 public:
  /// \throws ArgumentError for options that are out of their range or do not fit the sizes.
  ContinuousAgent(std::int64_t observation_size, std::vector<double> action_low,
                  std::vector<double> action_high, ContinuousAgentOptions options);
  ~ContinuousAgent();
  ContinuousAgent(ContinuousAgent&&) noexcept;
  ContinuousAgent& operator=(ContinuousAgent&&) noexcept;

  /// Takes what is observed and returns an action within the bounds.
  std::vector<double> step(std::span<const double> observation);

  /// Keeps the transition from the last observation by the action since.
  /// \throws ArgumentError for an observation of another size or that is not finite, and where no
  ///         action was chosen since the last one.
  void observe(std::span<const double> observation);
  /// Trains the model by what has come since the last training, and so the policy.
  const TrainingReport& learn();
  /// Searches for the best plan from the last observation on.  Changes nothing but the plan.
  const ContinuousPlan& plan();
  /// The next action: drawn evenly in the first `random_steps`, else of the plan as long as it goes
  /// on, else of the policy where it is its turn.
  std::vector<double> act();
  /// Reports that this action was taken, by anyone.
  void take(std::span<const double> action);

  /// Ends an episode: keeps its last transition and trains.
  void end_episode(std::span<const double> last_observation);
  /// Ends an episode without another observation or training: the next one follows nothing.
  void reset();

  std::int64_t observation_size() const;
  std::int64_t action_size() const;
  const ContinuousAgentOptions& options() const;
  const WorldModel& model() const;
  const Replay& replay() const;
  const ContinuousPlan& last_plan() const;
  const TrainingReport& last_training() const;
  /// The policy, null without one.
  const StochasticActionModel* policy() const;
  /// What the last training of the policy did.
  const TrainingReport& last_policy_training() const;
  Chooser last_chooser() const;  ///< Who chose the last action.
  const ChoiceTimes& times() const;
  std::int64_t steps() const;     ///< Actions taken so far.
  std::int64_t episodes() const;  ///< Episodes that have ended.

  /// All that is needed to go on as if nothing had been between, in an agent created with the same
  /// sizes and options: weights, optimiser, transitions, moments, plan and counts of draws.
  ArrayMap state() const;
  /// \throws ArgumentError or ShapeError unless it is the state of such an agent; nothing has
  ///         changed then.
  void set_state(const ArrayMap& state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gaia::agents
