// SPDX-License-Identifier: MIT
#include "baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../array/create.h"
#include "../core/error.h"
#include "../experiment/setup/readout_verdict.h"
#include "../experiment/setup/training_data.h"
#include "../learning/ridge.h"
#include "markup.h"
#include "survey.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostFeatures = 1024;

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
  Score score(std::string name) const { return score_of(std::move(name), error_, squares_); }
  std::string undefined() const { return why_undefined(count_, error_, squares_); }

 private:
  double error_ = 0.0;
  double count_ = 0.0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

/// Sums over the predictions in the file, for a run that has not written a score.
ErrorSums errors_so_far(const Result& result, const std::string& path, std::int64_t rows) {
  ErrorSums sums;
  constexpr std::int64_t at_once = 1 << 16;
  std::vector<double> predictions(at_once);
  std::vector<double> targets(at_once);
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    result.read_rows(path + "/prediction", first, count, predictions.data());
    result.read_rows(path + "/target", first, count, targets.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      sums.add(predictions[i], targets[i]);
    }
  }
  return sums;
}

/// Predictions whose step is safe in the file.
std::int64_t safe_rows(const Result& result, const std::string& path) {
  const std::vector<std::int64_t> steps = result.shape(path + "/step");
  const std::vector<std::int64_t> predictions = result.shape(path + "/prediction");
  const std::vector<std::int64_t> targets = result.shape(path + "/target");
  if (steps.size() != 1 || predictions.size() != 1 || targets.size() != 1) return 0;
  const std::int64_t rows = std::min({steps[0], predictions[0], targets[0]});
  return row_of_step(result, path + "/step", rows, result.series_done());
}

/// Adds a score that is defined, and not there yet.
void add_baseline(ReadoutFacts& readout, const Score& score) {
  const auto is_same = [&](const Score& other) { return other.name == score.name; };
  if (!score.is_defined() ||
      std::any_of(readout.baselines.begin(), readout.baselines.end(), is_same))
    return;
  readout.baselines.push_back(score);
}

/// The scores of a readout of classes (accuracy) or of anomalies (area under the ROC curve).
void read_shares(const Result& result, ReadoutFacts& facts) {
  const bool is_classes = result.number(facts.path, "accuracy").has_value();
  const char* const name = is_classes ? "accuracy" : "auc_roc";
  const char* const measure = is_classes ? "accuracy" : "AUC";
  const std::vector<std::int64_t> shape = result.shape(facts.path + "/step");
  const std::int64_t tested = shape.size() == 1 ? shape.front() : 0;
  const auto score = [&](const std::string& title, const std::string& group, const char* key) {
    const double share =
        result.number(group, key).value_or(std::numeric_limits<double>::quiet_NaN());
    return share_score(title, share, measure, tested);
  };
  facts.score = score("this run", facts.path, name);
  if (!facts.score.is_defined()) facts.undefined = result.text(facts.path, "score_undefined");
  if (is_classes) {
    facts.target = "the classes";
    add_baseline(facts, score(kMajorityBaseline, facts.path, "majority_accuracy"));
  } else {
    facts.target = "anomalies";
    add_baseline(facts, score(kRunningMeanBaseline, facts.path, "baseline_auc_roc"));
  }
  facts.title = "Readout " + facts.name + " of " + facts.target;
  const std::string controls = facts.path + "/controls";
  for (const std::string& control : result.groups(controls)) {
    add_baseline(facts, score(control_title(control), controls + "/" + control, name));
  }
}

/// What ridge regression on its windows reaches on the test part of a network's series; nothing,
/// with the reason, where the data are not at hand or there are too many.
std::optional<Score> ridge_beside_network(const Result& result, std::string& why_not) {
  constexpr std::int64_t most_numbers = 20'000'000;
  constexpr double ridge = 1e-6;  // as that of readouts
  const GPUContext on_host(Device::cpu());
  if (!result.text("", "applied_from").empty()) {
    why_not = "nothing was trained here";
    return std::nullopt;
  }
  std::optional<Experiment> experiment = load_again(result, 0.0, why_not);
  if (!experiment) return std::nullopt;
  const std::int64_t features = experiment->series ? experiment->features() : 0;
  if (features < 1 || features > kMostFeatures || experiment->steps > most_numbers / features) {
    why_not = "there are too many numbers for a regression in a report";
    return std::nullopt;
  }
  try {
    const TrainingData data = read_training_data(*experiment);
    RidgeRegression regression(features);
    regression.add(data.train_x.to_vector<double>(), data.train_y.to_vector<double>());
    regression.solve(ridge);
    const std::vector<double> predictions = regression.predict(data.test_x.to_vector<double>());
    const std::vector<double> targets = data.test_y.to_vector<double>();
    ErrorSums sums;
    for (std::size_t i = 0; i < targets.size(); ++i) sums.add(predictions[i], targets[i]);
    return sums.score("ridge on the window");
  } catch (const Error& problem) {
    why_not = std::string("the data cannot be read again: ") + problem.what();
    return std::nullopt;
  }
}

}  // namespace

std::vector<ReadoutFacts> read_readouts(const Result& result) {
  std::vector<ReadoutFacts> readouts;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& name : result.groups("readouts")) {
    ReadoutFacts facts;
    facts.name = name;
    facts.path = "readouts/" + name;
    const auto number = [&](const char* key) {
      return result.number(facts.path, key).value_or(nan);
    };
    const auto channel = result.integer(facts.path, "target_channel");
    const auto latent = result.integer(facts.path, "target_latent");
    facts.horizon = result.integer(facts.path, "target_horizon").value_or(0);
    const std::int64_t mean_over = result.integer(facts.path, "target_mean_over").value_or(1);
    facts.target = channel
                       ? series_text("channel", *channel, result.text(facts.path, "target_name"))
                   : latent ? series_text("latent", *latent, "")
                            : "target";
    facts.title = fmt::format("Readout {} of {}", name, facts.target);
    if (mean_over > 1)
      facts.target = fmt::format("mean of {} over {} steps", facts.target, mean_over);
    facts.target += facts.horizon == 0
                        ? ", now"
                        : fmt::format(", {} step{} ahead", facts.horizon, plural(facts.horizon));
    facts.levels = result.text(facts.path, "levels");
    facts.rows = safe_rows(result, facts.path);
    const bool is_regression = !result.number(facts.path, "accuracy") &&
                               !result.number(facts.path, "auc_roc");
    if (!is_regression) {
      read_shares(result, facts);
      readouts.push_back(std::move(facts));
      continue;
    }
    facts.score = {"this run", number("nrmse"), number("r2")};
    if (!facts.score.is_defined()) {
      facts.is_unfinished = !result.is_complete();
      const ErrorSums sums = errors_so_far(result, facts.path, facts.rows);
      facts.score = sums.score("so far");
      if (!facts.is_unfinished) facts.undefined = result.text(facts.path, "score_undefined");
      if (facts.undefined.empty()) facts.undefined = sums.undefined();
    }
    add_baseline(facts, {result.text(facts.path, "baseline"), number("baseline_nrmse"),
                         number("baseline_r2")});
    add_baseline(facts, {kMeanBaseline, number("mean_nrmse"), number("mean_r2")});
    if (result.text(facts.path, "in_sample") == "true") facts.doubts.emplace_back(kInSample);
    if (channel && facts.horizon == 0 && mean_over == 1) facts.doubts.emplace_back(kTargetIsInput);
    const std::string controls = facts.path + "/controls";
    for (const std::string& control : result.groups(controls)) {
      const std::string group = controls + "/" + control;
      add_baseline(facts, {control_score_name(control, result.text(facts.path, "type")), result.number(group, "nrmse").value_or(nan),
                           result.number(group, "r2").value_or(nan)});
    }
    readouts.push_back(std::move(facts));
  }
  return readouts;
}

ReadoutFacts read_network_score(const Result& result, std::string& without_ridge) {
  ReadoutFacts facts;
  const auto number = [&](const char* key) {
    return result.number("test", key).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  facts.name = "this network";
  facts.title = "The network";
  facts.path = "test";
  if (result.has("test/confusion")) return facts;  // a classifier
  facts.score = {facts.name, number("nrmse"), number("r2")};
  const std::vector<std::int64_t> rows = result.shape("test/target");
  if (!facts.score.is_defined() && result.is_complete() && rows.size() == 1 &&
      rows == result.shape("test/prediction")) {
    facts.undefined = errors_so_far(result, facts.path, rows[0]).undefined();
  }
  add_baseline(facts,
               {result.text("test", "baseline"), number("baseline_nrmse"), number("baseline_r2")});
  if (const auto ridge = ridge_beside_network(result, without_ridge)) add_baseline(facts, *ridge);
  // By definition, of the mean over the test part.
  if (facts.score.is_defined()) add_baseline(facts, {kMeanBaseline, 1.0, 0.0});
  return facts;
}

}  // namespace gaia::report
