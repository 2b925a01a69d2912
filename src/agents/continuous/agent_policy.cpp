// SPDX-License-Identifier: MIT
// What a ContinuousAgent does with a policy that is learnt.
#include <algorithm>
#include <cmath>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/finite.h"
#include "../../core/message.h"
#include "agent_parts.h"

namespace gaia::agents {

void check(const LearntPolicyOptions& policy) {
  require(policy.teaching_episodes >= 0,
          "[agent] policy.teaching_episodes: expected 0 or more, got {}",
          static_cast<double>(policy.teaching_episodes));
  require(policy.plan_every >= 2, "[agent] policy.plan_every: expected 2 or more, got {}",
          static_cast<double>(policy.plan_every));
  require(policy.training_ratio >= 0 && std::isfinite(policy.training_ratio),
          "[agent] policy.training_ratio: expected 0 or more, got {}", policy.training_ratio);
}

TrainingReport report_of(const WorldModel::Training& done) {
  const std::int64_t steps = std::ssize(done.losses);
  TrainingReport report{.steps = steps, .gradient_norm = done.gradient_norm};
  const std::int64_t last = std::max<std::int64_t>(std::min<std::int64_t>(1, steps), steps / 10);
  for (auto loss = done.losses.end() - last; loss != done.losses.end(); ++loss) {
    report.loss += *loss / static_cast<double>(last);
  }
  return report;
}

bool ContinuousAgent::Parts::is_turn_of_policy() const {
  if (!policy || policy->trained() == 0) return false;
  const LearntPolicyOptions& how = *options.policy;
  if (how.act == LearntPolicyOptions::Act::planning || episodes < how.teaching_episodes) {
    return false;
  }
  return how.act == LearntPolicyOptions::Act::policy || policy_held > 0 ||
         policy_actions + 1 < how.plan_every;
}

bool ContinuousAgent::Parts::rests() const {
  return options.policy->act == LearntPolicyOptions::Act::policy && is_turn_of_policy() &&
         policy->taught() == policy_learnt;
}

std::vector<double> ContinuousAgent::Parts::action_of_policy() {
  const Timer timer(times.policy_seconds);
  if (policy_held == 0) {
    search_mean.clear();  // what the last plan went on with is no longer what follows
    policy_action =
        options.policy->is_sampled ? policy->sample(observation) : policy->get_action(observation);
    ++policy_actions;
  }
  policy_held = (policy_held + 1) % options.hold;
  ++times.policy_steps;
  return policy_action;
}

/// The actions that the policy would choose along the mean of what the members expect.
std::vector<double> ContinuousAgent::Parts::mean_of_policy() const {
  std::vector<double> all, seen = observation;
  for (std::int64_t h = 0; h < options.horizon; ++h) {
    const std::vector<double> chosen = policy->get_action(seen);
    all.insert(all.end(), chosen.begin(), chosen.end());
    if (h + 1 == options.horizon) break;
    std::vector<double> held;
    for (std::int64_t k = 0; k < options.hold; ++k) {
      held.insert(held.end(), chosen.begin(), chosen.end());
    }
    const Array actions = from_values(held, {options.hold, 1, action_size}).astype(model.dtype());
    const WorldModel::Rollout expected = model.roll_out(seen, actions);
    seen = mean(expected.means.astype(DType::float64), {0})[options.hold - 1].to_vector<double>();
    // A model that knows little may expect what is not finite; what it says then is no start.
    if (!are_finite(seen)) return first_mean();
  }
  return all;
}

void ContinuousAgent::Parts::learn_policy() {
  const std::int64_t come = policy->taught() - policy_learnt;
  policy_training = {};
  if (come == 0) return;
  policy_training = report_of(policy->train(static_cast<std::int64_t>(
      std::llround(options.policy->training_ratio * static_cast<double>(come)))));
  policy_learnt = policy->taught();
}

}  // namespace gaia::agents
