// SPDX-License-Identifier: MIT
/// \file
/// Experiments whose layers have chains behind their weights, and few synapses: cut and resumed,
/// side by side, beside controls, and what their files hold. tests/experiment/recompute_synapses.py
/// computes such runs anew from their files.
#include <algorithm>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "../../../src/experiment/run/replica_runs.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::string synapses(const std::string& by = "products", const std::string& dtype = "float32") {
  return "experiment: synapses\nseed: 5\ndtype: " + dtype +
         "\ndata:\n"
         "  {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 6, noise: 0.1,\n"
         "   steps: 600, window: 2, normalize: zscore}\n"
         "hierarchy:\n  freeze_after: 500\n  levels:\n    - layers:\n        - type: hebbian\n"
         "          size: 7\n"
         "          activation: tanh\n"
         "          rule: {equations: \"dw = rate*y*(x - y*w)\", parameters: {rate: 0.02}}\n"
         "          chain: {length: 5, rate: 0.3}\n"
         "        - {type: hebbian, size: 6, rule: oja, learning_rate: 0.02,\n"
         "           rewire: {density: 0.5, every: 40, by: " +
         by +
         "}}\n"
         "    - temporal_resolution: 3\n      pooling: mean\n      layers:\n"
         "        - type: hebbian\n          size: 4\n"
         "          rule: {equations: \"y = winner(z)\\ndw = rate*y*(x - w)\", parameters: {rate: "
         "0.05}}\n"
         "          chain: {length: 3}\n"
         "          rewire: {density: 0.4, every: 25, by: " +
         by + ", share: 0.3, until: 150}\n" + "output: {inputs: all, weights: {every: 90}}\n";
}

const std::string kScored =
    "readouts:\n"
    "  - {name: ahead, target: {channel: 0, horizon: 1}, levels: [0, 1]}\n"
    "checkpoint: {every: 37}\n";

const std::string kChained = "/levels/0/layers/0/";
const std::string kMasked = "/levels/0/layers/1/";

}  // namespace

TEST_CASE("chains and masks go on bit for bit where the run was cut, on any threads") {
  for (const char* const by : {"products", "random"}) {
    INFO(by);
    const Cuts cuts(synapses(by) + kScored);
    cuts.check_goes_on_after({37, 111, 296, 518});
    cuts.check_same_on_any_threads();
  }
}

TEST_CASE("a file holds chains and masks, and says by which executor the layers ran") {
  const Cuts cuts(synapses());
  cuts.run("r");
  const Datasets found = datasets_of(cuts.result("r"));
  for (int k = 2; k <= 5; ++k) {
    CHECK(found.at(kChained + "chain/u" + std::to_string(k)).size() == 7 * 12);
  }
  CHECK(found.count(kChained + "chain/u6") == 0);
  const auto ones_of = [&](const std::string& name) {
    double sum = 0;
    for (const double x : found.at(name)) sum += x;
    return sum;
  };
  CHECK(ones_of(kMasked + "mask_initial") == 6 * 4);  // round(.5 * 7)
  CHECK(ones_of(kMasked + "mask") == 6 * 4);
  CHECK(found.at(kMasked + "mask") != found.at(kMasked + "mask_initial"));
  for (const char* const when : {"", "_initial"}) {
    const auto& mask = found.at(kMasked + "mask" + when);
    const auto& weights = found.at(kMasked + "weights" + when);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] == 0) CHECK(weights[i] == 0);
    }
  }
  const hdf5::File file = hdf5::File::open(cuts.result("r"));
  CHECK(file.open_group(kChained.substr(1, kChained.size() - 2)).text_attribute("executor") ==
        "chunkwise");
  const hdf5::Group masked = file.open_group(kMasked.substr(1, kMasked.size() - 2));
  CHECK(masked.text_attribute("executor") == "stepwise");
  CHECK(masked.text_attribute("executor_why") ==
        "a mask has a Gram matrix of its own for each neuron");
  CHECK(masked.number_attribute("rewire_density") == 0.5);
}

TEST_CASE("a run from another begins with its chains and masks") {
  const Cuts first(synapses());
  first.run("r");
  const Datasets learnt = datasets_of(first.result("r"));
  const Cuts next(
      replaced(synapses(), "hierarchy:\n", "hierarchy:\n  from: " + first.result("r") + "\n"));
  next.run("r");
  const Datasets found = datasets_of(next.result("r"));
  for (const std::string& name :
       {kChained + "chain/u2", kChained + "chain/u5", kMasked + "mask", kMasked + "weights",
        std::string("/levels/1/layers/0/chain/u3"), std::string("/levels/1/layers/0/mask")}) {
    INFO(name);
    CHECK(found.at(name + "_initial") == learnt.at(name));
  }
}

TEST_CASE("a run with few synapses, from one that had them all, begins with theirs alone") {
  const std::string all =
      std::regex_replace(synapses(), std::regex("rewire: [^}]*[}]"), "rewire: none");
  const Cuts first(all);
  first.run("r");
  const Datasets learnt = datasets_of(first.result("r"));
  // Not even a run that never learns shows the others.
  const Cuts next(replaced(synapses(), "hierarchy:\n",
                           "hierarchy:\n  learn: false\n  from: " + first.result("r") + "\n"));
  next.run("r");
  const Datasets found = datasets_of(next.result("r"));
  const std::string above = "/levels/1/layers/0/";
  for (const auto& [layer, name] : {std::pair(kMasked, "weights"), std::pair(above, "weights"),
                                    std::pair(above, "chain/u2"), std::pair(above, "chain/u3")}) {
    INFO(layer << name);
    const std::vector<double>& mask = found.at(layer + "mask");
    std::vector<double> held = learnt.at(layer + name);
    REQUIRE(std::count(held.begin(), held.end(), 0.0) == 0);
    for (std::size_t i = 0; i < held.size(); ++i) held[i] *= mask[i];
    CHECK(found.at(layer + name) == held);
  }
}

FOLDER_TEST_CASE("layers with chains and masks run side by side as alone") {
  std::vector<Experiment> experiments;
  for (const int seed : {5, 6, 7}) {
    Cuts one(replaced(synapses(), "seed: 5", "seed: " + std::to_string(seed)));
    one.run("r");
    const Datasets alone = datasets_of(one.result("r"));
    // Alone, but among others.
    std::vector<Experiment> together;
    for (const int other : {seed, seed + 1}) {
      const std::string text = replaced(synapses(), "seed: 5", "seed: " + std::to_string(other));
      const std::string name = std::to_string(seed) + "-" + std::to_string(other);
      const std::string path = folder.write(name + ".yaml", text);
      together.push_back(load_experiment(path, {.output = folder.path(name + ".h5")}));
    }
    const std::vector<RunOutcome> outcomes =
        run_replicas(together, std::vector<RunOptions>(together.size()));
    REQUIRE(outcomes[0].summary);
    check_same_datasets(alone, datasets_of(outcomes[0].summary->file));
  }
}

TEST_CASE("what is wrong with a chain or a mask is told by its key") {
  const auto complaint = [](const std::string& from, const std::string& to) {
    const Cuts cuts(replaced(synapses(), from, to));
    return complaint_of<ConfigError>([&] { cuts.load("r"); });
  };
  const auto check = [&](const std::string& from, const std::string& to, const std::string& text) {
    const std::string told = complaint(from, to);
    INFO(told);
    CHECK(told.find(text) != std::string::npos);
  };
  check("chain: {length: 5, rate: 0.3}", "chain: {length: 1}", "layers[0].chain.length");
  check("chain: {length: 5, rate: 0.3}", "chain: {rate: 0.7}", "layers[0].chain.rate");
  check("chain: {length: 5, rate: 0.3}", "chain: {speed: 1}", "speed");
  check("dw = rate*y*(x - y*w)", "m = rate*y", "the equations have no dw");
  check("density: 0.5", "density: 1.5", "layers[1].rewire.density");
  check("by: products}}", "by: size}}", "layers[1].rewire.by");
  check("density: 0.5, ", "", "density");
}
