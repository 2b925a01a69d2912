// SPDX-License-Identifier: MIT
/// \file
/// Worlds for agents of active inference: a T-maze, bandits, a grid.  Each is drawn from tables,
/// and an agent may be given these tables as its model, or others.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../saved_state.h"
#include "generative_model.h"

namespace gaia::agents {

/// A world whose states change and whose outcomes are drawn as a model's tables say.
class DiscreteWorld {
 public:
  DiscreteWorld(GenerativeModel model, RandomStream random);

  /// Draws the states of another trial from D, and outcomes there.
  Observation reset();
  /// Draws the next states from B under an action, and outcomes there.
  /// \throws ArgumentError for an action that does not fit, and before the first `reset`.
  Observation step(const Action& action);

  const GenerativeModel& model() const { return model_; }
  /// The true state of each factor.
  const std::vector<std::int64_t>& state() const { return state_; }

  /// Everything from which the world goes on bit for bit, in one that was created alike.
  SavedState save() const;
  /// \throws ArgumentError for what no world of this model has saved.
  void restore(const SavedState& saved);

 private:
  Observation observe();
  std::int64_t draw(const ProbabilityTable& table, std::int64_t column);

  GenerativeModel model_;
  RandomStream random_;
  std::uint64_t draws_ = 0;
  std::vector<std::int64_t> state_;
};

/// What people call the parts of a world.  Where a list is empty they have numbers alone.
struct WorldNames {
  std::vector<std::string> factors, modalities;
  std::vector<std::vector<std::string>> states = {};    ///< Names of the states of each factor.
  std::vector<std::vector<std::string>> actions = {};   ///< Names of the actions of each factor.
  std::vector<std::vector<std::string>> outcomes = {};  ///< Names of the outcomes of each modality.
};

/// A maze of four places: centre 0, left arm 1, right arm 2, and a cue 3.  One of the arms has a
/// reward, in the other something bad happens; the cue tells which.
///
/// - factors: place (4, the action is where to go), side of the reward (2: left, right);
/// - modalities: place (4), reward (3: nothing, win, loss), cue (3: none, left, right).
///
/// Friston et al. 2015, "Active inference and epistemic value", Cognitive Neuroscience 6.
struct TMazeOptions {
  /// Probability of a win in the right arm, and of a loss in the other.
  double win_probability = 0.98;
  double cue_probability = 1.0;  ///< Probability that the cue tells the truth.
  double win = 3.0;              ///< How much a win is preferred to nothing, in nats.
  double loss = -3.0;            ///< The same of a loss.
  bool arms_are_final = true;    ///< Anyone who is in an arm stays there.
  RandomStream random = next_stream();

  static constexpr const char* name = "t_maze";
  void keys(ConfigVisitor& v);
  WorldNames names() const;
  DiscreteWorld make() const;
};
DiscreteWorld t_maze(const TMazeOptions& options = {});

/// Two arms, one of which pays more often.
///
/// - factors: what is done (3: nothing, left arm, right arm; the action), better arm (2);
/// - modalities: pay (3: nothing, win, loss), what is done (3).
struct BanditOptions {
  double better = 0.8, worse = 0.2;  ///< Probabilities of a win.
  double change = 0.0;               ///< Probability that the arms change places, at every step.
  double win = 2.0, loss = -2.0;     ///< How much they are preferred to nothing, in nats.
  RandomStream random = next_stream();

  static constexpr const char* name = "two_armed_bandit";
  void keys(ConfigVisitor& v);
  WorldNames names() const;
  DiscreteWorld make() const;
};
DiscreteWorld two_armed_bandit(const BanditOptions& options = {});

/// Arms each of which wins with a probability of its own, that never changes.
///
/// - factor: arm (1 + arms: none yet, then each; the action is the arm to play, from 0);
/// - modality: pay (3: nothing, win, loss).
///
/// An agent that is given the tables knows which arm is best.  One that learns them from those of
/// arms that are all alike has the problem of Thompson 1933.
struct BernoulliBanditOptions {
  std::vector<double> probabilities = {0.7, 0.5, 0.4};  ///< Probability of a win, for each arm.
  double win = 1.0, loss = 0.0;  ///< How much they are preferred to nothing, in nats.
  RandomStream random = next_stream();

  static constexpr const char* name = "bernoulli_bandit";
  void keys(ConfigVisitor& v);
  WorldNames names() const;
  DiscreteWorld make() const;
};
DiscreteWorld bernoulli_bandit(const BernoulliBanditOptions& options = {});

/// A grid with walls, of at most 1024 cells.  The state is the cell, row * columns + column.
///
/// - factor: cell (actions: up, right, down, left, stay);
/// - modality: cell that is seen.
struct GridOptions {
  std::int64_t rows = 4, columns = 4;
  std::vector<std::int64_t> walls = {};  ///< Cells that cannot be entered.
  std::int64_t start = 0;
  /// Cell that is preferred; -1: the last one.
  std::int64_t goal = -1;
  double preference = 4.0;  ///< How much the goal is preferred to the cell furthest off, in nats.
  /// Preferences fall evenly with the steps to the goal; otherwise all cells but it are equal.
  bool is_graded = true;
  double slip = 0.0;      ///< Probability that a move does not happen.
  double accuracy = 1.0;  ///< Probability that the cell is seen, and not one of its neighbours.
  RandomStream random = next_stream();

  static constexpr const char* name = "grid_world";
  void keys(ConfigVisitor& v);
  WorldNames names() const;
  DiscreteWorld make() const;
};
DiscreteWorld grid_world(const GridOptions& options = {});

}  // namespace gaia::agents
