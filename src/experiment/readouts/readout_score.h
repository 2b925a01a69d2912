// SPDX-License-Identifier: MIT
/// \file
/// How good the predictions of a readout are, and what a simple forecast would have reached on the
/// same targets.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../learning/readout_kind.h"
#include "../../learning/statistic_readout.h"
#include "chance.h"
#include "free_run.h"
#include "verdict.h"

namespace gaia {

struct ReadoutScore {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  ReadoutTask task = ReadoutTask::regression;
  std::string undefined = {};  ///< Why there is none: all numbers are NaN.  Empty where there is.

  std::int64_t tested = 0;  ///< Predictions whose targets are known.

  // Regression; of several targets the means over them:
  double nrmse = kNone;           ///< Root mean square error over the targets' standard deviation.
  double r2 = kNone;              ///< 1 - nrmse^2.
  double baseline_nrmse = kNone;  ///< NRMSE of the baseline on the same targets.
  double baseline_r2 = kNone;
  std::string baseline = {};  ///< "persistence" (the target `horizon` steps ago), or "mean".
  double mean_nrmse = kNone;  ///< NRMSE of the mean of the targets that were trained on.
  double mean_r2 = kNone;

  std::optional<FreeRunScore> free_run = {};  ///< Score of its free runs, if it has any.

  // Classes (docs/results.md has the definitions):
  double accuracy = kNone;
  double balanced_accuracy = kNone;
  double macro_f1 = kNone;
  double log_loss = kNone;
  double auc = kNone;                        ///< One class against the rest, the mean over classes.
  double majority_accuracy = kNone;          ///< Accuracy of the most frequent class in training.
  std::vector<std::int64_t> confusion = {};  ///< [classes, classes]: true class, predicted class.

  // Anomaly, where the truth is known:
  double auc_roc = kNone;
  double auc_pr = kNone;
  double baseline_auc_roc = kNone;  ///< ROC area of |x - running mean|.
  double baseline_auc_pr = kNone;

  // Matching:
  double mean_correlation = kNone;        ///< Mean over targets of |r| with their own number.
  double worst_correlation = kNone;       ///< The least of these.
  std::vector<std::int64_t> pairs = {};   ///< Number that each target goes with; -1: none.
  std::vector<double> correlations = {};  ///< Correlation of each pair; 0 where there is none.

  // Statistic:
  const StatisticMeasure* measure = nullptr;  ///< Which one.
  double statistic = kNone;                   ///< Mean over neurons, or over what is read.
  std::vector<double> of_each = {};  ///< Number of each of them; empty where there is one alone.

  // The number by which it is judged (R2, accuracy, AUC, mean |r|, a statistic), and the same of
  // baseline and mean, without each block of the test part (chance.h):
  std::vector<double> without = {};
  std::vector<double> baseline_without = {};
  std::vector<double> mean_without = {};

  /// By the names that they have in the results.
  std::vector<std::pair<std::string, double>> numbers() const;
  /// Those without each block, by the names that they have in the results.
  std::vector<std::pair<std::string, std::vector<double>>> without_blocks() const;
  /// The number by which it is judged and compared with that of others.
  Score own() const;
  std::vector<Score> baselines() const;
};

/// Scores of each fold, by the names that they have in the results.
using FoldScores = std::vector<std::pair<std::string, std::vector<double>>>;

/// Collects predictions and their targets.
class Scorer {
 public:
  /// One tick.
  struct Row {
    std::span<const double> prediction;  ///< Numbers, probabilities of classes, or one score.
    std::span<const double> target;      ///< Numbers, one class, or whether it is an anomaly.
    std::span<const double> baseline;    ///< What the baseline says of the same.
    std::span<const double> mean;        ///< The targets' means in the training, of a regression.
  };

  virtual ~Scorer() = default;
  virtual void add(const Row& row) = 0;
  virtual ReadoutScore score() const = 0;
  /// State as one list of numbers, for a checkpoint.
  virtual std::vector<double> state() const = 0;
  virtual void set_state(std::span<const double> state) = 0;
};

/// For so many predicted numbers, which are targets or classes, or numbers that `targets` are
/// matched with.  `baseline`: its name, of a regression; `blocks`: of the part.
std::unique_ptr<Scorer> make_scorer(ReadoutTask task, std::int64_t predicted,
                                    const std::string& baseline, const ChanceBlocks& blocks,
                                    std::int64_t targets = 1);

}  // namespace gaia
