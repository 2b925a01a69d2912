// SPDX-License-Identifier: MIT
#include "agent.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/log.h"
#include "../../core/message.h"
#include "impossible.h"
#include "joint.h"

namespace gaia::agents {
namespace {

/// Probabilities that differ by less are equal: rounding shall not choose.
constexpr double kTie = 1e-9;

/// q(s now) q(s before) of each factor, [now, before].
std::vector<std::vector<double>> products(const Beliefs& now, const Beliefs& before) {
  std::vector<std::vector<double>> pairs;
  for (std::size_t f = 0; f < now.size(); ++f) {
    std::vector<double>& pair = pairs.emplace_back();
    for (const double q : now[f]) {
      for (const double p : before[f]) pair.push_back(q * p);
    }
  }
  return pairs;
}

}  // namespace

DiscreteAgent::DiscreteAgent(GenerativeModel model, DiscreteAgentOptions options,
                             Concentrations concentrations)
    : model_(std::move(model)),
      options_(std::move(options)),
      concentrations_(std::move(concentrations)),
      first_concentrations_(concentrations_) {
  check_options();
  set_to_means(model_, concentrations_);
  if (options_.tree) {
    policies_ = all_policies(model_, 1);
  } else if (options_.policies.empty()) {
    policies_ = all_policies(model_, options_.horizon);
  } else {
    policies_ = options_.policies;
  }
  for (const Policy& policy : policies_) {
    if (policy.empty()) {
      throw ArgumentError("[agent] policies: expected one step or more in each, got none in one");
    }
    for (const Action& action : policy) model_.check_action(action);
  }
  const std::size_t habits = model_.tables().habits.size();
  if (habits != 0 && habits != policies_.size()) {
    fail<ArgumentError>("[agent] habits: expected a probability for each of {} policies, got {}",
                        policies_.size(), habits);
  }
  beliefs_ = model_.tables().initial;
}

void DiscreteAgent::check_options() const {
  require(options_.window >= 1, "[agent] window: expected 1 or more, got {}",
          static_cast<double>(options_.window));
  require(options_.action_precision >= 0 && std::isfinite(options_.action_precision),
          "[agent] action_precision: expected 0 or more, got {}", options_.action_precision);
  require(options_.planning.precision >= 0 && std::isfinite(options_.planning.precision),
          "[agent] precision: expected 0 or more, got {}", options_.planning.precision);
  if (options_.tree) check_tree(*options_.tree);
  const DirichletOptions& learning = options_.learning;
  for (const double rate :
       {learning.likelihood_rate, learning.transition_rate, learning.initial_rate}) {
    require(rate >= 0 && std::isfinite(rate), "[agent] learning rate: expected 0 or more, got {}",
            rate);
  }
  require(learning.forgetting >= 0 && learning.forgetting <= 1,
          "[agent] forgetting: expected a share from 0 to 1, got {}", learning.forgetting);
}

Action DiscreteAgent::step(const Observation& observation) {
  infer(observation);
  learn();
  plan();
  return act();
}

const Beliefs& DiscreteAgent::infer(const Observation& observation) {
  model_.check_observation(observation);
  if (actions_.size() != observations_.size()) {
    throw ArgumentError(
        "[agent] infer: expected an action since the last observation, got none; call act() or "
        "take(), or reset() for another trial");
  }
  if (observations_.empty()) {
    prior_ = model_.tables().initial;
  } else {
    led_by_ = actions_.back();
  }
  plan_ = {};
  if (options_.window == 1) {
    infer_step(observation);
  } else {
    observations_.push_back(observation);
    infer_steps();
  }
  look_at(observation);
  return beliefs_;
}

/// What is impossible costs more free energy than anything else, so others need no look.
void DiscreteAgent::look_at(const Observation& observation) {
  const double least = -std::log(kImpossible) - 1.0;
  impossible_.clear();
  if (free_energy_ > least) {
    const bool is_one_step = options_.window == 1;
    impossible_ = why_impossible(model_, observation, is_one_step ? prior_ : Beliefs());
  }
  if (!impossible_.empty() && options_.warns && !has_warned_) {
    has_warned_ = true;
    log_warning(message("[agent] step {} of a trial: {}; {}; this is said once for an agent", seen_,
                        impossible_, kImpossibleWayOut));
  }
  ++seen_;
}

void DiscreteAgent::infer_step(const Observation& observation) {
  const bool is_first = observations_.empty();
  const Beliefs before = std::move(beliefs_);
  if (!is_first) prior_ = predicted(model_, before, led_by_);
  Inference inference = infer_states(model_, observation, prior_, options_.inference);
  beliefs_ = std::move(inference.beliefs);
  free_energy_ = inference.free_energy;
  iterations_ = inference.iterations;
  window_beliefs_ = {beliefs_};
  if (is_first) {
    beginning_ = beliefs_;
    last_pair_.clear();
  } else {
    last_pair_ = products(beliefs_, before);
  }
  observations_ = {observation};
  actions_.clear();
}

void DiscreteAgent::infer_steps() {
  while (static_cast<std::int64_t>(observations_.size()) > options_.window) {
    // What the step that leaves the window has told goes into what is expected of the next.
    const Inference left = infer_states(model_, observations_.front(), prior_, options_.inference);
    prior_ = predicted(model_, left.beliefs, actions_.front());
    observations_.erase(observations_.begin());
    actions_.erase(actions_.begin());
    has_left_beginning_ = true;
  }
  WindowInference inference =
      infer_window(model_, observations_, actions_, prior_, options_.inference);
  window_beliefs_ = std::move(inference.beliefs);
  beliefs_ = window_beliefs_.back();
  free_energy_ = inference.free_energy;
  iterations_ = inference.iterations;
  last_pair_.clear();
  if (!inference.pairs.empty()) last_pair_ = std::move(inference.pairs.back());
  if (!has_left_beginning_) beginning_ = window_beliefs_.front();
}

void DiscreteAgent::learn() {
  if (observations_.empty()) {
    throw ArgumentError("[agent] learn: expected an observation before, got none; call infer()");
  }
  if (!concentrations_.likelihoods.empty()) {
    count_outcomes(concentrations_.likelihoods, first_concentrations_.likelihoods, model_,
                   observations_.back(), beliefs_, options_.learning);
  }
  if (!concentrations_.transitions.empty() && !last_pair_.empty()) {
    count_transitions(concentrations_.transitions, first_concentrations_.transitions, led_by_,
                      last_pair_, options_.learning);
  }
  set_to_means(model_, {.likelihoods = concentrations_.likelihoods,
                        .transitions = concentrations_.transitions});
}

const Plan& DiscreteAgent::plan() {
  if (options_.tree) {
    plan_ = search_tree(model_, beliefs_, *options_.tree, options_.planning, options_.inference,
                        concentrations_);
  } else {
    plan_ = evaluate_policies(model_, beliefs_, policies_, options_.planning, concentrations_);
  }
  return plan_;
}

std::vector<std::vector<double>> DiscreteAgent::action_posterior() const {
  std::vector<std::vector<double>> marginals;
  for (const std::int64_t count : model_.actions()) {
    marginals.emplace_back(static_cast<std::size_t>(count), 0.0);
  }
  for (std::size_t k = 0; k < plan_.posterior.size(); ++k) {
    for (std::size_t f = 0; f < marginals.size(); ++f) {
      marginals[f][static_cast<std::size_t>(policies_[k][0][f])] += plan_.posterior[k];
    }
  }
  return marginals;
}

std::size_t DiscreteAgent::draw(const std::vector<double>& probabilities) {
  double u = 0;
  options_.random.uniforms(draws_++, {&u, 1});
  std::size_t last = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    if (!(probabilities[k] > 0)) continue;
    last = k;
    if (u < probabilities[k]) return k;
    u -= probabilities[k];
  }
  return last;  // what rounding has left over
}

std::size_t DiscreteAgent::chosen(const std::vector<double>& posterior) {
  if (!options_.is_sampled) {
    const double most = *std::ranges::max_element(posterior);
    std::size_t first = 0;
    while (posterior[first] < most - kTie) ++first;
    return first;
  }
  std::vector<double> logits;
  for (const double p : posterior) {
    logits.push_back(options_.action_precision * std::log(p + log_floor));
  }
  return draw(softmax(std::move(logits)));
}

Action DiscreteAgent::act() {
  if (plan_.posterior.empty()) {
    throw ArgumentError("[agent] act: expected a plan before, got none; call plan()");
  }
  Action action;
  if (options_.by_whole_policy) {
    action = policies_[chosen(plan_.posterior)][0];
  } else {
    for (const std::vector<double>& marginal : action_posterior()) {
      action.push_back(static_cast<std::int64_t>(chosen(marginal)));
    }
  }
  take(action);
  return action;
}

void DiscreteAgent::take(const Action& action) {
  model_.check_action(action);
  if (observations_.empty()) {
    throw ArgumentError("[agent] take: expected an observation before, got none; call infer()");
  }
  if (actions_.size() == observations_.size()) {
    actions_.back() = action;  // instead of the one that was chosen
  } else {
    actions_.push_back(action);
  }
}

void DiscreteAgent::reset() {
  if (beginning_ && !concentrations_.initial.empty()) {
    count_initial(concentrations_.initial, first_concentrations_.initial, *beginning_,
                  options_.learning);
    set_to_means(model_, {.initial = concentrations_.initial});
  }
  observations_.clear();
  actions_.clear();
  beginning_.reset();
  has_left_beginning_ = false;
  window_beliefs_.clear();
  last_pair_.clear();
  plan_ = {};
  seen_ = 0;
  beliefs_ = model_.tables().initial;
  free_energy_ = 0;
  iterations_ = 0;
}

}  // namespace gaia::agents
