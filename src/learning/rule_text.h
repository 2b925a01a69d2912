// SPDX-License-Identifier: MIT
/// \file
/// The text of a rule that is named.
#pragma once

#include <optional>

#include "rule_list.h"

namespace gaia {

/// The rule by its equations, with the numbers that it has: a rule with a functor as its text in
/// the catalogue, one by its equations as it is.  Nothing of a program's own functor, which has no
/// text.
std::optional<EquationRule> text_of(const PlasticityRule& rule);

}  // namespace gaia
