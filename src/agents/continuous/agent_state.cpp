// SPDX-License-Identifier: MIT
// What a ContinuousAgent keeps and goes on from.
#include <algorithm>
#include <string>
#include <utility>

#include "../../array/create.h"
#include "../../core/message.h"
#include "agent_parts.h"

namespace gaia::agents {
namespace {

Array of_row(const std::vector<double>& values) {
  return from_values(values, {std::ssize(values)});
}

Array of_rows(const std::vector<std::vector<double>>& rows, std::int64_t columns) {
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.insert(values.end(), row.begin(), row.end());
  return from_values(values, {std::ssize(rows), columns});
}

/// Numbers of an array of this length, or, where it may be, of none.
std::vector<double> row_from(const ArrayMap& state, const std::string& name, std::int64_t size,
                             bool may_be_empty = false) {
  const Array& array = array_of_state("agent", state, name);
  if (array.size() == size || (may_be_empty && array.size() == 0)) return array.to_vector<double>();
  fail<ShapeError>("[agent] set_state: \"{}\": expected {} numbers, got {}", name, size,
                   array.size());
}

std::vector<std::vector<double>> rows_from(const ArrayMap& state, const std::string& name,
                                           std::int64_t rows, std::int64_t columns) {
  const std::vector<double> values = row_from(state, name, rows * columns, true);
  std::vector<std::vector<double>> result;
  const auto size = static_cast<std::size_t>(columns);
  for (std::size_t begin = 0; begin < values.size(); begin += size) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
    result.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

}  // namespace

ArrayMap ContinuousAgent::state() const {
  const Parts& p = *parts_;
  ArrayMap state;
  for (auto& [name, value] : p.model.state()) state["model." + name] = value;
  for (auto& [name, value] : p.replay.state()) state["replay." + name] = value;
  state["observation"] = of_row(p.observation);
  state["action"] = of_row(p.action);
  state["search_mean"] = of_row(p.search_mean);
  const ContinuousPlan& plan = p.last_plan;
  state["plan.actions"] = of_rows(plan.actions, p.action_size);
  state["plan.observations"] = of_rows(plan.observations, p.observation_size);
  state["plan.terms"] = of_row({plan.risk, plan.ambiguity, plan.cross_entropy,
                                plan.information_gain, plan.expected_free_energy, plan.objective});
  state["training"] = of_row({p.training.loss, p.training.gradient_norm});
  state["counts"] =
      from_values(std::vector<std::int64_t>{p.planned_steps, static_cast<std::int64_t>(p.plans),
                                            p.trained, p.steps, p.episodes, p.training.steps},
                  {6});
  if (p.policy) {
    for (auto& [name, value] : p.policy->state()) state["policy." + name] = value;
    state["policy_action"] = of_row(p.policy_action);
    state["policy_training"] = of_row({p.policy_training.loss, p.policy_training.gradient_norm});
    state["policy_counts"] =
        from_values(std::vector<std::int64_t>{p.policy_held, p.policy_actions, p.policy_learnt,
                                              p.policy_training.steps},
                    {4});
  }
  return state;
}

void ContinuousAgent::Parts::set_policy_state(const ArrayMap& state) {
  policy->set_state(arrays_below(state, "policy."));
  policy_action = row_from(state, "policy_action", action_size, true);
  const std::vector<double> training_terms = row_from(state, "policy_training", 2);
  policy_training.loss = training_terms[0];
  policy_training.gradient_norm = training_terms[1];
  const std::vector<double> counts = row_from(state, "policy_counts", 4);
  const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(counts[i]); };
  if (*std::min_element(counts.begin(), counts.end()) < 0 || whole(0) >= options.hold ||
      whole(2) > policy->taught() || (whole(0) > 0 && policy_action.empty())) {
    throw ArgumentError(
        "[agent] set_state: \"policy_counts\": expected 0 or more of each, fewer steps of an "
        "action than it is held and no more choices learnt than were taught, got other ones");
  }
  policy_held = whole(0);
  policy_actions = whole(1);
  policy_learnt = whole(2);
  policy_training.steps = whole(3);
}

void ContinuousAgent::set_state(const ArrayMap& state) {
  const Parts& now = *parts_;
  // Into another one first: what is wrong is found before anything has changed.
  auto made =
      std::make_unique<Parts>(now.observation_size, now.action_low, now.action_high, now.options);
  Parts& p = *made;
  p.model.set_state(arrays_below(state, "model."));
  p.replay.set_state(arrays_below(state, "replay."));
  p.observation = row_from(state, "observation", p.observation_size, true);
  p.action = row_from(state, "action", p.action_size, true);
  p.search_mean = row_from(state, "search_mean", p.options.horizon * p.action_size, true);
  p.last_plan.actions = rows_from(state, "plan.actions", p.options.horizon, p.action_size);
  p.last_plan.observations =
      rows_from(state, "plan.observations", p.options.horizon * p.options.hold, p.observation_size);
  const std::vector<double> terms = row_from(state, "plan.terms", 6);
  p.last_plan.risk = terms[0];
  p.last_plan.ambiguity = terms[1];
  p.last_plan.cross_entropy = terms[2];
  p.last_plan.information_gain = terms[3];
  p.last_plan.expected_free_energy = terms[4];
  p.last_plan.objective = terms[5];
  const std::vector<double> training = row_from(state, "training", 2);
  p.training.loss = training[0];
  p.training.gradient_norm = training[1];
  const auto counts = array_of_state("agent", state, "counts", {6}).to_vector<std::int64_t>();
  if (*std::min_element(counts.begin(), counts.end()) < 0 ||
      counts[0] > p.options.actions_per_plan * p.options.hold || counts[2] > p.replay.added()) {
    throw ArgumentError(
        "[agent] set_state: \"counts\": expected 0 or more of each, no more steps of a plan than "
        "are "
        "done of it and no more transitions trained on than came, got other ones");
  }
  p.planned_steps = counts[0];
  p.plans = static_cast<std::uint64_t>(counts[1]);
  p.trained = counts[2];
  p.steps = counts[3];
  p.episodes = counts[4];
  p.training.steps = counts[5];
  if (p.policy) p.set_policy_state(state);
  parts_ = std::move(made);
}

}  // namespace gaia::agents
