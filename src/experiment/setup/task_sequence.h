// SPDX-License-Identifier: MIT
/// \file
/// Tasks that a network is trained on one after another: `data.tasks`.
#pragma once

#include <cstdint>
#include <vector>

#include "../../array/array.h"
#include "../data/experiment.h"

namespace gaia {

/// `data.tasks: {permute: N}`: the pictures as they are, then N - 1 times the same ones with their
/// pixels in another order (Goodfellow et al. 2014, arXiv:1312.6211).  In task k pixel i of a
/// picture, row by row, is pixel p_k[i] of the picture as it is; p_0[i] = i, and p_k for k > 0 are
/// the pixels in ascending order of the numbers k n to (k + 1) n - 1, uniform in [0, 1), of the
/// stream "data/tasks" of the seed, n being the number of pixels.
class TaskSequence {
 public:
  /// Without `data.tasks` there is one task, the samples as they are.
  explicit TaskSequence(const Experiment& experiment);

  bool is_sequence() const { return permutation_.rank() == 2; }
  std::int64_t count() const { return is_sequence() ? permutation_.shape(0) : 1; }
  /// p, int64 [tasks, pixels]; without elements where there is no sequence.
  const Array& permutation() const { return permutation_; }
  /// Samples [n, ...] as task `task` shows them.
  Array shown(const Array& samples, std::int64_t task) const;

 private:
  Array permutation_;  // on the CPU
};

/// Epochs of a whole training: `network.epochs` for each task.
std::int64_t all_epochs(const ExperimentConfig& config);

/// How much of what was learnt is lost by the end: accuracies [trained, tested] of T tasks, row by
/// row, those of tasks behind the one trained last NaN.
struct TaskScores {
  double mean_accuracy = 0.0;  ///< Mean of the last row.
  /// Mean over tasks j before the last of max over k < T - 1 of accuracy [k, j], less [T - 1, j]
  /// (Chaudhry et al. 2018, ECCV); NaN for one task.
  double forgetting = 0.0;
};
TaskScores task_scores(const std::vector<double>& accuracies, std::int64_t tasks);

}  // namespace gaia
