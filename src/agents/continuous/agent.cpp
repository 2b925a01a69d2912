// SPDX-License-Identifier: MIT
#include "agent.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/finite.h"
#include "../../core/message.h"
#include "agent_parts.h"

namespace gaia::agents {
namespace {

void need_numbers(std::span<const double> values, std::int64_t size, const char* function) {
  if (std::ssize(values) == size && are_finite(values)) return;
  fail<ArgumentError>("[agent] {}: expected {} finite numbers, got {}{}", function, size,
                      values.size(), are_finite(values) ? "" : ", not all finite");
}

void check_options(std::int64_t observation_size, const std::vector<double>& low,
                   const std::vector<double>& high, const ContinuousAgentOptions& options) {
  require(observation_size >= 1, "[agent] observation_size: expected 1 or more, got {}",
          static_cast<double>(observation_size));
  if (low.empty() || low.size() != high.size()) {
    fail<ArgumentError>(
        "[agent] bounds: expected a lower and an upper one for one action or more, got {} and {}",
        low.size(), high.size());
  }
  for (std::size_t a = 0; a < low.size(); ++a) {
    require(std::isfinite(low[a]) && std::isfinite(high[a]) && low[a] < high[a],
            "[agent] bounds: expected finite ones, the lower first, got {}", low[a]);
  }
  check(options.preference, observation_size);
  check(options.search);
  require(options.horizon >= 1, "[agent] horizon: expected 1 or more, got {}",
          static_cast<double>(options.horizon));
  require(options.hold >= 1, "[agent] hold: expected 1 or more, got {}",
          static_cast<double>(options.hold));
  require(options.actions_per_plan >= 1 && options.actions_per_plan <= options.horizon,
          "[agent] actions_per_plan: expected from 1 up to the horizon, got {}",
          static_cast<double>(options.actions_per_plan));
  require(options.use_preference || options.use_information_gain,
          "[agent] use_preference: expected the preference or the information gain to be used, got "
          "0.0");
  require(options.random_steps >= 0, "[agent] random_steps: expected 0 or more, got {}",
          static_cast<double>(options.random_steps));
  require(options.training_interval >= 0, "[agent] training_interval: expected 0 or more, got {}",
          static_cast<double>(options.training_interval));
  if (options.policy) check(*options.policy);
  require(options.training_ratio >= 0 && std::isfinite(options.training_ratio),
          "[agent] training_ratio: expected 0 or more, got {}", options.training_ratio);
}

}  // namespace

ContinuousAgent::ContinuousAgent(std::int64_t observation_size, std::vector<double> action_low,
                                 std::vector<double> action_high, ContinuousAgentOptions options) {
  check_options(observation_size, action_low, action_high, options);
  parts_ = std::make_unique<Parts>(observation_size, std::move(action_low), std::move(action_high),
                                   std::move(options));
}

ContinuousAgent::~ContinuousAgent() = default;
ContinuousAgent::ContinuousAgent(ContinuousAgent&&) noexcept = default;
ContinuousAgent& ContinuousAgent::operator=(ContinuousAgent&&) noexcept = default;

ContinuousAgent::Parts::Parts(std::int64_t observations, std::vector<double> low,
                              std::vector<double> high, ContinuousAgentOptions chosen)
    : observation_size(observations),
      action_size(std::ssize(low)),
      action_low(std::move(low)),
      action_high(std::move(high)),
      options(std::move(chosen)),
      model(observations, action_size, options.model, stream("model")),
      replay(observations, action_size,
             {.capacity = options.replay_capacity,
              .members = options.model.members,
              .mask_probability = options.model.mask_probability,
              .random = stream("masks")}) {
  if (!options.policy) return;
  StochasticActionOptions of_policy = options.policy->model;
  of_policy.unread = options.model.unread;
  of_policy.dtype = options.model.dtype;
  policy = std::make_unique<StochasticActionModel>(observations, action_low, action_high, of_policy,
                                                   stream("policy"));
}

RandomStream ContinuousAgent::Parts::stream(const std::string& purpose) const {
  return RandomStream::named(options.random.seed,
                             "agent/" + purpose + "/" + std::to_string(options.random.stream));
}

std::vector<double> ContinuousAgent::step(std::span<const double> observation) {
  observe(observation);
  Parts& p = *parts_;
  if (p.options.training_interval > 0 &&
      p.replay.added() - p.trained >= p.options.training_interval) {
    learn();
  }
  if (!p.is_random() && p.needs_plan() && !p.is_turn_of_policy()) plan();
  return act();
}

void ContinuousAgent::observe(std::span<const double> observation) {
  Parts& p = *parts_;
  need_numbers(observation, p.observation_size, "observe");
  if (!p.observation.empty()) {
    if (p.action.empty()) {
      throw ArgumentError(
          "[agent] observe: expected an action since the last observation, got none; call act() or "
          "take(), or reset() for another episode");
    }
    p.replay.add(p.observation, p.action, observation);
    p.model.observe(p.observation, p.action, observation);
  }
  p.observation.assign(observation.begin(), observation.end());
  p.action.clear();
}

const TrainingReport& ContinuousAgent::learn() {
  Parts& p = *parts_;
  p.training = {};
  const std::int64_t come = p.replay.added() - p.trained;
  if (!p.options.is_learning || come == 0) return p.training;
  if (p.policy) {
    if (p.rests()) {
      p.trained = p.replay.added();
      p.policy_training = {};
      return p.training;
    }
    p.learn_policy();
  }
  const auto steps =
      static_cast<std::int64_t>(std::llround(p.options.training_ratio * static_cast<double>(come)));
  p.training = report_of(p.model.train(p.replay, steps));
  p.trained = p.replay.added();
  return p.training;
}

GaussianFreeEnergy ContinuousAgent::Parts::terms(const WorldModel::Rollout& rollout) const {
  return gaussian_free_energy(rollout.means, rollout.log_variances, options.preference);
}

Array ContinuousAgent::Parts::objective_of(const GaussianFreeEnergy& terms) const {
  if (!options.use_information_gain) return terms.cross_entropy;
  if (!options.use_preference) return -terms.information_gain;
  return terms.cross_entropy - terms.information_gain;
}

/// Candidates [count, horizon, A] as what is done at each step, [horizon * hold, count, A].
Array ContinuousAgent::Parts::steps_of(std::span<const double> candidates,
                                       std::int64_t count) const {
  const Array sequences = from_values(candidates, {count, options.horizon, action_size})
                              .astype(model.dtype())
                              .transpose({1, 0, 2});
  if (options.hold == 1) return sequences;
  return sequences.expand_dims(1)
      .broadcast_to({options.horizon, options.hold, count, action_size})
      .reshape({options.horizon * options.hold, count, action_size});
}

std::vector<double> ContinuousAgent::Parts::first_mean() const {
  const auto size = static_cast<std::size_t>(action_size);
  std::vector<double> mean;
  // What of the last plan has not been done, and then its last action.
  const auto done = static_cast<std::size_t>(planned_steps / options.hold);
  for (std::size_t h = 0; h < static_cast<std::size_t>(options.horizon); ++h) {
    for (std::size_t a = 0; a < size; ++a) {
      mean.push_back(
          search_mean.empty()
              ? 0.5 * (action_low[a] + action_high[a])
              : search_mean[std::min(h + done, static_cast<std::size_t>(options.horizon - 1)) *
                                size +
                            a]);
    }
  }
  return mean;
}

const ContinuousPlan& ContinuousAgent::plan() {
  Parts& p = *parts_;
  if (p.observation.empty()) {
    throw ArgumentError("[agent] plan: expected an observation, got none; call observe() first");
  }
  const Timer timer(p.times.planning_seconds);
  std::vector<double> low, high;
  for (std::int64_t h = 0; h < p.options.horizon; ++h) {
    low.insert(low.end(), p.action_low.begin(), p.action_low.end());
    high.insert(high.end(), p.action_high.begin(), p.action_high.end());
  }
  const CandidateValues values = [&](std::span<const double> candidates, std::int64_t count) {
    const GaussianFreeEnergy terms =
        p.terms(p.model.roll_out(p.observation, p.steps_of(candidates, count)));
    return sum(p.objective_of(terms), {0}).to_vector<double>();
  };
  const std::uint64_t draws = cross_entropy_draws(p.options.search, std::ssize(low));
  const bool is_from_policy =
      p.policy && p.options.policy->starts_search && p.policy->trained() > 0;
  CrossEntropyResult result =
      least_by_cross_entropy(values, is_from_policy ? p.mean_of_policy() : p.first_mean(), low,
                             high, p.options.search, p.stream("search"), draws * p.plans);
  ++p.plans;

  const WorldModel::Rollout rollout = p.model.roll_out(p.observation, p.steps_of(result.best, 1));
  const GaussianFreeEnergy terms = p.terms(rollout);
  ContinuousPlan plan;
  const auto size = static_cast<std::size_t>(p.action_size);
  for (std::size_t h = 0; h * size < result.best.size(); ++h) {
    const auto from = result.best.begin() + static_cast<std::ptrdiff_t>(h * size);
    plan.actions.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
  }
  const Array expected = mean(rollout.means.astype(DType::float64), {0});
  for (std::int64_t t = 0; t < expected.shape(0); ++t) {
    plan.observations.push_back(expected[t].to_vector<double>());
  }
  plan.risk = sum(terms.risk).item();
  plan.ambiguity = sum(terms.ambiguity).item();
  plan.cross_entropy = sum(terms.cross_entropy).item();
  plan.information_gain = sum(terms.information_gain).item();
  plan.expected_free_energy = plan.cross_entropy - plan.information_gain;
  plan.objective = sum(p.objective_of(terms)).item();
  p.last_plan = std::move(plan);
  p.search_mean = std::move(result.mean);
  p.planned_steps = 0;
  p.policy_held = p.policy_actions = 0;
  return p.last_plan;
}

std::vector<double> ContinuousAgent::act() {
  Parts& p = *parts_;
  if (p.observation.empty()) {
    throw ArgumentError("[agent] act: expected an observation, got none; call observe() first");
  }
  if (p.is_random()) {
    // The number of the action that is held, and so the same draw as long as it is.
    const auto number = static_cast<std::uint64_t>(p.steps / p.options.hold);
    std::vector<double> drawn(static_cast<std::size_t>(p.action_size));
    p.stream("random").uniforms(number * drawn.size(), drawn);
    for (std::size_t a = 0; a < drawn.size(); ++a) {
      drawn[a] = p.action_low[a] + (p.action_high[a] - p.action_low[a]) * drawn[a];
    }
    p.choose(drawn, Chooser::chance);
    return drawn;
  }
  if (p.needs_plan() && p.is_turn_of_policy()) {
    std::vector<double> action = p.action_of_policy();
    p.choose(action, Chooser::policy);
    return action;
  }
  if (p.needs_plan()) {
    throw ArgumentError("[agent] act: expected a plan, got none that goes on; call plan() first");
  }
  const auto place = static_cast<std::size_t>(p.planned_steps / p.options.hold);
  std::vector<double> action = p.last_plan.actions[place];
  if (p.policy && p.options.is_learning && p.planned_steps % p.options.hold == 0) {
    p.policy->teach(p.observation, action);
  }
  p.choose(action, Chooser::planning);
  ++p.planned_steps;
  ++p.times.planned_steps;
  return action;
}

void ContinuousAgent::take(std::span<const double> action) {
  Parts& p = *parts_;
  need_numbers(action, p.action_size, "take");
  if (p.observation.empty()) {
    throw ArgumentError("[agent] take: expected an observation before the action, got none");
  }
  p.choose(action, Chooser::other);
  p.drop_plan();  // what it expected no longer follows
}

void ContinuousAgent::Parts::choose(std::span<const double> chosen, Chooser by) {
  action.assign(chosen.begin(), chosen.end());
  chooser = by;
  ++steps;
}

void ContinuousAgent::Parts::drop_plan() {
  search_mean.clear();
  planned_steps = options.actions_per_plan * options.hold;
  policy_held = 0;
}

void ContinuousAgent::end_episode(std::span<const double> last_observation) {
  observe(last_observation);
  learn();
  ++parts_->episodes;
  reset();
}

void ContinuousAgent::reset() {
  Parts& p = *parts_;
  p.observation.clear();
  p.action.clear();
  p.drop_plan();
}

std::int64_t ContinuousAgent::observation_size() const { return parts_->observation_size; }
std::int64_t ContinuousAgent::action_size() const { return parts_->action_size; }
const ContinuousAgentOptions& ContinuousAgent::options() const { return parts_->options; }
const WorldModel& ContinuousAgent::model() const { return parts_->model; }
const Replay& ContinuousAgent::replay() const { return parts_->replay; }
const ContinuousPlan& ContinuousAgent::last_plan() const { return parts_->last_plan; }
const TrainingReport& ContinuousAgent::last_training() const { return parts_->training; }
const StochasticActionModel* ContinuousAgent::policy() const { return parts_->policy.get(); }
const TrainingReport& ContinuousAgent::last_policy_training() const {
  return parts_->policy_training;
}
Chooser ContinuousAgent::last_chooser() const { return parts_->chooser; }
const ChoiceTimes& ContinuousAgent::times() const { return parts_->times; }
std::int64_t ContinuousAgent::steps() const { return parts_->steps; }
std::int64_t ContinuousAgent::episodes() const { return parts_->episodes; }

}  // namespace gaia::agents
