// SPDX-License-Identifier: MIT
/// \file
/// Runs of temporal layers that learn, of levels at a phase and of pooling legendre: cut and
/// resumed, by either executor, side by side, applied to other data, and what experiments may not
/// say.
#include <cmath>
#include <map>
#include <string>

#include "../../../src/core/random.h"
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/replica_runs.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::string waves_csv() {
  const RandomStream noise{6, 1};
  std::string rows = "a,b,wanted\n";
  for (int t = 0; t < 240; ++t) {
    const double drawn =
        0.002 * static_cast<double>(noise.integer(static_cast<std::uint64_t>(t), 101) - 50);
    const double a = std::sin(0.3 * t) + drawn;
    const double b = std::cos(0.17 * t) - drawn;
    rows += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a * b) + "\n";
  }
  return rows;
}

std::string learning_reservoir(const std::string& executor = "chunkwise",
                               const std::string& layer = "", const std::string& level = "") {
  return "experiment: temporal_rules\nseed: 3\ndtype: float64\n"
         "data: {source: file, path: d.csv, columns: [a, b], targets: [wanted], trials: {length: "
         "60}}\n"
         "hierarchy:\n"
         "  executor: " +
         executor +
         "\n"
         "  levels:\n    - temporal_resolution: 2\n"
         "      phase: 1\n"
         "      layers:\n        - type: temporal\n          size: 6\n"
         "          leak: 0.5\n"
         "          time_window: 3\n"
         "          input: {rule: intrinsic_plasticity, learning_rate: 0.01}\n"
         "          recurrent:\n"
         "            hold_spectral_radius: 11\n"
         "            rule:\n              equations: |\n"
         "                m = m + (y - m)/tau\n"
         "                de = -e/4 + y*pre\n"
         "                dw = rate*(z - m)*x + rate*gain*e\n"
         "              parameters: {rate: 0.004, tau: 6}\n"
         "              traces: {pre: tau}\n"
         "              signals: {gain: wanted}\n" +
         layer +
         "    - temporal_resolution: 4\n"
         "      pooling: {legendre: 3}\n" +
         level +
         "      layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.01}]\n"
         "readouts:\n"
         "  - {name: next, target: {column: wanted, horizon: 1}, levels: [0, 1]}\n"
         "output: {path: r.h5, weights: {every: 40}}\n"
         "checkpoint: {every: 40}\n";
}

}  // namespace

TEST_CASE("A run of a temporal layer that learns goes on from wherever it was killed") {
  const Cuts cuts(learning_reservoir());
  cuts.folder().write("d.csv", waves_csv());
  cuts.check_goes_on_after({40, 60, 80, 160});
  const hdf5::File file = hdf5::File::open(cuts.result("uncut"));
  for (const char* const name :
       {"levels/0/layers/0/recurrent_initial", "levels/0/layers/0/memory/gain",
        "levels/0/layers/0/memory/recurrent_m", "levels/0/layers/0/trace/recurrent_pre",
        "levels/0/layers/0/recurrent_eligibility", "levels/0/layers/0/history/recurrent"}) {
    INFO(name);
    CHECK(file.has_dataset(name));
  }
}

TEST_CASE("Either executor runs a temporal layer that learns to the same bits") {
  std::map<std::string, Datasets> found;
  for (const std::string executor : {"chunkwise", "stepwise"}) {
    std::string yaml = learning_reservoir(executor);
    // The level above, which does not learn, is the same by both.
    yaml.replace(yaml.find("rule: oja, "), 11, "learn: false, rule: oja, ");
    const Cuts cuts(yaml);
    cuts.folder().write("d.csv", waves_csv());
    cuts.run("r");
    found[executor] = datasets_of(cuts.result("r"));
  }
  check_same_datasets(found.at("chunkwise"), found.at("stepwise"));
}

TEST_CASE("Runs of temporal layers that learn leave side by side what each leaves alone") {
  const std::vector<std::vector<std::string>> settings = {
      {}, {"seed=4"}, {"hierarchy.levels[0].layers[0].input.learning_rate=0.02"}};
  const TempDir folder;
  folder.write("d.csv", waves_csv());
  for (const std::string dtype : {"float64", "float32"}) {
    const auto load = [&](std::size_t i, const std::string& place) {
      std::vector<std::string> set = settings[i];
      set.push_back("dtype=" + dtype);
      return load_experiment(
          folder.write("e.yaml", learning_reservoir()),
          {.set = set, .output = folder.path(dtype + place + std::to_string(i) + ".h5")});
    };
    std::vector<Experiment> together;
    for (std::size_t i = 0; i < settings.size(); ++i) together.push_back(load(i, "together"));
    const std::vector<RunOutcome> outcomes =
        run_replicas(together, std::vector<RunOptions>(settings.size()));
    REQUIRE(outcomes.size() == settings.size());
    for (std::size_t i = 0; i < settings.size(); ++i) {
      INFO(dtype << ", number " << i);
      REQUIRE(outcomes[i].summary);
      Experiment alone = load(i, "alone");
      check_same_datasets(datasets_of(run_hierarchy(alone).file),
                          datasets_of(outcomes[i].summary->file));
    }
  }
}

TEST_CASE("A reservoir that has learnt answers other data as it did its own when it was frozen") {
  std::string yaml = learning_reservoir();
  yaml.replace(yaml.find("hierarchy:\n"), 11, "hierarchy:\n  freeze_after: 120\n");
  yaml.replace(yaml.find("levels: [0, 1]}"), 15, "levels: [0, 1], skip: 0.5, split: 0.8}");
  const Cuts cuts(yaml);
  const std::string data = cuts.folder().write("d.csv", waves_csv());
  cuts.run("r");
  const Datasets before = datasets_of(cuts.result("r"));
  Experiment again =
      application_of(cuts.result("r"), {.data = data, .output = cuts.folder().path("applied.h5")});
  run_hierarchy(again);
  const Datasets after = datasets_of(cuts.folder().path("applied.h5"));
  const std::string layer = "/levels/0/layers/0/";
  for (const std::string name : {"weights", "recurrent", "memory/gain", "memory/shift"}) {
    INFO(name);
    CHECK(after.at(layer + name) == before.at(layer + name));
  }
  CHECK(before.at(layer + "recurrent") != before.at(layer + "recurrent_initial"));
  // From step 120 on a trial begins every 60 steps, from the same state in both.
  for (const std::string level : {"/levels/0/", "/levels/1/"}) {
    const std::vector<double>& steps = before.at(level + "step");
    const std::vector<double>& mine = before.at(level + "representation");
    const std::vector<double>& theirs = after.at(level + "representation");
    REQUIRE(after.at(level + "step") == steps);
    const std::size_t size = mine.size() / steps.size();
    double late = 0.0;
    double early = 0.0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      double& most = steps[i / size] >= 120.0 ? late : early;
      most = std::max(most, std::abs(mine[i] - theirs[i]));
    }
    INFO(level);
    CHECK(late < 1e-12);
    CHECK(early > 1e-3);
  }
}

TEST_CASE("A run from another begins with its recurrent weights and its gains") {
  const Cuts first(learning_reservoir());
  first.folder().write("d.csv", waves_csv());
  first.run("r");
  const Datasets before = datasets_of(first.result("r"));
  std::string yaml = learning_reservoir();
  yaml.replace(yaml.find("hierarchy:\n"), 11, "hierarchy:\n  from: " + first.result("r") + "\n");
  const Cuts second(yaml);
  second.folder().write("d.csv", waves_csv());
  second.run("r");
  const Datasets after = datasets_of(second.result("r"));
  const std::string layer = "/levels/0/layers/0/";
  CHECK(after.at(layer + "weights_initial") == before.at(layer + "weights"));
  CHECK(after.at(layer + "recurrent_initial") == before.at(layer + "recurrent"));
  CHECK(after.at(layer + "memory/gain_initial") == before.at(layer + "memory/gain"));
  CHECK(after.at(layer + "memory/shift_initial") == before.at(layer + "memory/shift"));
  // W tells the number of neurons, and R is square: one that does not fit is refused with it.
  std::string larger = yaml;
  larger.replace(larger.find("size: 6"), 7, "size: 7");
  const Cuts third(larger);
  third.folder().write("d.csv", waves_csv());
  CHECK_SAYS(complaint_of<ConfigError>([&] { third.load("r"); }), "its weights are [7, 2]");
}

TEST_CASE("Experiments say what a temporal layer, a phase and a window may not be") {
  const auto complaint = [](const std::string& layer, const std::string& level) {
    const Cuts cuts(learning_reservoir("chunkwise", layer, level));
    cuts.folder().write("d.csv", waves_csv());
    return complaint_of<ConfigError>([&] { cuts.load("r"); });
  };
  CHECK_SAYS(complaint("", "      phase: 4\n"), "must be below temporal_resolution, which is 4");
  std::string large = learning_reservoir();
  large.replace(large.find("legendre: 3"), 11, "legendre: 5");
  const Cuts cuts(large);
  cuts.folder().write("d.csv", waves_csv());
  CHECK_SAYS(complaint_of<ConfigError>([&] { cuts.load("r"); }),
             "a window of 4 steps has at most 4 numbers");
  std::string says = learning_reservoir();
  says.replace(says.find("m = m + (y - m)/tau"), 19, "y = tanh(m)\n                m = z/tau");
  const Cuts other(says);
  other.folder().write("d.csv", waves_csv());
  CHECK_SAYS(complaint_of<ConfigError>([&] { other.load("r"); }), "the rule says y");
  // Keys are those of the rule that is meant.
  std::string constant = learning_reservoir();
  constant.replace(constant.find("hierarchy:\n"), 11, "hierarchy:\n  schedule: {half_life: 100}\n");
  for (const std::string rate : {"rate*gain*e", "rate*(z - m)*x", "rate: 0.004"}) {
    constant.replace(constant.find(rate), 4, "pace");
  }
  const Cuts falling(constant);
  falling.folder().write("d.csv", waves_csv());
  CHECK_SAYS(complaint_of<ConfigError>([&] { falling.load("r"); }),
             "hierarchy.levels[0].layers[0].recurrent.rule.parameters");
  std::string unknown = learning_reservoir();
  unknown.replace(unknown.find("gain: wanted"), 12, "gain: nobody");
  const Cuts lost(unknown);
  lost.folder().write("d.csv", waves_csv());
  CHECK_SAYS(complaint_of<ConfigError>([&] { lost.load("r"); }),
             "hierarchy.levels[0].layers[0].recurrent.rule.signals.gain");
}
