// SPDX-License-Identifier: MIT
#include "network_score.h"

#include <limits>
#include <optional>
#include <vector>

#include "../array/create.h"
#include "../core/error.h"
#include "../experiment/setup/training_data.h"
#include "../learning/ridge.h"
#include "inputs.h"
#include "predictions_so_far.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostFeatures = 1024;

/// What ridge regression on its windows reaches on the test part of a network's series; nothing,
/// with the reason, where the data are not at hand or there are too many.
std::optional<Score> ridge_beside_network(const Result& result, std::string& why_not) {
  constexpr std::int64_t most_numbers = 20'000'000;
  constexpr double ridge = 1e-6;  // the default of readouts
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
    double mean = 0.0;
    for (const double target : targets) mean += target / static_cast<double>(targets.size());
    double error = 0.0;
    double variation = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      error += (predictions[i] - targets[i]) * (predictions[i] - targets[i]);
      variation += (targets[i] - mean) * (targets[i] - mean);
    }
    return score_of("ridge on the window", error, variation);
  } catch (const Error& problem) {
    why_not = std::string("the data cannot be read again: ") + problem.what();
    return std::nullopt;
  }
}

}  // namespace

ReadoutFacts read_network_score(const Result& result, std::string& without_ridge) {
  ReadoutFacts facts;
  const auto number = [&](const char* key) {
    return result.number("test", key).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  facts.name = "this network";
  facts.title = "The network";
  facts.path = "test";
  if (result.text(facts.path, "in_sample") == "true") facts.doubts.emplace_back(kInSample);
  if (read_filled(result).looks_ahead()) facts.doubts.emplace_back(kLooksAhead);
  if (result.has("test/confusion")) return facts;  // a classifier
  facts.score = {.name = facts.name,
                 .error = number("nrmse"),
                 .value = number("r2"),
                 .without = result.read("test/r2_without_block")};
  const std::vector<std::int64_t> rows = result.shape("test/target");
  if (!facts.score.is_defined() && result.is_complete() && rows.size() == 1 &&
      rows == result.shape("test/prediction")) {
    facts.undefined =
        score_so_far(result, facts.path, ReadoutTask::regression, rows[0], 1).undefined;
  }
  add_baseline(facts, {.name = result.text("test", "baseline"),
                       .error = number("baseline_nrmse"),
                       .value = number("baseline_r2"),
                       .without = result.read("test/baseline_r2_without_block")});
  if (const auto ridge = ridge_beside_network(result, without_ridge)) add_baseline(facts, *ridge);
  // By definition, of the mean over the test part.
  if (facts.score.is_defined()) add_baseline(facts, {kMeanBaseline, 1.0, 0.0});
  return facts;
}

}  // namespace gaia::report
