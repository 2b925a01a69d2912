// SPDX-License-Identifier: MIT
/// \file
/// What an estimate says of readouts, by work that differs many times over.
#include "../../../src/experiment/run/readout_trial.h"

#include <string>
#include <vector>

#include "../../../src/experiment/run/estimate.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

/// A wide layer over a short series, so that readouts of its neurons are nearly all of the work.
const std::string kWide =
    "experiment: wide\n"
    "data: {source: generator, kind: gaussian, spectrum: [2, 1, 0.5, 0.4], steps: 1200}\n"
    "hierarchy:\n"
    "  learn: false\n"
    "  levels:\n"
    "    - layers:\n"
    "        - {type: reactive, size: 300, activation: tanh}\n"
    "readouts:\n"
    "  - {name: one, target: {latent: 0}, levels: [0]}\n";

double seconds(const TempDir& folder, const std::vector<std::string>& set) {
  std::vector<std::string> all = {"device=cpu"};
  all.insert(all.end(), set.begin(), set.end());
  const Experiment experiment = load_experiment(folder.write("e.yaml", kWide), {.set = all});
  return readout_seconds(experiment);
}

}  // namespace

TEST_CASE("an estimate counts what readouts are trained on") {
  const TempDir folder;
  const double one = seconds(folder, {"controls=[]"});
  CHECK(one > 0.0);
  CHECK(seconds(folder, {"readouts=[]"}) == 0.0);
  // Twenty trainings on nearly all rows, and one on all of them, in place of one on most of them.
  CHECK(seconds(folder, {"controls=[]", "readouts[0].folds=20"}) > 5.0 * one);
  // Each of a reservoir's variants has a readout of its own.
  CHECK(seconds(folder, {"controls=[reservoir]"}) > 1.5 * one);
  const Experiment experiment =
      load_experiment(folder.path("e.yaml"), {.set = {"device=cpu", "controls=[]"}});
  CHECK(estimate_run(experiment, true).seconds > one / 4.0);
}

TEST_CASE("an estimate of many rows goes on from those that were tried") {
  const TempDir folder;
  const double few = seconds(folder, {"controls=[]"});
  const double many = seconds(folder, {"controls=[]", "data.steps=4000000"});
  CHECK(many > 200.0 * few);
  CHECK(many < 1e6 * few);
}

TEST_CASE("readouts of every kind are tried, and the run finds everything as it was") {
  const TempDir folder;
  const std::string all =
      "[{name: one, target: {latent: 0}, levels: [0], split: 0.5},"
      " {name: on, type: online, target: {latent: 0}, levels: [0], split: 0.5},"
      " {name: two, target: {latent: 1}, levels: [0], split: 0.5},"
      " {name: odd, type: anomaly, levels: [0], train: 0.5},"
      " {name: watch, type: change, of: levels, levels: [0]},"
      " {name: both, type: matching, target: {latent: [0, 1]}, levels: [0], split: 0.5}]";
  const auto load = [&](const std::string& output) {
    return load_experiment(folder.write("e.yaml", kWide),
                           {.set = {"device=cpu", "readouts=" + all, "data.steps=600"},
                            .output = folder.path(output)});
  };
  Experiment tried = load("tried.h5");
  CHECK(readout_seconds(tried) > 0.0);
  Experiment untried = load("untried.h5");
  CHECK(run_hierarchy(tried).readouts.front().score.own().value ==
        run_hierarchy(untried).readouts.front().score.own().value);
}
