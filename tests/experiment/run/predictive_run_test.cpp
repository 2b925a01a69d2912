// SPDX-License-Identifier: MIT
/// \file
/// Experiments whose layers are stacks of predictive coding: cut and resumed, side by side,
/// applied, reported, and what their files hold. tests/experiment/recompute_predictive.py computes
/// such runs anew from their files.
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/core/text.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../../src/experiment/run/replica_runs.h"
#include "../../../src/report/report.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../applied_series.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Three channels with the sign of the first as a label, sometimes none, and two targets.
std::string table(std::int64_t count) {
  std::string text = "a,b,c,state,force,angle\n";
  for (std::int64_t t = 0; const std::vector<double>& row : rows(count)) {
    for (const double x : row) text += number_text(x) + ",";
    text += t % 7 == 3 ? "," : row[0] > 5.0 ? "high," : row[1] > 0.0 ? "up," : "low,";
    text += number_text(0.1 * row[0] * row[1]) + ",";
    if (t % 11 != 5) text += number_text(row[2] + 3.0);
    text += "\n";
    ++t;
  }
  return text;
}

std::string predictive(const std::string& when = "settle", const std::string& dtype = "float32",
                       int batch = 7) {
  return "experiment: predictive\nseed: 5\ndtype: " + dtype +
         "\ndata:\n"
         "  {source: file, path: data.csv, columns: [a, b, c], labels: state,\n"
         "   targets: [force, angle], window: 2, normalize: zscore}\n"
         "hierarchy:\n  freeze_after: 350\n"
         "  schedule: {half_life: 300}\n"
         "  levels:\n    - layers:\n"
         "        - {type: predictive, sizes: [6, 5, 3], learning_rate: 0.05, iterations: 6,\n"
         "           learn_when: " +
         when + ", batch: " + std::to_string(batch) +
         "}\n"
         "    - temporal_resolution: 3\n      pooling: mean\n      layers:\n"
         "        - {type: predictive, sizes: [4, 2], activation: relu, variance: 2,\n"
         "           top: target, target: [angle, force], learn_when: " +
         when +
         "}\n"
         "output: {inputs: all, weights: {every: 90}}\n";
}

const std::string kScored =
    "readouts:\n"
    "  - {name: state, type: naming, by: majority, target: {label: true}, levels: [0],\n"
    "     skip: 0.5}\n"
    "  - {name: ahead, target: {channel: 0, horizon: 1}, levels: [0, 1]}\n"
    "checkpoint: {every: 37}\n";

const std::string kFirst = "/levels/0/layers/0/";
const std::string kSecond = "/levels/1/layers/0/";

/// Runs of an experiment beside its data.
struct Runs : Cuts {
  explicit Runs(const std::string& text) : Cuts(text) { folder().write("data.csv", table(kRows)); }
};

}  // namespace

TEST_CASE("predictive layers go on bit for bit where the run was cut, on any threads") {
  for (const char* const when : {"settle", "exact"}) {
    INFO(when);
    const Runs cuts(predictive(when) + kScored);
    cuts.check_goes_on_after({37, 111, 222, 370});
    cuts.check_same_on_any_threads();
  }
}

TEST_CASE("a file holds all weights of predictive layers, their history, and the executor") {
  const Runs cuts(predictive("settle", "float64") + kScored);
  cuts.run("r");
  const Datasets found = datasets_of(cuts.result("r"));
  const std::vector<std::size_t> sizes = {6 * 6, 6 * 5, 5 * 3};
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    const std::string number = std::to_string(l + 1);
    INFO(number);
    const std::vector<double>& last = found.at(kFirst + "weights/" + number);
    const std::vector<double>& first = found.at(kFirst + "weights_initial/" + number);
    CHECK(last.size() == sizes[l]);
    CHECK(first.size() == sizes[l]);
    CHECK(first != last);
    // Steps 0, 90, 180, 270 and 360, behind which nothing learns any more.
    const std::vector<double>& history = found.at(kFirst + "history/weights/" + number);
    REQUIRE(history.size() == 5 * sizes[l]);
    const auto row = static_cast<std::ptrdiff_t>(sizes[l]);
    CHECK(std::vector(history.begin(), history.begin() + row) == first);
    CHECK(std::vector(history.end() - row, history.end()) == last);
    CHECK(found.contains(kFirst + "history/bias/" + number));
  }
  CHECK(found.at(kFirst + "bias/3").size() == 3);
  CHECK_FALSE(found.contains(kFirst + "weights/4"));
  CHECK_FALSE(found.contains(kFirst + "weights"));  // which is a group
  const hdf5::File file = hdf5::File::open(cuts.result("r"));
  for (const char* const layer : {"levels/0/layers/0", "levels/1/layers/0"}) {
    const hdf5::Group group = file.open_group(layer);
    CHECK(group.text_attribute("type") == "predictive");
    CHECK(group.text_attribute("rule_class") == "matrix");
    CHECK(group.text_attribute("executor") == "chunkwise");
  }
  CHECK(file.open_group("levels/0/layers/0").texts_attribute("classes") ==
        std::vector<std::string>{"high", "low", "up"});
  // The length of all weights of the level has a metric as those of other layers have.
  CHECK(found.at("/metrics/weight_norm").back() > 0.0);
}

TEST_CASE("predictive layers give the same under both executors, up to rounding") {
  for (const int batch : {1, 7, 40}) {
    const Runs chunks(predictive("settle", "float64", batch));
    chunks.run("r");
    const Runs steps(replaced(predictive("settle", "float64", batch), "hierarchy:\n",
                              "hierarchy:\n  executor: stepwise\n"));
    steps.run("r");
    const Datasets expected = datasets_of(steps.result("r"));
    const Datasets got = datasets_of(chunks.result("r"));
    for (const std::string& name :
         {kFirst + "weights/1", kFirst + "weights/3", kSecond + "weights/1", kSecond + "bias/2",
          std::string("/levels/0/representation"), std::string("/levels/1/representation")}) {
      INFO(batch << " " << name);
      REQUIRE(got.at(name).size() == expected.at(name).size());
      double worst = 0.0;
      for (std::size_t i = 0; i < got.at(name).size(); ++i) {
        worst = std::max(worst, std::abs(got.at(name)[i] - expected.at(name)[i]));
      }
      CHECK(worst < 1e-11);
    }
    CHECK(hdf5::File::open(steps.result("r"))
              .open_group("levels/0/layers/0")
              .text_attribute("executor") == "stepwise");
  }
}

TEST_CASE("a check of an experiment tells how its predictive layers learn") {
  const Runs cuts(predictive());
  const std::vector<RuleEstimate> rules = estimate_run(cuts.load("r"), false).rules;
  REQUIRE(rules.size() == 2);
  CHECK(rules[1].layer == "hierarchy.levels[1].layers[0]");
  CHECK(rules[1].rule == "predictive");
  CHECK(rules[1].execution.text() ==
        "class matrix: dw of the first weights is x times a number, chunkwise");
}

TEST_CASE("a run from another begins with all weights of its predictive layers") {
  const Runs first(predictive());
  first.run("r");
  const Datasets learnt = datasets_of(first.result("r"));
  const std::string from = "hierarchy:\n  from: " + first.result("r") + "\n";
  const Runs next(replaced(predictive(), "hierarchy:\n", from));
  next.run("r");
  const Datasets found = datasets_of(next.result("r"));
  for (const std::string& layer : {kFirst, kSecond}) {
    for (const char* const number : {"1", "2"}) {
      INFO(layer << number);
      CHECK(found.at(layer + "weights_initial/" + number) ==
            learnt.at(layer + "weights/" + number));
    }
  }
  const auto complaint = [&](const std::string& now, const std::string& instead) {
    const Runs other(replaced(replaced(predictive(), now, instead), "hierarchy:\n", from));
    return complaint_of<ConfigError>([&] { other.load("r"); });
  };
  CHECK_SAYS(complaint("[6, 5, 3]", "[6, 4, 3]"), "hierarchy.levels[0].layers[0]",
             "its weights/2 are [4, 6]", "[5, 6]");
  CHECK_SAYS(complaint("[6, 5, 3]", "[6, 5, 4, 3]"), "has no weights/4");
}

TEST_CASE("a result with predictive layers is applied to data without labels and targets") {
  const Runs trained(predictive("settle", "float64"));
  trained.run("r");
  const std::string data =
      trained.folder().write("new.csv", csv(rows(kRows), {0, 1, 2}, {"a", "b", "c"}));
  Experiment experiment = application_of(
      trained.result("r"), {.data = data, .output = trained.folder().path("applied.h5")});
  CHECK(run_hierarchy(experiment).status == RunStatus::complete);
  const Datasets before = datasets_of(trained.result("r"));
  const Datasets after = datasets_of(trained.folder().path("applied.h5"));
  for (const std::string& part : {kFirst + "weights/1", kFirst + "weights/3", kSecond + "bias/1"}) {
    INFO(part);
    CHECK(same_bits(after.at(part), before.at(part)));
  }
  // Both answer the same where the weights were at rest; a block's rows decide the rounding.
  const std::vector<double>& then = before.at("/levels/0/representation");
  const std::vector<double>& now = after.at("/levels/0/representation");
  REQUIRE(now.size() == then.size());
  for (std::size_t i = 350 * 3; i < then.size(); ++i) CHECK(std::abs(now[i] - then[i]) < 1e-12);
}

TEST_CASE("predictive layers run side by side as alone") {
  std::vector<Experiment> together;
  std::vector<Datasets> alone;
  const Runs folder(predictive());
  for (const int seed : {5, 6, 7}) {
    const std::string text = replaced(predictive(), "seed: 5", "seed: " + std::to_string(seed));
    const Runs one(text);
    one.run("r");
    alone.push_back(datasets_of(one.result("r")));
    const std::string name = std::to_string(seed);
    together.push_back(load_experiment(folder.folder().write(name + ".yaml", text),
                                       {.set = {"device=cpu"}, .output = folder.result(name)}));
  }
  CHECK(alone[0].at(kFirst + "weights/1") != alone[1].at(kFirst + "weights/1"));
  const std::vector<RunOutcome> outcomes =
      run_replicas(together, std::vector<RunOptions>(together.size()));
  for (std::size_t i = 0; i < alone.size(); ++i) {
    REQUIRE(outcomes[i].summary);
    check_same_datasets(alone[i], datasets_of(outcomes[i].summary->file));
  }
}

TEST_CASE("a report shows every matrix of weights of a predictive layer") {
  const Runs cuts(predictive() + kScored);
  cuts.run("r");
  const std::string page = report_page({cuts.result("r")});
  for (const char* const name :
       {"level 0, layer 0: predictive, weights/1", "level 0, layer 0: predictive, weights/3",
        "level 1, layer 0: predictive, weights/2"}) {
    CHECK_SAYS(page, name);
  }
  CHECK_THAT(page, !ContainsSubstring("level 1, layer 0: predictive, weights/3"));
}

TEST_CASE("what is wrong with a predictive layer is told by its key") {
  const auto check = [](const std::string& from, const std::string& to,
                        const std::vector<std::string>& texts, const std::string& more = "") {
    const Runs cuts(replaced(predictive(), from, to) + more);
    const std::string told = complaint_of<ConfigError>([&] { cuts.load("r"); });
    for (const std::string& text : texts) CHECK_SAYS(told, text);
  };
  const std::string first = "hierarchy.levels[0].layers[0].";
  const std::string second = "hierarchy.levels[1].layers[0].";
  check("sizes: [6, 5, 3], ", "", {first + "sizes"});
  check("[6, 5, 3]", "[6, 0, 3]", {first + "sizes", "an integer from 1 to 1000000", "1 error,"});
  check("[6, 5, 3]", "[]", {first + "sizes"});
  check("iterations: 6", "iterations: -1", {first + "iterations"});
  check("iterations: 6", "step: 0", {first + "step"});
  check("variance: 2", "variance: 0", {second + "variance"});
  check("activation: relu", "activation: softmax", {second + "activation", "relu"});
  check("learn_when: settle", "learn_when: now", {first + "learn_when", "settle", "exact"});
  check("batch: 7", "batch: 0", {first + "batch"});
  check("batch: 7", "bath: 7", {first + "bath", "batch"});
  check("iterations: 6", "size: 3", {first + "size"});
  check("iterations: 6", "rule: oja", {first + "rule"});
  // The top: a neuron for each class, a column for each neuron.
  check("[6, 5, 3]", "[6, 5, 2]", {first + "top", "3 classes", "write 3 as the last of sizes"});
  check(", labels: state", "", {first + "top", "no labels (data.labels)"});
  check("[angle, force]", "angle", {second + "target", "1 columns", "the last of sizes is 2"});
  check("[angle, force]", "[angel, force]", {second + "target", "'angel'", "angle"});
  check(", target: [angle, force]", "", {second + "target"});
  check("top: target, ", "", {second + "top", "3 classes"});  // as `label`, the default
  // What is rebuilt needs one matrix of weights.
  check("seed: 5", "seed: 6",
        {"readouts[0].score", "one matrix of weights", "level 1 has one of type predictive"},
        "readouts:\n"
        "  - {name: odd, type: anomaly, score: reconstruction, levels: [1], normal: high}\n");
}
