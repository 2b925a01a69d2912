// SPDX-License-Identifier: MIT
/// \file
/// What levels read, and how well they can rebuild it by their own weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"

namespace gaia {

/// For a level that reads x (pooled from the level below) and shows y through layers of weights
/// W_1 ... W_L, its error is |x - W_1^T ... W_L^T y|^2 / n, of n numbers in x: that of an
/// autoassociator with tied weights, whose least value the principal subspace has (Baldi & Hornik,
/// 1989, Neural Networks 2, 53-58).  Weights are those before the block, so that no sample has been
/// learnt when its error is taken.
class Reconstruction {
 public:
  /// What is reported of a level at a tick: that error; the squared distance |x - w|^2 of the
  /// nearest of its rows of weights w; or x itself.
  enum class Tells { error, distance, input };

  /// Reads these levels of a hierarchy, of one layer each where distances are reported.
  explicit Reconstruction(std::vector<std::int64_t> levels, Tells tells = Tells::error)
      : levels_(std::move(levels)), tells_(tells) {}

  /// Keeps the weights, and the samples x [steps, features] that the hierarchy reads next.
  void before_block(const HierarchyManager& hierarchy, const Array& x);
  /// Numbers that the hierarchy computed from them: for each of the levels, in their order, what is
  /// reported at its ticks, [1, ticks, 1] or, of inputs, [1, ticks, inputs], in a block of as many
  /// levels.
  HierarchyBlock read(const HierarchyBlock& block);

  /// A trial begins: what was pooled in the one before is forgotten.
  void begin_trial();
  void add_state(const std::string& prefix, ArrayMap& arrays) const;
  /// Stands before step `step` of a trial.
  void set_state(const std::string& prefix, const ArrayMap& arrays, std::int64_t step);

 private:
  void make_pools(const HierarchyManager& hierarchy, DType dtype);
  /// One number for each row of `given` [ticks, n], of level i, which showed `shown` [ticks,
  /// neurons].
  std::vector<double> numbers_of(std::size_t i, const Array& given, const Array& shown) const;

  std::vector<std::int64_t> levels_;
  Tells tells_;
  std::vector<HierarchicalLevel> pools_;     // one each, without layers
  std::vector<TickTimes> source_steps_;      // when what each reads ticks
  std::vector<std::vector<Array>> weights_;  // weights of the layers of each
  Array samples_;
  ArrayMap stored_;  // a state that pools, which are not built yet, will take over
  std::int64_t stored_step_ = 0;
};

}  // namespace gaia
