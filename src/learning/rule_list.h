// SPDX-License-Identifier: MIT
/// \file
/// Plasticity rules by name: those of the catalogue, three of which are functors
/// (formulas/rules.h), and those that a program has registered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../formulas/dtype.h"
#include "../formulas/rules.h"
#include "component_rules.h"

namespace gaia {

class ConfigVisitor;
struct NamedRule;

/// Any rule: of {loss, gain}, or by its equations.
using PlasticityRule = std::variant<Rule, EquationRule>;

/// A name of the catalogue ("oja"), the name under which it was registered, or "equations".
std::string rule_name(const PlasticityRule& rule);
std::vector<std::string> rule_names();

/// The rule of that name with default parameters, for neurons that answer as the layer's activation
/// says.
/// \throws ArgumentError for a name that is none, listing the known ones.
PlasticityRule rule_from_name(std::string_view name);
/// The same of a neuron of the catalogue: always a rule by its equations.
/// \throws ArgumentError for a rule that has no text, or whose text assigns y itself.
PlasticityRule rule_from_name(std::string_view name, const std::string& neuron);

/// What the catalogue says of a rule; null for one that it lacks.
const NamedRule* entry_of(const PlasticityRule& rule);
/// The neuron of a rule by its equations; empty for none.
std::string neuron_of(const PlasticityRule& rule);

/// The two numbers that every rule has, to be read or changed.  The learning rate of a rule by its
/// equations is its parameter `rate`.  \throws ArgumentError where that has none, or no decay.
double& learning_rate_of(PlasticityRule& rule);
double& decay_of(PlasticityRule& rule);

/// The largest learning_rate |x|^2 at which the weights stay finite where nothing but the rule
/// holds them, x being the input of the layer.  Under Oja's rule and those of its kind 1: beyond it
/// a sample that is repeated keeps turning the weights over, beyond 2 they grow to infinity.  A
/// mean |x|^2 above the limit makes the weights grow to infinity; below it single samples that are
/// much larger may still do so.  Empty where none is known, as under Hebb's rule.
std::optional<double> stability_limit(const PlasticityRule& rule);
/// What is known of a rule without a limit, to follow its name: "grows at any rate ...".  Empty
/// where nothing is.
std::string stability_note(const PlasticityRule& rule);

/// What the rule remembers of every neuron; none of rules without memory.
std::vector<RuleMemory> memories_of(const PlasticityRule& rule);
/// What to look for in the weights under this rule, in a sentence; may be empty.
std::string look_for(const PlasticityRule& rule);

/// Shows the keys of a rule: `rule`, which decides about the others, learning_rate, decay, and
/// those of all rules, of which those of others have no effect.  `automatic`: the learning rate is
/// the word `auto`, and the number of the rule the one that was found for it, or 0.  `hears_above`:
/// the layer has a connection from above, which texts can read (EquationRuleOptions::hears_above).
void describe_rule(ConfigVisitor& visitor, PlasticityRule& rule, bool& automatic,
                   bool hears_above = false);

/// Shows the keys of a rule that is a map, its text first; a rule that is none stays as it is where
/// there is no text.
void describe_rule_text(ConfigVisitor& visitor, PlasticityRule& rule);

/// \throws ArgumentError for a parameter out of its range.
void check_rule(const PlasticityRule& rule);
/// The same for a rule that computes in `dtype`, which has to hold its parameters, the first values
/// of its memories, and the numbers that stand in its text.
void check_rule(const PlasticityRule& rule, DType dtype);

/// Has a rule stand among those that are built in, under its name; register_rule
/// (learning/custom_rule.h) makes one of a functor.  Not while another thread works with rules.
/// \throws ArgumentError for a name that is taken, or that YAML, results or checkpoints cannot
///         have.
void register_rule(std::shared_ptr<const TickRule> rule);

}  // namespace gaia
