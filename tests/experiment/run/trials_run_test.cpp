// SPDX-License-Identifier: MIT
/// \file
/// Runs over several trials, and what labels and targets may not change.
#include <cmath>
#include <optional>
#include <string>

#include "../../../src/core/random.h"
#include "../../../src/experiment/run/apply.h"
#include "../../io/write_npy.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"
#include "../../support/long_tests.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr int kTrialSteps = 150;

/// Rows t = first ... of two waves with noise and of a class that follows from them.
std::string rows_of(int first, int count, const std::string& last_class = "") {
  const RandomStream noise{9, 1};
  std::string rows;
  for (int t = first; t < first + count; ++t) {
    const auto row = static_cast<std::uint64_t>(2 * t);
    const bool is_fast = t / 25 % 2 == 1;
    const double a = std::sin((is_fast ? 0.9 : 0.2) * t) +
                     0.002 * static_cast<double>(noise.integer(row, 101) - 50);
    const double b =
        std::cos(0.31 * t) + 0.002 * static_cast<double>(noise.integer(row + 1, 101) - 50);
    const bool is_last = !last_class.empty() && t >= first + count - 40;
    rows += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a * b) + "," +
            (is_last   ? last_class
             : is_fast ? "fast"
                       : "slow") +
            "\n";
  }
  return rows;
}

const std::string kHeader = "a,b,product,state\n";

std::string hierarchy(const std::string& from = "") {
  return "hierarchy:\n" + (from.empty() ? "" : "  from: " + from + "\n") +
         "  levels:\n    - layers:\n"
         "        - {type: temporal, size: 5, leak: 0.4}\n"
         "        - {type: hebbian, size: 4, rule: bcm, learning_rate: 0.002,\n"
         "           normalization: max_norm}\n"
         "    - temporal_resolution: 7\n      pooling: ema\n"
         "      layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.01}]\n";
}

const std::string kReadouts =
    "readouts:\n"
    "  - {name: both, target: {channel: [a, b], horizon: 2}, levels: [0, 1],\n"
    "     split: {train: 0.5, validation: 0.2, test: 0.3}}\n"
    "  - {name: product, target: {column: product}, levels: [0], folds: 3}\n"
    "  - {name: state, type: logistic, target: {label: true}, levels: [0, 1]}\n"
    "  - {name: live, type: online, target: {channel: a, horizon: 3}, levels: [0]}\n"
    "  - {name: moved, target: {channel: [b, a], horizon: 4, change: true}, levels: [0, 1]}\n"
    "  - {name: drifting, type: online, target: {column: product, horizon: 2, change: true},\n"
    "     levels: [0]}\n"
    "  - {name: parted, target: {channel: a, horizon: 2, change: true}, levels: [0], folds: 3}\n"
    "  - {name: rebuilt, type: anomaly, levels: [0, 1], normal: slow}\n"
    "  - {name: far, type: anomaly, score: mahalanobis, levels: [0, 1], normal: slow}\n"
    "  - {name: next, type: anomaly, score: forecast, levels: [0], normal: slow}\n";

std::string experiment(const std::string& data, const std::string& from = "") {
  return "experiment: trials\nseed: 3\ndata:\n  {source: file, " + data +
         ", columns: [a, b], targets: [product], labels: state}\n" + hierarchy(from);
}

}  // namespace

FOLDER_TEST_CASE("trials in one run are runs that begin with each other, bit for bit") {
  for (int k = 0; k < 3; ++k) {
    folder.write("t" + std::to_string(k) + ".csv", kHeader + rows_of(1000 * k, kTrialSteps));
  }
  const auto run = [&](const std::string& yaml, const std::string& result) {
    return datasets_of(result_of_text(folder, yaml, {}, result));
  };
  const Datasets joined = run(experiment("path: \"t*.csv\""), "joined.h5");
  CHECK(joined.at("/data/trial_start") == std::vector<double>{0.0, 150.0, 300.0});
  std::string before;
  for (int k = 0; k < 3; ++k) {
    const std::string name = "r" + std::to_string(k) + ".h5";
    const Datasets alone = run(experiment("path: t" + std::to_string(k) + ".csv", before), name);
    before = name;
    for (const std::string level : {"/levels/0/", "/levels/1/"}) {
      const std::vector<double>& part = alone.at(level + "representation");
      const std::vector<double>& whole = joined.at(level + "representation");
      REQUIRE(whole.size() == 3 * part.size());
      const auto begin = whole.begin() + k * static_cast<std::ptrdiff_t>(part.size());
      INFO(level << " trial " << k);
      CHECK(same_bits(part, {begin, begin + static_cast<std::ptrdiff_t>(part.size())}));
    }
    if (k < 2) continue;
    for (const char* const name_of :
         {"/levels/0/layers/1/weights", "/levels/0/layers/1/memory/theta",
          "/levels/1/layers/0/weights"}) {
      INFO(name_of);
      CHECK(same_bits(alone.at(name_of), joined.at(name_of)));
    }
  }
  // Ticks count from the start of each trial: 22 of 150 steps every 7.
  CHECK(joined.at("/levels/1/step")[21] == 147.0);
  CHECK(joined.at("/levels/1/step")[22] == 150.0);
}

TEST_CASE("a run over trials with every kind of readout goes on bit for bit where it was cut") {
  const Cuts cuts(experiment("path: d.csv, trials: {length: 120}") + kReadouts +
                  "  - {name: trial, target: {column: product, per: trial}, levels: [0]}\n"
                  "controls: [frozen, same_past]\ncheckpoint: {every: 50}\n");
  cuts.folder().write("d.csv", kHeader + rows_of(0, 1200));
  cuts.check_goes_on_after(few_or_many<std::set<std::int64_t>>(
      {250, 700, 1150}, {50, 250, 400, 500, 700, 850, 1050, 1150}));
}

TEST_CASE("a label that only the test part has changes nothing but the scores of labels") {
  const auto run = [](const std::string& last_class) {
    const Cuts cuts(experiment("path: d.csv") + kReadouts);
    cuts.folder().write("d.csv", kHeader + rows_of(0, 600, last_class));
    cuts.run("r");
    return std::pair(datasets_of(cuts.result("r")), scores_of(cuts.result("r")));
  };
  auto [plain, plain_scores] = run("");
  auto [planted, planted_scores] = run("alien");
  // Its name sorts before the others, so that their numbers move.
  const auto drop_labels = [](Datasets& all) {
    std::erase_if(all, [](const auto& one) {
      const std::string& name = one.first;
      const bool is_state = name.starts_with("/readouts/state");
      // Labels are the truth that anomalies are scored by, as a whole and without each block.
      const bool is_truth = name.ends_with("/target") || name.find("@auc") != std::string::npos ||
                            name.find("@baseline_auc") != std::string::npos ||
                            name.ends_with("auc_roc_without_block") ||
                            name.find("/windows/") != std::string::npos;
      const bool is_anomaly = name.starts_with("/readouts/rebuilt") ||
                              name.starts_with("/readouts/far") ||
                              name.starts_with("/readouts/next");
      return is_state || (is_anomaly && is_truth);
    });
  };
  const std::vector<double> before = plain.at("/readouts/state/probability");
  const std::vector<double> after = planted.at("/readouts/state/probability");
  REQUIRE(before.size() / 2 == after.size() / 3);
  for (std::size_t row = 0; row < before.size() / 2; ++row) {
    CHECK(after[3 * row] == 0.0);  // of a class that it was not trained on
    CHECK(after[3 * row + 1] == before[2 * row]);
    CHECK(after[3 * row + 2] == before[2 * row + 1]);
  }
  // The forty ticks of the new class are errors.
  CHECK(planted_scores.at("/readouts/state@accuracy").front() <
        plain_scores.at("/readouts/state@accuracy").front());
  for (Datasets* const all : {&plain, &planted, &plain_scores, &planted_scores}) drop_labels(*all);
  check_same_datasets(plain, planted);
  check_same_datasets(plain_scores, planted_scores);
}

TEST_CASE("classes keep their names where a readout is applied to others, or to none") {
  const Cuts cuts(
      "experiment: e\ndata: {source: file, path: d.csv, columns: [a, b], labels: state}\n" +
      hierarchy() +
      "readouts: [{name: state, type: logistic, target: {label: true}, levels: [0]}]\n");
  cuts.folder().write("d.csv", kHeader + rows_of(0, 600));
  cuts.run("r");
  const auto apply_to = [&](const std::string& text) {
    const std::string data = cuts.folder().write("new.csv", text);
    const LogCapture log;
    Experiment applied =
        application_of(cuts.result("r"), {.data = data, .output = cuts.folder().path("a.h5")});
    const HierarchySummary summary = run_hierarchy(applied, {.overwrite = true});
    return std::pair(datasets_of(cuts.folder().path("a.h5")), summary.readouts[0].score);
  };
  const auto [same, known] = apply_to(kHeader + rows_of(0, 600));
  std::string renamed = kHeader + rows_of(0, 600);
  for (std::size_t at = 0; (at = renamed.find("slow", at)) != std::string::npos;) {
    renamed.replace(at, 4, "odd");  // which sorts between the others
  }
  const auto [other, unknown] = apply_to(renamed);
  const std::vector<double>& probability = same.at("/readouts/state/probability");
  REQUIRE(probability.size() == 1200);
  for (std::size_t row = 0; row < 600; ++row) {
    CHECK(other.at("/readouts/state/probability")[3 * row] == probability[2 * row]);
    CHECK(other.at("/readouts/state/probability")[3 * row + 2] == 0.0);
  }
  std::optional<hdf5::File> file = hdf5::File::open(cuts.folder().path("a.h5"));
  CHECK(file->open_group("readouts/state").texts_attribute("classes") ==
        std::vector<std::string>{"fast", "slow", "odd"});
  file.reset();
  // What is fast is reported as before, and what is odd never.
  const std::vector<double>& truth = other.at("/readouts/state/target");
  const std::vector<double>& told = other.at("/readouts/state/prediction");
  double right = 0.0;
  for (std::size_t row = 0; row < 600; ++row) {
    CHECK(truth[row] == (same.at("/readouts/state/target")[row] == 0.0 ? 0.0 : 2.0));
    right += truth[row] == told[row] ? 1.0 : 0.0;
  }
  CHECK(unknown.accuracy == Approx(right / 600.0));
  CHECK(unknown.accuracy < known.accuracy);
  const auto [bare, undefined] = apply_to("a,b\n0.1,0.2\n0.3,0.1\n0.2,0.5\n");
  CHECK(bare.at("/readouts/state/target") == std::vector<double>(3, -1.0));
  CHECK_FALSE(undefined.undefined.empty());
}

TEST_CASE("a forecast of changes: persistence where nothing may be learnt, applied up to the end") {
  const auto readout = [](const std::string& target, const std::string& ridge) {
    return "  - {name: r" + ridge + ", target: " + target + ", levels: [0], ridge: " + ridge +
           "}\n";
  };
  const std::string change = "{channel: [a, b], horizon: 5, change: true}";
  const Cuts cuts(experiment("path: d.csv") + "readouts:\n" + readout(change, "1e-6") +
                  readout(change, "1e9") + "output: {inputs: all}\n");
  cuts.folder().write("d.csv", kHeader + rows_of(0, 600));
  cuts.run("r");
  const Datasets run = datasets_of(cuts.result("r"));
  const Datasets scores = scores_of(cuts.result("r"));
  const std::vector<double>& samples = run.at("/data/samples");
  const std::vector<double>& steps = run.at("/readouts/r1e9/step");
  const std::vector<double>& predictions = run.at("/readouts/r1e9/prediction");
  const std::vector<double>& targets = run.at("/readouts/r1e9/target");
  REQUIRE(predictions.size() == 2 * steps.size());
  const auto value = [&](std::size_t step, std::size_t channel) {
    return samples[2 * step + channel];
  };
  // The mean change over the ticks that are trained on: those before the first that is predicted,
  // but for the purge, in which rows (the window and one tick of the level, 1 + 1) or targets (5
  // ahead, and a change that begins now: 1) reach what is scored.
  const std::size_t purge = std::max(1 + 1, 1) + 5;
  const std::size_t trained = static_cast<std::size_t>(steps.front()) - purge;
  for (std::size_t channel = 0; channel < 2; ++channel) {
    double drift = 0.0;
    double mean = 0.0;
    for (std::size_t t = 0; t < trained; ++t) {
      drift += (value(t + 5, channel) - value(t, channel)) / static_cast<double>(trained);
      mean += value(t + 5, channel) / static_cast<double>(trained);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto step = static_cast<std::size_t>(steps[i]);
      CHECK(predictions[2 * i + channel] == Approx(value(step, channel) + drift).margin(1e-5));
      CHECK(targets[2 * i + channel] == Approx(value(step + 5, channel)).margin(1e-9));
    }
    CHECK(run.at("/readouts/r1e9/target_mean")[channel] == Approx(mean).margin(1e-9));
  }
  CHECK(scores.at("/readouts/r1e9@r2").front() ==
        Approx(scores.at("/readouts/r1e9@baseline_r2").front()).margin(1e-3));
  CHECK(scores.at("/readouts/r1e-6@r2").front() > scores.at("/readouts/r1e9@r2").front() + 0.3);
  // The application says as much, and more: at the end the target is not known.
  Experiment applied = application_of(cuts.result("r"), {.data = cuts.folder().path("d.csv"),
                                                         .output = cuts.folder().path("a.h5")});
  run_hierarchy(applied, {.overwrite = true});
  const Datasets later = datasets_of(cuts.folder().path("a.h5"));
  const std::vector<double>& again = later.at("/readouts/r1e9/prediction");
  REQUIRE(again.size() == 1200);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto place = 2 * static_cast<std::size_t>(steps.front()) + i;
    CHECK(again[place] == Approx(predictions[i]).margin(1e-5));
  }
  CHECK(std::isfinite(again.back()));
  CHECK(std::isnan(later.at("/readouts/r1e9/target").back()));
}
