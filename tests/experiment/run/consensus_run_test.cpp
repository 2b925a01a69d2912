// SPDX-License-Identifier: MIT
/// \file
/// Readouts of one target that are fused, in runs of every sort.
#include <algorithm>
#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/learning/consensus.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Levels of other resolutions, so that their readouts tick together at some of their ticks alone.
const std::string kFused =
    "experiment: fused\nseed: 5\ndtype: float64\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 20, 60], channels: 6,\n"
    "       noise: 0.1, steps: 1200, normalize: zscore}\n"
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 4, rule: sanger, learning_rate: 0.001}]\n"
    "    - {temporal_resolution: 2, layers: [{type: reactive, size: 3, activation: tanh}]}\n"
    "readouts:\n"
    "  - {name: fused, type: consensus, of: [a, b, c]}\n"
    "  - {name: a, target: {channel: [0, 3], horizon: 2}, levels: [0], SPLIT}\n"
    "  - {name: b, target: {channel: [0, 3], horizon: 2}, levels: [1], SPLIT}\n"
    "  - {name: c, target: {channel: [0, 3], horizon: 2, change: true}, levels: [1], SPLIT}\n"
    "controls: [frozen, same_past, window]\n"
    "checkpoint: {every: 200}\n";

std::string with_split(const std::string& split) {
  std::string text = kFused;
  for (int i = 0; i < 3; ++i) text = replaced(text, "SPLIT", split);
  return text;
}

std::string validated() { return with_split("split: {train: 0.5, validation: 0.2, test: 0.3}"); }

std::string refused(const std::string& text) {
  const Cuts cuts(text);
  return complaint_of<ConfigError>([&] { cuts.load("wrong"); });
}

/// The predictions of readout `name` at the steps of `fused`, [ticks, 2].
std::vector<double> at_steps_of(const Datasets& all, const std::string& name,
                                const std::string& what) {
  const std::vector<double>& steps = all.at("/readouts/" + name + "/step");
  const std::vector<double>& values = all.at("/readouts/" + name + "/" + what);
  std::vector<double> found;
  for (const double step : all.at("/readouts/fused/step")) {
    const auto place = std::find(steps.begin(), steps.end(), step);
    REQUIRE(place != steps.end());
    const auto row = static_cast<std::size_t>(place - steps.begin());
    found.push_back(values[2 * row]);
    found.push_back(values[2 * row + 1]);
  }
  return found;
}

/// Checks that the predictions at ticks at which nothing was left out are those by the S of the
/// file.
void check_fused(const Datasets& all) {
  const std::vector<double>& s = all.at("/readouts/fused/error_covariance");
  REQUIRE(s.size() == 36);
  Consensus consensus(s, 3, 2);
  const std::vector<double> a = at_steps_of(all, "a", "prediction");
  const std::vector<double> b = at_steps_of(all, "b", "prediction");
  const std::vector<double> c = at_steps_of(all, "c", "prediction");
  const std::vector<double>& fused = all.at("/readouts/fused/prediction");
  const std::vector<double>& outlier = all.at("/readouts/fused/outlier");
  REQUIRE(fused.size() == a.size());
  REQUIRE(outlier.size() == a.size() / 2 * 3);
  const std::vector<double> target = at_steps_of(all, "a", "target");
  for (std::size_t k = 0; k < target.size(); ++k) {
    const double own = all.at("/readouts/fused/target")[k];
    CHECK((own == target[k] || (std::isnan(own) && std::isnan(target[k]))));
  }
  for (std::size_t k = 0; k < a.size() / 2; ++k) {
    const std::vector<double> m = {a[2 * k],     a[2 * k + 1], b[2 * k],
                                   b[2 * k + 1], c[2 * k],     c[2 * k + 1]};
    const Consensus::Fused expected = consensus.fuse(m);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(fused[2 * k + i] == Approx(expected.mean[i]).epsilon(1e-10).margin(1e-10));
      CHECK(all.at("/readouts/fused/variance")[2 * k + i] ==
            Approx(expected.covariance[3 * i]).epsilon(1e-10));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(outlier[3 * k + i] == static_cast<double>(expected.outlier[i]));
    }
  }
}

/// Mean R2 of the two numbers that `fused` predicts.
double r2_of(const Datasets& all) {
  const std::vector<double>& said = all.at("/readouts/fused/prediction");
  const std::vector<double>& target = all.at("/readouts/fused/target");
  double r2 = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    double error = 0.0;
    double sum = 0.0;
    double square = 0.0;
    for (std::size_t k = i; k < said.size(); k += 2) {
      error += (said[k] - target[k]) * (said[k] - target[k]);
      sum += target[k];
      square += target[k] * target[k];
    }
    r2 += 0.5 * (1.0 - error / (square - sum * sum / static_cast<double>(said.size() / 2)));
  }
  return r2;
}

}  // namespace

TEST_CASE("a consensus fuses what its readouts say at the ticks of all of them") {
  for (const std::string& text : {validated(), with_split("split: 0.6")}) {
    const Cuts cuts(text);
    const HierarchySummary summary = cuts.run("run");
    const Datasets all = datasets_of(cuts.result("run"));
    check_fused(all);
    for (const double step : all.at("/readouts/fused/step")) CHECK(std::fmod(step, 2.0) == 0.0);
    CHECK(all.at("/readouts/fused/fused_covariance").size() == 4);
    CHECK(all.at("/readouts/fused/target_mean").size() == 2);
    const hdf5::File file = hdf5::File::open(cuts.result("run"));
    const hdf5::Group group = file.open_group("readouts/fused");
    CHECK(group.text_attribute("of") == "[a, b, c]");
    CHECK(group.text_attribute("covariance") == "joint");
    CHECK(group.integer_attribute("target_horizon") == 2);
    CHECK(group.number_attribute("r2").value() == Approx(r2_of(all)).epsilon(1e-10));
    // The baseline is the mean of the targets that the first of the readouts was trained on.
    CHECK(group.number_attribute("mean_r2").value() ==
          Approx(file.open_group("readouts/b").number_attribute("mean_r2").value()).margin(0.01));
    CHECK(group.number_attribute("validation_r2").has_value() == (text == validated()));
    // On controls too, but for the one in which all readouts read the same.
    CHECK(file.open_group("readouts/fused/controls").groups() ==
          std::vector<std::string>{"frozen", "same_past"});
    CHECK(file.open_group("readouts/fused/controls/frozen").number_attribute("r2").has_value());
    CHECK_SAYS(summary.text(), "window: all readouts that it fuses would read the same in it");
  }
}

TEST_CASE("readouts are the same whether they are fused or not") {
  const Cuts fused(validated());
  const Cuts alone(
      replaced(validated(), "  - {name: fused, type: consensus, of: [a, b, c]}\n", ""));
  fused.run("run");
  alone.run("run");
  const Datasets with = datasets_of(fused.result("run"));
  for (const auto& [name, values] : datasets_of(alone.result("run"))) {
    if (name.starts_with("/readouts/")) CHECK(with.at(name) == values);
  }
}

TEST_CASE("S is the second moment of the errors on the part that it is measured on") {
  // With folds every tick is predicted by what the others teach, and S is that of the training
  // part.
  const Cuts cuts(replaced(with_split("folds: 4"), "levels: [0]", "levels: [0, 1]"));
  CHECK_SAYS(complaint_of<ConfigError>([&] { cuts.load("wrong"); }), "must tick at the same steps");
  std::string same = with_split("folds: 4");
  for (int i = 0; i < 2; ++i) same = replaced(same, "levels: [1]", "levels: [0, 1]");
  same = replaced(same, "change: true}, levels: [0, 1]", "change: true}, levels: [0]");
  const Cuts folds(same);
  folds.run("run");
  const Datasets all = datasets_of(folds.result("run"));
  CHECK(all.at("/readouts/fused/step") == all.at("/readouts/a/step"));
  const hdf5::File file = hdf5::File::open(folds.result("run"));
  CHECK(file.open_group("readouts/fused").number_attribute("r2").value() > 0.0);
  CHECK(all.at("/readouts/fused/error_covariance").front() > 0.0);
}

TEST_CASE("a consensus comes to the same bytes wherever the run was killed") {
  for (const std::string& text : {validated(), with_split("split: 0.6")}) {
    const Cuts cuts(text);
    cuts.check_goes_on_after({200, 600, 1000});
  }
}

TEST_CASE("a consensus is applied with the covariance that it has measured") {
  const Cuts cuts(validated());
  cuts.run("run");
  std::string csv;
  for (int row = 0; row < 80; ++row) {
    for (int c = 0; c < 6; ++c) {
      csv += std::to_string(std::sin(0.1 * row + c)) + (c < 5 ? "," : "\n");
    }
  }
  const std::string data = cuts.folder().write("new.csv", csv);
  Experiment applied = application_of(cuts.result("run"),
                                      {.data = data, .output = cuts.folder().path("applied.h5")});
  run_hierarchy(applied, {});
  const Datasets all = datasets_of(cuts.folder().path("applied.h5"));
  CHECK(all.at("/readouts/fused/step").size() == 40);
  CHECK(all.at("/readouts/fused/error_covariance") ==
        datasets_of(cuts.result("run")).at("/readouts/fused/error_covariance"));
  check_fused(all);
}

TEST_CASE("S can be given, and then nothing is measured") {
  std::string given = "[";
  for (int i = 0; i < 6; ++i) {
    given += i == 0 ? "[" : ", [";
    for (int j = 0; j < 6; ++j) {
      given += (j == 0 ? "" : ", ") + std::string(i == j ? "0.5" : i % 2 == j % 2 ? "0.25" : "0");
    }
    given += "]";
  }
  given += "]";
  const Cuts cuts(
      replaced(validated(), "of: [a, b, c]}", "of: [a, b, c], error_covariance: " + given + "}"));
  const HierarchySummary summary = cuts.run("run");
  const Datasets all = datasets_of(cuts.result("run"));
  CHECK(all.at("/readouts/fused/error_covariance")[7] == 0.5);
  check_fused(all);
  CHECK_SAYS(summary.text(), "error_covariance is that of the run's own");
}

TEST_CASE("what cannot be fused is told with its key and a way out") {
  const std::string with = "of: [a, b, c]";
  const auto of = [&](const std::string& names) {
    return refused(replaced(validated(), with, names));
  };
  CHECK_SAYS(of("of: [a]"), "readouts[0].of", "at least two");
  CHECK_SAYS(of("of: [a, bb]"), "there is no readout 'bb'");
  CHECK_SAYS(of("of: [a, b, a]"), "'a' stands there twice");
  CHECK_SAYS(of("of: [a, fused]"), "is a consensus itself");
  CHECK_SAYS(of("of: [a, b], levels: [0]"), "levels");
  CHECK_SAYS(
      refused(replaced(validated(), "levels: [0], split", "levels: [0], type: online, split")),
      "learns online", "type ridge");
  CHECK_SAYS(refused(replaced(validated(), "horizon: 2}, levels: [1]", "horizon: 3}, levels: [1]")),
             "'a' and 'b' differ in target.horizon");
  CHECK_SAYS(refused(replaced(validated(), "channel: [0, 3]", "channel: [0, 2]")),
             "differ in target;");
  CHECK_SAYS(of("of: [a, b], error_covariance: [[1, 0], [0, 1]]"),
             "expected [4, 4], for 2 readouts of 2 numbers, got [2, 2]");
  CHECK_SAYS(
      of("of: [a, b], error_covariance: [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]"),
      "singular");
  CHECK_SAYS(of("of: [a, b, c], learn: false"), "take learn: true");
  CHECK_THAT(refused(replaced(validated(), "steps: 1200", "steps: 48")),
             ContainsSubstring("singular") || ContainsSubstring("ticks"));
  const std::string phases = replaced(
      replaced(validated(), "temporal_resolution: 2,", "temporal_resolution: 2, phase: 1,"),
      "levels: [0]", "levels: [1]");
  CHECK_NOTHROW(Cuts(phases).load("same"));
}

TEST_CASE("few errors are warned of, and readouts that say the same end the run") {
  const Cuts few(replaced(validated(), "steps: 1200", "steps: 200"));
  const std::vector<std::string> warnings = few.load("few").warnings;
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& one) {
    return one.find("fewer than 30 (five for each of its rows)") != std::string::npos;
  }));
  const Cuts alike(
      replaced(replaced(validated(), "levels: [0]", "levels: [1]"), ", change: true", ""));
  CHECK_SAYS(complaint_of<DataError>([&] { alike.run("run"); }), "a consensus of a, b, c",
             "singular", "leave out a readout");
}
