// SPDX-License-Identifier: MIT
/// \file
/// How well levels can rebuild, by their own weights, what they read.
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
  /// Of these levels of a hierarchy.
  explicit Reconstruction(std::vector<std::int64_t> levels) : levels_(std::move(levels)) {}

  /// Keeps the weights, and the samples x [steps, features] that the hierarchy reads next.
  void before_block(const HierarchyManager& hierarchy, const Array& x);
  /// Of what the hierarchy made of them: for each of the levels, in their order, its errors at its
  /// ticks, [1, ticks, 1], in a block of as many levels.
  HierarchyBlock errors(const HierarchyBlock& block);

  /// A trial begins: what was pooled in the one before is forgotten.
  void begin_trial();
  void add_state(const std::string& prefix, ArrayMap& arrays) const;
  /// Stands before step `step` of a trial.
  void set_state(const std::string& prefix, const ArrayMap& arrays, std::int64_t step);

 private:
  void make_pools(const HierarchyManager& hierarchy, DType dtype);

  std::vector<std::int64_t> levels_;
  std::vector<HierarchicalLevel> pools_;     // one each, without layers
  std::vector<TickTimes> source_steps_;      // when what each reads ticks
  std::vector<std::vector<Array>> weights_;  // of the layers of each
  Array samples_;
  ArrayMap stored_;  // a state that pools, which are not made yet, will take over
  std::int64_t stored_step_ = 0;
};

}  // namespace gaia
