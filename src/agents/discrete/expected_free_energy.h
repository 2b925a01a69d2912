// SPDX-License-Identifier: MIT
/// \file
/// What policies are worth: their expected free energy, and the posterior over policies.
#pragma once

#include <cstdint>
#include <vector>

#include "beliefs.h"
#include "dirichlet.h"
#include "generative_model.h"

namespace gaia::agents {

/// The parts of an expected free energy, in nats.  With all outcomes of a step taken together,
///
///     risk + ambiguity = -(pragmatic + epistemic)
struct ExpectedFreeEnergy {
  double risk = 0.0;       ///< KL[Q(o) || C(o)]: outcomes expected, from those preferred.
  double ambiguity = 0.0;  ///< E_Q(s)[H[P(o | s)]]: what outcomes leave open in known states.
  double pragmatic = 0.0;  ///< E_Q(o)[ln C(o)]: how much the outcomes are preferred.
  double epistemic = 0.0;  ///< I(s; o): what outcomes tell of states.
  double novelty = 0.0;    ///< What outcomes and transitions tell of learnt parameters.
};

struct PlanningOptions {
  double precision = 16.0;  ///< gamma: how sharply better policies are preferred, 0 or more.
  bool use_pragmatic = true;
  bool use_epistemic = true;
  ParameterGain parameter_gain = ParameterGain::none;
  /// With the constants of SPM and pymdp, e^-16 beside every probability in the ambiguity, and
  /// joint states below e^-16 left out; to compare with those programs.  The exact value differs by
  /// about 1e-7 nats for each joint outcome and step.
  bool spm_constants = false;
};

/// G = -(pragmatic + epistemic + novelty), of what the options use; in nats, and less is better.
double total(const ExpectedFreeEnergy& terms, const PlanningOptions& options);

/// The expected free energy of being in these beliefs for a step.  Da Costa et al. 2020, "Active
/// inference on discrete state-spaces: a synthesis", Journal of Mathematical Psychology 99.
ExpectedFreeEnergy expected_free_energy(const GenerativeModel& model, const Beliefs& beliefs,
                                        const PlanningOptions& options = {});
/// The same, for anyone who asks often: `expected` is memory that is used again.
ExpectedFreeEnergy expected_free_energy(const GenerativeModel& model, const Beliefs& beliefs,
                                        const PlanningOptions& options,
                                        std::vector<double>& expected);

/// Actions, step by step.
using Policy = std::vector<Action>;

/// All combinations of the actions of all factors over `horizon` steps.  The last factor's action
/// at the last step runs fastest. \throws ArgumentError for a horizon below 1 and more than 2^20
/// policies.
std::vector<Policy> all_policies(const GenerativeModel& model, std::int64_t horizon);

/// What planning has found.
struct Plan {
  std::vector<ExpectedFreeEnergy> terms;  ///< Terms of each policy, summed over its steps.
  std::vector<double> G;                  ///< Expected free energy of each policy, in nats.
  std::vector<double> posterior;          ///< Q(policy) = softmax(ln E - gamma G).
  std::int64_t nodes = 0;                 ///< Steps whose expected free energy was computed.
};

/// Judges each policy from these beliefs on: states are predicted under it, step by step, without
/// the outcomes in between (tree_search.h has those).  What policies have in common at their
/// beginning, in their order, is computed once.
/// \throws ArgumentError for beliefs, policies or habits that do not fit the model.
Plan evaluate_policies(const GenerativeModel& model, const Beliefs& beliefs,
                       const std::vector<Policy>& policies, const PlanningOptions& options = {},
                       const Concentrations& concentrations = {});

/// softmax(ln E - gamma G); without habits E is the same for all.
std::vector<double> policy_posterior(const std::vector<double>& G,
                                     const std::vector<double>& habits, double precision);

}  // namespace gaia::agents
