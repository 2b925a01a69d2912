// SPDX-License-Identifier: MIT
// Keys about learning rates: a number or the word auto, and a schedule.
#include <nlohmann/json.hpp>

#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/setup/load.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_text.h"

using namespace gaia;

namespace {

std::string with(const std::string& layer, const std::string& hierarchy = "") {
  return "experiment: e\n"
         "data: {source: generator, kind: gaussian, spectrum: [2, 1], steps: 300}\n"
         "hierarchy:\n" +
         (hierarchy.empty() ? "" : "  " + hierarchy + "\n") +
         "  levels:\n"
         "    - layers: [{type: hebbian, size: 2, " +
         layer + "}]\n";
}

ExperimentConfig config_of(const std::string& text) {
  const ReadConfig made = gaia::test::read_text(text);
  CHECK(made.warnings.empty());
  return made.config;
}

std::string problems_of(const std::string& text) {
  return gaia::test::complaint_of<ConfigError>([&] { load_experiment_text(text, "f.yaml"); });
}

HebbianOptions& options_of(ExperimentConfig& config) {
  auto& levels = config.kind.get_if<HierarchyConfig>()->levels;
  return *levels[0].layers[0].kind.get_if<HebbianOptions>();
}

}  // namespace

TEST_CASE("a learning rate is a number, or the word auto, and is written as it was read") {
  ExperimentConfig number = config_of(with("rule: oja, learning_rate: 0.25"));
  CHECK_FALSE(options_of(number).automatic_rate);
  CHECK(learning_rate_of(options_of(number).rule) == 0.25);
  CHECK_SAYS(to_yaml(number), "learning_rate: 0.25\n");

  ExperimentConfig automatic = config_of(with("rule: oja, learning_rate: auto"));
  CHECK(options_of(automatic).automatic_rate);
  CHECK(learning_rate_of(options_of(automatic).rule) == 0.0);
  const std::string yaml = to_yaml(automatic);
  CHECK_SAYS(yaml, "learning_rate: auto\n");
  ExperimentConfig again = config_of(yaml);
  CHECK(options_of(again).automatic_rate);
  CHECK(to_yaml(again) == yaml);
}

TEST_CASE("the attribute learning_rate is the number that was found, the experiment keeps auto") {
  ExperimentConfig config = config_of(with("rule: oja, learning_rate: auto"));
  learning_rate_of(options_of(config).rule) = 0.0375;
  const Attributes attributes = attributes_of(config.hierarchy().levels[0].layers[0]);
  bool is_there = false;
  for (const auto& [name, value] : attributes) {
    if (name == "learning_rate") is_there = std::get<double>(value) == 0.0375;
  }
  CHECK(is_there);
  CHECK_SAYS(to_yaml(config), "learning_rate: auto\n");
}

TEST_CASE("what is neither a rate nor auto is told with both") {
  CHECK_SAYS(problems_of(with("rule: oja, learning_rate: automatic")),
             "hierarchy.levels[0].layers[0].learning_rate: expected a number in [0, 1000000], or "
             "auto, got 'automatic'");
  CHECK_SAYS(problems_of(with("rule: oja, learning_rate: -1")),
             "learning_rate: expected a number in [0, 1000000], or auto, got '-1'");
  CHECK_SAYS(problems_of(with("rule: oja, learning_rate: [1]")),
             "learning_rate: expected a number in [0, 1000000], or auto, got a list");
}

TEST_CASE("auto needs a rule with a limit, and a hierarchy") {
  CHECK_SAYS(problems_of(with("rule: hebbian, learning_rate: auto")), "f.yaml:5:",
             ": hierarchy.levels[0].layers[0].learning_rate: auto needs a rule with a known limit "
             "(oja, bcm, sanger, oja_subspace, law_cooper, anti_hebbian, delta, logistic, "
             "softmax_regression), got hebbian, which grows at any rate unless decay or a "
             "normalization holds it; write a number");
  for (const char* const rule : {"oja", "bcm", "sanger", "oja_subspace"}) {
    CHECK(problems_of(with("learning_rate: auto, rule: " + std::string(rule))).empty());
  }
  CHECK_SAYS(problems_of("experiment: e\n"
                         "data: {source: generator, kind: gaussian, spectrum: [2, 1], steps: 300}\n"
                         "network:\n  layers:\n"
                         "    - {type: flatten}\n"
                         "    - {type: hebbian, size: 2, rule: oja, learning_rate: auto}\n"
                         "    - {type: dense, size: 1}\n"),
             "f.yaml:6:58: network.layers[1].learning_rate: auto is found for the layers of a "
             "hierarchy alone; write a number");
}

TEST_CASE("a schedule is none, a half-life or the end of a cosine") {
  using Kind = RateSchedule::Kind;
  CHECK(config_of(with("rule: oja")).hierarchy().schedule.kind == Kind::none);
  CHECK(config_of(with("rule: oja", "schedule: none")).hierarchy().schedule.kind == Kind::none);
  const ExperimentConfig half = config_of(with("rule: oja", "schedule: {half_life: 250}"));
  CHECK(half.hierarchy().schedule.kind == Kind::half_life);
  CHECK(half.hierarchy().schedule.steps == 250);
  const ExperimentConfig cosine = config_of(with("rule: oja", "schedule: {cosine_to: 700}"));
  CHECK(cosine.hierarchy().schedule.kind == Kind::cosine_to);
  CHECK(cosine.hierarchy().schedule.steps == 700);
  for (const ExperimentConfig& config : {half, cosine}) {
    const std::string yaml = to_yaml(config);
    CHECK(to_yaml(config_of(yaml)) == yaml);
    CHECK(config_of(yaml).hierarchy().schedule.kind == config.hierarchy().schedule.kind);
    CHECK(config_of(yaml).hierarchy().schedule.steps == config.hierarchy().schedule.steps);
  }
  CHECK_SAYS(to_yaml(cosine), "  schedule:\n    cosine_to: 700\n");
}

TEST_CASE("what is no schedule is told with what is one") {
  const auto of = [](const std::string& schedule) {
    return problems_of(with("rule: oja", "schedule: " + schedule));
  };
  CHECK_SAYS(of("{half_life: 3, cosine_to: 4}"),
             "hierarchy.schedule: expected exactly one of the keys half_life, cosine_to, "
             "tenth_after, got 2");
  CHECK_SAYS(of("{}"), "expected exactly one of the keys");
  CHECK_SAYS(of("{half_life: 0}"),
             "hierarchy.schedule.half_life: expected an integer >= 1, got '0'");
  CHECK_SAYS(of("{half_live: 5}"), "did you mean 'half_life'?");
  CHECK_SAYS(of("cosine"), "unknown schedule 'cosine'");
}

TEST_CASE("the schema takes both forms of a rate, and each schedule") {
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  const nlohmann::json& hierarchy = schema["properties"]["hierarchy"]["properties"];
  const std::string schedule = hierarchy["schedule"].dump();
  CHECK_SAYS(schedule, "\"none\"", "\"half_life\":{", "\"cosine_to\":{", "\"tenth_after\":{");
  int found = 0;
  const nlohmann::json& layer =
      hierarchy["levels"]["oneOf"][0]["items"]["properties"]["layers"]["items"]["oneOf"];
  for (const nlohmann::json& kind : layer) {
    // The rate of a predictive layer, whose steps are of a gradient, is a number.
    if (!kind["properties"].contains("learning_rate") || kind["properties"].contains("sizes")) {
      continue;
    }
    const nlohmann::json& rate = kind["properties"]["learning_rate"];
    CHECK(rate["oneOf"][0]["const"] == "auto");
    CHECK(rate["oneOf"][1]["type"] == "number");
    CHECK(rate["default"] == 0.01);
    ++found;
  }
  CHECK(found == 2);  // hebbian, conv2d
}
