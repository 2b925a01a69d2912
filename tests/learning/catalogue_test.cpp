// SPDX-License-Identifier: MIT
// The catalogue of rules and neurons.  What its rules compute is compared with an independent
// program by conformance/; here is what their entries say of themselves.
#include "../../src/learning/catalogue/catalogue.h"

#include <set>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/learning/rule_parameters.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

template <class Entry>
std::vector<std::string> names_in(const Entry& entry) {
  std::vector<std::string> names;
  for (const NamedParameter& one : entry.parameters) names.emplace_back(one.name);
  for (const NamedMemory& one : entry.memories) names.emplace_back(one.name);
  for (const NamedSignal& one : entry.signals) names.emplace_back(one.name);
  if constexpr (requires { entry.traces; }) {
    for (const NamedTrace& one : entry.traces) names.emplace_back(one.name);
  }
  return names;
}

bool assigns_output(const NamedRule& rule) {
  const PlasticityRule made = rule_from_name(rule.name);
  const auto* const text = std::get_if<EquationRule>(&made);
  return text != nullptr && text->program().assigns_output;
}

/// Weights after some ticks.
Array learnt(const PlasticityRule& rule) {
  HebbianLayer layer(6, 4, {.rule = rule, .dtype = DType::float64, .random = {3, 1}});
  layer.process(random_normal({1, 200, 6}, 0.0, 0.5, DType::float64, RandomStream::named(5, "x")),
                true);
  return layer.weights();
}

}  // namespace

TEST_CASE("Entries of the catalogue have names of their own, a source and a sentence") {
  std::set<std::string> names;
  const auto look = [&](const auto& entry) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(std::string(entry.source).find_first_of("0123456789:") != std::string::npos);
    const std::string summary = entry.summary;
    CHECK(summary.size() > 20);
    CHECK(summary.back() != '.');
    std::set<std::string> own;
    for (const std::string& name : names_in(entry)) CHECK(own.insert(name).second);
  };
  for (const NamedRule& rule : named_rules()) look(rule);
  CHECK(names.size() >= 28);
  for (const NamedNeuron& neuron : named_neurons()) look(neuron);
  CHECK(rule_names().size() == named_rules().size());
}

TEST_CASE("No rule of the catalogue has a name that a neuron has") {
  for (const NamedNeuron& neuron : named_neurons()) {
    const std::vector<std::string> theirs = names_in(neuron);
    const std::set<std::string> taken(theirs.begin(), theirs.end());
    for (const NamedRule& rule : named_rules()) {
      for (const std::string& name : names_in(rule)) {
        INFO(rule.name << " behind " << neuron.name << ": " << name);
        CHECK(taken.count(name) == 0);
      }
    }
  }
}

TEST_CASE("Every rule stands behind every neuron, unless it makes y itself") {
  int pairs = 0;
  for (const NamedRule& rule : named_rules()) {
    for (const NamedNeuron& neuron : named_neurons()) {
      INFO(rule.name << " behind " << neuron.name);
      if (assigns_output(rule)) {
        CHECK_THROWS_WITH_TEXT(rule_from_name(rule.name, neuron.name), ArgumentError,
                               "says itself what its neurons answer; leave neuron out");
        continue;
      }
      const PlasticityRule made = rule_from_name(rule.name, neuron.name);
      CHECK(rule_name(made) == rule.name);
      CHECK(neuron_of(made) == neuron.name);
      const auto& text = std::get<EquationRule>(made);
      CHECK(text.equations() == std::string(neuron.equations) + "\n" + rule.equations);
      CHECK(text.own_equations() == rule.equations);
      CHECK(text.program().assigns_output);
      ++pairs;
    }
  }
  CHECK(pairs > 100);
  CHECK_THROWS_WITH_TEXT(rule_from_name("stdp", "lief"), ArgumentError,
                         "unknown neuron 'lief' (did you mean 'lif'?); known: lif, ");
}

TEST_CASE("The text of a rule that has a functor says what the functor does") {
  for (const char* const name : {"hebbian", "oja", "bcm"}) {
    INFO(name);
    const PlasticityRule functor = rule_from_name(name);
    CHECK_FALSE(std::holds_alternative<EquationRule>(functor));
    const PlasticityRule text = rule_from_name(name, "");
    CHECK(std::holds_alternative<EquationRule>(text));
    CHECK(all_close(learnt(text), learnt(functor), 1e-12, 1e-14));
    CHECK(stability_limit(text) == stability_limit(functor));
    CHECK(stability_note(text) == stability_note(functor));
    CHECK(look_for(text) == look_for(functor));
  }
}

TEST_CASE("The rules that find components are their texts in the catalogue, with their numbers") {
  const auto check = [](const EquationRule& made, const char* name) {
    const PlasticityRule named = rule_from_name(name);
    const auto& text = std::get<EquationRule>(named);
    CHECK(made.name() == name);
    CHECK(made.equations() == text.equations());
    CHECK(made.parameters() == std::vector<double>{0.25, 0.125});
    CHECK(is_component_rule(made));
    CHECK(stability_limit(made) == 1.0);
    CHECK(look_for(made) == look_for(named));
    CHECK(text.parameters() == std::vector<double>{0.01, 0.0});  // which making it left alone
    const PlasticityRule behind = rule_from_name(name, "lif");
    CHECK_FALSE(is_component_rule(std::get<EquationRule>(behind)));
  };
  check(SangerRule{.learning_rate = 0.25, .decay = 0.125}, "sanger");
  check(OjaSubspaceRule{.learning_rate = 0.25, .decay = 0.125}, "oja_subspace");
  CHECK_FALSE(is_component_rule(EquationRule("dw = 0.1*y*(x - back(y))")));
}

TEST_CASE(
    "Layers of rules that find components carry weights alone, and answer as others at rest") {
  for (const char* const name : {"sanger", "oja_subspace"}) {
    HebbianLayer layer(6, 4, {.rule = rule_from_name(name), .random = {3, 1}});
    const HebbianLayer still(6, 4, {.rule = HebbRule{}, .random = {3, 1}});
    REQUIRE(layer.arrays().size() == 1);
    CHECK(layer.arrays()[0].name == "weights");
    const Array x =
        random_normal({2, 200, 6}, 0.0, 1.0, DType::float32, RandomStream::named(5, "x"));
    CHECK(layer.process(x, false).to_vector<float>() ==
          still.clone()->process(x, false).to_vector<float>());
  }
}

TEST_CASE("Parameters of named rules have defaults in their range, and are refused beyond it") {
  for (const NamedRule& rule : named_rules()) {
    INFO(rule.name);
    PlasticityRule made = rule_from_name(rule.name);
    CHECK_NOTHROW(check_rule(made));
    CHECK(learning_rate_of(made) == rule.learning_rate);
    CHECK(decay_of(made) == 0.0);
    learning_rate_of(made) = -1.0;
    CHECK_THROWS_WITH_TEXT(check_rule(made), ArgumentError, "learning_rate must be >= 0, got -1");
  }
  PlasticityRule stdp = rule_from_name("stdp");
  *std::get<EquationRule>(stdp).parameter("tau") = 0.0;
  CHECK_THROWS_WITH_TEXT(check_rule(stdp), ArgumentError, "[plasticity] tau must be > 0, got 0");
}

TEST_CASE("What is known of a rule's stability follows its parameters") {
  PlasticityRule law_cooper = rule_from_name("law_cooper");
  *std::get<EquationRule>(law_cooper).parameter("tau") = 20.0;
  CHECK(stability_limit(law_cooper) == 1.0 / 20.0);
  CHECK(stability_limit(rule_from_name("delta")) == 2.0);
  CHECK_FALSE(stability_limit(rule_from_name("covariance")).has_value());
  CHECK(stability_note(rule_from_name("covariance")) ==
        "grows at any rate unless decay or a normalization holds it");
  const auto memories = memories_of(law_cooper);
  REQUIRE(memories.size() == 1);
  CHECK(std::string(memories[0].meaning) == "threshold");
  CHECK(memories[0].initial == 1.0);
  CHECK(memories[0].across_trials);
}

TEST_CASE("Slow memories go on where a trial begins, fast ones do not") {
  std::vector<std::string> go_on;
  for (const std::string& name : rule_names()) {
    const PlasticityRule rule = rule_from_name(name);
    const auto memories = memories_of(rule);
    if (!memories.empty() && memories[0].across_trials) go_on.push_back(name);
  }
  CHECK(go_on == std::vector<std::string>{"bcm", "law_cooper", "covariance", "oja_own_rate",
                                          "sanger_own_rate", "competitive_conscience",
                                          "nearest_with_fatigue", "macqueen", "nearest_with_birth",
                                          "intrinsic_plasticity"});
}

TEST_CASE("The limits of rules with targets are where their answers begin to swing") {
  // One sample again and again, with the target 1/2, to which answers go below the limit.
  for (const char* const name : {"delta", "logistic"}) {
    for (const double share : {0.9, 1.1}) {
      INFO(name << " at " << share << " of the limit");
      const PlasticityRule named = rule_from_name(name);
      const auto& text = std::get<EquationRule>(named);
      EquationRuleOptions options = text.options();
      options.signals = {{.name = "target"}};
      EquationRule rule(text.equations(), options);
      *rule.parameter("rate") = share * *stability_limit(named) / 4.0;  // |x|^2 is 4
      HebbianLayer layer(4, 1, {.rule = rule, .dtype = DType::float64});
      layer.set_weights(full({1, 4}, 0.001, DType::float64));
      const std::int64_t ticks = 2000;
      layer.read_signals({{"target", full({1, ticks}, 0.5, DType::float64)}});
      const Array y = layer.process(ones({1, ticks, 4}, DType::float64), true);
      const double apart = std::abs(y.item({0, ticks - 1, 0}) - 0.5);
      if (share < 1) CHECK(apart < 1e-6);
      if (share > 1) CHECK_FALSE(apart < 1e-3);
    }
  }
}
