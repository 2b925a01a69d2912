// SPDX-License-Identifier: MIT
#include "agent_cases.h"

#include <utility>

namespace gaia::bench {
namespace {

using nlohmann::json;

std::vector<ProbabilityTable> read_tables(const json& list) {
  std::vector<ProbabilityTable> tables;
  for (const json& one : list) {
    tables.push_back({one.at("shape").get<std::vector<std::int64_t>>(),
                      one.at("values").get<std::vector<double>>()});
  }
  return tables;
}

json written(const std::vector<ProbabilityTable>& tables) {
  json list = json::array();
  for (const ProbabilityTable& one : tables) {
    list.push_back({{"shape", one.shape}, {"values", one.values}});
  }
  return list;
}

}  // namespace

AgentCase read_agent_case(const json& source) {
  AgentCase one;
  one.name = source.at("name").get<std::string>();
  const std::vector<ProbabilityTable> a = read_tables(source.at("likelihoods"));
  const std::vector<ProbabilityTable> b = read_tables(source.at("transitions"));
  const auto d = source.at("initial").get<std::vector<std::vector<double>>>();
  for (const ProbabilityTable& table : a) one.tables.likelihoods.push_back(normalised(table));
  for (const ProbabilityTable& table : b) one.tables.transitions.push_back(normalised(table));
  for (const std::vector<double>& list : d) {
    one.tables.initial.push_back(
        normalised({{static_cast<std::int64_t>(list.size())}, list}).values);
  }
  one.tables.preferences = source.at("preferences").get<std::vector<std::vector<double>>>();
  if (source.contains("habits")) one.tables.habits = source["habits"].get<std::vector<double>>();
  if (source.value("learn", false)) one.concentrations = {a, b, d};
  one.horizon = source.at("horizon").get<std::int64_t>();
  one.has_parameter_gain = source.value("parameter_gain", false);
  one.observations = source.at("observations").get<std::vector<Observation>>();
  one.actions = source.at("actions").get<std::vector<Action>>();
  return one;
}

json case_of_model(const std::string& name, const GenerativeModel& model, std::int64_t horizon) {
  return {{"name", name},
          {"likelihoods", written(model.tables().likelihoods)},
          {"transitions", written(model.tables().transitions)},
          {"preferences", model.tables().preferences},
          {"initial", model.tables().initial},
          {"horizon", horizon}};
}

DiscreteAgentOptions options_of(const AgentCase& one, bool is_exact) {
  const ParameterGain gain =
      one.has_parameter_gain ? ParameterGain::inverse_counts : ParameterGain::none;
  return {.horizon = one.horizon,
          .planning = {.parameter_gain = gain, .spm_constants = !is_exact},
          .inference = {.iterations = 10, .tolerance = 1e-3, .parallel = true},
          .random = {1, 1}};
}

json run_agent_case(const AgentCase& one, bool is_exact) {
  DiscreteAgent agent(GenerativeModel(one.tables), options_of(one, is_exact), one.concentrations);
  json steps = json::array();
  for (std::size_t t = 0; t < one.observations.size(); ++t) {
    const Action action = agent.step(one.observations[t]);
    steps.push_back({{"beliefs", agent.beliefs()},
                     {"G", agent.last_plan().G},
                     {"posterior", agent.last_plan().posterior},
                     {"action", action}});
    agent.take(one.actions[t]);
  }
  agent.reset();
  json result = {{"name", one.name}, {"steps", std::move(steps)}};
  if (!one.concentrations.initial.empty()) {
    result["likelihoods"] = written(agent.concentrations().likelihoods);
    result["transitions"] = written(agent.concentrations().transitions);
    result["initial"] = agent.concentrations().initial;
  }
  return result;
}

}  // namespace gaia::bench
