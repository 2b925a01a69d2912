// SPDX-License-Identifier: MIT
/// \file
/// Rules and neurons that have a name and a text: docs/catalogue.md has them all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "entry.h"

namespace gaia {

/// All rules by name, those that have a functor beside their text (formulas/rules.h) too.
const std::vector<NamedRule>& named_rules();
const std::vector<NamedNeuron>& named_neurons();

/// Null where there is none of that name.
const NamedRule* named_rule(std::string_view name);
const NamedNeuron* named_neuron(std::string_view name);

std::vector<std::string> neuron_names();

}  // namespace gaia
