// SPDX-License-Identifier: MIT
/// \file
/// Runs of temporal layers that learn, of levels at a phase and of pooling legendre: cut and resumed,
/// by either executor, and what experiments may not say.
#include <cmath>
#include <map>
#include <string>

#include "../../../src/core/random.h"
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
    const double drawn = 0.002 * static_cast<double>(noise.integer(static_cast<std::uint64_t>(t), 101) - 50);
    const double a = std::sin(0.3 * t) + drawn;
    const double b = std::cos(0.17 * t) - drawn;
    rows += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a * b) + "\n";
  }
  return rows;
}

std::string learning_reservoir(const std::string& executor = "chunkwise",
                               const std::string& layer = "", const std::string& level = "") {
  return "experiment: temporal_rules\nseed: 3\ndtype: float64\n"
         "data: {source: file, path: d.csv, columns: [a, b], targets: [wanted], trials: {length: 60}}\n"
         "hierarchy:\n"
         "  executor: " + executor + "\n"
         "  levels:\n"
         "    - temporal_resolution: 2\n"
         "      phase: 1\n"
         "      layers:\n"
         "        - type: temporal\n"
         "          size: 6\n"
         "          leak: 0.5\n"
         "          time_window: 3\n"
         "          input: {rule: intrinsic_plasticity, learning_rate: 0.01}\n"
         "          recurrent:\n"
         "            hold_spectral_radius: 11\n"
         "            rule:\n"
         "              equations: |\n"
         "                m = m + (y - m)/tau\n"
         "                de = -e/4 + y*pre\n"
         "                dw = rate*(z - m)*x + rate*gain*e\n"
         "              parameters: {rate: 0.004, tau: 6}\n"
         "              traces: {pre: tau}\n"
         "              signals: {gain: wanted}\n" + layer +
         "    - temporal_resolution: 4\n"
         "      pooling: {legendre: 3}\n" + level +
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
  cuts.check_goes_on_after({33, 60, 119});
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

TEST_CASE("Experiments say what a temporal layer, a phase and a window may not be") {
  const auto complaint = [](const std::string& layer, const std::string& level) {
    const Cuts cuts(learning_reservoir("chunkwise", layer, level));
    cuts.folder().write("d.csv", waves_csv());
    return complaint_of<ConfigError>([&] { cuts.load("r"); });
  };
  CHECK_THAT(complaint("", "      phase: 4\n"),
             Catch::Matchers::ContainsSubstring("must be below temporal_resolution, which is 4"));
  std::string large = learning_reservoir();
  large.replace(large.find("legendre: 3"), 11, "legendre: 5");
  const Cuts cuts(large);
  cuts.folder().write("d.csv", waves_csv());
  CHECK_THAT(complaint_of<ConfigError>([&] { cuts.load("r"); }),
             Catch::Matchers::ContainsSubstring("a window of 4 steps has at most 4 numbers"));
  std::string says = learning_reservoir();
  says.replace(says.find("m = m + (y - m)/tau"), 19, "y = tanh(m)\n                m = z/tau");
  const Cuts other(says);
  other.folder().write("d.csv", waves_csv());
  CHECK_THAT(complaint_of<ConfigError>([&] { other.load("r"); }),
             Catch::Matchers::ContainsSubstring("the rule says y"));
}
