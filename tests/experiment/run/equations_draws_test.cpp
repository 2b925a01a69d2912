// SPDX-License-Identifier: MIT
/// \file
/// Experiments whose rules draw: the numbers by seed and place, trials and epochs, runs that are
/// cut and resumed, runs from others and `gaia apply`.
#include <cmath>
#include <string>

#include "../../../src/experiment/run/apply.h"
#include "../../learning/equation_draws.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Level 0 answers by draws alone, level 1 by two layers that learn from them.
std::string experiment(const std::string& more = "", int seed = 5) {
  return "experiment: chance\nseed: " + std::to_string(seed) +
         "\ndtype: float64\n"
         "data: {source: file, path: d.csv, trials: {length: 60}}\n"
         "hierarchy:\n  freeze_after: 200\n  levels:\n    - layers:\n        - type: hebbian\n"
         "          size: 5\n          rule:\n            equations: |\n"
         "              kept = normal()\n"
         "              y = uniform()\n"
         "              dw = 0.01*kept*x\n"
         "    - temporal_resolution: 3\n      layers:\n        - type: hebbian\n          size: 4\n"
         "          rule: {equations: \"y = tanh(z) + 0.1*normal()\\ndw = 0.02*uniform()*(x - "
         "w)\"}\n"
         "        - type: hebbian\n          size: 3\n"
         "          rule: {equations: \"y = normal()\"}\n"
         "output: {inputs: all, weights: {every: 70}}\n" +
         more;
}

/// Runs of it, with its data beside it.
class Runs : public Cuts {
 public:
  explicit Runs(const std::string& text) : Cuts(text) {
    std::string csv = "a,b,c\n";
    for (int t = 0; t < 240; ++t) {
      csv += std::to_string(std::sin(0.1 * t)) + "," + std::to_string(std::cos(0.23 * t)) + "," +
             std::to_string(std::sin(0.7 * t)) + "\n";
    }
    folder().write("d.csv", csv);
  }
};

const std::string kReadoutsAndCuts =
    "readouts:\n"
    "  - {name: ahead, target: {channel: 0, horizon: 1}, levels: [0, 1]}\n"
    "controls: [frozen]\n"
    "checkpoint: {every: 30}\n";

DrawsOfLayer draws_at(int seed, const std::string& place) {
  return DrawsOfLayer(RandomStream::named(static_cast<std::uint64_t>(seed), place + "/weights"));
}

/// Whether a layer that answers uniform() as its second call has so answered.
void check_uniform(const Numbers& found, const DrawsOfLayer& draws, int neurons) {
  REQUIRE(!found.empty());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto n = static_cast<std::size_t>(neurons);
    CAPTURE(k);
    REQUIRE(found[k] ==
            draws.uniform(1, 0, static_cast<std::int64_t>(k / n), static_cast<int>(k % n)));
  }
}

}  // namespace

TEST_CASE("An experiment draws by its seed and the place of each layer, on through trials") {
  const Runs runs(experiment());
  REQUIRE(runs.run("r").status == RunStatus::complete);
  const Datasets file = datasets_of(runs.result("r"));
  check_uniform(file.at("/levels/0/representation"), draws_at(5, "levels/0/layers/0"), 5);
  const Numbers& normal = file.at("/levels/1/representation");
  const DrawsOfLayer draws = draws_at(5, "levels/1/layers/1");
  REQUIRE(normal.size() == 80 * 3);
  for (std::size_t k = 0; k < normal.size(); ++k) {
    const double expected =
        draws.normal(0, 0, static_cast<std::int64_t>(k / 3), static_cast<int>(k % 3));
    CHECK(std::abs(normal[k] - expected) < 1e-13);
  }
}

TEST_CASE("Runs that draw, cut and resumed, come to the same bytes") {
  const Runs runs(experiment(kReadoutsAndCuts));
  // In and between trials, and where nothing learns any more.
  runs.check_goes_on_after({30, 90, 120, 210});
}

TEST_CASE("Runs that draw over several epochs, cut and resumed, come to the same bytes") {
  std::string text = experiment(kReadoutsAndCuts);
  text.replace(text.find("hierarchy:\n"), 11, "hierarchy:\n  epochs: 3\n");
  text.replace(text.find("freeze_after: 200"), 17, "freeze_after: 700");
  const Runs runs(text);
  runs.check_goes_on_after({30, 300, 570});
  // No epoch has the numbers of another.
  const Numbers last = datasets_of(runs.result("uncut")).at("/levels/0/representation");
  CHECK(last[0] == draws_at(5, "levels/0/layers/0").uniform(1, 0, 480, 0));
}

TEST_CASE("A run from another draws by its own seed from tick 0 on") {
  const Runs runs(experiment());
  runs.run("r");
  std::string text = experiment("", 11);
  text.replace(text.find("hierarchy:\n"), 11, "hierarchy:\n  from: " + runs.result("r") + "\n");
  const Runs later(text);
  REQUIRE(later.run("r").status == RunStatus::complete);
  check_uniform(datasets_of(later.result("r")).at("/levels/0/representation"),
                draws_at(11, "levels/0/layers/0"), 5);
}

TEST_CASE("What is applied draws by the seed that it was trained with, from tick 0 on") {
  const Runs runs(experiment());
  runs.run("r");
  const std::string output = runs.folder().path("applied.h5");
  Experiment applied = application_of(
      runs.result("r"), {.data = runs.folder().path("d.csv"), .steps = 100, .output = output});
  REQUIRE(run_hierarchy(applied).status == RunStatus::complete);
  check_uniform(datasets_of(output).at("/levels/0/representation"),
                draws_at(5, "levels/0/layers/0"), 5);
}
