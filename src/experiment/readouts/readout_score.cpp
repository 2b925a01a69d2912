// SPDX-License-Identifier: MIT
#include "readout_score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "../../core/state_fields.h"
#include "../../learning/ranking_scores.h"
#include "../../learning/scores.h"
#include "matching_scorer.h"

namespace gaia {
namespace {

/// NRMSE and R2 of several targets: with their mean square errors over their variances, the root of
/// the mean of these, and one minus it.
std::pair<double, double> joined(const std::vector<Score>& scores) {
  if (scores.size() == 1) return {scores.front().error, scores.front().value};
  double share = 0.0;
  for (const Score& score : scores) {
    share += score.error * score.error / static_cast<double>(scores.size());
  }
  return {std::sqrt(share), 1.0 - share};
}

/// Sums over predictions; targets are counted from the first, so that those of a constant are 0.
class RegressionScorer final : public Scorer {
 public:
  RegressionScorer(std::int64_t targets, std::string baseline, const ChanceBlocks& blocks)
      : baseline_(std::move(baseline)),
        places_(blocks),
        sums_(static_cast<std::size_t>(targets)),
        blocks_(static_cast<std::size_t>(blocks.count()), {0.0, std::vector<Sums>(sums_.size())}) {}

  void add(const Row& row) override {
    Block& block = blocks_[places_.of(count_)];
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      Sums& sums = sums_[k];
      const double target = row.target[k];
      if (count_ == 0) sums.first_target = target;
      const auto square = [](double x) { return x * x; };
      const Errors errors = {square(row.prediction[k] - target), square(row.baseline[k] - target),
                             square(row.mean[k] - target)};
      const double deviation = target - sums.first_target;
      for (Sums* const to : {&sums, &block.sums[k]}) {
        for (std::size_t i = 0; i < errors.size(); ++i) to->errors[i] += errors[i];
        to->target += deviation;
        to->target_square += deviation * deviation;
      }
    }
    block.count += 1.0;
    ++count_;
  }

  ReadoutScore score() const override {
    ReadoutScore score{.tested = count_, .baseline = baseline_};
    const auto n = static_cast<double>(count_);
    std::array<std::vector<Score>, 3> scores;  // scores of every target
    for (const Sums& sums : sums_) {
      const double variation =
          count_ > 0 ? sums.target_square - sums.target * sums.target / n : 0.0;
      score.undefined = why_undefined(n, sums.errors[0], variation);
      if (!score.undefined.empty()) return score;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i].push_back(score_of("", sums.errors[i], variation));
      }
    }
    std::tie(score.nrmse, score.r2) = joined(scores[0]);
    std::tie(score.baseline_nrmse, score.baseline_r2) = joined(scores[1]);
    std::tie(score.mean_nrmse, score.mean_r2) = joined(scores[2]);
    for (const auto& [i, without] :
         {std::pair(0, &score.without), {1, &score.baseline_without}, {2, &score.mean_without}}) {
      *without = without_blocks(static_cast<std::size_t>(i));
    }
    return score;
  }

  std::vector<double> state() const override { return StateFields::of(*this); }
  void set_state(std::span<const double> state) override {
    StateFields::set(*this, "Scorer", state);
  }

 private:
  friend StateFields;
  static void fields(auto& self, auto& state) {
    const auto all = [&](auto& sums) {
      for (auto& s : sums) state(s.errors, s.first_target, s.target, s.target_square);
    };
    state(self.count_);
    all(self.sums_);
    for (auto& block : self.blocks_) {
      state(block.count);
      all(block.sums);
    }
  }

  using Errors = std::array<double, 3>;  // squared: of predictions, of the baseline, of the mean
  struct Sums {
    Errors errors = {};
    double first_target = 0.0;
    double target = 0.0;
    double target_square = 0.0;
  };
  struct Block {
    double count = 0.0;
    std::vector<Sums> sums;  // sums of every target, counted from the first of all
  };

  /// R2 without each block; blocks that have no known target do not count.  Of one block that is
  /// left alone nothing is known, which is NaN.
  std::vector<double> without_blocks(std::size_t which) const {
    std::vector<double> without;
    for (const Block& block : blocks_) {
      const double left = static_cast<double>(count_) - block.count;
      if (block.count == 0.0 || left == 0.0) continue;
      double share = 0.0;
      for (std::size_t k = 0; k < sums_.size(); ++k) {
        const double target = sums_[k].target - block.sums[k].target;
        const double square = sums_[k].target_square - block.sums[k].target_square;
        const double error = sums_[k].errors[which] - block.sums[k].errors[which];
        const double variation = square - target * target / left;
        const bool varies = variation > 1e-12 * sums_[k].target_square;
        share +=
            (varies ? error / variation : ReadoutScore::kNone) / static_cast<double>(sums_.size());
      }
      without.push_back(1.0 - share);
    }
    return without.empty() ? std::vector{ReadoutScore::kNone} : without;
  }

  std::string baseline_;
  ChanceBlocks places_;
  std::vector<Sums> sums_;  // sums of every target
  std::vector<Block> blocks_;
  std::int64_t count_ = 0;
};

std::vector<std::int64_t> codes_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// A number of the rows that are left without each block that has some; `number` is told which
/// rows.
template <class Number>
std::vector<double> without_each(const std::vector<double>& blocks, const Number& number) {
  std::vector<double> without;
  for (double block = 0.0; block <= (blocks.empty() ? -1.0 : blocks.back()); ++block) {
    std::vector<std::size_t> left;
    for (std::size_t row = 0; row < blocks.size(); ++row) {
      if (blocks[row] != block) left.push_back(row);
    }
    if (left.size() < blocks.size() && !left.empty()) without.push_back(number(left));
  }
  return without.empty() ? std::vector{ReadoutScore::kNone} : without;
}

/// Keeps what was predicted, since areas under curves need all of it.
class ClassScorer final : public Scorer {
 public:
  ClassScorer(std::int64_t classes, const ChanceBlocks& blocks)
      : classes_(static_cast<std::size_t>(classes)), places_(blocks) {}

  void add(const Row& row) override {
    blocks_.push_back(static_cast<double>(places_.of(std::ssize(truth_))));
    truth_.push_back(row.target.front());
    majority_.push_back(row.baseline.front());
    probabilities_.insert(probabilities_.end(), row.prediction.begin(), row.prediction.end());
  }

  ReadoutScore score() const override {
    ReadoutScore score{.task = ReadoutTask::classes, .tested = std::ssize(truth_)};
    const std::vector<std::int64_t> truth = codes_of(truth_);
    score.undefined = scores::undefined_accuracy(truth);
    if (!score.undefined.empty()) return score;
    std::vector<std::int64_t> all(classes_);
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::int64_t> predicted = scores::most_probable(probabilities_, all);
    // No class is probable for a neuron that wins and has no name: that is no class, and wrong.
    std::vector<std::int64_t> truth_of_named;
    std::vector<std::int64_t> named;
    for (std::size_t row = 0; row < predicted.size(); ++row) {
      const auto from = probabilities_.begin() + static_cast<std::ptrdiff_t>(row * classes_);
      const bool is_none = std::all_of(from, from + static_cast<std::ptrdiff_t>(classes_),
                                       [](double one) { return one == 0.0; });
      if (is_none) {
        predicted[row] = -1;
      } else {
        truth_of_named.push_back(truth[row]);
        named.push_back(predicted[row]);
      }
    }
    const std::vector<std::int64_t> majority = codes_of(majority_);
    score.accuracy = scores::accuracy(truth, predicted);
    score.balanced_accuracy = scores::balanced_accuracy(truth, predicted);
    score.macro_f1 = scores::macro_f1(truth, predicted);
    score.log_loss = scores::log_loss(truth, probabilities_, all);
    score.auc = scores::mean_roc_auc(truth, probabilities_, all);
    score.majority_accuracy = scores::accuracy(truth, majority);
    score.confusion = scores::confusion(truth_of_named, named, all);
    const auto share_of = [&](const std::vector<std::int64_t>& said) {
      return without_each(blocks_, [&](const std::vector<std::size_t>& rows) {
        const auto right = std::count_if(rows.begin(), rows.end(),
                                         [&](std::size_t row) { return said[row] == truth[row]; });
        return static_cast<double>(right) / static_cast<double>(rows.size());
      });
    };
    score.without = share_of(predicted);
    score.baseline_without = share_of(majority);
    return score;
  }

  std::vector<double> state() const override { return StateFields::of(*this, truth_.size()); }
  void set_state(std::span<const double> state) override {
    std::size_t rows = state.size() / (3 + classes_);
    StateFields::set(*this, "Scorer", state, rows);
  }

 private:
  friend StateFields;
  static void fields(auto& self, auto& state, auto rows) {
    state.numbers(self.truth_, rows);
    state.numbers(self.majority_, rows);
    state.numbers(self.blocks_, rows);
    state.numbers(self.probabilities_, rows, self.classes_);
  }

  std::size_t classes_;
  ChanceBlocks places_;
  std::vector<double> truth_;          // truth of each row
  std::vector<double> majority_;       // what training had most often
  std::vector<double> blocks_;         // numbers of them
  std::vector<double> probabilities_;  // [rows, classes]
};

/// Scorer of a readout that predicts nothing.
class NoScorer final : public Scorer {
 public:
  void add(const Row& /*row*/) override {}
  ReadoutScore score() const override {
    return {.task = ReadoutTask::change, .undefined = "it tells of changes, and predicts nothing"};
  }
  std::vector<double> state() const override { return {}; }
  void set_state(std::span<const double> state) override {
    if (!state.empty()) throw ShapeError("[Scorer] a state of another size");
  }
};

/// Keeps scores, and which of the samples are anomalies.
class AnomalyScorer final : public Scorer {
 public:
  explicit AnomalyScorer(const ChanceBlocks& blocks) : places_(blocks) {}

  void add(const Row& row) override {
    blocks_.push_back(static_cast<double>(places_.of(std::ssize(truth_))));
    truth_.push_back(row.target.front());
    scores_.push_back(row.prediction[0]);
    baseline_.push_back(row.prediction[1]);
  }

  ReadoutScore score() const override {
    ReadoutScore score{.task = ReadoutTask::anomaly, .tested = std::ssize(truth_)};
    const std::vector<std::int64_t> truth = codes_of(truth_);
    score.undefined = truth.empty() ? "no labels that tell what an anomaly is"
                                    : scores::undefined_ranking(truth, 1, scores_);
    if (!score.undefined.empty()) return score;
    score.auc_roc = scores::roc_auc(truth, 1, scores_);
    score.auc_pr = scores::average_precision(truth, 1, scores_);
    score.baseline_auc_roc = scores::roc_auc(truth, 1, baseline_);
    score.baseline_auc_pr = scores::average_precision(truth, 1, baseline_);
    const auto area_of = [&](const std::vector<double>& said) {
      return without_each(blocks_, [&](const std::vector<std::size_t>& rows) {
        std::vector<std::int64_t> truth_left;
        std::vector<double> said_left;
        for (const std::size_t row : rows) {
          truth_left.push_back(truth[row]);
          said_left.push_back(said[row]);
        }
        // All anomalies in one block: then nobody knows what chance is.
        const bool is_defined = scores::undefined_ranking(truth_left, 1, said_left).empty();
        return is_defined ? scores::roc_auc(truth_left, 1, said_left) : ReadoutScore::kNone;
      });
    };
    score.without = area_of(scores_);
    score.baseline_without = area_of(baseline_);
    return score;
  }

  std::vector<double> state() const override { return StateFields::of(*this, truth_.size()); }
  void set_state(std::span<const double> state) override {
    std::size_t rows = state.size() / 4;
    StateFields::set(*this, "Scorer", state, rows);
  }

 private:
  friend StateFields;
  static void fields(auto& self, auto& state, auto rows) {
    state.numbers(self.truth_, rows);
    state.numbers(self.scores_, rows);
    state.numbers(self.baseline_, rows);
    state.numbers(self.blocks_, rows);
  }

  ChanceBlocks places_;
  std::vector<double> truth_;  // 1 for an anomaly, else 0
  std::vector<double> scores_;
  std::vector<double> baseline_;
  std::vector<double> blocks_;  // numbers of them
};

}  // namespace

std::vector<std::pair<std::string, double>> ReadoutScore::numbers() const {
  switch (task) {
    case ReadoutTask::regression: {
      std::vector<std::pair<std::string, double>> all = {{"nrmse", nrmse},
                                                         {"r2", r2},
                                                         {"baseline_nrmse", baseline_nrmse},
                                                         {"baseline_r2", baseline_r2},
                                                         {"mean_nrmse", mean_nrmse},
                                                         {"mean_r2", mean_r2}};
      if (free_run) {
        all.emplace_back("nrmse_at", free_run->nrmse_at);
        all.emplace_back("valid_steps", free_run->valid_steps);
      }
      return all;
    }
    case ReadoutTask::classes:
      return {{"accuracy", accuracy}, {"balanced_accuracy", balanced_accuracy},
              {"macro_f1", macro_f1}, {"log_loss", log_loss},
              {"auc", auc},           {"majority_accuracy", majority_accuracy}};
    case ReadoutTask::matching:
      return {{"mean_correlation", mean_correlation}, {"worst_correlation", worst_correlation}};
    case ReadoutTask::change:
      return {};
    case ReadoutTask::statistic:
      return {{measure->attribute, statistic}};
    case ReadoutTask::anomaly:
      break;
  }
  return {{"auc_roc", auc_roc},
          {"auc_pr", auc_pr},
          {"baseline_auc_roc", baseline_auc_roc},
          {"baseline_auc_pr", baseline_auc_pr}};
}

std::vector<std::pair<std::string, std::vector<double>>> ReadoutScore::without_blocks() const {
  switch (task) {
    case ReadoutTask::regression:
      return {{"r2_without_block", without},
              {"baseline_r2_without_block", baseline_without},
              {"mean_r2_without_block", mean_without}};
    case ReadoutTask::classes:
      return {{"accuracy_without_block", without},
              {"majority_accuracy_without_block", baseline_without}};
    case ReadoutTask::matching:
      return {{"mean_correlation_without_block", without}};
    case ReadoutTask::change:
      return {};
    case ReadoutTask::statistic:
      return {{std::string(measure->attribute) + "_without_block", without}};
    case ReadoutTask::anomaly:
      break;
  }
  return {{"auc_roc_without_block", without}, {"baseline_auc_roc_without_block", baseline_without}};
}

namespace {

Score jackknifed(Score score, const std::vector<double>& without) {
  score.without = without;
  return score;
}

}  // namespace

Score ReadoutScore::own() const {
  switch (task) {
    case ReadoutTask::regression:
      return jackknifed({"", nrmse, r2}, without);
    case ReadoutTask::classes:
      return jackknifed(share_score("", accuracy, "accuracy", tested), without);
    case ReadoutTask::matching:
      return jackknifed({"", 1.0 - mean_correlation, mean_correlation, kMeanCorrelation}, without);
    case ReadoutTask::change:
      return {"", kNone, kNone};
    case ReadoutTask::statistic:
      return jackknifed({"", error_of(*measure, statistic), statistic, measure->name}, without);
    case ReadoutTask::anomaly:
      break;
  }
  return jackknifed(share_score("", auc_roc, "AUC", tested), without);
}

std::vector<Score> ReadoutScore::baselines() const {
  switch (task) {
    case ReadoutTask::regression: {
      std::vector<Score> scores = {
          jackknifed({baseline, baseline_nrmse, baseline_r2}, baseline_without)};
      if (baseline != kMeanBaseline) {
        scores.push_back(jackknifed({kMeanBaseline, mean_nrmse, mean_r2}, mean_without));
      }
      return scores;
    }
    case ReadoutTask::classes:
      return {jackknifed(share_score(kMajorityBaseline, majority_accuracy, "accuracy", tested),
                         baseline_without)};
    case ReadoutTask::matching:
    case ReadoutTask::change:
    case ReadoutTask::statistic:
      return {};
    case ReadoutTask::anomaly:
      break;
  }
  return {jackknifed(share_score(kRunningMeanBaseline, baseline_auc_roc, "AUC", tested),
                     baseline_without)};
}

std::unique_ptr<Scorer> make_scorer(ReadoutTask task, std::int64_t predicted,
                                    const std::string& baseline, const ChanceBlocks& blocks,
                                    std::int64_t targets) {
  switch (task) {
    case ReadoutTask::regression:
      return std::make_unique<RegressionScorer>(predicted, baseline, blocks);
    case ReadoutTask::classes:
      return std::make_unique<ClassScorer>(predicted, blocks);
    case ReadoutTask::matching:
      return std::make_unique<MatchingScorer>(predicted, targets, blocks);
    case ReadoutTask::change:
    case ReadoutTask::statistic:  // make_statistic_scorer
      return std::make_unique<NoScorer>();
    case ReadoutTask::anomaly:
      break;
  }
  return std::make_unique<AnomalyScorer>(blocks);
}

}  // namespace gaia
