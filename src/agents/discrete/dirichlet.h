// SPDX-License-Identifier: MIT
/// \file
/// How A, B and D are learnt: counts of what was seen, as concentrations of Dirichlet
/// distributions.
#pragma once

#include <vector>

#include "beliefs.h"
#include "generative_model.h"

namespace gaia::agents {

/// Concentrations of Dirichlet distributions over the columns of a model's tables, in the shapes of
/// those tables.  What is left empty is known and not learnt.  An entry of 0 stays 0: it is held to
/// be impossible.
struct Concentrations {
  std::vector<ProbabilityTable> likelihoods = {};
  std::vector<ProbabilityTable> transitions = {};
  std::vector<std::vector<double>> initial = {};
};

struct DirichletOptions {
  double likelihood_rate = 1.0;  ///< How many counts an observation is worth.
  double transition_rate = 1.0;  ///< The same of a transition.
  double initial_rate = 1.0;     ///< The same of the first step of a trial.
  /// Share w of what was counted that is forgotten at every step (at every trial for `initial`),
  /// from 0 to 1: c <- c0 + (1 - w) (c - c0) + counts, where c0 is what the agent began with.
  double forgetting = 0.0;
};

/// The model with its tables replaced by the means of these distributions, a / sum(a).
/// \throws ArgumentError for concentrations whose shapes are not those of the model, or a column of
/// them without one above 0.
void set_to_means(GenerativeModel& model, const Concentrations& concentrations);

/// Counts an observation: a[m](o, s) += rate q(s).  Friston et al. 2016, "Active inference and
/// learning", Neuroscience & Biobehavioral Reviews 68.
void count_outcomes(std::vector<ProbabilityTable>& counts,
                    const std::vector<ProbabilityTable>& prior, const GenerativeModel& model,
                    const Observation& observation, const Beliefs& beliefs,
                    const DirichletOptions& options);

/// Counts a transition under an action: b[f](s', s, action) += rate q(s', s).  `pairs` has q(s', s)
/// of each factor, [states, states].
void count_transitions(std::vector<ProbabilityTable>& counts,
                       const std::vector<ProbabilityTable>& prior, const Action& action,
                       const std::vector<std::vector<double>>& pairs,
                       const DirichletOptions& options);

/// Counts a beginning: d[f](s) += rate q(s).
void count_initial(std::vector<std::vector<double>>& counts,
                   const std::vector<std::vector<double>>& prior, const Beliefs& beliefs,
                   const DirichletOptions& options);

/// What one more observation is expected to tell about parameters.
enum class ParameterGain {
  none,
  /// Mutual information, in nats, of a draw and the parameters of its Dirichlet distribution:
  /// sum p (psi(a + 1) - psi(a0 + 1) - ln p) with p = a / a0, averaged over the states.
  exact,
  /// What pymdp computes: sums of 1/a - 1/a0.  For many counts it is twice the exact one.
  inverse_counts,
};

/// The gain from being in a state, column by column, computed once for many policies.
class ParameterGains {
 public:
  ParameterGains() = default;  ///< Gains of known parameters: 0.
  ParameterGains(const Concentrations& concentrations, ParameterGain kind);

  /// Expected gain, in nats, at a step with these beliefs, predicted from those before by an
  /// action.
  double at(const GenerativeModel& model, const Beliefs& before, const Action& action,
            const Beliefs& beliefs) const;

 private:
  ParameterGain kind_ = ParameterGain::none;
  /// Exact: a number for each column.  Inverse counts: a number for each entry.
  std::vector<std::vector<double>> likelihoods_, transitions_;
};

/// Derivative of ln Gamma at x > 0, within 1e-13 relative to its size.
double digamma(double x);

}  // namespace gaia::agents
