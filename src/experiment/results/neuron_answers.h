// SPDX-License-Identifier: MIT
/// \file
/// Which neurons of a level answer nothing, always the same, or always while others do not, and
/// which have learnt nothing: dead units, as competitive learning calls them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../array/array.h"
#include "../../array/array_map.h"

namespace gaia {

/// Neurons of one level, each list in ascending order, none in two of the first three.
struct NeuronAnswers {
  std::int64_t level = 0;
  std::int64_t neurons = 0;
  /// Neurons whose |y| was never above a millionth of the level's mean |y|.
  std::vector<std::int64_t> silent = {};
  /// Neurons whose y was not 0 at any tick, where at least half of all answers of the others were.
  std::vector<std::int64_t> always = {};
  /// Neurons whose y was the same at every tick, up to a billionth of itself.
  std::vector<std::int64_t> constant = {};

  /// Neurons of a layer whose weights are those that the run began with, where others' are not.
  struct Unmoved {
    std::int64_t layer = 0;
    std::int64_t neurons = 0;  ///< Number of all in the layer.
    std::vector<std::int64_t> which = {};
  };
  std::vector<Unmoved> unmoved = {};
  /// Whether it was to learn, and no weight of it has changed.
  bool has_stood_still = false;

  /// What a reader should know, in sentences without their ends.
  std::vector<std::string> sentences() const;
};

/// "neuron 4", "neurons 1, 4 and 7", "neurons 1, 4, 7 and 20 more".
std::string neurons_text(const std::vector<std::int64_t>& neurons);

/// Follows the answers of every neuron of a level, block by block.
class AnswerCounts {
 public:
  /// Takes the ticks [streams, ticks, neurons] of a block.
  void add(const Array& ticks);

  /// Nothing of fewer than 8 ticks, which say little.
  NeuronAnswers answers() const;

  /// Adds what was followed so far, under names that begin with `prefix`, and takes it over again;
  /// of a state that has none, as earlier builds stored it, nothing.
  void add_state(ArrayMap& arrays, const std::string& prefix) const;
  void set_state(const ArrayMap& arrays, const std::string& prefix);

 private:
  std::int64_t answers_ = 0;  // answers of each neuron
  double activity_ = 0.0;     // the sum of |y| of all
  // By neuron:
  std::vector<double> least_;
  std::vector<double> largest_;
  std::vector<double> answered_;  // at how many ticks y was not 0
};

}  // namespace gaia
