// SPDX-License-Identifier: MIT
// The key top_down of a layer: what it is read as, written as, and refused for.
#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/setup/load.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../read_text.h"

using namespace gaia;
using gaia::test::read_text;

namespace {

/// Two levels; `layer` are keys of level 0's layer, `above` those of level 1's.
std::string two_levels(const std::string& layer, const std::string& above = "",
                       const std::string& hierarchy = "") {
  return "experiment: e\n"
         "data: {source: generator, kind: gaussian, spectrum: [2, 1, 1], steps: 300, "
         "targets: [\"2\"]}\n"
         "hierarchy:\n" +
         hierarchy + "  levels:\n    - layers:\n        - type: hebbian\n          size: 2\n" +
         layer +
         "    - temporal_resolution: 4\n      layers:\n        - type: hebbian\n          size: 2\n"
         "          rule: oja\n" +
         above;
}

const TopDownOptions& top_down_of(ReadConfig& made) {
  const auto* const options =
      made.config.hierarchy().levels[0].layers[0].kind.get_if<HebbianOptions>();
  REQUIRE(options->top_down.has_value());
  return *options->top_down;
}

std::string told(const std::string& text) {
  return gaia::test::complaint_of<ConfigError>([&] { load_experiment_text(text, "f.yaml"); });
}

std::string told_of(const std::string& top_down, const std::string& rule = "oja") {
  return told(two_levels("          rule: " + rule + "\n          top_down: " + top_down + "\n"));
}

}  // namespace

TEST_CASE("top_down is read, and written such that it is read as the same again") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{from: 1, target: \"2\"}", "delta"},
      {"{from: 1, as: gain, learning_rate: 0.02, target: [\"2\", \"2\"], delay: 3}", "delta"},
      {"{from: 1, as: bias, rule: nlms, bias: false}", "nlms"},
      {"{from: 1, as: gain, random: true}", "delta"},
      {"{from: 1, as: bias, rule: {equations: \"dw = rate*(told - z)*x\", parameters: {rate: 0.1}, "
       "signals: {told: answer}}}",
       "equations"}};
  for (const auto& [text, rule] : cases) {
    INFO(text);
    ReadConfig made =
        read_text(two_levels("          rule: oja\n          top_down: " + text + "\n"));
    CHECK(made.warnings.empty());
    CHECK(rule_name(top_down_of(made).rule_of_map()) == rule);
    const std::string written = to_yaml(made.config);
    ReadConfig again = read_text(written);
    CHECK(again.warnings.empty());
    CHECK(to_yaml(again.config) == written);
    const TopDownOptions& one = top_down_of(made);
    const TopDownOptions& other = top_down_of(again);
    CHECK(one.why_not_together(other).empty());
    CHECK(one.learning_rate == other.learning_rate);
    CHECK(told_of(text).empty());
  }
  ReadConfig prior =
      read_text(two_levels("          rule: oja\n          activation: softmax\n"
                           "          top_down: {from: 1, as: prior}\n"));
  PlasticityRule rule = top_down_of(prior).rule_of_map();
  CHECK(rule_name(rule) == "softmax_regression");
  CHECK(learning_rate_of(rule) == 0.001);
  ReadConfig none = read_text(two_levels("          rule: oja\n          top_down: none\n"));
  CHECK_FALSE(none.config.hierarchy().levels[0].layers[0].kind.get_if<HebbianOptions>()->top_down);
}

TEST_CASE("td and plain are names of the language under top_down alone") {
  const std::string rule =
      "          rule: {equations: \"y = z*(1 + td) + plain\\ndw = rate*z*x\", "
      "parameters: {rate: 0.1}}\n";
  CHECK_SAYS(told(two_levels(rule)), "'td' is there only for a layer that hears a level above");
  const std::string hearing = rule + "          top_down: {from: 1, target: \"2\"}\n";
  ReadConfig made = read_text(two_levels(hearing));
  const auto* const options =
      made.config.hierarchy().levels[0].layers[0].kind.get_if<HebbianOptions>();
  CHECK(std::get<EquationRule>(options->rule).program().reads_from_above);
  const std::string written = to_yaml(made.config);
  ReadConfig again = read_text(written);
  CHECK(to_yaml(again.config) == written);
  CHECK(told(two_levels(hearing)).empty());
}

TEST_CASE("what top_down cannot be is told with its key") {
  const auto says = [](const std::string& text, const std::string& key, const std::string& why) {
    INFO(text);
    CHECK_SAYS(text, "hierarchy.levels[0].layers[0].top_down" + key, why);
  };
  says(told_of("{from: 1}"), ".target", "a gain learns what its neurons are worth");
  says(told_of("{from: 1, as: bias, target: \"2\"}"), ".target", "has no place here");
  says(told_of("{from: 1, as: prior}"), ".as", "needs activation: softmax; got linear");
  says(told_of("{from: 0, as: bias}"), ".from", "expected a level above level 0, 1 to 1, got 0");
  says(told_of("{from: 2, as: bias}"), ".from", "expected a level above level 0, 1 to 1, got 2");
  says(told_of("{as: bias}"), ".from", "");
  says(told_of("{from: 1, target: gaim}"), ".target", "'gaim' is none of data.targets");
  says(told_of("{from: 1, target: [\"2\", \"2\", \"2\"]}"), ".target", "has 3 columns");
  says(told_of("{from: 1, as: bias, rule: {equations: \"dw = (told - z)*x\", signals: {told: "
               "gaim}}}"),
       ".rule.signals.told", "'gaim' is none of data.targets");
  says(told_of("{from: 1, as: bias, rule: {equations: \"dw = (told - z)*x\", signals: {told: "
               "wanted}}}"),
       ".rule", "`wanted` is what a gain learns from");
  says(told_of("{from: 1, as: bias}", "{equations: \"y = z/2\\ndw = 0.01*y*x\"}"), "",
       "the equations assign y");
  const std::string last =
      told(two_levels("          rule: oja\n", "          top_down: {from: 1, as: bias}\n"));
  CHECK_SAYS(last, "levels[1].layers[0].top_down.from", "there is no level above the last one");
  says(told(two_levels("          rule: oja\n          top_down: {from: 1, as: bias}\n"
                       "        - {type: reactive, size: 2}\n")),
       "", "the last layer of a level alone");
  CHECK_SAYS(
      told(two_levels(
          "          rule: oja\n        - {type: reactive, size: 2, top_down: {from: 1}}\n")),
      "layers[1].top_down: has no place here: only a layer of type hebbian hears a level above");
  says(told(two_levels("          rule: oja\n          top_down: {from: 1, as: bias, rule: "
                       "{equations: \"dw = 0.1*x\"}}\n",
                       "", "  schedule: {half_life: 100}\n")),
       ".rule.parameters", "the parameter `rate`");
}
