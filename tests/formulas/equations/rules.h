// SPDX-License-Identifier: MIT
/// \file
/// Texts of rules with the same rules in C++.
#pragma once

#include <vector>

#include "layer.h"

namespace gaia::test {

/// What lines, names and vectors mean.
std::vector<Rule> rules_of_lines();
/// What operators and functions mean.
std::vector<Rule> rules_of_functions();
/// Rules of the literature.
std::vector<Rule> rules_of_papers();

}  // namespace gaia::test
