// SPDX-License-Identifier: MIT
/// \file
/// Where the numbers of a rule lie, for what reads, checks and tells of them.
#pragma once

#include <functional>
#include <vector>

#include "rule_keys.h"
#include "rule_list.h"

namespace gaia {

struct RuleParameters {
  double& learning_rate;
  double& decay;
  std::function<void(RuleKeys&)> keys;  ///< Shows the others.
};

/// Of a rule by its equations the parameters `rate` and `decay`.
/// \throws ArgumentError where it lacks one of them.
RuleParameters parameters_of(PlasticityRule& rule);

/// Every rule that has a name, with its default parameters, in the order in which they are told of.
std::vector<PlasticityRule> all_rules();

}  // namespace gaia
