// SPDX-License-Identifier: MIT
/// \file
/// Agents over discrete states: models, inference, planning, the agent; gaia/_discrete*.py are what
/// people see of them.
#include "../../src/agents/discrete/agent.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "agent_values.h"
#include "bindings.h"

namespace gaia::python {

using namespace agents;

template <class Visit>
void list_options(Visit&& visit, InferenceOptions& options) {
  visit("iterations", options.iterations);
  visit("tolerance", options.tolerance);
  visit("parallel", options.parallel);
}

template <class Visit>
void list_options(Visit&& visit, PlanningOptions& options) {
  visit("precision", options.precision);
  visit("use_pragmatic", options.use_pragmatic);
  visit("use_epistemic", options.use_epistemic);
  visit("spm_constants", options.spm_constants);
}

template <class Visit>
void list_options(Visit&& visit, TreeOptions& options) {
  visit.without_default("tree", options.depth);
  visit("action_threshold", options.action_threshold);
  visit("outcome_threshold", options.outcome_threshold);
}

/// Those of its tree, its planning and its inference are lists of their own.
template <class Visit>
void list_options(Visit&& visit, DiscreteAgentOptions& options) {
  visit("horizon", options.horizon);
  visit.without_default("policies", options.policies);
  visit("window", options.window);
  visit("likelihood_rate", options.learning.likelihood_rate);
  visit("transition_rate", options.learning.transition_rate);
  visit("initial_rate", options.learning.initial_rate);
  visit("forgetting", options.learning.forgetting);
  visit("by_whole_policy", options.by_whole_policy);
  visit("is_sampled", options.is_sampled);
  visit("action_precision", options.action_precision);
}

namespace {

using nb::arg;

InferenceOptions inference_of(const nb::dict& given) {
  return read_options(given, InferenceOptions{});
}

ParameterGain parameter_gain_of(const std::string& name) {
  if (name == "none") return ParameterGain::none;
  if (name == "exact") return ParameterGain::exact;
  if (name == "inverse_counts") return ParameterGain::inverse_counts;
  throw ArgumentError("[parameter_gain] expected 'none', 'exact' or 'inverse_counts', got '" +
                      name + "'");
}

PlanningOptions planning_of(const nb::dict& given) {
  PlanningOptions options = read_options(given, PlanningOptions{});
  std::string gain = "none";
  read_option(given, "parameter_gain", gain);
  options.parameter_gain = parameter_gain_of(gain);
  return options;
}

/// Without `tree`, which is the depth, or where it is None: no tree.
std::optional<TreeOptions> tree_of(const nb::dict& given) {
  if (!given.contains("tree") || given["tree"].is_none()) return std::nullopt;
  return read_options(given, TreeOptions{});
}

/// `stream`: as another agent has it, in the place of a seed.
DiscreteAgentOptions agent_options(const nb::dict& given, std::optional<std::uint64_t> seed,
                                   const std::optional<Stream>& stream) {
  return read_options(given, DiscreteAgentOptions{.tree = tree_of(given),
                                                  .planning = planning_of(given),
                                                  .inference = inference_of(given),
                                                  .random = agent_stream(seed, stream)});
}

nb::dict agent_defaults() {
  nb::dict made = defaults_of(DiscreteAgentOptions{.random = {0, 0}});
  made.update(defaults_of(PlanningOptions{}));
  made.update(defaults_of(TreeOptions{}));
  made.update(defaults_of(InferenceOptions{}));
  made["parameter_gain"] = "none";
  return made;
}

/// Lists of arrays in the order likelihoods, transitions, initial; each may be empty.
Concentrations concentrations_of(const nb::tuple& given) {
  return {.likelihoods = tables_of(nb::cast<std::vector<Numbers>>(given[0])),
          .transitions = tables_of(nb::cast<std::vector<Numbers>>(given[1])),
          .initial = nb::cast<std::vector<std::vector<double>>>(given[2])};
}

nb::tuple concentrations_as_tuple(const Concentrations& learnt) {
  return nb::make_tuple(numpy_of(learnt.likelihoods), numpy_of(learnt.transitions),
                        numpy_of(learnt.initial));
}

nb::tuple terms_as_tuple(const ExpectedFreeEnergy& terms) {
  return nb::make_tuple(terms.risk, terms.ambiguity, terms.pragmatic, terms.epistemic,
                        terms.novelty);
}

/// G, posterior, the five parts of G, nodes: what gaia.agents.Plan holds, in its order.
nb::tuple plan_as_tuple(const Plan& plan) {
  const auto part = [&](double ExpectedFreeEnergy::*member) {
    std::vector<double> values;
    for (const ExpectedFreeEnergy& terms : plan.terms) values.push_back(terms.*member);
    return numpy_of(std::move(values));
  };
  return nb::make_tuple(numpy_of(plan.G), numpy_of(plan.posterior), part(&ExpectedFreeEnergy::risk),
                        part(&ExpectedFreeEnergy::ambiguity), part(&ExpectedFreeEnergy::pragmatic),
                        part(&ExpectedFreeEnergy::epistemic), part(&ExpectedFreeEnergy::novelty),
                        plan.nodes);
}

/// The other way round.
Plan plan_of(const nb::tuple& given) {
  Plan plan;
  plan.G = nb::cast<std::vector<double>>(given[0]);
  plan.posterior = nb::cast<std::vector<double>>(given[1]);
  plan.nodes = nb::cast<std::int64_t>(given[7]);
  plan.terms.resize(plan.G.size());
  double ExpectedFreeEnergy::*const parts[] = {
      &ExpectedFreeEnergy::risk, &ExpectedFreeEnergy::ambiguity, &ExpectedFreeEnergy::pragmatic,
      &ExpectedFreeEnergy::epistemic, &ExpectedFreeEnergy::novelty};
  for (std::size_t p = 0; p < std::size(parts); ++p) {
    const auto values = nb::cast<std::vector<double>>(given[2 + p]);
    for (std::size_t k = 0; k < std::min(values.size(), plan.terms.size()); ++k) {
      plan.terms[k].*parts[p] = values[k];
    }
  }
  return plan;
}

nb::list beliefs_as_list(const std::vector<Beliefs>& steps) {
  nb::list made;
  for (const Beliefs& one : steps) made.append(numpy_of(one));
  return made;
}

void bind_model(nb::module_& module) {
  nb::class_<GenerativeModel>(module, "_GenerativeModel")
      .def("__init__",
           [](GenerativeModel* self, const std::vector<Numbers>& likelihoods,
              const std::vector<Numbers>& transitions, std::vector<std::vector<double>> preferences,
              std::vector<std::vector<double>> initial, std::vector<double> habits,
              std::vector<std::vector<std::int64_t>> depends_on) {
             new (self) GenerativeModel({.likelihoods = tables_of(likelihoods),
                                         .transitions = tables_of(transitions),
                                         .preferences = std::move(preferences),
                                         .initial = std::move(initial),
                                         .habits = std::move(habits),
                                         .depends_on = std::move(depends_on)});
           })
      .def_prop_ro("states", [](const GenerativeModel& m) { return m.states(); })
      .def_prop_ro("actions", [](const GenerativeModel& m) { return m.actions(); })
      .def_prop_ro("outcomes", [](const GenerativeModel& m) { return m.outcomes(); })
      .def_prop_ro("likelihoods",
                   [](const GenerativeModel& m) { return numpy_of(m.tables().likelihoods); })
      .def_prop_ro("transitions",
                   [](const GenerativeModel& m) { return numpy_of(m.tables().transitions); })
      .def_prop_ro("preferences",
                   [](const GenerativeModel& m) { return numpy_of(m.tables().preferences); })
      .def_prop_ro("log_preferences",
                   [](const GenerativeModel& m) { return numpy_of(m.log_preferences()); })
      .def_prop_ro("initial", [](const GenerativeModel& m) { return numpy_of(m.tables().initial); })
      .def_prop_ro("habits", [](const GenerativeModel& m) { return numpy_of(m.tables().habits); })
      .def_prop_ro("depends_on", [](const GenerativeModel& m) { return m.tables().depends_on; });
  module.def("_normalised", [](const Numbers& counts) {
    ProbabilityTable made = normalised(table_of(counts));
    return numpy_of(std::move(made.values), made.shape);
  });
}

void bind_planning(nb::module_& module) {
  module.def("_infer_states", [](const GenerativeModel& model, const Observation& observation,
                                 const Beliefs& prior, const nb::dict& options) {
    const InferenceOptions inference = inference_of(options);
    const Inference made =
        without_gil([&] { return infer_states(model, observation, prior, inference); });
    return nb::make_tuple(numpy_of(made.beliefs), made.free_energy, made.iterations);
  });
  module.def("_infer_window", [](const GenerativeModel& model,
                                 const std::vector<Observation>& observations,
                                 const std::vector<Action>& actions, const Beliefs& prior,
                                 const nb::dict& options) {
    const InferenceOptions inference = inference_of(options);
    const WindowInference made =
        without_gil([&] { return infer_window(model, observations, actions, prior, inference); });
    nb::list pairs;
    for (const std::vector<std::vector<double>>& step : made.pairs) {
      nb::list factors;
      for (std::size_t f = 0; f < step.size(); ++f) {
        factors.append(numpy_of(step[f], {model.states()[f], model.states()[f]}));
      }
      pairs.append(factors);
    }
    return nb::make_tuple(beliefs_as_list(made.beliefs), pairs, made.free_energy, made.iterations);
  });
  module.def("_predicted",
             [](const GenerativeModel& model, const Beliefs& beliefs, const Action& action) {
               return numpy_of(predicted(model, beliefs, action));
             });
  module.def("_expected_free_energy",
             [](const GenerativeModel& model, const Beliefs& beliefs, const nb::dict& options) {
               return terms_as_tuple(expected_free_energy(model, beliefs, planning_of(options)));
             });
  module.def("_all_policies", &all_policies);
  module.def("_evaluate_policies", [](const GenerativeModel& model, const Beliefs& beliefs,
                                      const std::vector<Policy>& policies, const nb::dict& options,
                                      const nb::tuple& concentrations) {
    const PlanningOptions planning = planning_of(options);
    const Concentrations learnt = concentrations_of(concentrations);
    return plan_as_tuple(
        without_gil([&] { return evaluate_policies(model, beliefs, policies, planning, learnt); }));
  });
  module.def("_search_tree", [](const GenerativeModel& model, const Beliefs& beliefs,
                                const nb::dict& options, const nb::tuple& concentrations) {
    const TreeOptions tree = tree_of(options).value_or(TreeOptions{});
    const PlanningOptions planning = planning_of(options);
    const InferenceOptions inference = inference_of(options);
    const Concentrations learnt = concentrations_of(concentrations);
    return plan_as_tuple(without_gil(
        [&] { return search_tree(model, beliefs, tree, planning, inference, learnt); }));
  });
}

using AgentCore = Guarded<DiscreteAgent>;

}  // namespace

void bind_agents(nb::module_& module) {
  bind_model(module);
  bind_planning(module);
  module.def("_agent_defaults", &agent_defaults);
  nb::class_<AgentCore>(module, "_DiscreteAgent")
      .def(
          "__init__",
          [](AgentCore* self, const GenerativeModel& model, const nb::dict& options,
             const nb::tuple& concentrations, std::optional<std::uint64_t> seed,
             const std::optional<Stream>& stream) {
            new (self) AgentCore(DiscreteAgent(model, agent_options(options, seed, stream),
                                               concentrations_of(concentrations)));
          },
          arg("model"), arg("options"), arg("concentrations"), arg("seed").none(),
          arg("stream").none())
      .def("clone", &AgentCore::clone)
      .def("step", guarded<AgentCore>(&DiscreteAgent::step))
      .def("infer", guarded<AgentCore>(&DiscreteAgent::infer, as_numpy))
      .def("learn", guarded<AgentCore>(&DiscreteAgent::learn))
      .def("plan", guarded<AgentCore>(&DiscreteAgent::plan, &plan_as_tuple))
      .def("act", guarded<AgentCore>(&DiscreteAgent::act))
      .def("take", guarded<AgentCore>(&DiscreteAgent::take))
      .def("reset", guarded<AgentCore>(&DiscreteAgent::reset))
      .def_prop_ro("model", guarded<AgentCore>(&DiscreteAgent::model))
      .def_prop_ro("concentrations",
                   guarded<AgentCore>(&DiscreteAgent::concentrations, &concentrations_as_tuple))
      .def_prop_ro("policies", guarded<AgentCore>(&DiscreteAgent::policies))
      .def_prop_ro("beliefs", guarded<AgentCore>(&DiscreteAgent::beliefs, as_numpy))
      .def_prop_ro("window_beliefs",
                   guarded<AgentCore>(&DiscreteAgent::window_beliefs, &beliefs_as_list))
      .def_prop_ro("last_plan", guarded<AgentCore>(&DiscreteAgent::last_plan, &plan_as_tuple))
      .def_prop_ro("action_posterior",
                   guarded<AgentCore>(&DiscreteAgent::action_posterior, as_numpy))
      .def_prop_ro("free_energy", guarded<AgentCore>(&DiscreteAgent::free_energy))
      .def_prop_ro("iterations", guarded<AgentCore>(&DiscreteAgent::iterations))
      .def_prop_ro("stream", guarded<AgentCore>(&DiscreteAgent::options, stream_as_pair))
      .def("state", guarded<AgentCore>(&DiscreteAgent::save, &state_as_dict))
      .def("set_state", [](AgentCore& self, const nb::dict& given, const nb::tuple& plan) {
        const SavedState state = saved_state_of(given);
        Plan last_plan = plan_of(plan);
        self.alone([&](DiscreteAgent& agent) { agent.restore(state, std::move(last_plan)); });
      });
}

}  // namespace gaia::python
