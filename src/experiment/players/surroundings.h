// SPDX-License-Identifier: MIT
/// \file
/// What every player of a discrete world carries along: the world, what it has shown last, and how
/// both are stored.
#pragma once

#include <string>

#include "../../agents/discrete/worlds.h"
#include "../../agents/saved_state.h"
#include "discrete_player.h"

namespace gaia {

/// Arrays of numbers of which there is one at least.
ArrayMap as_arrays(const agents::SavedState& saved);
/// The other way round.
agents::SavedState from_arrays(const ArrayMap& arrays);

/// Takes all of `from` into `to`, under names that begin with `prefix`.
void put_below(agents::SavedState& to, const std::string& prefix, agents::SavedState from);
agents::SavedState taken_from_below(const agents::SavedState& from, const std::string& prefix);

/// A world and what it has shown last.
class Surroundings {
 public:
  explicit Surroundings(const ExperimentConfig& config) : world_(make_discrete_world(config)) {}

  void begin() { observation_ = world_.reset(); }
  /// The reward of what the action leads to.
  double step(const agents::Action& action);
  const agents::Observation& observation() const { return observation_; }
  const agents::DiscreteWorld& world() const { return world_; }

  void save(agents::SavedState& saved) const;
  void restore(const agents::SavedState& saved);

 private:
  agents::DiscreteWorld world_;
  agents::Observation observation_;
};

}  // namespace gaia
