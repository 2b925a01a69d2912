// SPDX-License-Identifier: MIT
#include "readout_score.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "../../core/error.h"
#include "../../learning/ranking_scores.h"
#include "../../learning/scores.h"

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
  RegressionScorer(std::int64_t targets, std::string baseline)
      : baseline_(std::move(baseline)), sums_(static_cast<std::size_t>(targets)) {}

  void add(const Row& row) override {
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      Sums& sums = sums_[k];
      const double target = row.target[k];
      if (count_ == 0) sums.first_target = target;
      const auto square = [](double x) { return x * x; };
      sums.error += square(row.prediction[k] - target);
      sums.baseline_error += square(row.baseline[k] - target);
      sums.mean_error += square(row.mean[k] - target);
      const double deviation = target - sums.first_target;
      sums.target += deviation;
      sums.target_square += deviation * deviation;
    }
    ++count_;
  }

  ReadoutScore score() const override {
    ReadoutScore score{.tested = count_, .baseline = baseline_};
    const auto n = static_cast<double>(count_);
    std::vector<Score> own, baseline, mean;  // of every target
    for (const Sums& sums : sums_) {
      const double variation =
          count_ > 0 ? sums.target_square - sums.target * sums.target / n : 0.0;
      score.undefined = why_undefined(n, sums.error, variation);
      if (!score.undefined.empty()) return score;
      own.push_back(score_of("", sums.error, variation));
      baseline.push_back(score_of("", sums.baseline_error, variation));
      mean.push_back(score_of("", sums.mean_error, variation));
    }
    std::tie(score.nrmse, score.r2) = joined(own);
    std::tie(score.baseline_nrmse, score.baseline_r2) = joined(baseline);
    std::tie(score.mean_nrmse, score.mean_r2) = joined(mean);
    return score;
  }

  std::vector<double> state() const override {
    std::vector<double> state = {static_cast<double>(count_)};
    for (const Sums& s : sums_) {
      state.insert(state.end(), {s.error, s.baseline_error, s.mean_error, s.first_target, s.target,
                                 s.target_square});
    }
    return state;
  }
  void set_state(std::span<const double> state) override {
    if (state.size() != 1 + 6 * sums_.size()) throw ShapeError("[Scorer] a state of another size");
    count_ = static_cast<std::int64_t>(state[0]);
    const double* from = state.data() + 1;
    for (Sums& s : sums_) {
      s = {from[0], from[1], from[2], from[3], from[4], from[5]};
      from += 6;
    }
  }

 private:
  struct Sums {
    double error = 0.0;
    double baseline_error = 0.0;
    double mean_error = 0.0;
    double first_target = 0.0;
    double target = 0.0;
    double target_square = 0.0;
  };
  std::string baseline_;
  std::vector<Sums> sums_;  // of every target
  std::int64_t count_ = 0;
};

std::vector<std::int64_t> codes_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// Keeps what was predicted, since areas under curves need all of it.
class ClassScorer final : public Scorer {
 public:
  explicit ClassScorer(std::int64_t classes) : classes_(static_cast<std::size_t>(classes)) {}

  void add(const Row& row) override {
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
    const std::vector<std::int64_t> predicted = scores::most_probable(probabilities_, all);
    score.accuracy = scores::accuracy(truth, predicted);
    score.balanced_accuracy = scores::balanced_accuracy(truth, predicted);
    score.macro_f1 = scores::macro_f1(truth, predicted);
    score.log_loss = scores::log_loss(truth, probabilities_, all);
    score.auc = scores::mean_roc_auc(truth, probabilities_, all);
    score.majority_accuracy = scores::accuracy(truth, codes_of(majority_));
    score.confusion = scores::confusion(truth, predicted, all);
    return score;
  }

  std::vector<double> state() const override {
    std::vector<double> state = truth_;
    state.insert(state.end(), majority_.begin(), majority_.end());
    state.insert(state.end(), probabilities_.begin(), probabilities_.end());
    return state;
  }
  void set_state(std::span<const double> state) override {
    const std::size_t rows = state.size() / (2 + classes_);
    if (state.size() != rows * (2 + classes_)) throw ShapeError("[Scorer] a state of another size");
    truth_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(rows));
    state = state.subspan(rows);
    majority_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(rows));
    state = state.subspan(rows);
    probabilities_.assign(state.begin(), state.end());
  }

 private:
  std::size_t classes_;
  std::vector<double> truth_;          // of each row
  std::vector<double> majority_;       // what training had most often
  std::vector<double> probabilities_;  // [rows, classes]
};

/// Keeps scores, and which of the samples are anomalies.
class AnomalyScorer final : public Scorer {
 public:
  void add(const Row& row) override {
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
    return score;
  }

  std::vector<double> state() const override {
    std::vector<double> state = truth_;
    state.insert(state.end(), scores_.begin(), scores_.end());
    state.insert(state.end(), baseline_.begin(), baseline_.end());
    return state;
  }
  void set_state(std::span<const double> state) override {
    const std::size_t rows = state.size() / 3;
    if (state.size() != 3 * rows) throw ShapeError("[Scorer] a state of another size");
    const auto part = [&](std::size_t k) {
      const auto of = state.subspan(k * rows, rows);
      return std::vector<double>(of.begin(), of.end());
    };
    truth_ = part(0);
    scores_ = part(1);
    baseline_ = part(2);
  }

 private:
  std::vector<double> truth_;  // 1 for an anomaly, else 0
  std::vector<double> scores_;
  std::vector<double> baseline_;
};

}  // namespace

std::vector<std::pair<std::string, double>> ReadoutScore::numbers() const {
  switch (task) {
    case ReadoutTask::regression:
      return {{"nrmse", nrmse},
              {"r2", r2},
              {"baseline_nrmse", baseline_nrmse},
              {"baseline_r2", baseline_r2},
              {"mean_nrmse", mean_nrmse},
              {"mean_r2", mean_r2}};
    case ReadoutTask::classes:
      return {{"accuracy", accuracy}, {"balanced_accuracy", balanced_accuracy},
              {"macro_f1", macro_f1}, {"log_loss", log_loss},
              {"auc", auc},           {"majority_accuracy", majority_accuracy}};
    case ReadoutTask::anomaly:
      break;
  }
  return {{"auc_roc", auc_roc},
          {"auc_pr", auc_pr},
          {"baseline_auc_roc", baseline_auc_roc},
          {"baseline_auc_pr", baseline_auc_pr}};
}

Score ReadoutScore::own() const {
  switch (task) {
    case ReadoutTask::regression:
      return {"", nrmse, r2};
    case ReadoutTask::classes:
      return share_score("", accuracy, "accuracy", tested);
    case ReadoutTask::anomaly:
      break;
  }
  return share_score("", auc_roc, "AUC", tested);
}

std::vector<Score> ReadoutScore::baselines() const {
  switch (task) {
    case ReadoutTask::regression: {
      std::vector<Score> scores = {{baseline, baseline_nrmse, baseline_r2}};
      if (baseline != kMeanBaseline) scores.push_back({kMeanBaseline, mean_nrmse, mean_r2});
      return scores;
    }
    case ReadoutTask::classes:
      return {share_score(kMajorityBaseline, majority_accuracy, "accuracy", tested)};
    case ReadoutTask::anomaly:
      break;
  }
  return {share_score(kRunningMeanBaseline, baseline_auc_roc, "AUC", tested)};
}

std::unique_ptr<Scorer> make_scorer(ReadoutTask task, std::int64_t targets,
                                    const std::string& baseline) {
  switch (task) {
    case ReadoutTask::regression:
      return std::make_unique<RegressionScorer>(targets, baseline);
    case ReadoutTask::classes:
      return std::make_unique<ClassScorer>(targets);
    case ReadoutTask::anomaly:
      break;
  }
  return std::make_unique<AnomalyScorer>();
}

}  // namespace gaia
