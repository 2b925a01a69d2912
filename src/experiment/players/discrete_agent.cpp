// SPDX-License-Identifier: MIT
// From the keys of a discrete agent and its world to both.
#include <utility>

#include "../../core/error.h"
#include "discrete_player.h"

namespace gaia {
namespace {

using agents::ProbabilityTable;

const DiscreteAgentConfig& discrete(const ExperimentConfig& config) {
  return std::get<DiscreteAgentConfig>(config.agent()->kind);
}

RandomStream agent_stream(const ExperimentConfig& config, const char* purpose) {
  return RandomStream::named(static_cast<std::uint64_t>(config.seed), purpose);
}

/// What a table begins as.  With a uniform prior what is impossible in the model is possible too.
std::vector<double> beginning(const ConcentrationConfig& config, const std::vector<double>& model) {
  std::vector<double> counts;
  for (const double p : model) {
    const bool is_uniform = config.prior == ConcentrationConfig::Prior::uniform;
    counts.push_back(config.count * (is_uniform ? 1.0 : p));
  }
  return counts;
}

std::vector<ProbabilityTable> beginnings(const ConcentrationConfig& config,
                                         const std::vector<ProbabilityTable>& model) {
  std::vector<ProbabilityTable> tables;
  if (!config.is_learnt) return tables;
  for (const ProbabilityTable& table : model) {
    tables.push_back({table.shape, beginning(config, table.values)});
  }
  return tables;
}

/// \throws ArgumentError unless the nested lists name actions of the model.
std::vector<agents::Policy> policies_of(const NestedNumbers& given,
                                        const agents::GenerativeModel& model) {
  std::vector<agents::Policy> policies;
  if (given.shape.empty()) return policies;
  const bool is_short = given.shape.size() == 2;
  std::vector<std::size_t> controlled;
  for (std::size_t f = 0; f < model.actions().size(); ++f) {
    if (model.actions()[f] > 1) controlled.push_back(f);
  }
  if (is_short && controlled.size() != 1) {
    throw ArgumentError("[agent] policies: expected [policy][step][factor], since the model has " +
                        std::to_string(controlled.size()) +
                        " factors with actions, got [policy][step]");
  }
  if (!is_short && given.shape[2] != model.factors()) {
    throw ArgumentError("[agent] policies: expected an action for each of " +
                        std::to_string(model.factors()) + " factors, got " +
                        std::to_string(given.shape[2]));
  }
  std::size_t place = 0;
  for (std::int64_t p = 0; p < given.shape[0]; ++p) {
    agents::Policy& policy = policies.emplace_back();
    for (std::int64_t t = 0; t < given.shape[1]; ++t) {
      agents::Action action(model.actions().size(), 0);
      for (std::size_t f = 0; f < action.size(); ++f) {
        if (is_short && f != controlled.front()) continue;
        const double value = given.values[place++];
        action[f] = static_cast<std::int64_t>(value);
        const bool is_known =
            static_cast<double>(action[f]) == value && value >= 0 && action[f] < model.actions()[f];
        if (is_known) continue;
        throw ArgumentError("[agent] policies: expected actions from 0 below " +
                            std::to_string(model.actions()[f]) + ", got " + std::to_string(value));
      }
      policy.push_back(std::move(action));
    }
  }
  return policies;
}

}  // namespace

agents::DiscreteWorld make_discrete_world(const ExperimentConfig& config) {
  return config.agent()->environment.kind->make_discrete(agent_stream(config, "environment"));
}

agents::GenerativeModel discrete_model(const ExperimentConfig& config) {
  const DiscreteAgentConfig& agent = discrete(config);
  if (!agent.has_own_model) return make_discrete_world(config).model();
  return agent.model->make_discrete(RandomStream{}).model();
}

agents::Concentrations discrete_concentrations(const DiscreteAgentConfig& agent,
                                               const agents::GenerativeModel& model) {
  agents::Concentrations concentrations;
  concentrations.likelihoods = beginnings(agent.likelihoods, model.tables().likelihoods);
  concentrations.transitions = beginnings(agent.transitions, model.tables().transitions);
  if (agent.initial.is_learnt) {
    for (const std::vector<double>& d : model.tables().initial) {
      concentrations.initial.push_back(beginning(agent.initial, d));
    }
  }
  return concentrations;
}

agents::DiscreteAgent make_discrete_agent(const ExperimentConfig& config,
                                          const std::string& control) {
  const DiscreteAgentConfig& agent = discrete(config);
  agents::GenerativeModel model = discrete_model(config);
  agents::Concentrations concentrations = discrete_concentrations(agent, model);
  agents::DiscreteAgentOptions options{.horizon = agent.horizon,
                                       .policies = policies_of(agent.policies, model),
                                       .planning = agent.planning,
                                       .inference = agent.inference,
                                       .window = agent.window,
                                       .learning = {.likelihood_rate = agent.likelihoods.rate,
                                                    .transition_rate = agent.transitions.rate,
                                                    .initial_rate = agent.initial.rate,
                                                    .forgetting = agent.forgetting},
                                       .by_whole_policy = agent.by_whole_policy,
                                       .is_sampled = agent.is_sampled,
                                       .action_precision = agent.action_precision,
                                       .random = agent_stream(config, "agent"),
                                       .warns = false};
  if (agent.has_tree) options.tree = agent.tree;
  if (control == "no_epistemic") {
    options.planning.use_epistemic = false;
    options.planning.parameter_gain = agents::ParameterGain::none;
  }
  if (control == "frozen") {
    // It has the tables that learning begins with.
    agents::set_to_means(model, concentrations);
    concentrations = {};
  }
  return agents::DiscreteAgent(std::move(model), std::move(options), std::move(concentrations));
}

double log_preference(const agents::GenerativeModel& model,
                      const agents::Observation& observation) {
  double sum = 0.0;
  for (std::size_t m = 0; m < observation.size(); ++m) {
    if (observation[m] == agents::unobserved) continue;
    sum += model.tables().preferences[m][static_cast<std::size_t>(observation[m])];
  }
  return sum;
}

}  // namespace gaia
