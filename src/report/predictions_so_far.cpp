// SPDX-License-Identifier: MIT
#include "predictions_so_far.h"

#include <algorithm>
#include <cmath>

#include "../learning/ranking_scores.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kPairsAtOnce = 1 << 16;

/// Errors of predictions, and the variance of their targets.
class ErrorSums {
 public:
  /// A target that is not known, NaN, is left out.
  void add(double prediction, double target) {
    if (std::isnan(target)) return;
    error_ += (prediction - target) * (prediction - target);
    count_ += 1.0;
    const double before = target - mean_;
    mean_ += before / count_;
    squares_ += before * (target - mean_);
  }
  Score score() const { return score_of("", error_, squares_); }
  std::string undefined() const { return why_undefined(count_, error_, squares_); }

 private:
  double error_ = 0.0;
  double count_ = 0.0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

/// Calls f(first of `columns` predictions, first of as many targets) for every row.
template <class F>
void for_each_row(const Result& result, const std::string& path, std::int64_t rows,
                  std::int64_t columns, const F& f) {
  const std::int64_t at_once = std::max<std::int64_t>(1, kPairsAtOnce / columns);
  std::vector<double> predictions(static_cast<std::size_t>(at_once * columns));
  std::vector<double> targets(predictions.size());
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    result.read_rows(path + "/prediction", first, count, predictions.data());
    result.read_rows(path + "/target", first, count, targets.data());
    for (std::int64_t r = 0; r < count; ++r) {
      f(predictions.data() + r * columns, targets.data() + r * columns);
    }
  }
}

ScoreSoFar regression_so_far(const Result& result, const std::string& path, std::int64_t rows,
                             std::int64_t targets) {
  std::vector<ErrorSums> sums(static_cast<std::size_t>(targets));
  for_each_row(result, path, rows, targets, [&](const double* prediction, const double* target) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(prediction[k], target[k]);
  });
  ScoreSoFar so_far;
  double missed = 0.0;  // share of the variance, the mean over targets
  for (const ErrorSums& one : sums) {
    so_far.undefined = one.undefined();
    if (!so_far.undefined.empty()) return so_far;
    missed += (1.0 - one.score().value) / static_cast<double>(targets);
  }
  so_far.score = {"", std::sqrt(missed), 1.0 - missed};
  return so_far;
}

ScoreSoFar accuracy_so_far(const Result& result, const std::string& path, std::int64_t rows) {
  std::int64_t known = 0;
  std::int64_t right = 0;
  for_each_row(result, path, rows, 1, [&](const double* prediction, const double* target) {
    if (!(*target >= 0.0)) return;
    ++known;
    if (*prediction == *target) ++right;
  });
  ScoreSoFar so_far;
  so_far.score.measure = "accuracy";
  if (known == 0) {
    so_far.undefined = "no test ticks whose class is known";
    return so_far;
  }
  so_far.score =
      share_score("", static_cast<double>(right) / static_cast<double>(known), "accuracy", known);
  return so_far;
}

ScoreSoFar ranking_so_far(const Result& result, const std::string& path, std::int64_t rows) {
  ScoreSoFar so_far;
  so_far.score.measure = "AUC";
  if (rows > kMostRanked) {
    so_far.undefined = "there are too many ticks to rank them for a report";
    return so_far;
  }
  const Labelled pairs = labelled(read_column(result, path + "/target", 0, rows),
                                  read_column(result, path + "/score", 0, rows));
  so_far.undefined = pairs.truth.empty() ? "no labels that tell what an anomaly is"
                                         : scores::undefined_ranking(pairs.truth, 1, pairs.values);
  if (!so_far.undefined.empty()) return so_far;
  so_far.score = share_score("", scores::roc_auc(pairs.truth, 1, pairs.values), "AUC",
                             std::ssize(pairs.truth));
  return so_far;
}

}  // namespace

ScoreSoFar score_so_far(const Result& result, const std::string& path, ReadoutTask task,
                        std::int64_t rows, std::int64_t targets) {
  switch (task) {
    case ReadoutTask::regression:
      return regression_so_far(result, path, rows, targets);
    case ReadoutTask::classes:
      return accuracy_so_far(result, path, rows);
    case ReadoutTask::change:
      return {.score = {}, .undefined = "nothing is predicted"};
    case ReadoutTask::statistic:
      return {.score = {}, .undefined = "it is told when the run has ended"};
    case ReadoutTask::matching:
      return {.score = {}, .undefined = "who goes with whom is told when the run has ended"};
    case ReadoutTask::anomaly:
      break;
  }
  return ranking_so_far(result, path, rows);
}

std::int64_t count_known(const Result& result, const std::string& path, std::int64_t rows) {
  std::int64_t known = 0;
  std::vector<double> targets(static_cast<std::size_t>(std::min(rows, kPairsAtOnce)));
  for (std::int64_t first = 0; first < rows; first += kPairsAtOnce) {
    const std::int64_t count = std::min(kPairsAtOnce, rows - first);
    result.read_rows(path + "/target", first, count, targets.data());
    known += std::count_if(targets.begin(), targets.begin() + count,
                           [](double target) { return target >= 0.0; });
  }
  return known;
}

std::vector<double> read_column(const Result& result, const std::string& dataset,
                                std::int64_t first, std::int64_t rows, std::int64_t column) {
  const std::vector<std::int64_t> shape = result.shape(dataset);
  const std::int64_t columns = shape.size() == 2 ? shape[1] : 1;
  if (shape.empty() || shape.size() > 2 || rows < 0 || rows > kMostRanked || first < 0 ||
      first > shape[0] - rows || column < 0 || column >= columns || columns > kWidestRow) {
    return {};
  }
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(rows));
  const std::int64_t at_once = std::max<std::int64_t>(1, kPairsAtOnce / columns);
  std::vector<double> some(static_cast<std::size_t>(at_once * columns));
  for (std::int64_t done = 0; done < rows; done += at_once) {
    const std::int64_t count = std::min(at_once, rows - done);
    result.read_rows(dataset, first + done, count, some.data());
    for (std::int64_t r = 0; r < count; ++r) {
      values.push_back(some[static_cast<std::size_t>(r * columns + column)]);
    }
  }
  return values;
}

Labelled labelled(const std::vector<double>& truth, const std::vector<double>& values) {
  Labelled pairs;
  for (std::size_t i = 0; i < std::min(truth.size(), values.size()); ++i) {
    if (!(truth[i] >= 0.0 && truth[i] < 1e15)) continue;
    pairs.truth.push_back(static_cast<std::int64_t>(truth[i]));
    pairs.values.push_back(values[i]);
  }
  return pairs;
}

}  // namespace gaia::report
