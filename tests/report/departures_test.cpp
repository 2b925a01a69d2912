// SPDX-License-Identifier: MIT
#include "../../src/report/departures.h"

#include <sstream>

#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/setup/load.h"
#include "../../src/report/comparison.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;
using namespace gaia::report;

namespace {

/// The resolved text of an experiment.
std::string resolved(const std::string& yaml) {
  const test::TempDir folder;
  return to_yaml(load_experiment(folder.write("e.yaml", yaml)).config);
}

std::set<std::string> departing_keys(const std::string& config) {
  const std::set<int> lines = departing_lines(config);
  std::set<std::string> keys;
  for (const auto& [key, line] : flatten(config).lines) {
    if (lines.count(line) > 0) keys.insert(key);
  }
  return keys;
}

}  // namespace

TEST_CASE("what is required or not the default departs, and nothing else") {
  const std::string config = resolved(
      "experiment: e\nseed: 3\ndtype: float32\n"  // the default
      "data: {source: generator, kind: gaussian, spectrum: [2, 1], steps: 50, window: 1}\n"
      "hierarchy:\n  levels:\n    - layers:\n"
      "        - {type: hebbian, size: 2, rule: bcm, tau: 50, learning_rate: 0.001, homeostasis: "
      "{target: 0.5}}\n");
  CHECK(departing_keys(config) ==
        std::set<std::string>{
            "experiment", "seed", "data.source", "data.kind", "data.spectrum", "data.steps",
            "hierarchy.levels[0].layers[0].type", "hierarchy.levels[0].layers[0].size",
            "hierarchy.levels[0].layers[0].rule", "hierarchy.levels[0].layers[0].learning_rate"});
}

TEST_CASE("a text that is no configuration departs from nothing") {
  CHECK(departing_lines("").empty());
  CHECK(departing_lines("a: [").empty());
  CHECK(departing_lines("surprise: 1\n").empty());
  CHECK(flatten("a: &x 1\nb: *x\n").keys.empty());
}

TEST_CASE("a configuration is flattened in its order, lists of numbers as one value") {
  const FlatConfig flat = flatten("a: 1\nb:\n  - {c: x, d: [1, 2]}\n  - {c: y}\n");
  CHECK(flat.keys == std::vector<std::string>{"a", "b[0].c", "b[0].d", "b[1].c"});
  CHECK(flat.values.at("b[0].d") == "[1, 2]");
  CHECK(flat.lines.at("b[1].c") == 4);
}

TEST_CASE("runs are told apart by the keys that differ") {
  std::vector<ComparedRun> runs(3);
  const char* const rates[] = {"0.1", "0.001", "0.1"};
  const char* const rules[] = {"oja", "oja", "bcm"};
  for (std::size_t i = 0; i < 3; ++i) {
    std::ostringstream config;
    config << "experiment: e\nrate: " << rates[i] << "\nrule: " << rules[i]
           << "\noutput: {path: " << i << ".h5}\n";
    if (i == 2) config << "tau: 5\n";
    runs[i].config = flatten(config.str());
    runs[i].scores = {{"R² a", 0.1 * static_cast<double>(i)}};
  }
  runs[1].scores.emplace_back("NRMSE", 0.5);
  const std::vector<Dimension> keys = differing_keys(runs);
  REQUIRE(keys.size() == 3);
  CHECK(keys[0].name == "rate");
  CHECK(keys[0].numbers == std::vector<double>{0.1, 0.001, 0.1});
  CHECK(keys[1].name == "rule");
  CHECK(keys[1].words == std::vector<std::string>{"oja", "bcm"});
  CHECK(keys[1].numbers == std::vector<double>{0, 0, 1});
  CHECK(keys[2].name == "tau");
  CHECK(keys[2].texts == std::vector<std::string>{"–", "–", "5"});
  const std::vector<Dimension> scores = all_scores(runs);
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].higher_is_better);
  CHECK_FALSE(scores[1].higher_is_better);
  CHECK(std::isnan(scores[1].numbers[0]));
  CHECK(split_key("hierarchy.levels[0].layers[1].rule") ==
        std::pair<std::string, std::string>{"levels[0].layers[1]", "rule"});
  CHECK(split_key("seed") == std::pair<std::string, std::string>{"", "seed"});
}
