// SPDX-License-Identifier: MIT
/// \file
/// Experiments whose neurons are connected to each other: cut and resumed, side by side, in
/// trials and batches of streams, beside controls, from a run that has learnt, and what their files
/// hold.  tests/python/package/lateral_elsewhere_test.py computes such runs anew from their files.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../../src/experiment/run/replica_runs.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A triangle below, neurons that settle and neurons whose connections are given above it.
std::string laterals(const std::string& dtype = "float32") {
  return "experiment: laterals\nseed: 5\ndtype: " + dtype +
         "\ndata:\n"
         "  {source: generator, kind: bars, size: 4, probability: 0.25, steps: 600,\n"
         "   normalize: none}\n"
         "hierarchy:\n  freeze_after: 500\n"
         "  schedule: {tenth_after: 300}\n"
         "  levels:\n    - layers:\n"
         "        - {type: hebbian, size: 6, rule: oja, learning_rate: 0.01, activation: tanh,\n"
         "           lateral: {form: triangle, rule: apex}}\n"
         "    - temporal_resolution: 2\n      pooling: mean\n      layers:\n"
         "        - type: hebbian\n          size: 5\n"
         "          rule: {equations: \"dw = rate*y*(x - w)\", parameters: {rate: 0.05}}\n"
         "          init: positive\n"
         "          lateral: {form: settle, threshold: 0.3, settle_first: 40}\n"
         "    - layers:\n"
         "        - {type: hebbian, size: 2, rule: hebbian, learning_rate: 0.01,\n"
         "           normalization: max_norm,\n"
         "           lateral: {form: solve, weights: [[0, -0.5], [0.25, 0]]}}\n"
         "output: {inputs: all, weights: {every: 90}}\n";
}

const std::string kReadAhead =
    "readouts:\n"
    "  - {name: ahead, target: {channel: 0, horizon: 1}, levels: [0, 1]}\n"
    "checkpoint: {every: 37}\n";

const std::string kTriangle = "/levels/0/layers/0/";
const std::string kSettle = "/levels/1/layers/0/";
const std::string kSolve = "/levels/2/layers/0/";

/// The largest |x|.
double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

TEST_CASE("lateral connections go on bit for bit where the run was cut, on any threads") {
  for (const char* const dtype : {"float32", "float64"}) {
    INFO(dtype);
    const Cuts cuts(laterals(dtype) + kReadAhead);
    // Within and behind the ticks of thresholds alone, behind the fall of the rates, while frozen.
    cuts.check_goes_on_after({37, 111, 333, 518});
    const Datasets uncut = datasets_of(cuts.result("uncut"));
    CHECK(largest(uncut.at(kTriangle + "lateral/weights")) > 0.01);
    CHECK(largest(uncut.at(kSettle + "lateral/weights")) > 0.01);
    cuts.check_same_on_any_threads();
  }
}

TEST_CASE("a file holds lateral connections and thresholds, and their keys") {
  const Cuts cuts(laterals());
  cuts.run("r");
  const Datasets found = datasets_of(cuts.result("r"));
  const std::vector<double>& triangle = found.at(kTriangle + "lateral/weights");
  REQUIRE(triangle.size() == 36);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = i; k < 6; ++k) CHECK(triangle[6 * i + k] == 0.0);
  }
  const std::vector<double>& settle = found.at(kSettle + "lateral/weights");
  REQUIRE(settle.size() == 25);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(settle[6 * i] == 0.0);
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(settle[5 * i + k] <= 0.0);
      CHECK(settle[5 * i + k] == settle[5 * k + i]);
    }
  }
  for (const std::string& path : {kTriangle, kSettle}) {
    CHECK(largest(found.at(path + "lateral/weights")) > 0.01);
    CHECK(largest(found.at(path + "lateral/weights_initial")) == 0.0);
  }
  CHECK(found.at(kSettle + "lateral/threshold").size() == 5);
  CHECK(found.count(kTriangle + "lateral/threshold") == 0);
  CHECK(found.at(kSolve + "lateral/weights") == std::vector<double>{0, -0.5, 0.25, 0});
  const hdf5::File file = hdf5::File::open(cuts.result("r"));
  const hdf5::Group group = file.open_group("levels/0/layers/0");
  CHECK(group.text_attribute("lateral_form") == "triangle");
  CHECK(group.text_attribute("executor") == "chunkwise");
}

TEST_CASE("a run from another begins with its connections, thresholds and answers") {
  const Cuts first(laterals("float64"));
  first.run("r");
  const Datasets learnt = datasets_of(first.result("r"));
  // Connections that are given are those of the run, not those of the file of keys.
  const std::string other =
      replaced(laterals("float64"), "[[0, -0.5], [0.25, 0]]", "[[0, 0.9], [0.9, 0]]");
  const Cuts next(replaced(other, "hierarchy:\n",
                           "hierarchy:\n  learn: false\n  from: " + first.result("r") + "\n"));
  next.run("r");
  const Datasets found = datasets_of(next.result("r"));
  for (const std::string& name :
       {kTriangle + "weights", kTriangle + "lateral/weights", kSettle + "lateral/weights",
        kSettle + "lateral/threshold", kSolve + "lateral/weights"}) {
    INFO(name);
    CHECK(found.at(name) == learnt.at(name));
  }
  // Steps 500 and later of the first run are frozen too; level 2 ticks at every step.
  const std::vector<double>& before = learnt.at("/levels/2/representation");
  const std::vector<double>& after = found.at("/levels/2/representation");
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 2 * 502; i < after.size(); ++i) {
    CHECK(after[i] == Approx(before[i]).margin(1e-12));
  }
  CHECK(largest({before.begin() + 2 * 502, before.end()}) > 0.01);
}

TEST_CASE("a run with connections, from one without them, begins with its weights and no others") {
  const Cuts plain(replaced(laterals(), ",\n           lateral: {form: triangle, rule: apex}", ""));
  plain.run("r");
  const Cuts next(
      replaced(laterals(), "hierarchy:\n", "hierarchy:\n  from: " + plain.result("r") + "\n"));
  next.run("r");
  const Datasets found = datasets_of(next.result("r"));
  CHECK(found.at(kTriangle + "weights_initial") ==
        datasets_of(plain.result("r")).at(kTriangle + "weights"));
  CHECK(largest(found.at(kTriangle + "lateral/weights_initial")) == 0.0);
  CHECK(largest(found.at(kTriangle + "lateral/weights")) > 0.01);
}

TEST_CASE("what has learnt is applied with its connections") {
  const Cuts cuts(laterals("float64") + kReadAhead);
  cuts.run("r");
  const Datasets learnt = datasets_of(cuts.result("r"));
  const std::vector<double>& x = learnt.at("/data/samples");
  std::string rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    rows += std::to_string(static_cast<int>(x[i])) + (i % 16 == 15 ? "\n" : ",");
  }
  const std::string applied = cuts.folder().path("applied.h5");
  Experiment again = application_of(
      cuts.result("r"), {.data = cuts.folder().write("bars.csv", rows), .output = applied});
  run_hierarchy(again);
  const Datasets found = datasets_of(applied);
  const std::vector<double>& before = learnt.at("/levels/0/representation");
  const std::vector<double>& after = found.at("/levels/0/representation");
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 6 * 500; i < after.size(); ++i) {
    CHECK(after[i] == Approx(before[i]).margin(1e-12));
  }
}

FOLDER_TEST_CASE("layers with lateral connections run side by side as alone") {
  std::vector<Experiment> together;
  std::vector<Datasets> alone;
  for (const int seed : {5, 6, 7}) {
    const std::string text = replaced(laterals(), "seed: 5", "seed: " + std::to_string(seed));
    const Cuts one(text);
    one.run("r");
    alone.push_back(datasets_of(one.result("r")));
    const std::string path = folder.write(std::to_string(seed) + ".yaml", text);
    together.push_back(
        load_experiment(path, {.output = folder.path(std::to_string(seed) + ".h5")}));
  }
  const std::vector<RunOutcome> outcomes =
      run_replicas(together, std::vector<RunOptions>(together.size()));
  for (std::size_t r = 0; r < alone.size(); ++r) {
    REQUIRE(outcomes[r].summary);
    check_same_datasets(alone[r], datasets_of(outcomes[r].summary->file));
  }
  CHECK_FALSE(alone[0].at(kSettle + "lateral/weights") == alone[1].at(kSettle + "lateral/weights"));
}

TEST_CASE("the frozen control of connected neurons is a run that never learns") {
  const Cuts learning(laterals() + kReadAhead);
  learning.run("r");
  const Cuts still(replaced(laterals(), "hierarchy:\n", "hierarchy:\n  learn: false\n") +
                   kReadAhead);
  still.run("r");
  const Datasets found = datasets_of(still.result("r"));
  CHECK(largest(found.at(kTriangle + "lateral/weights")) == 0.0);
  for (const double theta : found.at(kSettle + "lateral/threshold")) {
    CHECK(theta == Approx(0.3).epsilon(1e-6));
  }
  const Datasets scores = scores_of(learning.result("r"));
  // Blocks of other lengths round otherwise.
  const double frozen = scores.at("/readouts/ahead/controls/frozen@r2")[0];
  CHECK(frozen == Approx(scores_of(still.result("r")).at("/readouts/ahead@r2")[0]).epsilon(1e-4));
  CHECK(std::abs(frozen - scores.at("/readouts/ahead@r2")[0]) > 1e-3);
}

TEST_CASE("an estimate says that connected neurons compute on the CPU beside a GPU") {
  RuleExecution told{"matrix", "a sum", "chunkwise", ""};
  told.tell_host();
  CHECK(told.text() ==
        "class matrix: a sum, chunkwise: on the CPU, where neurons that are connected to each "
        "other answer");
  const Cuts cuts(laterals());
  const Estimate estimate = estimate_run(cuts.load("r"), false);
  REQUIRE(estimate.rules.size() == 3);
  for (const RuleEstimate& rule : estimate.rules) {
    CHECK(rule.is_on_host);
    CHECK(rule.execution.executor_why.empty());  // a run on the CPU needs no such word
  }
}

TEST_CASE("what is wrong with lateral connections is told by key and line") {
  const auto check = [&](const std::string& from, const std::string& to,
                         const std::vector<std::string>& texts) {
    const Cuts cuts(replaced(laterals(), from, to));
    const std::string told = complaint_of<ConfigError>([&] { cuts.load("r"); });
    INFO(to << "\n" << told);
    for (const std::string& text : texts) CHECK(told.find(text) != std::string::npos);
  };
  check("activation: tanh", "activation: softmax",
        {"e.yaml:13:", "levels[0].layers[0].lateral.form", "softmax does not"});
  check("init: positive\n", "init: positive\n          activation: tanh\n",
        {"e.yaml:22:", "levels[1].layers[0].lateral.form",
         "settle is of linear neurons with a function of its own, got activation tanh"});
  check("[[0, -0.5], [0.25, 0]]", "[[0, -0.5]]",
        {"e.yaml:25:", "lateral.weights", "expected 1 numbers in each list"});
  check("[[0, -0.5], [0.25, 0]]", "[[0, 1], [1, 0]]", {"lateral.weights", "has no inverse"});
  check(", weights: [[0, -0.5], [0.25, 0]]", "", {"lateral.weights", "got none"});
  check("dw = rate*y*(x - w)", "y = z\\ndw = rate*y*(x - w)",
        {"levels[1].layers[0].lateral", "have no effect"});
  check("rule: oja, learning_rate: 0.01,", "rule: {equations: \"dw = .1*y*x\"},",
        {"levels[0].layers[0].lateral", "rate_lateral"});
  check("form: settle", "form: settled", {"lateral.form", "settle"});
  check("settle_first: 40", "settle_first: -1", {"lateral.settle_first"});
  check("rule: apex", "rule: foldiak", {"lateral.rule", "rubner_tavan"});
  check("lateral: {form: triangle, rule: apex}",
        "lateral: {form: triangle}, top_down: {from: 1, as: bias}",
        {"levels[0].layers[0].lateral", "no place beside top_down"});
}
