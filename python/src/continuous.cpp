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
namespace {

using namespace agents;
using Row = std::vector<double>;

/// A world, and how it is built with other random numbers.
struct MadeWorld {
  std::function<ContinuousWorld(RandomStream)> make;
  ContinuousWorld world;
};
using ContinuousWorldCore = Guarded<MadeWorld>;

/// `Options` are those of a world, `read` fills them in but for their stream.
template <class Options, class Read>
ContinuousWorldCore* made_world(ContinuousWorld (*make)(const Options&),
                                std::optional<std::uint64_t> seed, const Read& read) {
  Options options{.random = stream_of(seed, "world")};
  read(options);
  const auto again = [make, options](RandomStream random) {
    Options other = options;
    other.random = random;
    return make(other);
  };
  return new ContinuousWorldCore(MadeWorld{again, make(options)});
}

ContinuousWorldCore* new_pendulum(const nb::dict& given, std::optional<std::uint64_t> seed) {
  return made_world<PendulumOptions>(&pendulum, seed, [&](PendulumOptions& options) {
    read_option(given, "gravity", options.gravity);
    read_option(given, "mass", options.mass);
    read_option(given, "length", options.length);
    read_option(given, "time_step", options.time_step);
    read_option(given, "max_speed", options.max_speed);
    read_option(given, "max_torque", options.max_torque);
    read_option(given, "start_angle", options.start_angle);
    read_option(given, "start_speed", options.start_speed);
    read_option(given, "max_steps", options.max_steps);
  });
}

ContinuousWorldCore* new_point_mass(const nb::dict& given, std::optional<std::uint64_t> seed) {
  return made_world<PointMassOptions>(&point_mass, seed, [&](PointMassOptions& options) {
    read_option(given, "dimensions", options.dimensions);
    read_option(given, "mass", options.mass);
    read_option(given, "damping", options.damping);
    read_option(given, "time_step", options.time_step);
    read_option(given, "max_force", options.max_force);
    read_option(given, "start", options.start);
    read_option(given, "max_steps", options.max_steps);
  });
}

ContinuousWorldCore* new_mountain_car(const nb::dict& given, std::optional<std::uint64_t> seed) {
  return made_world<MountainCarOptions>(&mountain_car, seed, [&](MountainCarOptions& options) {
    read_option(given, "power", options.power);
    read_option(given, "goal", options.goal);
    read_option(given, "goal_speed", options.goal_speed);
    read_option(given, "start_low", options.start_low);
    read_option(given, "start_high", options.start_high);
    read_option(given, "max_steps", options.max_steps);
  });
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
  ContinuousAgentOptions options{.preference = {}, .random = agent_stream(seed, stream)};
  read_option(given, "target", options.preference.target);
  read_option(given, "precision", options.preference.precision);
  WorldModelOptions& model = options.model;
  read_option(given, "members", model.members);
  read_option(given, "hidden", model.hidden);
  read_option(given, "mask_probability", model.mask_probability);
  read_option(given, "batch", model.batch);
  read_option(given, "learning_rate", model.optimiser.learning_rate);
  read_option(given, "weight_decay", model.optimiser.weight_decay);
  read_option(given, "max_gradient_norm", model.max_gradient_norm);
  read_option(given, "unread", model.unread);
  std::string dtype = to_string(model.dtype);
  read_option(given, "dtype", dtype);
  model.dtype = dtype_from_name(dtype);
  CrossEntropyOptions& search = options.search;
  read_option(given, "population", search.population);
  read_option(given, "elites", search.elites);
  read_option(given, "iterations", search.iterations);
  read_option(given, "first_deviation", search.first_deviation);
  read_option(given, "least_deviation", search.least_deviation);
  read_option(given, "smoothing", search.smoothing);
  read_option(given, "horizon", options.horizon);
  read_option(given, "hold", options.hold);
  read_option(given, "actions_per_plan", options.actions_per_plan);
  read_option(given, "use_preference", options.use_preference);
  read_option(given, "use_information_gain", options.use_information_gain);
  read_option(given, "is_learning", options.is_learning);
  read_option(given, "random_steps", options.random_steps);
  read_option(given, "training_interval", options.training_interval);
  read_option(given, "training_ratio", options.training_ratio);
  read_option(given, "replay_capacity", options.replay_capacity);
  std::string act = "none";
  read_option(given, "policy", act);
  LearntPolicyOptions policy;
  read_option(given, "teaching_episodes", policy.teaching_episodes);
  read_option(given, "plan_every", policy.plan_every);
  read_option(given, "policy_is_sampled", policy.is_sampled);
  read_option(given, "policy_starts_search", policy.starts_search);
  read_option(given, "policy_training_ratio", policy.training_ratio);
  read_option(given, "policy_hidden", policy.model.hidden);
  read_option(given, "policy_batch", policy.model.batch);
  read_option(given, "policy_lr", policy.model.optimiser.learning_rate);
  read_option(given, "policy_capacity", policy.model.capacity);
  if (act != "none") {
    policy.act = act_of(act);
    options.policy = std::move(policy);
  }
  return options;
}

StochasticActionOptions policy_options(const nb::dict& given) {
  StochasticActionOptions options;
  read_option(given, "hidden", options.hidden);
  read_option(given, "batch", options.batch);
  read_option(given, "policy_lr", options.optimiser.learning_rate);
  read_option(given, "weight_decay", options.optimiser.weight_decay);
  read_option(given, "max_gradient_norm", options.max_gradient_norm);
  read_option(given, "capacity", options.capacity);
  read_option(given, "unread", options.unread);
  std::string dtype = to_string(options.dtype);
  read_option(given, "dtype", dtype);
  options.dtype = dtype_from_name(dtype);
  return options;
}

/// What a program in C++ has that says nothing; the package has the same, and a test compares.
nb::dict continuous_defaults() {
  const ContinuousAgentOptions agent{.preference = {}, .random = {0, 0}};
  nb::dict of_agent, of_pendulum, of_mass, of_car, made;
  of_agent["members"] = agent.model.members;
  of_agent["hidden"] = nb::tuple(nb::cast(agent.model.hidden));
  of_agent["mask_probability"] = agent.model.mask_probability;
  of_agent["batch"] = agent.model.batch;
  of_agent["learning_rate"] = agent.model.optimiser.learning_rate;
  of_agent["weight_decay"] = agent.model.optimiser.weight_decay;
  of_agent["max_gradient_norm"] = agent.model.max_gradient_norm;
  of_agent["unread"] = nb::tuple(nb::cast(agent.model.unread));
  of_agent["dtype"] = to_string(agent.model.dtype);
  of_agent["population"] = agent.search.population;
  of_agent["elites"] = agent.search.elites;
  of_agent["iterations"] = agent.search.iterations;
  of_agent["first_deviation"] = agent.search.first_deviation;
  of_agent["least_deviation"] = agent.search.least_deviation;
  of_agent["smoothing"] = agent.search.smoothing;
  of_agent["horizon"] = agent.horizon;
  of_agent["hold"] = agent.hold;
  of_agent["actions_per_plan"] = agent.actions_per_plan;
  of_agent["use_preference"] = agent.use_preference;
  of_agent["use_information_gain"] = agent.use_information_gain;
  of_agent["is_learning"] = agent.is_learning;
  of_agent["random_steps"] = agent.random_steps;
  of_agent["training_interval"] = agent.training_interval;
  of_agent["training_ratio"] = agent.training_ratio;
  of_agent["replay_capacity"] = agent.replay_capacity;
  const LearntPolicyOptions policy;
  of_agent["policy"] = nb::none();
  of_agent["teaching_episodes"] = policy.teaching_episodes;
  of_agent["plan_every"] = policy.plan_every;
  of_agent["policy_is_sampled"] = policy.is_sampled;
  of_agent["policy_starts_search"] = policy.starts_search;
  of_agent["policy_training_ratio"] = policy.training_ratio;
  of_agent["policy_hidden"] = nb::tuple(nb::cast(policy.model.hidden));
  of_agent["policy_batch"] = policy.model.batch;
  of_agent["policy_lr"] = policy.model.optimiser.learning_rate;
  of_agent["policy_capacity"] = policy.model.capacity;
  const StochasticActionOptions choices;
  nb::dict of_choices;
  of_choices["hidden"] = nb::tuple(nb::cast(choices.hidden));
  of_choices["batch"] = choices.batch;
  of_choices["policy_lr"] = choices.optimiser.learning_rate;
  of_choices["weight_decay"] = choices.optimiser.weight_decay;
  of_choices["max_gradient_norm"] = choices.max_gradient_norm;
  of_choices["capacity"] = choices.capacity;
  of_choices["unread"] = nb::tuple(nb::cast(choices.unread));
  of_choices["dtype"] = to_string(choices.dtype);
  made["StochasticActionModel"] = of_choices;
  const PendulumOptions swing{.random = {0, 0}};
  of_pendulum["gravity"] = swing.gravity;
  of_pendulum["mass"] = swing.mass;
  of_pendulum["length"] = swing.length;
  of_pendulum["time_step"] = swing.time_step;
  of_pendulum["max_speed"] = swing.max_speed;
  of_pendulum["max_torque"] = swing.max_torque;
  of_pendulum["start_angle"] = swing.start_angle;
  of_pendulum["start_speed"] = swing.start_speed;
  of_pendulum["max_steps"] = swing.max_steps;
  const PointMassOptions mass{.random = {0, 0}};
  of_mass["dimensions"] = mass.dimensions;
  of_mass["mass"] = mass.mass;
  of_mass["damping"] = mass.damping;
  of_mass["time_step"] = mass.time_step;
  of_mass["max_force"] = mass.max_force;
  of_mass["start"] = mass.start;
  of_mass["max_steps"] = mass.max_steps;
  const MountainCarOptions car{.random = {0, 0}};
  of_car["power"] = car.power;
  of_car["goal"] = car.goal;
  of_car["goal_speed"] = car.goal_speed;
  of_car["start_low"] = car.start_low;
  of_car["start_high"] = car.start_high;
  of_car["max_steps"] = car.max_steps;
  made["ContinuousAgent"] = of_agent;
  made["pendulum"] = of_pendulum;
  made["point_mass"] = of_mass;
  made["mountain_car"] = of_car;
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

nb::dict state_as_dict(const ArrayMap& state) {
  nb::dict made;
  for (const auto& [name, value] : state) made[name.c_str()] = nb::cast(to_numpy(value.copy()));
  return made;
}

ArrayMap state_from_dict(const nb::dict& given) {
  ArrayMap state;
  for (const auto [name, value] : given) {
    state[nb::cast<std::string>(name)] = borrow(nb::cast<Handed>(value)).copy();
  }
  return state;
}

/// A policy that can be moved, as what is guarded has to be, and its stream.
struct MadePolicy {
  std::unique_ptr<StochasticActionModel> model;
  RandomStream random;
};
using PolicyCore = Guarded<MadePolicy>;

nb::tuple policy_training_as_tuple(const StochasticActionModel::Training& done) {
  return nb::make_tuple(numpy_of(done.losses), done.gradient_norm);
}

void bind_policy(nb::module_& module) {
  nb::class_<PolicyCore>(module, "_StochasticActionModel")
      .def(
          "__init__",
          [](PolicyCore* self, std::int64_t observations, Row low, Row high,
             const nb::dict& options, std::optional<std::uint64_t> seed,
             const std::optional<Stream>& stream) {
            const RandomStream random = agent_stream(seed, stream);
            new (self) PolicyCore(MadePolicy{
                std::make_unique<StochasticActionModel>(
                    observations, std::move(low), std::move(high), policy_options(options), random),
                random});
          },
          nb::arg("observations"), nb::arg("low"), nb::arg("high"), nb::arg("options"),
          nb::arg("seed").none(), nb::arg("stream").none())
      .def("teach",
           [](PolicyCore& self, const Row& observation, const Row& action) {
             self.alone([&](MadePolicy& made) { made.model->teach(observation, action); });
           })
      .def("train",
           [](PolicyCore& self, std::int64_t steps) {
             return policy_training_as_tuple(
                 self.alone([&](MadePolicy& made) { return made.model->train(steps); }));
           })
      .def("get_action",
           [](PolicyCore& self, const Row& observation) {
             return numpy_of(self.alone(
                 [&](const MadePolicy& made) { return made.model->get_action(observation); }));
           })
      .def("sample",
           [](PolicyCore& self, const Row& observation) {
             return numpy_of(
                 self.alone([&](MadePolicy& made) { return made.model->sample(observation); }));
           })
      .def("predict",
           [](PolicyCore& self, const Array& observations) {
             const StochasticActionModel::Prediction made = self.alone(
                 [&](const MadePolicy& one) { return one.model->predict(observations); });
             return nb::make_tuple(copy_to_numpy(made.mean), copy_to_numpy(made.deviation));
           })
      .def("log_prob",
           [](PolicyCore& self, const Array& observations, const Array& actions) {
             return copy_to_numpy(self.alone([&](const MadePolicy& made) {
               return made.model->log_prob(observations, actions);
             }));
           })
      .def_prop_ro("taught",
                   [](PolicyCore& self) {
                     return self.alone([](const MadePolicy& made) { return made.model->taught(); });
                   })
      .def_prop_ro(
          "trained",
          [](PolicyCore& self) {
            return self.alone([](const MadePolicy& made) { return made.model->trained(); });
          })
      .def_prop_ro("stream",
                   [](PolicyCore& self) {
                     return as_pair(self.alone([](const MadePolicy& made) { return made.random; }));
                   })
      .def("state",
           [](PolicyCore& self) {
             return state_as_dict(
                 self.alone([](const MadePolicy& made) { return made.model->state(); }));
           })
      .def("set_state", [](PolicyCore& self, const nb::dict& given) {
        const ArrayMap state = state_from_dict(given);
        self.alone([&](MadePolicy& made) { made.model->set_state(state); });
      });
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

void bind_continuous_worlds(nb::module_& module) {
  module.def("_pendulum", &new_pendulum, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
  module.def("_point_mass", &new_point_mass, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
  module.def("_mountain_car", &new_mountain_car, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
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
  bind_continuous_worlds(module);
  bind_policy(module);
  module.def("_continuous_defaults", &continuous_defaults);
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
      .def("step",
           [](ContinuousAgentCore& self, const Row& observation) {
             return numpy_of(
                 self.alone([&](ContinuousAgent& agent) { return agent.step(observation); }));
           })
      .def("observe",
           [](ContinuousAgentCore& self, const Row& observation) {
             self.alone([&](ContinuousAgent& agent) { agent.observe(observation); });
           })
      .def("learn",
           [](ContinuousAgentCore& self) {
             return training_as_tuple(
                 self.alone([](ContinuousAgent& agent) { return agent.learn(); }));
           })
      .def("plan", [](ContinuousAgentCore& self) { return plan_of(self, true); })
      .def("act",
           [](ContinuousAgentCore& self) {
             return numpy_of(self.alone([](ContinuousAgent& agent) { return agent.act(); }));
           })
      .def("take",
           [](ContinuousAgentCore& self, const Row& action) {
             self.alone([&](ContinuousAgent& agent) { agent.take(action); });
           })
      .def("end_episode",
           [](ContinuousAgentCore& self, const Row& observation) {
             self.alone([&](ContinuousAgent& agent) { agent.end_episode(observation); });
           })
      .def("reset",
           [](ContinuousAgentCore& self) {
             self.alone([](ContinuousAgent& agent) { agent.reset(); });
           })
      .def("predict",
           [](ContinuousAgentCore& self, const Array& observations, const Array& actions) {
             const WorldModel::Prediction made = self.alone([&](const ContinuousAgent& agent) {
               return agent.model().predict(observations, actions);
             });
             return nb::make_tuple(copy_to_numpy(made.mean), copy_to_numpy(made.log_variance));
           })
      .def_prop_ro("last_chooser",
                   [](ContinuousAgentCore& self) {
                     return static_cast<int>(self.alone(
                         [](const ContinuousAgent& agent) { return agent.last_chooser(); }));
                   })
      .def_prop_ro("times",
                   [](ContinuousAgentCore& self) {
                     const ChoiceTimes times =
                         self.alone([](const ContinuousAgent& agent) { return agent.times(); });
                     return nb::make_tuple(times.planning_seconds, times.planned_steps,
                                           times.policy_seconds, times.policy_steps);
                   })
      .def_prop_ro("last_plan", [](ContinuousAgentCore& self) { return plan_of(self, false); })
      .def_prop_ro("last_training",
                   [](ContinuousAgentCore& self) {
                     return training_as_tuple(self.alone(
                         [](const ContinuousAgent& agent) { return agent.last_training(); }));
                   })
      .def_prop_ro("steps",
                   [](ContinuousAgentCore& self) {
                     return self.alone([](const ContinuousAgent& agent) { return agent.steps(); });
                   })
      .def_prop_ro(
          "episodes",
          [](ContinuousAgentCore& self) {
            return self.alone([](const ContinuousAgent& agent) { return agent.episodes(); });
          })
      .def_prop_ro(
          "transitions",
          [](ContinuousAgentCore& self) {
            return self.alone([](const ContinuousAgent& agent) { return agent.replay().size(); });
          })
      .def_prop_ro("stream",
                   [](ContinuousAgentCore& self) {
                     return as_pair(self.alone(
                         [](const ContinuousAgent& agent) { return agent.options().random; }));
                   })
      .def("state",
           [](ContinuousAgentCore& self) {
             return state_as_dict(
                 self.alone([](const ContinuousAgent& agent) { return agent.state(); }));
           })
      .def("set_state", [](ContinuousAgentCore& self, const nb::dict& given) {
        const ArrayMap state = state_from_dict(given);
        self.alone([&](ContinuousAgent& agent) { agent.set_state(state); });
      });
}

}  // namespace gaia::python
