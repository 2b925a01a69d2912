// SPDX-License-Identifier: MIT
/// \file
/// Runs over data with missing values: what fills them is never what a score counts, and none of it
/// is of later rows where the last value is held.
#include <cmath>
#include <random>
#include <vector>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/summary.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/experiment/setup/filled_values.h"
#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"
#include "../../support/special_numbers.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Values = std::vector<double>;

std::string cell(double value) { return std::isnan(value) ? "" : std::to_string(value); }

std::string csv_of(const std::string& header, const std::vector<Values>& columns) {
  std::string text = header + "\n";
  for (std::size_t r = 0; r < columns.front().size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += (c == 0 ? "" : ",") + cell(columns[c][r]);
    }
    text += "\n";
  }
  return text;
}

Values noise(std::size_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  Values values;
  for (std::size_t r = 0; r < rows; ++r) values.push_back(number(random));
  return values;
}

/// Without every other value, the first of them too where `from` is 0.
Values with_gaps(Values values, std::size_t from = 1) {
  for (std::size_t r = from; r < values.size(); r += 2) values[r] = kNaN;
  return values;
}

const std::string kLevel =
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: reactive, size: 12, activation: linear}]\n";

std::string noise_experiment(const std::string& missing, const std::string& target,
                             const std::string& data = "columns: [x]") {
  return "experiment: noise\nseed: 1\ndtype: float64\n"
         "data: {source: file, path: a.csv, window: 6, missing: " +
         missing + ", " + data + "}\n" + kLevel + "readouts:\n  - {name: next, target: {" + target +
         "}, levels: [0]}\n";
}

HierarchySummary run(const TempDir& folder, const std::string& yaml,
                     const std::string& result = "r.h5") {
  return run_text(folder, yaml, {"device=cpu"}, result);
}

double r2_of(const TempDir& folder, const std::string& yaml) {
  return run(folder, yaml).readouts.front().score.r2;
}

}  // namespace

FOLDER_TEST_CASE("noise that is held is not to be forecast, whatever the target") {
  const Values x = noise(4000, 1);
  for (const std::size_t first_gap : {0U, 1U}) {
    CAPTURE(first_gap);
    const Values gaps = with_gaps(x, first_gap);
    folder.write("a.csv", csv_of("x,y", {gaps, gaps}));
    const std::string side = "columns: [x], targets: [y]";
    for (const char* const target :
         {"channel: x, horizon: 1", "channel: x, horizon: 2",
          "channel: x, horizon: 1, change: true", "column: y, horizon: 1"}) {
      CAPTURE(target);
      CHECK(std::abs(r2_of(folder, noise_experiment("hold", target, side))) < 0.03);
    }
    // Every mean over two rows has one that is filled.
    const HierarchySummary none =
        run(folder, noise_experiment("hold", "channel: x, horizon: 2, mean_over: 2", side));
    CHECK(none.readouts.front().score.undefined == "no test ticks");
  }
}

FOLDER_TEST_CASE(
    "a value that fills a gap is no target: not scored, not trained on, NaN in the file") {
  Values x;
  for (int t = 0; t < 600; ++t) x.push_back(std::sin(0.2 * t));
  Values gaps = x;
  for (std::size_t t = 0; t < gaps.size(); t += 3) gaps[t] = kNaN;
  folder.write("a.csv", csv_of("x", {gaps}));
  for (const char* const missing : {"hold", "interpolate"}) {
    CAPTURE(missing);
    const HierarchySummary summary =
        run(folder, noise_experiment(missing, "channel: x, horizon: 1"));
    const Datasets all = datasets_of(summary.file);
    const Values& step = all.at("/readouts/next/step");
    const Values& target = all.at("/readouts/next/target");
    const Values& prediction = all.at("/readouts/next/prediction");
    REQUIRE(step.size() > 150);
    double error = 0.0;
    double mean = 0.0;
    double count = 0.0;
    Values known;
    for (std::size_t i = 0; i < step.size(); ++i) {
      // Step s is the window that ends at row s + 5.
      const double truth = gaps[static_cast<std::size_t>(step[i]) + 6];
      CHECK(std::isnan(target[i]) == std::isnan(truth));
      CHECK(std::isfinite(prediction[i]));
      if (std::isnan(truth)) continue;
      CHECK(target[i] == Approx(truth).margin(1e-5));
      error += std::pow(prediction[i] - target[i], 2);
      mean += target[i];
      count += 1.0;
      known.push_back(target[i]);
    }
    mean /= count;
    double variation = 0.0;
    for (const double y : known) variation += std::pow(y - mean, 2);
    const ReadoutScore& score = summary.readouts.front().score;
    CHECK(score.tested == static_cast<std::int64_t>(count));
    CHECK(score.r2 == Approx(1.0 - error / variation).epsilon(1e-9));
  }
}

FOLDER_TEST_CASE("interpolation looks ahead, and whoever reads the verdict is told so") {
  const Values x = noise(2000, 7);
  folder.write("a.csv", csv_of("x,y", {with_gaps(x), x}));
  const std::string target = "channel: x, horizon: 1";
  const HierarchySummary ahead = run(folder, noise_experiment("interpolate", target), "ahead.h5");
  CHECK(ahead.readouts.front().score.r2 > 0.9);
  CHECK_SAYS(ahead.text(), "warning  readout next of channel 0 (x)");
  CHECK_SAYS(ahead.text(),
             "the inputs look ahead, since missing values are interpolated (data.missing)");
  const auto page_of = [](const HierarchySummary& summary) { return report_page({summary.file}); };
  CHECK_SAYS(page_of(ahead), "Missing values are interpolated, which looks ahead");
  CHECK_SAYS(page_of(ahead), "the inputs look ahead");
  const HierarchySummary held = run(folder, noise_experiment("hold", target));
  CHECK_THAT(held.text(), !ContainsSubstring("look ahead"));
  CHECK_SAYS(page_of(held), "Missing values are held");
  CHECK_THAT(page_of(held), !ContainsSubstring("look ahead"));
  // Without gaps there is nothing to look ahead with.
  const HierarchySummary whole =
      run(folder, noise_experiment("interpolate", "channel: y, horizon: 1", "columns: [y]"));
  CHECK_THAT(whole.text(), !ContainsSubstring("look ahead"));
}

FOLDER_TEST_CASE("what fills the first rows of a trial is the mean of the training part") {
  Values x = noise(300, 3);
  for (std::size_t r = 200; r < 300; ++r) x[r] += 100.0;  // in the test part
  Values y = noise(300, 4);
  for (const std::size_t r : {0U, 1U, 2U, 40U, 41U}) x[r] = kNaN;
  folder.write("a.csv", csv_of("x,y", {x, y}));
  const std::string yaml =
      "experiment: fill\ndtype: float64\n"
      "data: {source: file, path: a.csv, missing: hold}\n" +
      kLevel +
      "readouts:\n  - {name: next, target: {channel: y, horizon: 1}, levels: [0], split: 0.5}\n"
      "output: {inputs: all}\n";
  const HierarchySummary summary = run(folder, yaml);
  // The last of the 149 steps that begin the half of those with a target are purged.
  const std::int64_t trained = hdf5::File::open(summary.file)
                                   .open_group("readouts/next")
                                   .integer_attribute("training_ticks")
                                   .value_or(0);
  REQUIRE(trained > 140);
  REQUIRE(trained <= 149);
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(trained); ++r) {
    if (std::isnan(x[r])) continue;
    sum += std::stod(std::to_string(x[r]));
    count += 1.0;
  }
  const Datasets all = datasets_of(summary.file);
  const Values& samples = all.at("/data/samples");
  CHECK(samples[0] == Approx(sum / count).epsilon(1e-12));
  CHECK(samples[2] == samples[0]);
  CHECK(samples[4] == samples[0]);
  CHECK(samples[2 * 40] == samples[2 * 39]);
  CHECK(samples[2 * 41] == samples[2 * 39]);
  CHECK(all.at("/data/fill")[0] == samples[0]);
  CHECK(all.at("/data/filled_share")[0] == Approx(5.0 / 300.0));
  CHECK(all.at("/data/filled_share")[1] == 0.0);
  CHECK(all.at("/data/longest_gap") == Values{3, 0});
  CHECK(hdf5::File::open(summary.file).open_group("data").text_attribute("missing") == "hold");
}

FOLDER_TEST_CASE(
    "no row after the training part changes what a run that holds has said before it") {
  const std::size_t rows = 400;
  const std::size_t changed_from = 300;
  for (unsigned seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::bernoulli_distribution is_missing(0.2 + 0.25 * seed);
    std::vector<Values> table = {noise(rows, 10 + seed), noise(rows, 20 + seed)};
    std::vector<Values> other = {noise(rows, 30 + seed), noise(rows, 40 + seed)};
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t r = 0; r < rows; ++r) {
        if (is_missing(random)) table[c][r] = kNaN;
        if (r < changed_from) {
          other[c][r] = table[c][r];
        } else if (is_missing(random)) {
          other[c][r] = kNaN;
        }
      }
    }
    const std::string yaml =
        "experiment: causal\nseed: 2\n"
        "data: {source: file, path: a.csv, missing: hold, window: 2}\n"
        "hierarchy:\n  levels:\n"
        "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]\n"
        "    - temporal_resolution: 4\n      pooling: mean\n"
        "      layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]\n"
        "readouts:\n"
        "  - {name: next, target: {channel: a, horizon: 1}, levels: [0, 1], split: 0.5}\n"
        "  - {name: live, type: online, target: {channel: b, horizon: 2}, levels: [0],\n"
        "     split: 0.5}\n"
        "controls: [frozen, same_past, pca, reservoir, window]\n"
        "output: {inputs: all}\n";
    folder.write("a.csv", csv_of("a,b", table));
    const Datasets before = datasets_of(run(folder, yaml, "before.h5").file);
    folder.write("a.csv", csv_of("a,b", other));
    const Datasets after = datasets_of(run(folder, yaml, "after.h5").file);
    const auto same_until = [&](const std::string& name, std::size_t count) {
      INFO(name);
      REQUIRE(before.at(name).size() >= count);
      const auto at = static_cast<std::ptrdiff_t>(count);
      CHECK(same_bits({before.at(name).begin(), before.at(name).begin() + at},
                      {after.at(name).begin(), after.at(name).begin() + at}));
    };
    same_until("/data/samples", 4 * (changed_from - 1));
    same_until("/levels/0/representation", 2 * (changed_from - 1));
    for (const std::string readout : {"next", "live"}) {
      const Values& step = before.at("/readouts/" + readout + "/step");
      std::size_t count = 0;
      // The window that ends at row s + 1.
      while (count < step.size() && step[count] + 1 < static_cast<double>(changed_from)) ++count;
      REQUIRE(count > 50);
      same_until("/readouts/" + readout + "/prediction", count);
    }
  }
}

TEST_CASE("a run over gaps that are held goes on bit for bit where it was cut") {
  std::vector<Values> table = {noise(1200, 1), noise(1200, 2)};
  std::mt19937 random(5);
  for (Values& column : table) {
    for (double& value : column) {
      if (random() % 4 == 0) value = kNaN;
    }
  }
  table[0][0] = table[0][1] = table[1][120] = kNaN;
  const Cuts cuts(
      "experiment: cut\nseed: 3\n"
      "data: {source: file, path: d.csv, missing: hold, normalize: zscore,\n"
      "       trials: {length: 120}}\n"
      "hierarchy:\n  levels:\n"
      "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]\n"
      "readouts:\n"
      "  - {name: next, target: {channel: a, horizon: 1}, levels: [0]}\n"
      "  - {name: moved, target: {channel: [a, b], horizon: 2, change: true}, levels: [0]}\n"
      "  - {name: live, type: online, target: {channel: a, horizon: 3}, levels: [0]}\n"
      "  - {name: parted, target: {channel: b, horizon: 2}, levels: [0], folds: 3}\n"
      "checkpoint: {every: 50}\n");
  cuts.folder().write("d.csv", csv_of("a,b", table));
  cuts.check_goes_on_after({50, 250, 500, 850, 1150});
}

FOLDER_TEST_CASE(
    "what is applied fills by what the training had there, whatever the new data are") {
  Values x = noise(300, 8);
  x[0] = kNaN;
  folder.write("a.csv", csv_of("x", {x}));
  const std::string yaml =
      "experiment: applied\ndtype: float64\n"
      "data: {source: file, path: a.csv, missing: hold}\n" +
      kLevel +
      "readouts:\n  - {name: next, target: {channel: x, horizon: 1}, levels: "
      "[0]}\noutput: {inputs: all}\n";
  const HierarchySummary trained = run(folder, yaml);
  const double fill = datasets_of(trained.file).at("/data/fill").front();
  Values other = noise(100, 9);
  for (double& value : other) value += 1000.0;
  other[0] = other[1] = kNaN;
  folder.write("b.csv", csv_of("x", {other}));
  Experiment applied = application_of(
      trained.file, {.data = folder.path("b.csv"), .output = folder.path("applied.h5")});
  const Datasets all = datasets_of(run_hierarchy(applied).file);
  CHECK(all.at("/data/samples")[1] == fill);
  CHECK(all.at("/data/samples")[2] == Approx(other[2]).epsilon(1e-9));
  CHECK(all.at("/data/fill").front() == fill);

  // Trained without gaps, and without moments, nothing is known of such rows.
  folder.write("a.csv", csv_of("x", {noise(300, 8)}));
  const std::string whole =
      yaml.substr(0, yaml.find(", missing: hold")) + "}\n" + yaml.substr(yaml.find("hierarchy:"));
  const HierarchySummary plain = run(folder, whole);
  Experiment unknown = application_of(plain.file, {.data = folder.path("b.csv"),
                                                   .missing = MissingPolicy::hold,
                                                   .output = folder.path("unknown.h5")});
  REQUIRE(!unknown.warnings.empty());
  CHECK_SAYS(unknown.warnings.front(), "0 stands before the first value");
  CHECK(datasets_of(run_hierarchy(unknown).file).at("/data/samples")[0] == 0.0);
}

FOLDER_TEST_CASE("a check and a warning say how much is filled, and how long the longest gap is") {
  Values x(1000, kNaN);
  for (std::size_t r = 0; r < 1000; r += 10) x[r] = std::sin(0.1 * static_cast<double>(r));
  for (std::size_t r = 500; r < 550; ++r) x[r] = kNaN;
  folder.write("a.csv", csv_of("x,y", {x, noise(1000, 1)}));
  const auto load = [&](const std::string& missing) {
    return load_text(folder,
                     noise_experiment(missing, "channel: y, horizon: 1", "columns: [x, y]"));
  };
  for (const std::string missing : {"hold", "interpolate"}) {
    const Experiment experiment = load(missing);
    REQUIRE(experiment.warnings.size() == 1);
    CHECK_SAYS(experiment.warnings.front(),
               "data.missing: more than a tenth of the values is missing and filled (" + missing +
                   ") in 1 of 2 channels: 'x' 90.5 % (at most 59 rows on end)");
    CHECK_SAYS(opening_text(experiment), "'x' 90.5 % (at most 59 rows on end)");
    CHECK(filled_values(experiment).looks_ahead() == (missing == "interpolate"));
  }
}

FOLDER_TEST_CASE("a missing value that a rule reads as a signal is an error, with any policy") {
  Values y = noise(200, 2);
  y[120] = kNaN;
  folder.write("a.csv", csv_of("x,y", {with_gaps(noise(200, 1)), y}));
  for (const std::string missing : {"hold", "interpolate"}) {
    Experiment experiment =
        load_text(folder,
                  "experiment: signal\n"
                  "data: {source: file, path: a.csv, columns: [x], targets: [y], missing: " +
                      missing +
                      "}\n"
                      "hierarchy:\n  levels:\n    - layers:\n"
                      "        - type: hebbian\n          size: 1\n"
                      "          rule: {equations: \"dw = 0.001 * reward * x\",\n"
                      "                 signals: {reward: y}}\n",
                  {}, missing + ".h5");
    const std::string error = complaint_of<ArgumentError>([&] { run_hierarchy(experiment); });
    CHECK_SAYS(error, "the signal reward has no value in column 'y'");
  }
}

FOLDER_TEST_CASE("an anomaly is not scored where nothing of the row was measured") {
  Values x = noise(400, 1);
  Values y = noise(400, 2);
  std::string text = "x,y,state\n";
  for (std::size_t r = 0; r < 400; ++r) {
    if (r % 4 == 1) x[r] = kNaN;
    if (r % 8 == 1) y[r] = kNaN;
    const bool is_odd = r % 10 == 7;
    text += cell(x[r]) + "," + cell(y[r]) + (is_odd ? ",odd\n" : ",usual\n");
  }
  folder.write("a.csv", text);
  const HierarchySummary summary = run(
      folder, "experiment: odd\ndata: {source: file, path: a.csv, labels: state, missing: hold}\n" +
                  kLevel +
                  "readouts:\n  - {name: alarm, type: anomaly, score: mahalanobis, levels: "
                  "[0], train: 0.5, normal: usual}\n");
  const Datasets all = datasets_of(summary.file);
  const Values& step = all.at("/readouts/alarm/step");
  const Values& target = all.at("/readouts/alarm/target");
  for (std::size_t i = 0; i < step.size(); ++i) {
    const auto row = static_cast<std::size_t>(step[i]);
    CHECK(target[i] == (row % 8 == 1 ? -1.0 : row % 10 == 7 ? 1.0 : 0.0));
  }
  CHECK(summary.readouts.front().score.tested ==
        std::count_if(target.begin(), target.end(), [](double one) { return one >= 0.0; }));
}

FOLDER_TEST_CASE("a network is neither trained on what fills a gap nor scored by it") {
  const Values x = with_gaps(noise(1500, 6));
  folder.write("a.csv", csv_of("x", {x}));
  const std::string yaml =
      "experiment: net\ndtype: float64\n"
      "data: {source: file, path: a.csv, window: 4, missing: hold}\n"
      "network:\n  target: {channel: 0, horizon: 1}\n  split: 0.5\n  epochs: 2\n"
      "  batch_size: 32\n  optimizer: {type: sgd, learning_rate: 0.01}\n"
      "  layers:\n    - {type: flatten}\n    - {type: dense, size: 1}\n";
  const TrainingSummary summary = train_text(folder, yaml, {"device=cpu"});
  // Samples with a target are 1496; those whose target row is even have one that was measured.
  CHECK(summary.train_samples + summary.test_samples <= 748);
  CHECK(summary.train_samples > 360);
  CHECK(summary.test_samples > 360);
  CHECK(std::abs(summary.score.r2) < 0.1);
  const Datasets all = datasets_of(folder.path("r.h5"));
  const Values& step = all.at("/test/step");
  const Values& target = all.at("/test/target");
  REQUIRE(step.size() == static_cast<std::size_t>(summary.test_samples));
  for (std::size_t i = 0; i < step.size(); ++i) {
    CHECK(target[i] == Approx(x[static_cast<std::size_t>(step[i]) + 1]).margin(1e-5));
  }
  // In a file of one column, an empty line at the end is no row.
  CHECK(all.at("/data/filled_share").front() == 749.0 / 1499.0);
  CHECK_THAT(summary.text(), !ContainsSubstring("look ahead"));
  Experiment ahead = load_experiment(
      folder.path("e.yaml"),
      {.set = {"device=cpu", "data.missing=interpolate"}, .output = folder.path("ahead.h5")});
  CHECK_SAYS(train_network(ahead).text(), "the inputs look ahead");
}
