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
namespace {

using nb::arg;
using namespace agents;

InferenceOptions inference_of(const nb::dict& given) {
  InferenceOptions options;
  read_option(given, "iterations", options.iterations);
  read_option(given, "tolerance", options.tolerance);
  read_option(given, "parallel", options.parallel);
  return options;
}

ParameterGain parameter_gain_of(const std::string& name) {
  if (name == "none") return ParameterGain::none;
  if (name == "exact") return ParameterGain::exact;
  if (name == "inverse_counts") return ParameterGain::inverse_counts;
  throw ArgumentError("[parameter_gain] expected 'none', 'exact' or 'inverse_counts', got '" +
                      name + "'");
}

PlanningOptions planning_of(const nb::dict& given) {
  PlanningOptions options;
  read_option(given, "precision", options.precision);
  read_option(given, "use_pragmatic", options.use_pragmatic);
  read_option(given, "use_epistemic", options.use_epistemic);
  read_option(given, "spm_constants", options.spm_constants);
  std::string gain = "none";
  read_option(given, "parameter_gain", gain);
  options.parameter_gain = parameter_gain_of(gain);
  return options;
}

/// Without `tree`, which is the depth, or where it is None: no tree.
std::optional<TreeOptions> tree_of(const nb::dict& given) {
  if (!given.contains("tree") || given["tree"].is_none()) return std::nullopt;
  TreeOptions options;
  read_option(given, "tree", options.depth);
  read_option(given, "action_threshold", options.action_threshold);
  read_option(given, "outcome_threshold", options.outcome_threshold);
  return options;
}

/// `stream`: as another agent has it, in the place of a seed.
DiscreteAgentOptions agent_options(const nb::dict& given, std::optional<std::uint64_t> seed,
                                   const std::optional<Stream>& stream) {
  DiscreteAgentOptions options{.tree = tree_of(given),
                               .planning = planning_of(given),
                               .inference = inference_of(given),
                               .random = agent_stream(seed, stream)};
  read_option(given, "horizon", options.horizon);
  read_option(given, "policies", options.policies);
  read_option(given, "window", options.window);
  read_option(given, "likelihood_rate", options.learning.likelihood_rate);
  read_option(given, "transition_rate", options.learning.transition_rate);
  read_option(given, "initial_rate", options.learning.initial_rate);
  read_option(given, "forgetting", options.learning.forgetting);
  read_option(given, "by_whole_policy", options.by_whole_policy);
  read_option(given, "is_sampled", options.is_sampled);
  read_option(given, "action_precision", options.action_precision);
  return options;
}

/// What a program in C++ has that says nothing; the package has the same, and a test compares.
nb::dict agent_defaults() {
  const DiscreteAgentOptions options{.random = {0, 0}};
  const TreeOptions tree;
  nb::dict made;
  made["horizon"] = options.horizon;
  made["precision"] = options.planning.precision;
  made["use_pragmatic"] = options.planning.use_pragmatic;
  made["use_epistemic"] = options.planning.use_epistemic;
  made["parameter_gain"] = "none";
  made["spm_constants"] = options.planning.spm_constants;
  made["action_threshold"] = tree.action_threshold;
  made["outcome_threshold"] = tree.outcome_threshold;
  made["iterations"] = options.inference.iterations;
  made["tolerance"] = options.inference.tolerance;
  made["parallel"] = options.inference.parallel;
  made["window"] = options.window;
  made["likelihood_rate"] = options.learning.likelihood_rate;
  made["transition_rate"] = options.learning.transition_rate;
  made["initial_rate"] = options.learning.initial_rate;
  made["forgetting"] = options.learning.forgetting;
  made["by_whole_policy"] = options.by_whole_policy;
  made["is_sampled"] = options.is_sampled;
  made["action_precision"] = options.action_precision;
  return made;
}

/// Lists of arrays in the order likelihoods, transitions, initial; each may be empty.
Concentrations concentrations_of(const nb::tuple& given) {
  return {.likelihoods = tables_of(nb::cast<std::vector<Numbers>>(given[0])),
          .transitions = tables_of(nb::cast<std::vector<Numbers>>(given[1])),
          .initial = nb::cast<std::vector<std::vector<double>>>(given[2])};
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
      .def("step",
           [](AgentCore& self, const Observation& observation) {
             return self.alone([&](DiscreteAgent& agent) { return agent.step(observation); });
           })
      .def("infer",
           [](AgentCore& self, const Observation& observation) {
             return numpy_of(
                 self.alone([&](DiscreteAgent& agent) { return agent.infer(observation); }));
           })
      .def("learn",
           [](AgentCore& self) { self.alone([](DiscreteAgent& agent) { agent.learn(); }); })
      .def("plan",
           [](AgentCore& self) {
             return plan_as_tuple(self.alone([](DiscreteAgent& agent) { return agent.plan(); }));
           })
      .def("act",
           [](AgentCore& self) {
             return self.alone([](DiscreteAgent& agent) { return agent.act(); });
           })
      .def("take",
           [](AgentCore& self, const Action& action) {
             self.alone([&](DiscreteAgent& agent) { agent.take(action); });
           })
      .def("reset",
           [](AgentCore& self) { self.alone([](DiscreteAgent& agent) { agent.reset(); }); })
      .def_prop_ro("model",
                   [](AgentCore& self) {
                     return self.alone([](const DiscreteAgent& agent) { return agent.model(); });
                   })
      .def_prop_ro("concentrations",
                   [](AgentCore& self) {
                     const Concentrations learnt = self.alone(
                         [](const DiscreteAgent& agent) { return agent.concentrations(); });
                     return nb::make_tuple(numpy_of(learnt.likelihoods),
                                           numpy_of(learnt.transitions), numpy_of(learnt.initial));
                   })
      .def_prop_ro("policies",
                   [](AgentCore& self) {
                     return self.alone([](const DiscreteAgent& agent) { return agent.policies(); });
                   })
      .def_prop_ro(
          "beliefs",
          [](AgentCore& self) {
            return numpy_of(self.alone([](const DiscreteAgent& agent) { return agent.beliefs(); }));
          })
      .def_prop_ro("window_beliefs",
                   [](AgentCore& self) {
                     return beliefs_as_list(self.alone(
                         [](const DiscreteAgent& agent) { return agent.window_beliefs(); }));
                   })
      .def_prop_ro("last_plan",
                   [](AgentCore& self) {
                     return plan_as_tuple(
                         self.alone([](const DiscreteAgent& agent) { return agent.last_plan(); }));
                   })
      .def_prop_ro("action_posterior",
                   [](AgentCore& self) {
                     return numpy_of(self.alone(
                         [](const DiscreteAgent& agent) { return agent.action_posterior(); }));
                   })
      .def_prop_ro(
          "free_energy",
          [](AgentCore& self) {
            return self.alone([](const DiscreteAgent& agent) { return agent.free_energy(); });
          })
      .def_prop_ro(
          "iterations",
          [](AgentCore& self) {
            return self.alone([](const DiscreteAgent& agent) { return agent.iterations(); });
          })
      .def_prop_ro("stream",
                   [](AgentCore& self) {
                     return as_pair(self.alone(
                         [](const DiscreteAgent& agent) { return agent.options().random; }));
                   })
      .def("state",
           [](AgentCore& self) {
             nb::dict made;
             const SavedState state =
                 self.alone([](const DiscreteAgent& agent) { return agent.save(); });
             for (const auto& [name, values] : state) made[name.c_str()] = numpy_of(values);
             return made;
           })
      .def("set_state", [](AgentCore& self, const nb::dict& given, const nb::tuple& plan) {
        SavedState state;
        for (const auto [name, value] : given) {
          const auto numbers = nb::cast<Numbers>(value);
          state[nb::cast<std::string>(name)].assign(numbers.data(),
                                                    numbers.data() + numbers.size());
        }
        Plan last_plan = plan_of(plan);
        self.alone([&](DiscreteAgent& agent) { agent.restore(state, std::move(last_plan)); });
      });
}

}  // namespace gaia::python
