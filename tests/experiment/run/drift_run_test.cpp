// SPDX-License-Identifier: MIT
/// \file
/// Runs over data that move: what level 0 receives is recomputed from the results file.
#include <cmath>
#include <numeric>

#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/setup/training_part.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../../support/replaced.h"
#include "../applied_series.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr const char* kSwapAndGain =
    "drift: [{kind: swap, from: 30, to: 1100}, {kind: gain, from: 0, to: 900, deviation: 0.2}]";

/// Two epochs of what cuts.h has, in which wires are swapped and gains move through both.
std::string moving(const std::string& rule) {
  return replaced(replaced(everything(rule, "mean"), "freeze_after: 500", "epochs: 2"),
                  "normalize: zscore,", std::string("normalize: zscore, ") + kSwapAndGain + ",");
}

/// The record of what moved.
struct Moved {
  std::vector<double> step;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> last_gain;
};

Moved moved_in(const Datasets& made) {
  const std::vector<double>& values = made.at("/data/drift/1/value");
  return {made.at("/data/drift/0/step"), made.at("/data/drift/0/a"), made.at("/data/drift/0/b"),
          std::vector<double>(values.end() - 3, values.end())};
}

/// A normalised row as of a step.
std::vector<double> moved_row(const Moved& moved, std::vector<double> row, std::int64_t step) {
  std::vector<std::size_t> wire(row.size());
  std::iota(wire.begin(), wire.end(), std::size_t{0});
  for (std::size_t k = 0; k < moved.step.size(); ++k) {
    if (moved.step[k] <= static_cast<double>(step)) {
      std::swap(wire[static_cast<std::size_t>(moved.a[k])],
                wire[static_cast<std::size_t>(moved.b[k])]);
    }
  }
  std::vector<double> read(row.size());
  const double share = std::min(1.0, static_cast<double>(step) / 900.0);
  for (std::size_t c = 0; c < row.size(); ++c) {
    read[c] = row[wire[c]] * (1.0 + share * (moved.last_gain[c] - 1.0));
  }
  return read;
}

}  // namespace

TEST_CASE(
    "rows drift on through epochs, each by the step that reads it first, and targets do not") {
  const Cuts cuts(replaced(moving("oja"), "dtype: float32", "dtype: float64"));
  cuts.run("r");
  const Datasets made = datasets_of(cuts.result("r"));
  const Moved moved = moved_in(made);
  REQUIRE(moved.step.size() == 2);  // of three channels
  CHECK(moved.step == std::vector<double>{30.0, 565.0});
  const Experiment experiment = cuts.load("again");
  std::vector<double> rows(3 * 602);
  experiment.series->read(0, 602, rows);
  const std::vector<double>& mean = made.at("/data/mean");
  const std::vector<double>& scale = made.at("/data/scale");
  const std::vector<double>& samples = made.at("/data/samples");
  double worst = 0.0;
  for (std::int64_t t = 0; t < 600; ++t) {
    for (std::int64_t k = 0; k < 3; ++k) {
      std::vector<double> row(3);
      for (std::size_t c = 0; c < 3; ++c) {
        row[c] = (rows[static_cast<std::size_t>(3 * (t + k)) + c] - mean[c]) / scale[c];
      }
      // The last of two epochs; the row is the newest of sample t + k - 2.
      const std::vector<double> read =
          moved_row(moved, row, 600 + std::max<std::int64_t>(0, t + k - 2));
      for (std::size_t c = 0; c < 3; ++c) {
        worst = std::max(worst,
                         std::abs(samples[static_cast<std::size_t>(9 * t + 3 * k) + c] - read[c]));
      }
    }
  }
  CHECK(worst < 1e-12);
  // The target of the first readout is channel 1, four steps ahead, scaled as the samples are.
  const std::vector<double>& steps = made.at("/readouts/one/step");
  const std::vector<double>& targets = made.at("/readouts/one/target");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto row = static_cast<std::size_t>(steps[i]) + 2 + 4;
    CHECK(std::abs(targets[i] - (rows[3 * row + 1] - mean[1]) / scale[1]) < 1e-12);
  }
}

TEST_CASE("killed in the middle of a swap a run goes on to the same bytes") {
  for (const std::string rule : {"oja", "bcm"}) {
    const Cuts cuts(moving(rule));
    cuts.check_goes_on_after({37, 555, 600, 851});
  }
}

FOLDER_TEST_CASE("rows of trials drift by their own steps, also with a window") {
  std::string text = "a,b,run\n";
  for (int row = 0; row < 60; ++row) {
    text += std::to_string(row) + "," + std::to_string(1000 + row) + "," +
            std::to_string(row / 20) + "\n";
  }
  folder.write("d.csv", text);
  Experiment experiment =
      load_text(folder,
                "experiment: trials\ndtype: float64\n"
                "data: {source: file, path: d.csv, columns: [a, b], trials: {column: run},\n"
                "       window: 3, drift: [{kind: swap, from: 25, to: 25}]}\n"
                "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n"
                "output: {inputs: all}\n");
  run_experiment(experiment);
  const std::vector<double> samples = datasets_of(folder.path("r.h5")).at("/data/samples");
  REQUIRE(samples.size() == 54 * 6);
  for (std::int64_t t = 0; t < 54; ++t) {
    for (std::int64_t k = 0; k < 3; ++k) {
      const std::int64_t row = t / 18 * 20 + t % 18 + k;
      const std::int64_t first = t / 18 * 18;
      const bool is_swapped = std::max(first, t + k - 2) >= 25;
      const auto at = static_cast<std::size_t>(6 * t + 2 * k);
      CHECK(samples[at] == static_cast<double>(is_swapped ? 1000 + row : row));
      CHECK(samples[at + 1] == static_cast<double>(is_swapped ? row : 1000 + row));
    }
  }
}

namespace {

const std::string kMoves =
    "experiment: moves\ndtype: float64\n"
    "data: {source: file, path: train.csv, window: 2, normalize: zscore, whiten: zca,\n"
    "       drift: [{kind: swap, from: 100, to: 300}]}\n"
    "hierarchy:\n"
    "  levels: [{layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.01}]}]\n"
    "readouts:\n"
    "  - {name: wave, target: {channel: 1, horizon: 5}, levels: [0], split: 0.5}\n"
    "output: {inputs: all}\n";

}  // namespace

FOLDER_TEST_CASE("what is applied stands still, and is whitened as in the training") {
  folder.write("train.csv", gaia::test::csv(gaia::test::rows(kRows), {0, 1, 2}, {"a", "b", "c"}));
  run_text(folder, kMoves);
  Experiment applied = application_of(
      folder.path("r.h5"), {.data = folder.path("train.csv"), .output = folder.path("a.h5")});
  CHECK(applied.config.data.drift.empty());
  CHECK(applied.config.data.whiten == Whiten::stored);
  run_hierarchy(applied);
  const Datasets trained = datasets_of(folder.path("r.h5"));
  const Datasets told = datasets_of(folder.path("a.h5"));
  CHECK(told.at("/data/whitening/matrix") == trained.at("/data/whitening/matrix"));
  CHECK(!told.contains("/data/drift/0/step"));
  const std::vector<double>& before = trained.at("/data/samples");
  const std::vector<double>& now = told.at("/data/samples");
  REQUIRE(before.size() == now.size());
  bool differs = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i < 6 * 100) CHECK(std::abs(now[i] - before[i]) < 1e-12);
    differs = differs || std::abs(now[i] - before[i]) > 0.1;
  }
  CHECK(differs);
  // hierarchy.from takes the weights, and no drift with them.
  Experiment from = load_experiment(
      folder.write("f.yaml",
                   replaced(replaced(kMoves, "swap, from: 100, to: 300", "lose, from: 0, to: 0"),
                            "whiten: zca", "whiten: stored")),
      {.set = {"hierarchy.from=r.h5", "data.normalize=stored"}, .output = folder.path("f.h5")});
  run_hierarchy(from);
  const Datasets lost = datasets_of(folder.path("f.h5"));
  for (const double x : lost.at("/data/samples")) CHECK(x == 0.0);
  CHECK(same_bits(lost.at("/levels/0/layers/0/weights_initial"),
                  trained.at("/levels/0/layers/0/weights")));
}

FOLDER_TEST_CASE("a series is whitened by the rows of its training part") {
  const std::vector<std::vector<double>> all = gaia::test::rows(kRows);
  folder.write("train.csv", gaia::test::csv(all, {0, 1, 2}, {"a", "b", "c"}));
  Experiment experiment = load_text(
      folder, kMoves, {"data.normalize=none", "data.drift=null", "data.whiten_epsilon=0"});
  run_hierarchy(experiment);
  const Datasets made = datasets_of(folder.path("r.h5"));
  const std::int64_t rows = training_part(experiment).rows().back().end;
  REQUIRE(rows < kRows);
  const std::vector<double>& samples = made.at("/data/samples");  // [steps, 2 rows of 3]
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double product = 0.0;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>(row + 1 < rows ? 6 * row : 6 * (row - 1) + 3);
        product += samples[at + a] * samples[at + b] / static_cast<double>(rows - 1);
      }
      CHECK(std::abs(product - (a == b ? 1.0 : 0.0)) < 1e-9);
    }
  }
}

TEST_CASE("controls that ask what moving data ask are defaults where data move") {
  const auto controls = [](const std::string& data) {
    Experiment experiment = load_experiment_text(
        "experiment: e\n"
        "data: {source: generator, kind: sines, frequencies: [0.1], channels: 2, steps: 90" +
            data + "}\nhierarchy: {levels: [{layers: [{type: hebbian, size: 2}]}]}\n",
        "e.yaml");
    // It is read as it is written.
    CHECK(load_experiment_text(to_yaml(experiment.config), "e.yaml").config.controls ==
          experiment.config.controls);
    return experiment.config.controls;
  };
  using Names = std::vector<std::string>;
  CHECK(controls("") == Names{"frozen", "same_past"});
  CHECK(controls(", order: shuffle") == Names{"frozen", "same_past"});
  CHECK(controls(", drift: [{kind: swap, from: 3, to: 9}]") ==
        Names{"frozen", "stopped", "same_past"});
}

TEST_CASE("what is wrong with a drift is told by its key") {
  const auto refused = [](const std::string& drift) {
    return complaint_of<ConfigError>([&] {
      load_experiment_text(
          "experiment: e\n"
          "data: {source: generator, kind: sines, frequencies: [0.1], channels: 2, steps: 90, "
          "drift: " +
              drift + "}\nhierarchy: {levels: [{layers: [{type: hebbian, size: 2}]}]}\n",
          "e.yaml");
    });
  };
  CHECK_SAYS(refused("[{kind: swap, from: 9, to: 3}]"),
             "data.drift[0].to: expected a step that is not before `from`, 9, got 3");
  CHECK_SAYS(refused("[{kind: swap, from: 0, to: 3, share: 0.4}]"),
             "data.drift[0].share: ", "expected two channels or more to swap, got 1");
  CHECK_SAYS(refused("[{kind: swap, from: 0, to: 3, share: 0}]"),
             "data.drift[0].share: expected a number in (0, 1]");
  CHECK_SAYS(refused("[{kind: swap, from: 0, to: 3, share: 1.5}]"), "data.drift[0].share: ");
  CHECK_SAYS(refused("[{kind: swap, from: 0, to: 3}, {kind: lose, from: 0, to: 3, channels: [z]}]"),
             "data.drift[1].channels: ", "z");
  CHECK_SAYS(refused("[{kind: turn, from: 0, to: 3}]"), "data.drift[0].axes: missing");
  CHECK_SAYS(refused("[{kind: swap, to: 3}]"), "data.drift[0].from: missing");
  CHECK_SAYS(refused("[{kind: spin, from: 0, to: 3}]"), "unknown kind 'spin'");
  CHECK_SAYS(refused("[{kind: swap, from: 0, to: 3, angle: 3}]"), "unknown key 'angle'");
}
