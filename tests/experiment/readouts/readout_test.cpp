// SPDX-License-Identifier: MIT
#include "../../../src/experiment/readouts/readout.h"

#include <cmath>

#include "../../../src/layers/hierarchy/reactive.h"
#include "../../../src/learning/online_regression.h"
#include "../../../src/learning/ridge.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

/// One channel, a sum of two sine waves.
class Wave final : public Series {
 public:
  explicit Wave(std::int64_t rows) : rows_(rows) {}
  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    for (std::int64_t r = 0; r < count; ++r) out[static_cast<std::size_t>(r)] = value(first + r);
  }
  static double value(std::int64_t row) {
    const auto t = static_cast<double>(row);
    return std::sin(0.1 * t) + 0.5 * std::sin(0.37 * t + 1.0);
  }

 private:
  std::int64_t rows_;
  std::vector<std::string> names_ = {"wave"};
};

/// Levels that only pass on what they read, at resolutions 1, 4 and 6.
HierarchyManager passing_hierarchy(std::int64_t n) {
  HierarchyManager hierarchy;
  hierarchy.add_level(HierarchicalLevel(0, n, n, 1));
  hierarchy.add_level(HierarchicalLevel(1, n, n, 4));
  hierarchy.add_level(HierarchicalLevel(2, n, n, 6));
  return hierarchy;
}

struct Result {
  std::vector<std::int64_t> steps;
  std::vector<double> predictions;
  std::vector<double> targets;
  ReadoutScore score;
};

Result run(const ReadoutConfig& config, std::int64_t steps, std::int64_t block,
           const Recording& recording = {Recording::What::all, 1}, std::int64_t purge = 0) {
  DataConfig data;
  data.window = 4;
  Wave series(steps + 3);
  const Trials trials = Trials::one(steps, data.window);
  SampleReader samples(series, data, trials, DType::float64, reach_of({config}), false);
  HierarchyManager hierarchy = passing_hierarchy(4);
  std::int64_t spacing = 12;
  for (const std::int64_t level : config.levels) {
    const auto& of = hierarchy.levels()[static_cast<std::size_t>(level)];
    spacing = std::min(spacing, of.temporal_resolution());
  }
  if (recording.what == Recording::What::every) spacing *= recording.every;
  Readout readout(config, readout_sources(config, hierarchy), {.spacing = spacing, .purge = purge},
                  trials, 1, {});
  Result result;
  for (std::int64_t first = 0; first < steps; first += block) {
    const Array x = samples.read(first, std::min(block, steps - first));
    const Readout::Added added =
        readout.process(hierarchy.process_block(x.expand_dims(0)), samples);
    result.steps.insert(result.steps.end(), added.steps.begin(), added.steps.end());
    if (added.steps.empty()) continue;
    result.predictions.insert(result.predictions.end(), added.values[0].begin(),
                              added.values[0].end());
    result.targets.insert(result.targets.end(), added.values[1].begin(), added.values[1].end());
  }
  CHECK(static_cast<std::int64_t>(result.steps.size()) == readout.rows());
  result.score = readout.score();
  return result;
}

ReadoutConfig config_with(std::vector<std::int64_t> levels, std::int64_t horizon) {
  ReadoutConfig config;
  config.name = "r";
  config.levels = std::move(levels);
  config.target.horizon = horizon;
  config.target.names = {"0"};
  config.target.indices = {0};
  config.kind.get_if<RidgeOptions>()->ridge = 0.0;  // neighbours in a smooth wave are nearly equal
  return config;
}

}  // namespace

TEST_CASE("two sine waves follow from four of their values, whatever the cut into blocks") {
  for (const std::int64_t block : {1000, 64, 7}) {
    const Result result = run(config_with({0}, 5), 1000, block);
    // 995 usable ticks, of which 696 are trained on.
    REQUIRE(result.steps.size() == 299);
    CHECK(result.steps.front() == 696);
    CHECK(result.steps.back() == 994);
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
      CHECK(result.targets[i] == Wave::value(result.steps[i] + 3 + 5));
      CHECK(result.predictions[i] == Approx(result.targets[i]).margin(0.02));
    }
    CHECK(result.score.r2 > 0.999);
  }
}

TEST_CASE("scores are the documented ones, beside persistence") {
  const Result result = run(config_with({0}, 5), 400, 50);
  double mean = 0;
  for (const double y : result.targets) mean += y / static_cast<double>(result.targets.size());
  double variance = 0;
  double error = 0;
  double baseline = 0;
  for (std::size_t i = 0; i < result.targets.size(); ++i) {
    const double y = result.targets[i];
    variance += (y - mean) * (y - mean);
    error += std::pow(result.predictions[i] - y, 2);
    baseline += std::pow(Wave::value(result.steps[i] + 3) - y, 2);
  }
  CHECK(result.score.nrmse == Approx(std::sqrt(error / variance)).epsilon(1e-9));
  CHECK(result.score.r2 == Approx(1 - error / variance).epsilon(1e-9));
  CHECK(result.score.baseline == "persistence");
  CHECK(result.score.baseline_nrmse == Approx(std::sqrt(baseline / variance)).epsilon(1e-9));
}

TEST_CASE("a target may be a mean over the last steps, or over as many as there are") {
  ReadoutConfig config = config_with({0}, 0);
  config.split.share = 0.01;
  for (const std::int64_t horizon : {0, 3}) {
    config.target.horizon = horizon;
    config.target.mean_over = 20;
    for (const std::int64_t block : {500, 7}) {
      const Result result = run(config, 500, block);
      REQUIRE(result.steps.front() < 10);
      double persistence = 0.0;
      double missed = 0.0;
      const auto mean_up_to = [](std::int64_t step) {
        const std::int64_t first = std::max<std::int64_t>(0, step - 19);
        double sum = 0.0;
        for (std::int64_t s = first; s <= step; ++s) sum += Wave::value(s + 3);
        return sum / static_cast<double>(step - first + 1);
      };
      for (std::size_t i = 0; i < result.steps.size(); ++i) {
        const double target = mean_up_to(result.steps[i] + horizon);
        CHECK(result.targets[i] == Approx(target).margin(1e-13));
        persistence += std::pow(mean_up_to(result.steps[i]) - target, 2);
        missed += std::pow(result.predictions[i] - target, 2);
      }
      if (horizon > 0) {
        CHECK(std::pow(result.score.baseline_nrmse / result.score.nrmse, 2) ==
              Approx(persistence / missed).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("at horizon 0 the baseline is the training mean") {
  const Result result = run(config_with({0}, 0), 400, 50);
  CHECK(result.score.baseline == "mean");
  CHECK(result.score.baseline_nrmse == Approx(1.0).margin(0.1));
  CHECK(result.score.mean_nrmse == result.score.baseline_nrmse);
  CHECK(result.score.baselines().size() == 1);
}

TEST_CASE("the training mean stands beside persistence") {
  const Result ahead = run(config_with({0}, 5), 400, 50);
  double trained = 0;  // on steps 0 to 275 of 395, whose targets are 5 steps later
  for (int step = 0; step < 276; ++step) trained += Wave::value(step + 8) / 276.0;
  double mean = 0;
  for (const double y : ahead.targets) mean += y / static_cast<double>(ahead.targets.size());
  double variance = 0;
  double error = 0;
  for (const double y : ahead.targets) {
    variance += (y - mean) * (y - mean);
    error += (y - trained) * (y - trained);
  }
  CHECK(ahead.score.mean_nrmse == Approx(std::sqrt(error / variance)).epsilon(1e-9));
  CHECK(ahead.score.mean_r2 == Approx(1 - error / variance).margin(1e-9));
  CHECK(ahead.score.baselines().size() == 2);
  CHECK(ahead.score.undefined.empty());
}

TEST_CASE("a readout of slow levels reads at the ticks of the fastest, the others held") {
  const Result result = run(config_with({1, 2}, 0), 1200, 37);
  REQUIRE(result.steps.size() == 90);
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    CHECK(result.steps[i] == 840 + 4 * static_cast<std::int64_t>(i));
    CHECK(result.predictions[i] == Approx(result.targets[i]).margin(1e-3));
  }
}

TEST_CASE("where every N-th tick is recorded, these are read") {
  const Result result = run(config_with({0}, 1), 600, 41, {Recording::What::every, 5});
  REQUIRE(result.steps.size() == 36);
  CHECK(result.steps[0] % 5 == 0);
  CHECK(result.steps[1] == result.steps[0] + 5);
}

TEST_CASE("what learns online predicts a tick before it learns it, and learns what has come true") {
  ReadoutConfig config = config_with({0}, 3);
  config.kind = *ReadoutKind::list().find("online");
  const Result result = run(config, 300, 41);
  REQUIRE(result.steps.size() == 297);
  // At step t the target of step t - 3 is the newest that is known.
  OnlineRegression by_hand(4, 1, {});
  for (std::size_t t = 0; t < result.steps.size(); ++t) {
    const auto window = [](std::size_t step) {
      std::vector<double> x(4);
      for (std::size_t k = 0; k < 4; ++k) x[k] = Wave::value(static_cast<std::int64_t>(step + k));
      return x;
    };
    if (t >= 3) {
      const double known = Wave::value(static_cast<std::int64_t>(t) + 3);
      by_hand.learn(window(t - 3), std::vector<double>{known});
    }
    CHECK(result.predictions[t] == Approx(by_hand.predict(window(t)).front()).margin(1e-12));
    CHECK(result.targets[t] == Wave::value(static_cast<std::int64_t>(t) + 3 + 3));
  }
}

TEST_CASE("each fold is predicted by what the others teach") {
  ReadoutConfig config = config_with({0}, 5);
  config.folds = 4;
  config.kind.get_if<RidgeOptions>()->ridge = 0.1;
  const std::int64_t purge = GENERATE(0, 9);
  const Result result = run(config, 205, 64, {Recording::What::all, 1}, purge);
  REQUIRE(result.steps.size() == 200);
  for (std::int64_t fold = 0; fold < 4; ++fold) {
    RidgeRegression others(4);
    const auto window = [](std::int64_t t) {
      return std::vector<double>{Wave::value(t), Wave::value(t + 1), Wave::value(t + 2),
                                 Wave::value(t + 3)};
    };
    for (std::int64_t t = 0; t < 200; ++t) {
      // Nor what is close to the fold.
      if (t < 50 * fold - purge || t >= 50 * (fold + 1) + purge)
        others.add(window(t), std::vector<double>{Wave::value(t + 8)});
    }
    others.solve(0.1);
    for (std::int64_t t = 50 * fold; t < 50 * (fold + 1); ++t) {
      CHECK(result.predictions[static_cast<std::size_t>(t)] ==
            Approx(others.predict(window(t)).front()).margin(1e-9));
    }
  }
}

TEST_CASE("one prediction a trial is made from the means over it") {
  const std::vector<std::int64_t> starts = {0, 20, 50, 90, 100};
  const Trials trials(starts, 130, 4);
  Wave series(130);
  DataConfig data;
  data.window = 4;
  ReadoutConfig config = config_with({0}, 0);
  config.target.per_trial = true;
  config.split.share = 0.6;
  config.kind.get_if<RidgeOptions>()->ridge = 0.1;
  SampleReader samples(series, data, trials, DType::float64, {}, false);
  HierarchyManager hierarchy = passing_hierarchy(4);
  Readout readout(config, readout_sources(config, hierarchy), {}, trials, 1, {});
  RidgeRegression by_hand(4);
  std::vector<double> expected;
  std::vector<double> predicted;
  std::vector<std::int64_t> steps;
  for (std::size_t k = 0; k < trials.all().size(); ++k) {
    const Trial& trial = trials.all()[k];
    hierarchy.reset_state();
    readout.begin_trial();
    for (std::int64_t first = trial.first_step; first < trial.end(); first += 11) {
      const std::int64_t count = std::min<std::int64_t>(11, trial.end() - first);
      const Array x = samples.read(first, count);
      const Readout::Added added =
          readout.process(hierarchy.process_block(x.expand_dims(0)), samples);
      if (added.steps.empty()) continue;
      steps.push_back(added.steps.front());
      predicted.push_back(added.values[0].front());
    }
    std::vector<double> mean(4);
    double target = 0.0;
    for (std::int64_t t = 0; t < trial.steps; ++t) {
      for (std::size_t i = 0; i < 4; ++i) {
        mean[i] += Wave::value(trial.first_row + t + static_cast<std::int64_t>(i)) /
                   static_cast<double>(trial.steps);
      }
      target += Wave::value(trial.first_row + t + 3) / static_cast<double>(trial.steps);
    }
    if (k < 3) by_hand.add(mean, std::vector<double>{target});
    if (k == 2) by_hand.solve(0.1);
    if (k > 2) expected.push_back(by_hand.predict(mean).front());
  }
  REQUIRE(predicted.size() == 2);
  CHECK(steps == std::vector<std::int64_t>{trials.all()[3].end() - 1, trials.all()[4].end() - 1});
  for (std::size_t i = 0; i < 2; ++i) CHECK(predicted[i] == Approx(expected[i]).margin(1e-9));
}
