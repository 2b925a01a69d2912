// SPDX-License-Identifier: MIT
#include "catalogue.h"

#include <algorithm>
#include <utility>

#include "../../formulas/rules.h"
#include "families.h"

namespace gaia {
namespace {

/// What a rule of functors says of itself, beside its text.
template <class R>
NamedRule of_functor(const char* summary, const char* source, const char* equations) {
  const R rule;
  NamedRule entry{.name = R::name, .summary = summary, .source = source, .equations = equations};
  entry.learning_rate = rule.learning_rate;
  if constexpr (requires { R::stability_note; }) entry.stability_note = R::stability_note;
  if constexpr (requires { R::look_for; }) entry.look_for = R::look_for;
  if constexpr (requires { rule.stability_limit(); }) {
    entry.stability_limit = rule.stability_limit();
  }
  return entry;
}

/// The three whose functors run faster than their texts, which say the same, and the two whose
/// neurons find components together.
std::vector<NamedRule> first_rules() {
  NamedRule bcm = of_functor<BcmRule>(
      "a threshold that slides with the mean squared answer makes neurons selective",
      "Intrator & Cooper 1992, Neural Networks 5, 3; after Bienenstock, Cooper & Munro 1982, J. "
      "Neurosci. 2, 32",
      "dw = rate*y*(y - theta)*x - decay*w\n"
      "theta = theta + (y^2 - theta)/tau");
  const BcmRule defaults;
  bcm.parameters = {
      {"tau", defaults.tau, "time constant of the threshold, in ticks of the level", {1.0, 1e12}}};
  bcm.memories = {{"theta", "threshold", defaults.theta, true, "θ"}};
  bcm.memory_across_trials = true;
  bcm.stability_limit = 1.0;
  bcm.stability_divisor = "tau";
  return {
      of_functor<HebbRule>("the product of answer and input",
                           "Hebb 1949, The Organization of Behavior", "dw = rate*y*x - decay*w"),
      of_functor<OjaRule>("Hebb's rule that keeps the weights at length 1: a neuron finds the "
                          "first principal component",
                          "Oja 1982, J. Math. Biol. 15, 267", "dw = rate*y*(x - y*w) - decay*w"),
      bcm,
      {.name = "sanger",
       .summary = "a neuron learns what those before it leave over: the principal components in "
                  "their order",
       .source = "Sanger 1989, Neural Networks 2, 459",
       .equations = "dw = rate*y*(x - back_upto(y)) - decay*w",
       .stability_limit = 1.0,
       .look_for = "Under Sanger's rule the lengths tend to 1."},
      {.name = "oja_subspace",
       .summary = "all neurons together find the principal subspace",
       .source = "Oja 1989, Int. J. Neural Systems 1, 61",
       .equations = "dw = rate*y*(x - back(y)) - decay*w",
       .stability_limit = 1.0,
       .look_for = "Under Oja's subspace rule the lengths tend to 1."}};
}

template <class Entry>
const Entry* find(const std::vector<Entry>& entries, std::string_view name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<NamedRule>& named_rules() {
  static const std::vector<NamedRule> rules = [] {
    std::vector<NamedRule> all = first_rules();
    for (auto* const family :
         {&catalogue::correlation, &catalogue::components, &catalogue::competition,
          &catalogue::spikes, &catalogue::targets, &catalogue::excitability}) {
      for (NamedRule& rule : family()) all.push_back(std::move(rule));
    }
    return all;
  }();
  return rules;
}

const std::vector<NamedNeuron>& named_neurons() {
  static const std::vector<NamedNeuron> neurons = catalogue::neurons();
  return neurons;
}

const NamedRule* named_rule(std::string_view name) { return find(named_rules(), name); }
const NamedNeuron* named_neuron(std::string_view name) { return find(named_neurons(), name); }

std::vector<std::string> neuron_names() {
  std::vector<std::string> names;
  for (const NamedNeuron& neuron : named_neurons()) names.emplace_back(neuron.name);
  return names;
}

}  // namespace gaia
