// SPDX-License-Identifier: MIT
// What a discrete agent leaves in a results file.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "discrete_player.h"

namespace gaia {
namespace {

std::vector<std::string> labels_of(const std::vector<std::vector<std::string>>& all,
                                   std::size_t index) {
  return index < all.size() ? all[index] : std::vector<std::string>();
}

/// The words of a list of labels as a text: "0 centre, 1 left arm".
std::string meaning_of(const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", i, labels[i]);
  }
  return text;
}

void add_factor(AgentLayout& layout, const agents::WorldNames& names,
                const agents::GenerativeModel& model, std::size_t f) {
  const std::string& name = names.factors[f];
  const std::vector<std::string> states = labels_of(names.states, f);
  const std::vector<std::string> actions = labels_of(names.actions, f);
  layout.axes.push_back(
      {name + "_state", model.states()[f], "state of the factor " + name, states});
  layout.steps.push_back({.name = "state_" + name,
                          .long_name = "true state of the factor " + name + meaning_of(states),
                          .is_integer = true});
  layout.steps.push_back(
      {.name = "belief_" + name,
       .long_name = "probability that the agent gives each state of the factor " + name,
       .axes = {name + "_state"}});
  layout.episodes.push_back({.name = "last_state_" + name,
                             .long_name = "true state of the factor " + name +
                                          " after the last action" + meaning_of(states),
                             .is_integer = true});
  if (model.actions()[f] == 1) return;
  layout.steps.push_back({.name = "action_" + name,
                          .long_name = "action on the factor " + name + meaning_of(actions),
                          .is_integer = true});
}

void add_modality(AgentLayout& layout, const agents::WorldNames& names, std::size_t m) {
  const std::string& name = names.modalities[m];
  const std::string meaning = meaning_of(labels_of(names.outcomes, m));
  layout.steps.push_back({.name = "observation_" + name,
                          .long_name = "outcome of the modality " + name + meaning,
                          .is_integer = true});
  layout.episodes.push_back(
      {.name = "last_observation_" + name,
       .long_name = "outcome of the modality " + name + " after the last action" + meaning,
       .is_integer = true});
}

void add_plans(AgentLayout& layout, const agents::DiscreteAgent& agent,
               const agents::WorldNames& names) {
  const std::vector<agents::Policy>& policies = agent.policies();
  std::size_t horizon = 0;
  for (const agents::Policy& policy : policies) horizon = std::max(horizon, policy.size());
  layout.axes.push_back({"policy", std::ssize(policies), "policy"});
  layout.axes.push_back(
      {"plan_step", static_cast<std::int64_t>(horizon), "step of a policy, from now on"});
  layout.axes.push_back({"factor", std::ssize(names.factors), "factor of states", names.factors});
  const auto add = [&](const char* name, const char* long_name, const char* units) {
    layout.plans.push_back(
        {.name = name, .long_name = long_name, .units = units, .axes = {"policy"}});
  };
  add("posterior", "posterior probability of the policy", "1");
  add("G", "expected free energy of the policy, as far as the agent counts its parts", "nat");
  add("risk", "how far the outcomes expected are from those preferred", "nat");
  add("ambiguity", "what outcomes leave open in known states", "nat");
  add("pragmatic", "how much the outcomes expected are preferred", "nat");
  add("epistemic", "what outcomes are expected to tell of states", "nat");
  add("novelty", "what outcomes and transitions are expected to tell of learnt tables", "nat");
  layout.fixed.push_back({.name = "policy_action",
                          .long_name = "action of the policy on each factor; -1 behind its end",
                          .is_integer = true,
                          .axes = {"policy", "plan_step", "factor"}});
  std::vector<double>& values = layout.fixed_values.emplace_back();
  for (const agents::Policy& policy : policies) {
    for (std::size_t t = 0; t < horizon; ++t) {
      for (std::size_t f = 0; f < names.factors.size(); ++f) {
        values.push_back(t < policy.size() ? static_cast<double>(policy[t][f]) : -1.0);
      }
    }
  }
}

void add_learnt(AgentLayout& layout, const agents::DiscreteAgent& agent,
                const agents::WorldNames& names) {
  const agents::GenerativeModel& model = agent.model();
  const agents::Concentrations& learnt = agent.concentrations();
  constexpr const char* what = "concentrations at the end of what was learnt of ";
  for (std::size_t m = 0; m < learnt.likelihoods.size(); ++m) {
    const std::string& name = names.modalities[m];
    layout.axes.push_back({name + "_outcome", model.outcomes()[m],
                           "outcome of the modality " + name, labels_of(names.outcomes, m)});
    std::vector<std::string> axes = {name + "_outcome"};
    for (const std::int64_t f : model.tables().depends_on[m]) {
      axes.push_back(names.factors[static_cast<std::size_t>(f)] + "_state");
    }
    layout.learnt.push_back({.name = "likelihood_" + name,
                             .long_name = what + ("the likelihood of " + name),
                             .axes = std::move(axes)});
  }
  for (std::size_t f = 0; f < learnt.transitions.size(); ++f) {
    const std::string& name = names.factors[f];
    layout.axes.push_back({name + "_next", model.states()[f], "next state of the factor " + name,
                           labels_of(names.states, f)});
    layout.axes.push_back({name + "_action", model.actions()[f], "action on the factor " + name,
                           labels_of(names.actions, f)});
    layout.learnt.push_back({.name = "transition_" + name,
                             .long_name = what + ("the transitions of " + name),
                             .axes = {name + "_next", name + "_state", name + "_action"}});
  }
  for (std::size_t f = 0; f < learnt.initial.size(); ++f) {
    const std::string& name = names.factors[f];
    layout.learnt.push_back({.name = "initial_" + name,
                             .long_name = what + ("how episodes begin in " + name),
                             .axes = {name + "_state"}});
  }
}

}  // namespace

AgentLayout discrete_layout(const ExperimentConfig& config) {
  const agents::DiscreteAgent agent = make_discrete_agent(config);
  const agents::WorldNames names = config.agent()->environment.kind->names();
  AgentLayout layout;
  for (std::size_t m = 0; m < names.modalities.size(); ++m) add_modality(layout, names, m);
  for (std::size_t f = 0; f < names.factors.size(); ++f)
    add_factor(layout, names, agent.model(), f);
  layout.steps.push_back({.name = "free_energy",
                          .long_name = "variational free energy of the beliefs",
                          .units = "nat"});
  add_plans(layout, agent, names);
  add_learnt(layout, agent, names);
  layout.reward =
      "how much the outcomes that the action led to are preferred, as the preferences of the world "
      "say it: ln C up to a constant, summed over modalities";
  layout.reward_units = "nat";
  layout.about = {{"factors", std::int64_t{agent.model().factors()}},
                  {"modalities", std::int64_t{agent.model().modalities()}},
                  {"policies", std::int64_t{std::ssize(agent.policies())}}};
  return layout;
}

}  // namespace gaia
