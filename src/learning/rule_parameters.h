// SPDX-License-Identifier: MIT
/// \file
/// The place of the numbers of a rule, for what reads, checks and reports them.
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

/// The parameters of a rule; of one by its equations `rate` and `decay`.
/// \throws ArgumentError where it lacks one of them.
RuleParameters parameters_of(PlasticityRule& rule);

/// Every rule that has a name, with its default parameters, in the order in which they are
/// reported.
std::vector<PlasticityRule> all_rules();

}  // namespace gaia
