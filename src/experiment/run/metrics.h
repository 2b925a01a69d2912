// SPDX-License-Identifier: MIT
/// \file
/// What is measured of a hierarchy while it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../results/neuron_answers.h"

namespace gaia {

/// Follows the activity and the weights of every level.
class LevelMetrics {
 public:
  explicit LevelMetrics(const HierarchyManager& hierarchy);

  /// Takes a block and the weights as they are after it.
  void update(const HierarchyBlock& block, const HierarchyManager& hierarchy);

  /// Counts the answers of a block; of the last epoch alone.
  void count_answers(const HierarchyBlock& block);

  /// Adds the sums over all blocks, under names that begin with "metrics/".
  void add_state(ArrayMap& arrays) const;
  /// Takes them over, and the hierarchy's weights as those after the last block.
  /// \throws ArgumentError or ShapeError unless they were those of such a hierarchy.
  void set_state(const ArrayMap& arrays, const HierarchyManager& hierarchy);

  // Metrics of the last block, one number per level:

  /// Mean |y| over the block's ticks; NaN without a tick.
  const std::vector<double>& mean_activity() const { return mean_activity_; }
  /// Mean |w_i| over the neurons of all layers, without recurrent weights.
  const std::vector<double>& weight_norm() const { return weight_norm_; }
  /// |W - W before the block| / |W before the block|, of layers that learn recurrent weights with
  /// these.
  const std::vector<double>& weight_change() const { return weight_change_; }

  // Metrics of all blocks:

  std::int64_t ticks(std::size_t level) const { return ticks_[level]; }
  double overall_activity(std::size_t level) const;
  /// |W - W at the start| / |W at the start|.
  double overall_change(std::size_t level) const;
  /// Findings on the blocks whose answers were counted, and on the weights at the end.
  NeuronAnswers answers(std::size_t level) const;

 private:
  /// The weights [out, in] of a layer.
  struct LayerWeights {
    Array first;            // at the start
    Array last;             // after the last block
    double norm_sum = 0.0;  // sum of |w_i| of the last
    double squares = 0.0;   // and of |w_i|^2
    bool is_plastic = false;
    std::int64_t layer = 0;  // number of it in the level

    LayerWeights(const Array& weights, bool is_plastic, std::int64_t layer);
    /// Copies the weights.  Returns |W - W of the last block|^2.
    double move_to(const Array& weights);

   private:
    void measure();
  };

  std::vector<std::vector<LayerWeights>> weights_;  // [level][matrix]
  std::vector<bool> learns_beside_weights_;         // whether each level does
  std::vector<double> mean_activity_;
  std::vector<double> weight_norm_;
  std::vector<double> weight_change_;
  std::vector<double> activity_sum_;
  std::vector<std::int64_t> ticks_;
  std::vector<std::int64_t> neurons_;
  std::vector<AnswerCounts> counts_;
};

}  // namespace gaia
