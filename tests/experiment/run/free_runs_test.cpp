// SPDX-License-Identifier: MIT
/// \file
/// Runs whose readouts read what they have said; tests/experiment/free_run_elsewhere.py recomputes
/// such runs.
#include "../../../src/experiment/run/free_runs.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Two channels, a window, levels of two resolutions of which one learns, and all controls that can
/// run free.
const std::string kFree =
    "experiment: free\nseed: 3\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [8, 30], channels: 2, noise: 0.05,\n"
    "       steps: 700, window: 3, normalize: zscore}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: temporal, size: 12, leak: 0.6}\n"
    "        - {type: hebbian, size: 5, rule: oja_subspace, learning_rate: 0.002}\n"
    "    - temporal_resolution: 3\n"
    "      layers: [{type: reactive, size: 4, activation: tanh}]\n"
    "readouts:\n"
    "  - {name: next, target: {channel: [1, 0], horizon: 1}, levels: [0, 1], split: 0.5,\n"
    "     free_run: {from: 400, steps: 20, repeat: {every: 33, count: 8}, at: 5}}\n"
    "  - {name: one, target: {channel: 0, horizon: 4}, levels: [0]}\n"
    "controls: [frozen, same_past, pca, reservoir, window, nvar]\n"
    "checkpoint: {every: 90}\n";

TEST_CASE("a readout goes on by itself, and so do its controls") {
  const Cuts cuts(kFree);
  const HierarchySummary summary = cuts.run("r");
  const Datasets all = datasets_of(cuts.result("r"));
  const std::string group = "/readouts/next/free_run/";
  CHECK(all.at(group + "start") == std::vector<double>{400, 433, 466, 499, 532, 565, 598, 631});
  const std::vector<double>& target = all.at(group + "target");
  const std::vector<double>& prediction = all.at(group + "prediction");
  REQUIRE(target.size() == 8 * 20 * 2);
  REQUIRE(prediction.size() == target.size());
  // What it says first is what it predicts anyway, and the target is that of its test part.
  const std::vector<double>& step = all.at("/readouts/next/step");
  const std::vector<double>& predicted = all.at("/readouts/next/prediction");
  const std::vector<double>& came = all.at("/readouts/next/target");
  for (std::size_t s = 0; s < 8; ++s) {
    const auto row = static_cast<std::size_t>(400 + 33 * static_cast<double>(s) - 1 - step[0]);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(prediction[s * 40 + k] == Approx(predicted[row * 2 + k]).margin(1e-6));
      CHECK(target[s * 40 + 38 + k] == came[(row + 19) * 2 + k]);
    }
  }
  const std::string text = summary.text();
  CHECK_SAYS(text, "free run: NRMSE ", " at step 5, valid for ", " of 20 steps, over 8 starts (");
  for (const char* const control :
       {"", "frozen", "same_past", "pca", "reservoir", "window", "nvar"}) {
    INFO(control);
    const std::string place =
        "readouts/next" + (*control == 0 ? "" : std::string("/controls/") + control);
    const double error = number(cuts.result("r"), place, "nrmse_at");
    CHECK(error > 0.0);
    CHECK(error < 20.0);
    CHECK(number(cuts.result("r"), place, "valid_steps") >= 0.0);
    CHECK(all.at("/" + place + "/free_run/error")[4] == error);
  }
  const hdf5::File file = hdf5::File::open(cuts.result("r"));
  const hdf5::Group one = file.open_group("readouts/one");
  CHECK_FALSE(one.number_attribute("nrmse_at"));
  CHECK_FALSE(one.has_group("free_run"));
}

TEST_CASE("a run with free runs goes on after a kill to the same bits, on any threads") {
  const Cuts cuts(kFree);
  cuts.check_goes_on_after({360, 450, 630});
  cuts.check_same_on_any_threads();
}

TEST_CASE("a free run changes nothing of the run") {
  const std::string text = replaced(kFree, "experiment: free", "experiment: free\ndtype: float64");
  const Cuts with(text);
  const Cuts without(replaced(
      text, ",\n     free_run: {from: 400, steps: 20, repeat: {every: 33, count: 8}, at: 5}", ""));
  with.run("r");
  without.run("r");
  const Datasets one = datasets_of(with.result("r"));
  for (const auto& [name, values] : datasets_of(without.result("r"))) {
    // Blocks end at starts, and with them what is measured and what is kept to go on from.
    if (name.starts_with("/metrics") || name.starts_with("/checkpoint")) continue;
    INFO(name);
    REQUIRE(one.at(name).size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      CHECK(one.at(name)[i] == Approx(values[i]).margin(1e-9));
    }
  }
}

TEST_CASE("a GPU goes on by itself as the CPU does") {
  const gaia::test::EmulatedDevice emulated;
  const Cuts cpu(kFree);
  const Cuts gpu(kFree, "cuda");
  cpu.run("r");
  gpu.run("r");
  const Datasets one = datasets_of(cpu.result("r"));
  const Datasets other = datasets_of(gpu.result("r"));
  const std::string name = "/readouts/next/free_run/prediction";
  for (std::size_t i = 0; i < one.at(name).size(); ++i) {
    CHECK(other.at(name)[i] == Approx(one.at(name)[i]).margin(5e-3));
  }
}

TEST_CASE("epochs before the last have no free run") {
  const Cuts cuts(replaced(kFree, "hierarchy:\n", "hierarchy:\n  epochs: 2\n"));
  cuts.run("r");
  CHECK(datasets_of(cuts.result("r")).at("/readouts/next/free_run/start").size() == 8);
}

TEST_CASE("what a readout was trained for is applied to other data by itself too") {
  const Cuts cuts(kFree);
  cuts.run("r");
  const auto apply = [&](int count) {
    std::string text = "a,b\n";
    for (int t = 0; t < count; ++t) {
      text += std::to_string(std::sin(0.2 * t)) + "," + std::to_string(std::cos(0.13 * t)) + "\n";
    }
    const ApplyOptions options{.data = cuts.folder().write("d.csv", text),
                               .output = cuts.folder().path("a.h5")};
    Experiment experiment = application_of(cuts.result("r"), options);
    const std::vector<std::string> warnings = experiment.warnings;
    run_hierarchy(experiment, {.overwrite = true});
    return warnings;
  };
  const std::vector<std::string> warnings = apply(470);
  // 468 steps, so that starts up to 448 fit.
  REQUIRE(!warnings.empty());
  CHECK_SAYS(warnings.front(), "2 of 8 starts are left");
  CHECK(datasets_of(cuts.folder().path("a.h5")).at("/readouts/next/free_run/start") ==
        std::vector<double>{400, 433});
  CHECK_SAYS(apply(100).front(), "the readout does not go on by itself");
}

TEST_CASE("what keeps a readout from going on by itself is told with the way out") {
  const auto told = [](const std::string& from, const std::string& to) {
    const Cuts cuts(replaced(kFree, from, to));
    return complaint_of([&] { cuts.load("r"); });
  };
  CHECK_SAYS(told("channel: [1, 0]", "channel: [1]"),
             "readouts[0].target: free_run reads what the readout says");
  CHECK_SAYS(told("channel: [1, 0], horizon: 1", "channel: [1, 0], horizon: 2"),
             "horizon 1, mean_over 1, per: tick; got horizon 2");
  CHECK_SAYS(told("split: 0.5", "folds: 3"), "write split in place of folds");
  CHECK_SAYS(told("levels: [0, 1], split", "levels: [1], split"),
             "readouts[0].levels: free_run needs a readout that says every row");
  CHECK_SAYS(told("from: 400", "from: 300"),
             "readouts[0].free_run.from: a start at step 300 comes before step");
  CHECK_SAYS(told("count: 8", "count: 20"),
             "readouts[0].free_run.repeat: a start at step 697 would need 20");
  CHECK_SAYS(told("at: 5", "at: 21"), "expected 1 to steps (20), got 21");
  CHECK_SAYS(told("normalize: zscore}", "normalize: zscore, order: shuffle}"), "data.order");
  CHECK_SAYS(told("steps: 20,", "steps: 0,"), "free_run.steps");
  CHECK_SAYS(told("at: 5}", "threshold: 0}"), "free_run.threshold");
  CHECK_SAYS(told("from: 400, ", ""), "free_run.from: missing");
}

TEST_CASE("the steps of free runs are those at which blocks end") {
  std::vector<ReadoutConfig> readouts(3);
  readouts[0].free_run = {.is_there = true, .starts = {40, 70}};
  readouts[2].free_run = {.is_there = true, .starts = {20, 70}};
  CHECK(free_run_starts(readouts) == std::vector<std::int64_t>{20, 40, 70});
  CHECK(next_free_run(readouts, 0, 100) == 20);
  CHECK(next_free_run(readouts, 20, 100) == 40);
  CHECK(next_free_run(readouts, 40, 60) == 60);
  CHECK(next_free_run(readouts, 70, 100) == 100);
}

}  // namespace
