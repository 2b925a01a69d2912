// SPDX-License-Identifier: MIT
// Keys of rules and neurons of the catalogue: numbers, memories and signals beside the rule.
#include <map>

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

std::string with(const std::string& layer) {
  return "experiment: e\n"
         "data: {source: generator, kind: gaussian, spectrum: [2, 1, 1], steps: 300, "
         "targets: [\"2\"]}\n"
         "hierarchy:\n  levels:\n    - layers:\n        - type: hebbian\n          size: 2\n" +
         layer;
}

std::string problems_of(const std::string& layer) {
  return gaia::test::complaint_of<ConfigError>(
      [&] { load_experiment_text(with(layer), "f.yaml"); });
}

const EquationRule& text_of(ReadConfig& made) {
  auto* const options = made.config.hierarchy().levels[0].layers[0].kind.get_if<HebbianOptions>();
  return std::get<EquationRule>(options->rule);
}

/// What is read is written such that it is read as the same again.
void check_written(ReadConfig& made) {
  const std::string written = to_yaml(made.config);
  ReadConfig again = read_text(written);
  CHECK(again.warnings.empty());
  CHECK(to_yaml(again.config) == written);
  CHECK(text_of(again).equations() == text_of(made).equations());
  CHECK(text_of(again).options().parameters == text_of(made).options().parameters);
  CHECK(text_of(again).options().memory == text_of(made).options().memory);
  CHECK(text_of(again).memories_kept() == text_of(made).memories_kept());
}

}  // namespace

TEST_CASE("numbers of a rule and of its neuron stand beside the rule") {
  ReadConfig made =
      read_text(with("          rule: stdp\n          neuron: lif\n          tau: 15\n"
                     "          threshold: 0.5\n          bounds: {low: 0, high: 1}\n"));
  CHECK(made.warnings.empty());
  const EquationRule& rule = text_of(made);
  CHECK(rule.name() == "stdp");
  CHECK(*rule.parameter("tau") == 15.0);
  CHECK(*rule.parameter("tau_post") == 20.0);
  CHECK(*rule.parameter("threshold") == 0.5);
  CHECK(*rule.parameter("leak") == 0.9);
  CHECK_SAYS(rule.equations(), "v = leak*v + z\n");
  check_written(made);
}

TEST_CASE("a rule that is a functor becomes its text behind a neuron") {
  ReadConfig made =
      read_text(with("          rule: bcm\n          neuron: step\n          theta: 3\n"
                     "          learning_rate: 0.5\n"));
  CHECK(made.warnings.empty());
  CHECK(text_of(made).name() == "bcm");
  CHECK(text_of(made).initial("theta") == 3.0);
  CHECK(*text_of(made).parameter("rate") == 0.5);
  check_written(made);
}

TEST_CASE("bounds beside a rule without equations are refused by the name of their key") {
  for (const std::string rule : {"oja", "hebbian", "bcm"}) {
    CHECK_SAYS(
        problems_of("          rule: " + rule + "\n          bounds: {low: 0, high: 1}\n"),
        "hierarchy.levels[0].layers[0].bounds: hold the weights of a rule by its equations, and " +
            rule + " is none");
  }
}

TEST_CASE("signals of a named rule come from where the experiment says") {
  ReadConfig labels = read_text(with("          rule: delta\n"));
  CHECK(text_of(labels).options().signals[0].is_labels);
  ReadConfig one = read_text(with("          rule: delta\n          signals: {target: \"2\"}\n"));
  CHECK(text_of(one).options().signals[0].columns == std::vector<std::string>{"2"});
  CHECK_FALSE(text_of(one).program().signals[0].of_neurons);
  check_written(one);
  ReadConfig list =
      read_text(with("          rule: delta\n          signals: {target: [\"2\", \"2\"]}\n"));
  CHECK(text_of(list).program().signals[0].of_neurons);
  check_written(list);
  CHECK_SAYS(problems_of("          rule: delta\n          signals: {targt: \"2\"}\n"),
             "'targt' is read by nobody (did you mean 'target'?); known: target");
}

TEST_CASE("equations of one's own stand below the lines of a neuron") {
  const std::string layer =
      "          neuron: lif\n          leak: 0.5\n"
      "          rule:\n            equations: |\n"
      "              mean_v = 0.9*mean_v + 0.1*v\n"
      "              dw = rate*y*(x - mean_v*w)\n"
      "            parameters: {rate: 0.01}\n";
  ReadConfig made = read_text(with(layer));
  CHECK(made.warnings.empty());
  CHECK(text_of(made).name() == "equations");
  CHECK(*text_of(made).parameter("leak") == 0.5);
  CHECK(text_of(made).own_equations() ==
        "mean_v = 0.9*mean_v + 0.1*v\ndw = rate*y*(x - mean_v*w)\n");
  check_written(made);
  // Places of errors are those of the text that the user wrote.
  const std::string wrong = problems_of(
      "          neuron: lif\n"
      "          rule:\n            equations: |\n              a = v\n"
      "              dw = ratee*y*x*a\n            parameters: {rate: 0.01}\n");
  CHECK_SAYS(wrong, "f.yaml:12", "unknown name 'ratee' (did you mean 'rate'?)");
  CHECK_SAYS(problems_of("          neuron: lif\n          rule:\n            equations: dw = v*x\n"
                         "            parameters: {v: 0.01}\n"),
             "the lines of lif do not fit these equations");
}

TEST_CASE("memories across trials are all, none, or a list of them") {
  const auto kept = [](const std::string& said, const std::string& neuron = "") {
    ReadConfig made =
        read_text(with("          rule:\n            equations: |\n"
                       "              m = m + y\n              dw = m*x\n" +
                       said + neuron));
    check_written(made);
    return text_of(made).memories_kept();
  };
  const std::string key = "            memory_across_trials: ";
  CHECK(kept("") == MemoriesKept(false));
  CHECK(kept(key + "true\n") == MemoriesKept(true));
  const std::string adaptive = "          neuron: lif_adaptive\n";
  CHECK(kept("", adaptive).names == std::vector<std::string>{"raised"});
  CHECK(kept(key + "false\n", adaptive) == MemoriesKept(false));
  CHECK(kept(key + "[m]\n", adaptive).names == std::vector<std::string>{"m"});
  CHECK(kept(key + "[m, raised]\n", adaptive).names == std::vector<std::string>{"m", "raised"});
  const auto problem = [&](const std::string& said) {
    return problems_of("          rule:\n            equations: dw = m*x\n" + key + said);
  };
  CHECK_SAYS(problem("sometimes\n"), "expected true, false or a list of names, got 'sometimes'");
  CHECK_SAYS(problems_of("          rule:\n            equations: |\n              m = m + y\n"
                         "              dw = m*x\n" +
                         key + "[n]\n"),
             "'n' is no memory of the equations; known: m");
}

TEST_CASE("the time constant of a trace is a number in the attributes of its layer") {
  ReadConfig made =
      read_text(with("          neuron: lif_refractory\n          refractory: 7\n"
                     "          rule:\n            equations: dw = rate*y*(slow + fast + resting)\n"
                     "            parameters: {rate: 0.01, tau: 20}\n"
                     "            traces: {slow: tau, fast: 2.5, resting: refractory}\n"));
  std::map<std::string, AttributeValue> attributes;
  for (const auto& [name, value] : attributes_of(made.config.hierarchy().levels[0].layers[0])) {
    attributes.emplace(name, value);
  }
  CHECK(attributes.at("trace_slow_tau") == AttributeValue(20.0));
  CHECK(attributes.at("trace_fast_tau") == AttributeValue(2.5));
  CHECK(attributes.at("trace_resting_tau") == AttributeValue(7.0));
  CHECK_FALSE(attributes.contains("trace_slow"));
  check_written(made);
}

TEST_CASE("a neuron that is none, or that a rule has no place for, is refused") {
  CHECK_SAYS(problems_of("          rule: stdp\n          neuron: lief\n"), "lif_refractory");
  CHECK_SAYS(problems_of("          rule: softhebb\n          neuron: lif\n"),
             "rule softhebb says itself what its neurons answer; leave neuron out");
  CHECK_SAYS(problems_of("          rule: stdp\n          tau: 0\n"), "tau");
}

TEST_CASE("numbers of other rules and neurons have no effect, and a warning says so") {
  ReadConfig made =
      read_text(with("          rule: oja\n          temperature: 0.5\n"
                     "          threshold: 2\n"));
  REQUIRE(made.warnings.size() == 2);
  CHECK_SAYS(made.warnings[0] + made.warnings[1], "rule: softhebb or softhebb_signed");
  CHECK_SAYS(made.warnings[0] + made.warnings[1],
             "neuron: lif or lif_refractory or lif_adaptive or lif_noisy or lif_escape or step");
}
