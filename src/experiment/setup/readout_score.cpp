// SPDX-License-Identifier: MIT
#include "readout_score.h"

#include <algorithm>
#include <cmath>

#include "../../core/error.h"

namespace gaia {
namespace {

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
    const auto targets = static_cast<double>(sums_.size());
    const auto add = [&](const Score& of, double& nrmse, double& r2) {
      const bool begins = std::isnan(nrmse);
      nrmse = (begins ? 0.0 : nrmse) + of.error / targets;
      r2 = (begins ? 0.0 : r2) + of.value / targets;
    };
    for (const Sums& sums : sums_) {
      const double variation =
          count_ > 0 ? sums.target_square - sums.target * sums.target / n : 0.0;
      score.undefined = why_undefined(n, sums.error, variation);
      if (!score.undefined.empty()) return {.undefined = score.undefined, .tested = count_, .baseline = baseline_};
      add(score_of("", sums.error, variation), score.nrmse, score.r2);
      add(score_of("", sums.baseline_error, variation), score.baseline_nrmse, score.baseline_r2);
      add(score_of("", sums.mean_error, variation), score.mean_nrmse, score.mean_r2);
    }
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

/// Keeps rows of `width` numbers.
class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  void add(std::span<const double> row) { values_.insert(values_.end(), row.begin(), row.end()); }
  const std::vector<double>& values() const { return values_; }
  std::vector<double> column(std::size_t k) const {
    std::vector<double> column;
    for (std::size_t i = k; i < values_.size(); i += width_) column.push_back(values_[i]);
    return column;
  }
  void set(std::span<const double> values) {
    if (values.size() % width_ != 0) throw ShapeError("[Scorer] a state of another size");
    values_.assign(values.begin(), values.end());
  }

 private:
  std::size_t width_;
  std::vector<double> values_;
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
      return {{"accuracy", accuracy},
              {"balanced_accuracy", balanced_accuracy},
              {"macro_f1", macro_f1},
              {"log_loss", log_loss},
              {"auc", auc},
              {"majority_accuracy", majority_accuracy}};
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
  if (task != ReadoutTask::regression) throw InternalError("[make_scorer] not there yet");
  return std::make_unique<RegressionScorer>(targets, baseline);
}

}  // namespace gaia
