// SPDX-License-Identifier: MIT
/// \file
/// hierarchy.levels as a map: {count, compression, sizes}.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/config/yaml_path.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"

using namespace gaia;

namespace {

struct ShortOutcome {
  ReadConfig read;
  std::string problems;
};

/// An experiment with these levels, and what `--set KEY=VALUE` changes of it.
ShortOutcome with_levels(const std::string& levels, const std::string& key = {},
                         const std::string& value = {}) {
  const std::string text =
      "experiment: short\n"
      "data: {source: generator, kind: sines, frequencies: [0.03], steps: 100}\n"
      "hierarchy:\n  levels: " +
      levels + "\n";
  Problems problems("f.yaml", text);
  YamlNode root = parse_yaml(text, problems);
  if (!key.empty()) set_in_yaml(root, key, value, "--set", problems);
  ShortOutcome outcome;
  if (root.kind != YamlNode::Kind::null) outcome.read = read_config(root, problems);
  outcome.problems = gaia::test::complaint_of<ConfigError>([&] { problems.throw_if_any(); });
  return outcome;
}

std::string written(const std::string& levels, const std::string& key = {},
                    const std::string& value = {}) {
  const ShortOutcome outcome = with_levels(levels, key, value);
  REQUIRE(outcome.problems.empty());
  return to_yaml(outcome.read.config);
}

}  // namespace

TEST_CASE("levels in short are the list that they stand for") {
  CHECK(written("{count: 3, compression: 2, sizes: [16, 8, 4], rule: oja, learning_rate: 0.005, "
                "pooling: mean}") ==
        written("\n"
                "    - {temporal_resolution: 1, pooling: mean, layers: [{type: hebbian, size: 16, "
                "rule: oja, learning_rate: 0.005}]}\n"
                "    - {temporal_resolution: 2, pooling: mean, layers: [{type: hebbian, size: 8, "
                "rule: oja, learning_rate: 0.005}]}\n"
                "    - {temporal_resolution: 4, pooling: mean, layers: [{type: hebbian, size: 4, "
                "rule: oja, learning_rate: 0.005}]}"));
  CHECK(written("{sizes: [16, 8], type: reactive, activation: tanh, temporal_resolution: 3}") ==
        written("\n"
                "    - {temporal_resolution: 3, layers: [{type: reactive, size: 16, activation: "
                "tanh}]}\n"
                "    - {temporal_resolution: 6, layers: [{type: reactive, size: 8, activation: "
                "tanh}]}"));
  CHECK(written("{compression: [1, 5, 20], sizes: 100, ratio: 0.5, type: reactive}") ==
        written("\n"
                "    - {temporal_resolution: 1, layers: [{type: reactive, size: 100}]}\n"
                "    - {temporal_resolution: 5, layers: [{type: reactive, size: 50}]}\n"
                "    - {temporal_resolution: 20, layers: [{type: reactive, size: 25}]}"));
}

TEST_CASE("levels in short have a compression of 2 and learn by the default rule") {
  const ShortOutcome outcome = with_levels("{count: 4, sizes: 8}");
  REQUIRE(outcome.problems.empty());
  CHECK(outcome.read.warnings.empty());
  const std::vector<LevelConfig>& levels = outcome.read.config.hierarchy().levels;
  REQUIRE(levels.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(levels[i].temporal_resolution == std::int64_t{1} << i);
    CHECK(levels[i].layers.front().size == 8);
    CHECK(levels[i].layers.front().kind.get_if<HebbianOptions>() != nullptr);
  }
}

TEST_CASE("settings change levels in short") {
  const std::string levels = "{count: 2, compression: 3, sizes: 8, type: reactive}";
  CHECK(written(levels, "hierarchy.levels.count", "3") ==
        written("{count: 3, compression: 3, sizes: 8, type: reactive}"));
  CHECK(written(levels, "hierarchy.levels.sizes", "[4, 2]") ==
        written("{count: 2, compression: 3, sizes: [4, 2], type: reactive}"));
}

TEST_CASE("what is wrong with levels in short names its key, once") {
  const auto complaint = [](const std::string& levels) { return with_levels(levels).problems; };
  CHECK_SAYS(complaint("{count: 3, sizes: [8, 4]}"), "hierarchy.levels.sizes",
             "one for each of the 3 levels, got 2");
  CHECK_SAYS(complaint("{sizes: [8, 4], compression: [1, 2, 4]}"), "hierarchy.levels.compression",
             "one for each of the 2 levels, got 3");
  CHECK_SAYS(complaint("{sizes: 8}"), "hierarchy.levels.count", "missing: neither");
  CHECK_SAYS(complaint("{count: 3}"), "hierarchy.levels.sizes", "missing (neurons of each level)");
  CHECK_SAYS(complaint("{count: 0, sizes: 8}"), "hierarchy.levels.count");
  CHECK_SAYS(complaint("{count: 40, sizes: 8}"), "hierarchy.levels.compression",
             "level 30 would tick");
  CHECK_SAYS(complaint("{count: 3, sizes: 8, ratio: 0.01}"), "hierarchy.levels.ratio",
             "level 1 would have 0 neurons");
  CHECK_SAYS(complaint("{sizes: [8, 4], ratio: 0.5}"), "hierarchy.levels.ratio");
  CHECK_SAYS(complaint("{sizes: [8, 4], compression: [1, 2], temporal_resolution: 2}"),
             "hierarchy.levels.temporal_resolution");
  CHECK_SAYS(complaint("{count: 2, sizes: 8, size: 3}"), "hierarchy.levels.size",
             "`sizes` has those of all levels");
  CHECK_SAYS(complaint("{count: 2, sizes: 8, layers: [{type: reactive, size: 2}]}"),
             "hierarchy.levels.layers", "write `levels` as a list");
  CHECK_SAYS(complaint("{count: 2, sizes: 8, compresion: 3}"),
             "unknown key 'compresion' (did you mean 'compression'?)");
  const std::string once = complaint("{count: 3, sizes: 8, learning_rate: -1}");
  CHECK_SAYS(once, "hierarchy.levels.learning_rate", "1 error");
  CHECK_SAYS(complaint("3"), "hierarchy.levels");
}

TEST_CASE("the schema knows levels as a list and in short") {
  const auto schema = nlohmann::json::parse(json_schema());
  const auto& levels = schema["properties"]["hierarchy"]["properties"]["levels"];
  REQUIRE(levels["oneOf"].size() == 2);
  CHECK(levels["oneOf"][0]["type"] == "array");
  const auto& forms = levels["oneOf"][1];
  // One for each type of layer, that of the default may be left out.
  REQUIRE(forms.contains("oneOf"));
  int without_type = 0;
  for (const auto& form : forms["oneOf"]) {
    CHECK(form["properties"].contains("count"));
    CHECK(form["properties"].contains("compression"));
    CHECK(form["properties"].contains("sizes"));
    CHECK(!form["properties"].contains("layers"));
    CHECK(!form["properties"].contains("size"));
    const auto required = form.value("required", std::vector<std::string>());
    if (std::find(required.begin(), required.end(), "type") == required.end()) {
      ++without_type;
      CHECK(form["properties"]["type"]["const"] == "hebbian");
    }
  }
  CHECK(without_type == 1);
}
