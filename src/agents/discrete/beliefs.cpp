// SPDX-License-Identifier: MIT
#include "beliefs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/message.h"
#include "joint.h"

namespace gaia::agents {
namespace {

using List = std::vector<double>;

void check(const InferenceOptions& options) {
  if (options.iterations < 1) {
    fail<ArgumentError>("[agent] iterations: expected 1 or more, got {}", options.iterations);
  }
  if (!(options.tolerance >= 0)) {
    fail<ArgumentError>("[agent] tolerance: expected 0 or more, got {}", options.tolerance);
  }
}

List logarithms(const List& probabilities) {
  List result = probabilities;
  for (double& value : result) value = std::log(value + log_floor);
  return result;
}

double dot(const List& a, const List& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// Whether beliefs about one factor depend on those about another.
bool has_shared_groups(const GenerativeModel& model) {
  return std::ranges::any_of(model.groups(), [](const auto& g) { return g.factors.size() > 1; });
}

/// B of a factor for one action, times a vector over states.
void advance(const PossibleTransitions& b, std::int64_t action, const List& q, List& result) {
  const std::size_t states = q.size();
  result.assign(states, 0.0);
  const std::size_t* const begin = b.begin.data() + static_cast<std::size_t>(action) * states;
  for (std::size_t s = 0; s < states; ++s) {
    if (q[s] == 0) continue;
    for (std::size_t k = begin[s]; k < begin[s + 1]; ++k) {
      result[b.next[k]] += b.probability[k] * q[s];
    }
  }
}

/// The transpose of the same, times a vector over next states.
List go_back(const PossibleTransitions& b, std::int64_t action, const List& q) {
  const std::size_t states = q.size();
  List result(states, 0.0);
  const std::size_t* const begin = b.begin.data() + static_cast<std::size_t>(action) * states;
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t k = begin[s]; k < begin[s + 1]; ++k) {
      result[s] += b.probability[k] * q[b.next[k]];
    }
  }
  return result;
}

/// Divides by the sum, which it returns.
double normalise(List& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
  return sum;
}

}  // namespace

void predict(const GenerativeModel& model, const Beliefs& beliefs, const Action& action,
             Beliefs& next) {
  next.resize(beliefs.size());
  for (std::size_t f = 0; f < beliefs.size(); ++f) {
    advance(model.transitions()[f], action[f], beliefs[f], next[f]);
  }
}

Beliefs predicted(const GenerativeModel& model, const Beliefs& beliefs, const Action& action) {
  Beliefs next;
  predict(model, beliefs, action, next);
  return next;
}

Inference infer_states(const GenerativeModel& model, const Observation& observation,
                       const Beliefs& prior, const InferenceOptions& options) {
  check(options);
  model.check_observation(observation);
  check_beliefs(model, prior, "prior");
  std::vector<List> log_prior, log_likelihood;
  for (const List& one : prior) log_prior.push_back(logarithms(one));
  for (const ModalityGroup& group : model.groups()) {
    log_likelihood.push_back(agents::log_likelihood(model, group, observation));
  }
  Inference result{.beliefs = prior};
  for (std::size_t f = 0; f < prior.size(); ++f) {
    result.beliefs[f].assign(prior[f].size(), 1.0 / static_cast<double>(prior[f].size()));
  }
  // Factors of which nothing can be seen stay as they were.
  for (std::size_t f = 0; f < prior.size(); ++f) {
    const bool is_seen = std::ranges::any_of(model.groups(), [&](const ModalityGroup& group) {
      return std::ranges::count(group.factors, static_cast<std::int64_t>(f)) > 0;
    });
    if (!is_seen) result.beliefs[f] = prior[f];
  }
  double before = 0;
  for (std::size_t f = 0; f < prior.size(); ++f) {
    before += dot(result.beliefs[f], logarithms(result.beliefs[f])) -
              dot(result.beliefs[f], log_prior[f]);
  }
  const bool is_exact = !has_shared_groups(model);
  for (result.iterations = 1;; ++result.iterations) {
    const Beliefs old = options.parallel ? result.beliefs : Beliefs();
    result.free_energy = 0;
    for (std::size_t g = 0; g < model.groups().size(); ++g) {
      const ModalityGroup& group = model.groups()[g];
      for (std::size_t k = 0; k < group.factors.size(); ++k) {
        const auto f = static_cast<std::size_t>(group.factors[k]);
        List evidence =
            mean_over_others(group, log_likelihood[g], options.parallel ? old : result.beliefs, k);
        for (std::size_t s = 0; s < evidence.size(); ++s) evidence[s] += log_prior[f][s];
        result.beliefs[f] = softmax(std::move(evidence));
      }
      result.free_energy -= dot(joint_beliefs(group.factors, result.beliefs), log_likelihood[g]);
    }
    for (std::size_t f = 0; f < prior.size(); ++f) {
      result.free_energy += dot(result.beliefs[f], logarithms(result.beliefs[f])) -
                            dot(result.beliefs[f], log_prior[f]);
    }
    const bool is_settled = std::abs(before - result.free_energy) < options.tolerance;
    if (is_exact || is_settled || result.iterations >= options.iterations) return result;
    before = result.free_energy;
  }
}

namespace {

/// Messages along the chain of one factor, on logarithms of evidence for its states at each step.
struct Chain {
  std::vector<List> beliefs;
  std::vector<List> pairs;
  double log_evidence = 0.0;
};

Chain pass_messages(const GenerativeModel& model, const List& prior,
                    const std::vector<List>& evidence, const std::vector<Action>& actions,
                    std::size_t factor) {
  const ProbabilityTable& b = model.tables().transitions[factor];
  const PossibleTransitions& possible = model.transitions()[factor];
  const std::size_t steps = evidence.size();
  Chain chain;
  std::vector<List> weights;  // exp of the evidence, less its largest
  std::vector<List> forward;  // q(s at t | evidence up to t)
  for (std::size_t t = 0; t < steps; ++t) {
    const double most = *std::ranges::max_element(evidence[t]);
    List& weight = weights.emplace_back(evidence[t]);
    for (double& value : weight) value = std::exp(value - most);
    List q = prior;
    if (t > 0) advance(possible, actions[t - 1][factor], forward.back(), q);
    for (std::size_t s = 0; s < q.size(); ++s) q[s] = (q[s] + log_floor) * weight[s];
    chain.log_evidence += most + std::log(normalise(q));
    forward.push_back(std::move(q));
  }
  chain.beliefs.resize(steps);
  chain.pairs.resize(steps - 1);
  List back(prior.size(), 1.0);  // evidence after t, for each state at t
  const auto actions_of_factor = static_cast<std::size_t>(b.shape[2]);
  for (std::size_t t = steps; t-- > 0;) {
    List q = forward[t];
    for (std::size_t s = 0; s < q.size(); ++s) q[s] *= back[s];
    normalise(q);
    chain.beliefs[t] = std::move(q);
    if (t == 0) break;
    List after = weights[t];
    for (std::size_t s = 0; s < after.size(); ++s) after[s] *= back[s];
    const std::int64_t action = actions[t - 1][factor];
    List& pair = chain.pairs[t - 1];
    for (std::size_t next = 0; next < after.size(); ++next) {
      for (std::size_t s = 0; s < after.size(); ++s) {
        const std::size_t place = (next * after.size() + s) * actions_of_factor;
        const double entry = b.values[place + static_cast<std::size_t>(action)];
        pair.push_back((entry + log_floor) * after[next] * forward[t - 1][s]);
      }
    }
    normalise(pair);
    const double all = [&] {
      double sum = 0;
      for (const double value : after) sum += value;
      return sum;
    }();
    back = go_back(possible, action, after);
    for (double& value : back) value += log_floor * all;
    normalise(back);
  }
  return chain;
}

}  // namespace

WindowInference infer_window(const GenerativeModel& model,
                             const std::vector<Observation>& observations,
                             const std::vector<Action>& actions, const Beliefs& prior,
                             const InferenceOptions& options) {
  check(options);
  check_beliefs(model, prior, "prior");
  if (observations.empty() || actions.size() + 1 != observations.size()) {
    fail<ArgumentError>(
        "[agent] window: expected one action less than observations, got {} observations and {} "
        "actions",
        observations.size(), actions.size());
  }
  for (const Observation& one : observations) model.check_observation(one);
  for (const Action& one : actions) model.check_action(one);
  const std::size_t steps = observations.size();
  const std::size_t factors = prior.size();
  std::vector<std::vector<List>> log_likelihood(steps);
  for (std::size_t t = 0; t < steps; ++t) {
    for (const ModalityGroup& group : model.groups()) {
      log_likelihood[t].push_back(agents::log_likelihood(model, group, observations[t]));
    }
  }
  // Begins with what each factor is without observations.
  WindowInference result;
  result.beliefs.push_back(prior);
  for (const Action& action : actions) {
    result.beliefs.push_back(predicted(model, result.beliefs.back(), action));
  }
  std::vector<Chain> chains(factors);
  std::vector<bool> is_seen(factors, false);
  const auto pass = [&](std::size_t f, const std::vector<List>& evidence) {
    chains[f] = pass_messages(model, prior[f], evidence, actions, f);
    for (std::size_t t = 0; t < steps; ++t) result.beliefs[t][f] = chains[f].beliefs[t];
  };
  const bool is_exact = !has_shared_groups(model);
  double before = 0;
  for (result.iterations = 1;; ++result.iterations) {
    const std::vector<Beliefs> old = options.parallel ? result.beliefs : std::vector<Beliefs>();
    // F = sum over factors of (E_q[evidence] - ln of the chain's normaliser) - E_q[ln P(o | s)].
    result.free_energy = 0;
    for (std::size_t g = 0; g < model.groups().size(); ++g) {
      const ModalityGroup& group = model.groups()[g];
      for (std::size_t k = 0; k < group.factors.size(); ++k) {
        const auto f = static_cast<std::size_t>(group.factors[k]);
        is_seen[f] = true;
        std::vector<List> evidence;
        for (std::size_t t = 0; t < steps; ++t) {
          evidence.push_back(mean_over_others(group, log_likelihood[t][g],
                                              options.parallel ? old[t] : result.beliefs[t], k));
        }
        pass(f, evidence);
        for (std::size_t t = 0; t < steps; ++t) {
          result.free_energy += dot(result.beliefs[t][f], evidence[t]);
        }
        result.free_energy -= chains[f].log_evidence;
      }
      for (std::size_t t = 0; t < steps; ++t) {
        result.free_energy -=
            dot(joint_beliefs(group.factors, result.beliefs[t]), log_likelihood[t][g]);
      }
    }
    const bool is_settled = std::abs(before - result.free_energy) < options.tolerance;
    if (is_exact || (is_settled && result.iterations > 1) ||
        result.iterations >= options.iterations) {
      break;
    }
    before = result.free_energy;
  }
  for (std::size_t f = 0; f < factors; ++f) {
    if (is_seen[f]) continue;
    pass(f, std::vector<List>(steps, List(prior[f].size(), 0.0)));
  }
  result.pairs.resize(steps - 1);
  for (std::size_t t = 0; t + 1 < steps; ++t) {
    for (Chain& chain : chains) result.pairs[t].push_back(std::move(chain.pairs[t]));
  }
  return result;
}

}  // namespace gaia::agents
