// SPDX-License-Identifier: MIT
/// \file
/// What an agent of active inference believes about its world: a partially observed Markov decision
/// process with several factors of hidden states and several modalities of outcomes, all discrete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia::agents {

/// A table of probabilities or of counts in float64, row-major.  Every distribution runs along the
/// first axis: a column is what stands below one index of all other axes.
struct ProbabilityTable {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// The table with every column divided by its sum, so that counts become probabilities.
/// \throws ArgumentError for a shape that does not fit the values, values below 0 or not finite,
/// and a column without a positive value.
ProbabilityTable normalised(const ProbabilityTable& table);

/// The tables of a generative model.  In the field they are called A, B, C, D and E.
struct ModelTables {
  /// A: for each modality P(outcome | states), [outcomes, states of the first factor, ...].
  std::vector<ProbabilityTable> likelihoods;
  /// B: for each factor P(next state | state, action), [states, states, actions].  A factor with
  /// one action is not controlled.
  std::vector<ProbabilityTable> transitions;
  /// C: for each modality how much each outcome is preferred, in nats: logarithms of probabilities,
  /// up to a constant that is taken off.  Empty: nothing is preferred.
  std::vector<std::vector<double>> preferences = {};
  /// D: for each factor the probabilities of its states at the beginning.  Empty: all equal.
  std::vector<std::vector<double>> initial = {};
  /// E: the prior probability of each policy, habits.  Empty: all equal.
  std::vector<double> habits = {};
  /// For each modality the factors that it depends on, in ascending order; its table has their axes
  /// alone.  Empty: every modality depends on every factor.
  std::vector<std::vector<std::int64_t>> depends_on = {};
};

/// Modalities that share factors, directly or by way of others, and those factors.  Given beliefs
/// that are a product over factors, groups are independent: what is joint over outcomes or states
/// is computed group by group.
struct ModalityGroup {
  std::vector<std::int64_t> factors;     ///< Ascending.
  std::vector<std::int64_t> modalities;  ///< Ascending.
  std::vector<std::int64_t> states;      ///< How many each of the factors has.
  std::int64_t joint_states = 1;         ///< Their product.
  std::int64_t joint_outcomes = 1;       ///< Product of the outcomes of the modalities.
  /// For each modality: the column of its table for each joint state.
  std::vector<std::vector<std::int64_t>> columns;
  /// P(joint outcome | joint state) without its zeros: those of joint state s are the entries
  /// begin[s] to begin[s + 1] - 1.
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> outcome;
  std::vector<double> probability;
  /// Sum over joint outcomes of P ln P, for each joint state; in nats.
  std::vector<double> negative_entropy;
  /// Sum over modalities of the entropy of their own outcomes, for each joint state; in nats.
  std::vector<double> ambiguity;
  /// ln C of each joint outcome, in nats.
  std::vector<double> log_preference;
};

/// P(next state | state, action) of a factor without its zeros: those of state s under action u are
/// the entries begin[u S + s] to begin[u S + s + 1] - 1, where S is the number of states.
struct PossibleTransitions {
  std::vector<std::size_t> begin;
  std::vector<std::size_t> next;
  std::vector<double> probability;
};

/// Tables that were checked, and what is computed of them once.
class GenerativeModel {
 public:
  /// \throws ArgumentError for tables whose shapes do not fit each other, values that are no
  /// probabilities, columns whose sum is further than 1e-6 from 1, preferences beyond 1e100 in
  /// size, and groups of modalities with more than 2^26 joint states, or joint outcomes, or
  /// possible pairs of both.
  explicit GenerativeModel(ModelTables tables);

  const ModelTables& tables() const { return tables_; }
  std::int64_t factors() const { return static_cast<std::int64_t>(states_.size()); }
  std::int64_t modalities() const { return static_cast<std::int64_t>(outcomes_.size()); }
  /// Number of states of each factor.
  const std::vector<std::int64_t>& states() const { return states_; }
  /// Number of actions of each factor.
  const std::vector<std::int64_t>& actions() const { return actions_; }
  /// Number of outcomes of each modality.
  const std::vector<std::int64_t>& outcomes() const { return outcomes_; }
  const std::vector<ModalityGroup>& groups() const { return groups_; }
  /// One for each factor.
  const std::vector<PossibleTransitions>& transitions() const { return transitions_; }
  /// ln C of each modality, with probabilities that sum to 1; in nats.
  const std::vector<std::vector<double>>& log_preferences() const { return log_preferences_; }

  /// Replaces A, B or D, in the same shapes.
  /// \throws ArgumentError as the constructor does.
  void set_likelihoods(std::vector<ProbabilityTable> tables);
  void set_transitions(std::vector<ProbabilityTable> tables);
  void set_initial(std::vector<std::vector<double>> probabilities);

  /// \throws ArgumentError unless there is one outcome for each modality, from 0 below their
  /// number, or `unobserved`.
  void check_observation(const std::vector<std::int64_t>& observation) const;
  /// \throws ArgumentError unless there is one action for each factor, from 0 below their number.
  void check_action(const std::vector<std::int64_t>& action) const;

 private:
  void check_shapes();
  void check_values();
  void make_groups();
  void fill_group(ModalityGroup& group) const;
  void list_transitions();

  ModelTables tables_;
  std::vector<std::int64_t> states_, actions_, outcomes_;
  std::vector<std::vector<double>> log_preferences_;
  std::vector<ModalityGroup> groups_;
  std::vector<PossibleTransitions> transitions_;
};

/// In the place of an outcome: this modality was not observed.
inline constexpr std::int64_t unobserved = -1;

/// Outcomes, one for each modality.
using Observation = std::vector<std::int64_t>;
/// Actions, one for each factor; 0 for factors that are not controlled.
using Action = std::vector<std::int64_t>;

}  // namespace gaia::agents
