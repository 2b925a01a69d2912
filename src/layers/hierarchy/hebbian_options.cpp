// SPDX-License-Identifier: MIT
// What can be said of a plastic layer: its keys, and what of them has no effect.
#include "../../core/message.h"
#include "../../learning/catalogue/catalogue.h"
#include "../../learning/rule_execution.h"
#include "../../learning/weight_domain.h"
#include "../choices.h"
#include "hebbian.h"

namespace gaia {
namespace {

constexpr const char* kNoPatches =
    "only a layer of type hebbian has it: the filters of a picture are the same at every position";

}  // namespace

void HebbianOptions::keys_of(ConfigVisitor& v, bool of_patches) {
  const auto assigns_output = [this] {
    const auto* const written = std::get_if<EquationRule>(&rule);
    return written != nullptr && written->program().assigns_output;
  };
  v.where(!assigns_output(), "equations that leave y alone", [&] {
    v.choice({"activation", "what a neuron makes of its drive"}, activations(activation));
  });
  v.choice({"init", "initial weights"}, plastic_inits(init));
  if (!of_patches) describe_top_down(v, top_down, activation);
  describe_rule(v, rule, automatic_rate, top_down.has_value());
  const auto* const by_equations = std::get_if<EquationRule>(&rule);
  if (assigns_output()) {
    v.forbid({"activation", ""}, "the equations assign y");
  }
  if (top_down && top_down->as != TopDownOptions::As::gain && assigns_output() &&
      !by_equations->program().reads_from_above) {
    v.refuse({"top_down", ""},
             "as " + to_string(top_down->as) +
                 " makes y of the drive by the activation, and the equations assign y; read td in "
                 "them, or write as: gain");
  }
  bool is_bounded = bounds.has_value();
  WeightBounds between = bounds.value_or(WeightBounds{});
  v.where(by_equations != nullptr, "rule: a map with equations", [&] {
    v.word_or_map({"bounds", "numbers between which every weight is held"},
                  {{"none"},
                   [&] { return is_bounded ? "map" : "none"; },
                   [&](const std::string& word) { is_bounded = word == "map"; }},
                  "map", [&] {
                    v.number({"low", "the least weight", true}, between.low, kAnyNumber);
                    v.number({"high", "the largest weight", true}, between.high, kAnyNumber);
                    if (is_bounded && !(between.low < between.high)) {
                      v.refuse({"high", ""}, "must be above low");
                    }
                  });
  });
  if (is_bounded && by_equations == nullptr) {
    v.refuse({"bounds", ""}, message("hold the weights of a rule by its equations, and {} is none; "
                                     "write its equations, which gaia rules {} prints",
                                     rule_name(rule), rule_name(rule)));
  }
  bounds = is_bounded ? std::optional(between) : std::nullopt;
  bool has_chain = chain.has_value();
  SynapseChain chained = chain.value_or(SynapseChain{});
  v.where(by_equations != nullptr, "rule: a map with equations", [&] {
    v.word_or_map(
        {"chain", "slower numbers behind each weight that hold what it was"},
        {{"none"},
         [&] { return has_chain ? "map" : "none"; },
         [&](const std::string& word) { has_chain = word == "map"; }},
        "map", [&] {
          v.integer({"length", "numbers of a synapse, with its weight"}, chained.length,
                    {2, SynapseChain::kLongest});
          v.number({"ratio", "between the sizes of neighbours"}, chained.ratio, {1.0, kLargest});
          v.number({"rate", "how fast neighbours draw each other"}, chained.rate, {0.0, 0.5, true});
          if (has_chain && by_equations != nullptr && !by_equations->program().dw) {
            v.refuse({"length", ""}, "needs weights that learn: the equations have no dw");
          }
        });
  });
  chain = has_chain ? std::optional(chained) : std::nullopt;
  if (of_patches) {
    v.forbid({"rewire", ""}, kNoPatches);
    v.forbid({"lateral", ""}, kNoPatches);
  }
  bool is_rewired = rewire.has_value();
  RewireOptions rewiring = rewire.value_or(RewireOptions{});
  if (!of_patches) {
    v.word_or_map({"rewire", "few synapses, of which the weakest go and others come"},
                  {{"none"},
                   [&] { return is_rewired ? "map" : "none"; },
                   [&](const std::string& word) { is_rewired = word == "map"; }},
                  "map", [&] { rewiring.keys(v); });
  }
  rewire = is_rewired ? std::optional(rewiring) : std::nullopt;
  v.choice({"normalization", "what holds the length of a neuron's weights"},
           choice_of({"none", "l2", "max_norm"}, control.normalization, normalization_from_name));
  v.where(control.normalization == Normalization::max_norm, "normalization: max_norm", [&] {
    v.number({"bound", "largest length of a neuron's weights"}, control.bound, kPositive);
  });
  std::optional<Homeostasis>& homeostasis = control.homeostasis;
  v.word_or_map({"homeostasis", "scales a neuron's weights towards a target answer"},
                {{"none"},
                 [&] { return homeostasis ? "map" : "none"; },
                 [&](const std::string& word) {
                   if (word == "none") homeostasis.reset();
                   if (word == "map" && !homeostasis) homeostasis = Homeostasis{};
                 }},
                "map", [&] {
                  v.number({"target", "the answer aimed at"}, homeostasis->target, kAnyNumber);
                  v.number({"strength", "how fast"}, homeostasis->strength, kNotNegative);
                });
  if (of_patches) return;
  bool is_lateral = lateral.has_value();
  LateralOptions connections = lateral.value_or(LateralOptions{});
  v.word_or_map({"lateral", "connections between the layer's neurons"},
                {{"none"},
                 [&] { return is_lateral ? "map" : "none"; },
                 [&](const std::string& word) { is_lateral = word == "map"; }},
                "map", [&] {
                  connections.keys(v);
                  const Activation f = assigns_output() ? Activation::linear : activation;
                  const auto fault = is_lateral ? fault_of(connections, f) : std::nullopt;
                  if (fault) v.refuse({fault->key, ""}, fault->why);
                });
  lateral = is_lateral ? std::optional(connections) : std::nullopt;
  if (!lateral) return;
  const std::string why = why_not_under_lateral(rule, *lateral);
  if (!why.empty()) v.refuse({"lateral", ""}, why);
  if (top_down) v.refuse({"lateral", ""}, "has no place beside top_down; take one of the two");
}

std::vector<std::string> HebbianOptions::warnings(std::int64_t inputs, std::int64_t outputs) const {
  std::vector<std::string> found;
  if (control.homeostasis && control.normalization == Normalization::l2) {
    found.emplace_back("homeostasis has no effect under normalization l2, which cancels it");
  }
  const auto* const written = std::get_if<EquationRule>(&rule);
  if (written != nullptr && is_component_rule(*written) && outputs > inputs) {
    found.push_back(
        message("{} neurons under rule {} read {} numbers; the weights of those beyond tend to 0",
                outputs, rule_name(rule), inputs));
  }
  const NamedRule* const entry = named_rule(rule_name(rule));
  if (learn && entry != nullptr && entry->made_for_init != nullptr &&
      (to_string(init) != entry->made_for_init || outputs > inputs)) {
    found.push_back(
        message("rule {} keeps orthonormal weights orthonormal and does nothing of the kind to "
                "others; begin with init: {}, and with no more neurons than the {} numbers that "
                "they read",
                entry->name, entry->made_for_init, inputs));
  }
  if (written != nullptr && learn) {
    const std::string need = needs_positive_weights(*written, inputs, outputs);
    const bool stays = bounds && bounds->low >= 0.0;
    const bool begins =
        init == Init::zeros || init == Init::positive || (init == Init::uniform && stays);
    if (!need.empty() && !(stays && begins)) {
      found.push_back(
          message("rule.equations: the rule {}, which negative weights do not allow, {}{}", need,
                  begins ? "and learning may make them negative; "
                         : "and init: " + to_string(init) + " begins with such; ",
                  kPositiveWeightsWayOut));
    }
  }
  return found;
}

void HebbianOptions::drop_idle() {
  if (control.normalization == Normalization::l2) control.homeostasis.reset();
  if (!std::holds_alternative<EquationRule>(rule)) chain.reset();
}

void HebbianOptions::simplify() {
  const bool by_equations = std::holds_alternative<EquationRule>(rule);
  std::optional<LateralOptions> connections;
  if (lateral) {
    const bool settles = lateral->form == LateralForm::settle;
    connections = {.form = settles ? LateralForm::settle : LateralForm::triangle,
                   .rate_lateral = 0.0};
  }
  // What comes from above may need its activation, and a text that reads it needs it.
  *this = {.rule = by_equations ? rule : rule_from_name(rule_name(rule)),
           .activation = top_down ? activation : Activation::linear,
           .init = Init::zeros,
           .chain = by_equations ? chain : std::nullopt,
           .rewire = rewire,
           .lateral = connections,
           .top_down = top_down,
           .random = random};
}

}  // namespace gaia
