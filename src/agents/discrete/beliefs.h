// SPDX-License-Identifier: MIT
/// \file
/// What an agent holds its hidden states to be: beliefs at one time by the mean field, and over a
/// window of time by messages that go forward and back.
#pragma once

#include <cstdint>
#include <vector>

#include "generative_model.h"

namespace gaia::agents {

/// For each factor the probabilities of its states: q(s) = q1(s1) q2(s2) ...
using Beliefs = std::vector<std::vector<double>>;

/// Added to probabilities before their logarithm, so that what is held to be impossible can still
/// be believed when it happens (as in SPM and pymdp): ln 0 is -36.8 nats.
inline constexpr double log_floor = 1e-16;

struct InferenceOptions {
  std::int64_t iterations = 100;  ///< At most so many rounds over all factors.
  double tolerance = 1e-12;       ///< Ends when the free energy changes by less, in nats.
  /// All factors of a round from the beliefs of the round before, as pymdp does.  By default each
  /// factor sees those before it in its round: then the free energy never rises.
  bool parallel = false;
};

struct Inference {
  Beliefs beliefs;
  /// Variational free energy in nats: sum over factors of KL[q || prior], less E_q[ln P(o | s)]. An
  /// upper bound of -ln P(o); with one factor it is that.
  double free_energy = 0.0;
  std::int64_t iterations = 0;
};

/// Beliefs after an observation: the fixed point of the mean field
///
///     q_f(s) ~ exp(ln prior_f(s) + E[ln P(o | s_1, s_2, ...)])
///
/// for each factor f, where the mean is over the beliefs about the other factors.  With one factor
/// this is Bayes' rule, in one round.  Source: Friston et al. 2017, "Active inference: a process
/// theory", Neural Computation 29.
///
/// \throws ArgumentError for an observation or a prior that does not fit the model, or options that
/// are out of their range.
Inference infer_states(const GenerativeModel& model, const Observation& observation,
                       const Beliefs& prior, const InferenceOptions& options = {});

/// Beliefs a step later: B q for each factor, under its action.
Beliefs predicted(const GenerativeModel& model, const Beliefs& beliefs, const Action& action);
/// The same into `next`, whose memory is used again.
void predict(const GenerativeModel& model, const Beliefs& beliefs, const Action& action,
             Beliefs& next);

/// Beliefs over a window of steps.
struct WindowInference {
  std::vector<Beliefs> beliefs;  ///< Beliefs of each step, given all observations of the window.
  /// pairs[t][f]: q(s at t + 1, s at t) of a factor, [states, states] row-major.
  std::vector<std::vector<std::vector<double>>> pairs;
  double free_energy = 0.0;  ///< In nats; with one factor -ln P(all observations).
  std::int64_t iterations = 0;
};

/// Beliefs over the steps of a window, given an observation at each and the actions between them.
/// Factors are independent of each other in q, and each is a chain in time whose beliefs are exact
/// given the others: messages go forward and back along it, on mean log likelihoods in the place of
/// likelihoods.  With one factor this is exact smoothing.  Sources: Saul & Jordan 1996 (NIPS 8),
/// for chains as the parts of a mean field; Parr, Markovic, Kiebel & Friston 2019, Scientific
/// Reports 9, for what is exact and what is not.
///
/// \throws ArgumentError for no observations, unless there is one action less than observations,
/// and as `infer_states` does.
WindowInference infer_window(const GenerativeModel& model,
                             const std::vector<Observation>& observations,
                             const std::vector<Action>& actions, const Beliefs& prior,
                             const InferenceOptions& options = {});

}  // namespace gaia::agents
