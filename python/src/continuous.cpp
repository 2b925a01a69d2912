// SPDX-License-Identifier: MIT
/// \file
/// Agents and worlds of real numbers; gaia/_continuous.py is what people see of them.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <functional>

#include "../../src/agents/continuous/agent.h"
#include "../../src/agents/continuous/worlds.h"
#include "../../src/array/create.h"
#include "../../src/formulas/dtype.h"
#include "agent_values.h"
#include "bindings.h"
#include "exchange.h"

namespace gaia::python {

using namespace agents;

template <class Visit>
void list_options(Visit&& visit, PendulumOptions& options) {
  visit("gravity", options.gravity);
  visit("mass", options.mass);
  visit("length", options.length);
  visit("time_step", options.time_step);
  visit("max_speed", options.max_speed);
  visit("max_torque", options.max_torque);
  visit("start_angle", options.start_angle);
  visit("start_speed", options.start_speed);
  visit("max_steps", options.max_steps);
}

template <class Visit>
void list_options(Visit&& visit, PointMassOptions& options) {
  visit("dimensions", options.dimensions);
  visit("mass", options.mass);
  visit("damping", options.damping);
  visit("time_step", options.time_step);
  visit("max_force", options.max_force);
  visit("start", options.start);
  visit("max_steps", options.max_steps);
}

template <class Visit>
void list_options(Visit&& visit, MountainCarOptions& options) {
  visit("power", options.power);
  visit("goal", options.goal);
  visit("goal_speed", options.goal_speed);
  visit("start_low", options.start_low);
  visit("start_high", options.start_high);
  visit("max_steps", options.max_steps);
}

/// Those of its policy are a list of their own.
template <class Visit>
void list_options(Visit&& visit, ContinuousAgentOptions& options) {
  visit.without_default("target", options.preference.target);
  visit.without_default("precision", options.preference.precision);
  WorldModelOptions& model = options.model;
  visit("members", model.members);
  visit("hidden", model.hidden);
  visit("mask_probability", model.mask_probability);
  visit("batch", model.batch);
  visit("learning_rate", model.optimiser.learning_rate);
  visit("weight_decay", model.optimiser.weight_decay);
  visit("max_gradient_norm", model.max_gradient_norm);
  visit("unread", model.unread);
  visit.named("dtype", model.dtype, &dtype_from_name);
  CrossEntropyOptions& search = options.search;
  visit("population", search.population);
  visit("elites", search.elites);
  visit("iterations", search.iterations);
  visit("first_deviation", search.first_deviation);
  visit("least_deviation", search.least_deviation);
  visit("smoothing", search.smoothing);
  visit("horizon", options.horizon);
  visit("hold", options.hold);
  visit("actions_per_plan", options.actions_per_plan);
  visit("use_preference", options.use_preference);
  visit("use_information_gain", options.use_information_gain);
  visit("is_learning", options.is_learning);
  visit("random_steps", options.random_steps);
  visit("training_interval", options.training_interval);
  visit("training_ratio", options.training_ratio);
  visit("replay_capacity", options.replay_capacity);
}

template <class Visit>
void list_options(Visit&& visit, LearntPolicyOptions& options) {
  visit("teaching_episodes", options.teaching_episodes);
  visit("plan_every", options.plan_every);
  visit("policy_is_sampled", options.is_sampled);
  visit("policy_starts_search", options.starts_search);
  visit("policy_training_ratio", options.training_ratio);
  visit("policy_hidden", options.model.hidden);
  visit("policy_batch", options.model.batch);
  visit("policy_lr", options.model.optimiser.learning_rate);
  visit("policy_capacity", options.model.capacity);
}

template <class Visit>
void list_options(Visit&& visit, StochasticActionOptions& options) {
  visit("hidden", options.hidden);
  visit("batch", options.batch);
  visit("policy_lr", options.optimiser.learning_rate);
  visit("weight_decay", options.optimiser.weight_decay);
  visit("max_gradient_norm", options.max_gradient_norm);
  visit("capacity", options.capacity);
  visit("unread", options.unread);
  visit.named("dtype", options.dtype, &dtype_from_name);
}

namespace {

using Row = std::vector<double>;

/// A world, and how it is built with other random numbers.
struct MadeWorld {
  std::function<ContinuousWorld(RandomStream)> make;
  ContinuousWorld world;
};
using ContinuousWorldCore = Guarded<MadeWorld>;

/// The function of a world, `_NAME`, and its defaults.
template <class Options>
void bind_world(nb::module_& module, nb::dict& defaults, const char* name,
                ContinuousWorld (*make)(const Options&)) {
  module.def(("_" + std::string(name)).c_str(),
             [make](const nb::dict& given, std::optional<std::uint64_t> seed) {
               const auto options =
                   read_options(given, Options{.random = stream_of(seed, "world")});
               const auto again = [make, options](RandomStream random) {
                 Options other = options;
                 other.random = random;
                 return make(other);
               };
               return new ContinuousWorldCore(MadeWorld{again, make(options)});
             },
             nb::arg("options"), nb::arg("seed").none(), nb::rv_policy::take_ownership);
  defaults[name] = defaults_of(Options{.random = {0, 0}});
}

LearntPolicyOptions::Act act_of(const std::string& name) {
  using Act = LearntPolicyOptions::Act;
  if (name == "planning") return Act::planning;
  if (name == "policy") return Act::policy;
  if (name == "mixed") return Act::mixed;
  throw ArgumentError("[agent] policy: expected None, planning, policy or mixed, got '" + name +
                      "'");
}

ContinuousAgentOptions continuous_options(const nb::dict& given, std::optional<std::uint64_t> seed,
                                          const std::optional<Stream>& stream) {
  auto options = read_options(
      given, ContinuousAgentOptions{.preference = {}, .random = agent_stream(seed, stream)});
  std::string act = "none";
  read_option(given, "policy", act);
  auto policy = read_options(given, LearntPolicyOptions{});
  if (act != "none") {
    policy.act = act_of(act);
    options.policy = std::move(policy);
  }
  return options;
}

nb::dict agent_defaults_of_numbers() {
  nb::dict made = defaults_of(ContinuousAgentOptions{.preference = {}, .random = {0, 0}});
  made.update(defaults_of(LearntPolicyOptions{}));
  made["policy"] = nb::none();
  return made;
}

nb::object matrix_of(const std::vector<Row>& rows, std::int64_t columns) {
  Row values;
  for (const Row& row : rows) values.insert(values.end(), row.begin(), row.end());
  return numpy_of(std::move(values), {static_cast<std::int64_t>(rows.size()), columns});
}

/// What gaia.agents.ContinuousPlan holds, in its order.
nb::tuple continuous_plan_as_tuple(const ContinuousPlan& plan, std::int64_t actions,
                                   std::int64_t observations) {
  return nb::make_tuple(matrix_of(plan.actions, actions),
                        matrix_of(plan.observations, observations), plan.risk, plan.ambiguity,
                        plan.cross_entropy, plan.information_gain, plan.expected_free_energy,
                        plan.objective);
}

nb::tuple training_as_tuple(const TrainingReport& report) {
  return nb::make_tuple(report.steps, report.loss, report.gradient_norm);
}

nb::tuple step_as_tuple(const std::pair<ContinuousStep, bool>& step) {
  return nb::make_tuple(numpy_of(step.first.observation), step.first.reward, step.second,
                        step.first.is_done && !step.second);
}

using ContinuousAgentCore = Guarded<ContinuousAgent>;

nb::dict arrays_as_dict(const ArrayMap& state) {
  nb::dict made;
  for (const auto& [name, value] : state) made[name.c_str()] = nb::cast(to_numpy(value.copy()));
  return made;
}

/// `set_state` of arrays by name.
template <class Core, class Thing>
auto guarded_set_state(void (Thing::*method)(const ArrayMap&)) {
  return [set = guarded<Core>(method)](Core& self, const nb::dict& given) {
    ArrayMap state;
    for (const auto [name, value] : given) {
      state[nb::cast<std::string>(name)] = borrow(nb::cast<Handed>(value)).copy();
    }
    set(self, state);
  };
}

/// A policy that can be moved, as what is guarded has to be, and its stream.
struct MadePolicy {
  std::unique_ptr<StochasticActionModel> model;
  RandomStream random;

  StochasticActionModel& within() { return *model; }
};
using PolicyCore = Guarded<MadePolicy>;

void bind_policy(nb::module_& module) {
  nb::class_<PolicyCore>(module, "_StochasticActionModel")
      .def(
          "__init__",
          [](PolicyCore* self, std::int64_t observations, Row low, Row high,
             const nb::dict& options, std::optional<std::uint64_t> seed,
             const std::optional<Stream>& stream) {
            const RandomStream random = agent_stream(seed, stream);
            new (self)
                PolicyCore(MadePolicy{std::make_unique<StochasticActionModel>(
                                          observations, std::move(low), std::move(high),
                                          read_options(options, StochasticActionOptions{}), random),
                                      random});
          },
          nb::arg("observations"), nb::arg("low"), nb::arg("high"), nb::arg("options"),
          nb::arg("seed").none(), nb::arg("stream").none())
      .def("teach", guarded<PolicyCore>(&StochasticActionModel::teach))
      .def("train", guarded<PolicyCore>(&StochasticActionModel::train,
                                        [](const StochasticActionModel::Training& done) {
                                          return nb::make_tuple(numpy_of(done.losses),
                                                                done.gradient_norm);
                                        }))
      .def("get_action", guarded<PolicyCore>(&StochasticActionModel::get_action, as_numpy))
      .def("sample", guarded<PolicyCore>(&StochasticActionModel::sample, as_numpy))
      .def("predict", guarded<PolicyCore>(&StochasticActionModel::predict,
                                          [](const StochasticActionModel::Prediction& made) {
                                            return nb::make_tuple(copy_to_numpy(made.mean),
                                                                  copy_to_numpy(made.deviation));
                                          }))
      .def("log_prob", guarded<PolicyCore>(&StochasticActionModel::log_prob, &copy_to_numpy))
      .def_prop_ro("taught", guarded<PolicyCore>(&StochasticActionModel::taught))
      .def_prop_ro("trained", guarded<PolicyCore>(&StochasticActionModel::trained))
      .def_prop_ro("stream",
                   [](PolicyCore& self) {
                     return as_pair(self.alone([](const MadePolicy& made) { return made.random; }));
                   })
      .def("state", guarded<PolicyCore>(&StochasticActionModel::state, &arrays_as_dict))
      .def("set_state", guarded_set_state<PolicyCore>(&StochasticActionModel::set_state));
}

nb::tuple plan_of(ContinuousAgentCore& self, bool is_new) {
  std::int64_t actions = 0, observations = 0;
  const ContinuousPlan plan = self.alone([&](ContinuousAgent& agent) {
    actions = agent.action_size();
    observations = agent.observation_size();
    return is_new ? agent.plan() : agent.last_plan();
  });
  return continuous_plan_as_tuple(plan, actions, observations);
}

void bind_continuous_worlds(nb::module_& module, nb::dict& defaults) {
  bind_world(module, defaults, "pendulum", &pendulum);
  bind_world(module, defaults, "point_mass", &point_mass);
  bind_world(module, defaults, "mountain_car", &mountain_car);
  nb::class_<ContinuousWorldCore>(module, "_ContinuousWorld")
      .def("clone", &ContinuousWorldCore::clone)
      .def("reset",
           [](ContinuousWorldCore& self) {
             return numpy_of(self.alone([](MadeWorld& made) { return made.world.reset(); }));
           })
      .def("reset",
           [](ContinuousWorldCore& self, std::uint64_t seed) {
             const RandomStream random = stream_of(seed, "world");
             return numpy_of(self.alone([&](MadeWorld& made) {
               made.world = made.make(random);
               return made.world.reset();
             }));
           })
      .def("step",
           [](ContinuousWorldCore& self, const Row& action) {
             return step_as_tuple(self.alone([&](MadeWorld& made) {
               ContinuousStep step = made.world.step(action);
               return std::pair(std::move(step), made.world.is_terminal());
             }));
           })
      .def_prop_ro("variables",
                   [](ContinuousWorldCore& self) {
                     return numpy_of(self.alone(
                         [](const MadeWorld& made) { return made.world.state().variables; }));
                   })
      .def("describe", [](ContinuousWorldCore& self) {
        const ContinuousWorld world = self.alone([](const MadeWorld& made) { return made.world; });
        nb::dict told;
        told["name"] = world.name();
        told["observation_names"] = nb::tuple(nb::cast(world.observation_names()));
        told["action_names"] = nb::tuple(nb::cast(world.action_names()));
        told["action_low"] = numpy_of(world.action_low());
        told["action_high"] = numpy_of(world.action_high());
        told["max_steps"] = world.max_steps();
        return told;
      });
}

}  // namespace

void bind_continuous(nb::module_& module) {
  nb::dict defaults;
  bind_continuous_worlds(module, defaults);
  bind_policy(module);
  defaults["ContinuousAgent"] = agent_defaults_of_numbers();
  defaults["StochasticActionModel"] = defaults_of(StochasticActionOptions{});
  module.def("_continuous_defaults", [defaults] { return defaults; });
  nb::class_<ContinuousAgentCore>(module, "_ContinuousAgent")
      .def(
          "__init__",
          [](ContinuousAgentCore* self, std::int64_t observations, Row low, Row high,
             const nb::dict& options, std::optional<std::uint64_t> seed,
             const std::optional<Stream>& stream) {
            new (self)
                ContinuousAgentCore(ContinuousAgent(observations, std::move(low), std::move(high),
                                                    continuous_options(options, seed, stream)));
          },
          nb::arg("observations"), nb::arg("low"), nb::arg("high"), nb::arg("options"),
          nb::arg("seed").none(), nb::arg("stream").none())
      .def("step", guarded<ContinuousAgentCore>(&ContinuousAgent::step, as_numpy))
      .def("observe", guarded<ContinuousAgentCore>(&ContinuousAgent::observe))
      .def("learn", guarded<ContinuousAgentCore>(&ContinuousAgent::learn, &training_as_tuple))
      .def("plan", [](ContinuousAgentCore& self) { return plan_of(self, true); })
      .def("act", guarded<ContinuousAgentCore>(&ContinuousAgent::act, as_numpy))
      .def("take", guarded<ContinuousAgentCore>(&ContinuousAgent::take))
      .def("end_episode", guarded<ContinuousAgentCore>(&ContinuousAgent::end_episode))
      .def("reset", guarded<ContinuousAgentCore>(&ContinuousAgent::reset))
      .def("predict",
           [](ContinuousAgentCore& self, const Array& observations, const Array& actions) {
             const WorldModel::Prediction made = self.alone([&](const ContinuousAgent& agent) {
               return agent.model().predict(observations, actions);
             });
             return nb::make_tuple(copy_to_numpy(made.mean), copy_to_numpy(made.log_variance));
           })
      .def_prop_ro("last_chooser",
                   guarded<ContinuousAgentCore>(&ContinuousAgent::last_chooser,
                                                [](Chooser one) { return static_cast<int>(one); }))
      .def_prop_ro("times", guarded<ContinuousAgentCore>(
                                &ContinuousAgent::times,
                                [](const ChoiceTimes& times) {
                                  return nb::make_tuple(times.planning_seconds, times.planned_steps,
                                                        times.policy_seconds, times.policy_steps);
                                }))
      .def_prop_ro("last_plan", [](ContinuousAgentCore& self) { return plan_of(self, false); })
      .def_prop_ro("last_training", guarded<ContinuousAgentCore>(&ContinuousAgent::last_training,
                                                                 &training_as_tuple))
      .def_prop_ro("steps", guarded<ContinuousAgentCore>(&ContinuousAgent::steps))
      .def_prop_ro("episodes", guarded<ContinuousAgentCore>(&ContinuousAgent::episodes))
      .def_prop_ro(
          "transitions",
          [](ContinuousAgentCore& self) {
            return self.alone([](const ContinuousAgent& agent) { return agent.replay().size(); });
          })
      .def_prop_ro("stream",
                   guarded<ContinuousAgentCore>(&ContinuousAgent::options, stream_as_pair))
      .def("state", guarded<ContinuousAgentCore>(&ContinuousAgent::state, &arrays_as_dict))
      .def("set_state", guarded_set_state<ContinuousAgentCore>(&ContinuousAgent::set_state));
}

}  // namespace gaia::python
