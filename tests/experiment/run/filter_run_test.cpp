// SPDX-License-Identifier: MIT
/// \file
/// Experiments whose levels filter: cut and resumed, applied, begun from another, with values that
/// are missing, and what ends them.  tests/experiment/recompute_filters.py computes such runs anew
/// from their files.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/core/text.h"
#include "../../../src/experiment/results/recover.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../applied_series.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Three channels with holes, four trials.
std::string holes(std::int64_t count) {
  std::string text = "a,b,c,run\n";
  for (std::int64_t t = 0; const std::vector<double>& row : rows(count)) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool is_missing = (t + 3 * static_cast<std::int64_t>(c)) % 7 == 0 || t / 5 == 20;
      text += (is_missing ? "" : number_text(row[c])) + ",";
    }
    text += std::to_string(t / 100) + "\n";
    ++t;
  }
  return text;
}

const std::string kFilters =
    "experiment: filters\nseed: 5\n"
    "data:\n"
    "  {source: file, path: data.csv, columns: [a, b, c], trials: {column: run}, missing: keep,\n"
    "   normalize: zscore}\n"
    "hierarchy:\n  freeze_after: 350\n  levels:\n    - layers:\n"
    "        - {type: kalman, model: velocity, adapt: R, smooth: true}\n"
    "    - temporal_resolution: 3\n      pooling: mean\n      layers:\n"
    "        - {type: regimes, models: [{model: level}, {model: level, Q: 2}],\n"
    "           transition: [[0.95, 0.05], [0.1, 0.9]], observes: [0, 2]}\n"
    "        - {type: hebbian, size: 2, rule: oja, learning_rate: 0.01}\n"
    "readouts:\n"
    "  - {name: ahead, target: {channel: 0, horizon: 1}, levels: [0, 1], split: 0.5}\n"
    "output: {inputs: all, weights: {every: 90}}\n"
    "checkpoint: {every: 37}\n";

struct Runs : Cuts {
  explicit Runs(const std::string& text) : Cuts(text) { folder().write("data.csv", holes(kRows)); }
};

std::string filter_complaint(const std::string& now, const std::string& instead) {
  const Runs other(replaced(kFilters, now, instead));
  return complaint_of<ConfigError>([&] { other.load("r"); });
}

}  // namespace

TEST_CASE("levels that filter go on bit for bit where the run was cut, on any threads") {
  const Runs cuts(kFilters);
  cuts.check_goes_on_after({37, 111, 222, 370});
  cuts.check_same_on_any_threads();
}

TEST_CASE(
    "what a killed run has not smoothed is NaN where it is recovered, and made where it goes on") {
  const Runs cuts(kFilters);
  cuts.run_with_kills("r", {222});
  const std::string partial = cuts.result("222") + ".partial";
  CHECK(datasets_of(partial).at("/levels/0/smoothed").empty());
  const Recovered saved = recover_results(partial);
  CHECK(saved.steps > 0);
  const Datasets found = datasets_of(saved.file);
  CHECK(static_cast<std::int64_t>(found.at("/levels/0/mean").size()) == 6 * saved.steps);
  const std::vector<double>& smoothed = found.at("/levels/0/smoothed");
  CHECK(smoothed.size() == found.at("/levels/0/mean").size());
  CHECK(std::all_of(smoothed.begin(), smoothed.end(), [](double x) { return std::isnan(x); }));
  CHECK(datasets_of(cuts.result("r")).at("/levels/0/smoothed").size() ==
        6 * static_cast<std::size_t>(kRows));
}

TEST_CASE("a file says what filters know of each tick, and has their noise") {
  const Runs cuts(kFilters);
  cuts.run("r");
  const Datasets found = datasets_of(cuts.result("r"));
  const auto ticks = static_cast<std::size_t>(kRows);
  CHECK(found.at("/levels/0/log_likelihood").size() == ticks);
  CHECK(found.at("/levels/0/innovation").size() == 3 * ticks);
  CHECK(found.at("/levels/0/covariance").size() == 36 * ticks);
  CHECK(found.at("/levels/0/mean").size() == 6 * ticks);
  CHECK(found.at("/levels/0/smoothed").size() == 6 * ticks);
  CHECK(found.at("/levels/0/smoothed_covariance").size() == 36 * ticks);
  CHECK_FALSE(found.contains("/levels/0/probability"));
  // Ticks of four trials of 100 steps.
  CHECK(found.at("/levels/1/probability").size() == 2 * 4 * 34);
  CHECK_FALSE(found.contains("/levels/1/covariance"));
  // Nothing is observed at tick 100.
  CHECK(found.at("/levels/0/log_likelihood")[100] == 0.0);
  CHECK(std::isnan(found.at("/levels/0/nis")[100]));
  CHECK(std::isnan(found.at("/data/samples")[300]));
  const std::vector<double>& noise = found.at("/levels/0/layers/0/R");
  CHECK(noise.size() == 9);
  CHECK(noise != found.at("/levels/0/layers/0/R_initial"));
  CHECK(found.at("/levels/0/layers/0/Q") == found.at("/levels/0/layers/0/Q_initial"));
  const std::vector<double>& history = found.at("/levels/0/layers/0/history/R");
  REQUIRE(history.size() == 5 * 9);
  CHECK(std::vector(history.end() - 9, history.end()) == noise);
  // The last tick of a trial has nothing behind it.
  for (const std::size_t tick : {99u, 399u}) {
    CHECK(found.at("/levels/0/smoothed")[6 * tick] == found.at("/levels/0/mean")[6 * tick]);
  }
}

TEST_CASE("a run from another, and what is applied, begin with the noise that was found") {
  const Runs first(kFilters);
  first.run("r");
  const std::vector<double> noise = datasets_of(first.result("r")).at("/levels/0/layers/0/R");
  const std::string from = "hierarchy:\n  from: " + first.result("r") + "\n";
  const Runs next(replaced(kFilters, "hierarchy:\n", from));
  next.run("r");
  CHECK(datasets_of(next.result("r")).at("/levels/0/layers/0/R_initial") == noise);
  const Runs other(replaced(replaced(kFilters, "adapt: R", "adapt: Q"), "hierarchy:\n", from));
  CHECK_SAYS(complaint_of<ConfigError>([&] { other.load("r"); }), "adapt: expected R, as that of");

  const std::string data = first.folder().write("new.csv", holes(200));
  Experiment applied = application_of(first.result("r"),
                                      {.data = data, .output = first.folder().path("applied.h5")});
  CHECK(run_hierarchy(applied).status == RunStatus::complete);
  const Datasets found = datasets_of(first.folder().path("applied.h5"));
  CHECK(found.at("/levels/0/layers/0/R") == noise);
  CHECK(found.at("/levels/0/smoothed").size() == 6 * 200);
}

TEST_CASE("what keeps levels from filtering is told before they run, by key") {
  CHECK_SAYS(filter_complaint("type: kalman, model: velocity, adapt: R, smooth: true",
                              "type: reactive, size: 3"),
             "data.missing: keep", "level 0 begins with");
  CHECK_SAYS(filter_complaint("model: velocity", "size: 6, model: velocity"),
             "size: has no place here");
  CHECK_SAYS(filter_complaint("adapt: R", "R: [1, 2]"),
             "levels[0].layers[0].R: expected a number, 3 numbers of a", "got a row of 2");
  CHECK_SAYS(filter_complaint("{model: level, Q: 2}", "{model: level, Q: [[1, 2], [3, 4]]}"),
             "levels[1].layers[0].models[1].Q: expected a covariance");
  CHECK_SAYS(filter_complaint("[0.1, 0.9]", "[0.1, 0.8]"),
             "levels[1].layers[0].transition[1]: expected probabilities");
  CHECK_SAYS(filter_complaint("model: velocity", "model: {A: [[1, 0], [0, 1]], H: [[1, 0]]}"),
             "layers[0].model.H: expected 3 rows");
  CHECK_SAYS(filter_complaint("adapt: R", "Q: -1"), "Q");
  CHECK_SAYS(filter_complaint("output: {", "output: {representations: none, "), "smooth",
             "representations: all");
  CHECK_SAYS(filter_complaint("{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}",
                              "{type: kalman}"),
             "one layer that filters");
}

TEST_CASE("a check tells states and noise of filters, and warns of noise that never adapts") {
  const Runs cuts(kFilters);
  const std::vector<FilterEstimate> filters = estimate_run(cuts.load("r"), false).filters;
  REQUIRE(filters.size() == 2);
  CHECK(filters[0].text() ==
        "kalman velocity adapting R, 6 states of 3 numbers observed; noise Q 0.01, R 1, which "
        "adapts");
  CHECK(filters[1].text() ==
        "regimes level, level, 2 states of 2 numbers observed; noise Q 0.01 or 2, R 1");
  const Runs still(replaced(kFilters, "freeze_after: 350", "learn: false"));
  CHECK_SAYS(still.load("r").warnings.front(), "adapt: the noise stays as it is given");
}

TEST_CASE("a filter that explodes ends the run with level and step, and keeps what was written") {
  const Runs cuts(replaced(replaced(kFilters, "model: velocity, adapt: R, smooth: true",
                                    "model: {A: [[1e3]], H: [[0.0]]}, observes: [0]"),
                           ", observes: [0, 2]", ""));
  CHECK_SAYS(complaint_of<DivergedError>([&] { cuts.run("r"); }),
             "level 0, layer 0 (kalman) cannot go on at step ");
  const Datasets found = datasets_of(cuts.result("r") + ".partial");
  CHECK_FALSE(found.at("/levels/0/representation").empty());
}
