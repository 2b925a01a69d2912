// SPDX-License-Identifier: MIT
/// \file
/// Worlds for agents over discrete states; gaia/_worlds.py is what people see of them.
#include "../../src/agents/discrete/worlds.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "agent_values.h"
#include "bindings.h"

namespace gaia::python {
namespace {

using namespace agents;
using WorldCore = Guarded<DiscreteWorld>;
using Seed = std::optional<std::uint64_t>;

RandomStream world_stream(Seed seed) { return stream_of(seed, "world"); }

WorldCore* new_t_maze(const nb::dict& given, Seed seed) {
  TMazeOptions options{.random = world_stream(seed)};
  read_option(given, "win_probability", options.win_probability);
  read_option(given, "cue_probability", options.cue_probability);
  read_option(given, "win", options.win);
  read_option(given, "loss", options.loss);
  read_option(given, "arms_are_final", options.arms_are_final);
  return new WorldCore(t_maze(options));
}

WorldCore* new_bandit(const nb::dict& given, Seed seed) {
  BanditOptions options{.random = world_stream(seed)};
  read_option(given, "better", options.better);
  read_option(given, "worse", options.worse);
  read_option(given, "change", options.change);
  read_option(given, "win", options.win);
  read_option(given, "loss", options.loss);
  return new WorldCore(two_armed_bandit(options));
}

WorldCore* new_bernoulli_bandit(const nb::dict& given, Seed seed) {
  BernoulliBanditOptions options{.random = world_stream(seed)};
  read_option(given, "probabilities", options.probabilities);
  read_option(given, "win", options.win);
  read_option(given, "loss", options.loss);
  return new WorldCore(bernoulli_bandit(options));
}

WorldCore* new_grid(const nb::dict& given, Seed seed) {
  GridOptions options{.random = world_stream(seed)};
  read_option(given, "rows", options.rows);
  read_option(given, "columns", options.columns);
  read_option(given, "walls", options.walls);
  read_option(given, "start", options.start);
  if (given.contains("goal") && !given["goal"].is_none()) {
    read_option(given, "goal", options.goal);
  }
  read_option(given, "preference", options.preference);
  read_option(given, "is_graded", options.is_graded);
  read_option(given, "slip", options.slip);
  read_option(given, "accuracy", options.accuracy);
  return new WorldCore(grid_world(options));
}

/// What a program in C++ has that says nothing; the package has the same, and a test compares.
nb::dict world_defaults() {
  const TMazeOptions maze{.random = {0, 0}};
  const BanditOptions bandit{.random = {0, 0}};
  const BernoulliBanditOptions arms{.random = {0, 0}};
  const GridOptions grid{.random = {0, 0}};
  nb::dict of_maze, of_bandit, of_arms, of_grid, made;
  of_maze["win_probability"] = maze.win_probability;
  of_maze["cue_probability"] = maze.cue_probability;
  of_maze["win"] = maze.win;
  of_maze["loss"] = maze.loss;
  of_maze["arms_are_final"] = maze.arms_are_final;
  of_bandit["better"] = bandit.better;
  of_bandit["worse"] = bandit.worse;
  of_bandit["change"] = bandit.change;
  of_bandit["win"] = bandit.win;
  of_bandit["loss"] = bandit.loss;
  of_arms["win"] = arms.win;
  of_arms["loss"] = arms.loss;
  of_grid["rows"] = grid.rows;
  of_grid["columns"] = grid.columns;
  of_grid["start"] = grid.start;
  of_grid["preference"] = grid.preference;
  of_grid["is_graded"] = grid.is_graded;
  of_grid["slip"] = grid.slip;
  of_grid["accuracy"] = grid.accuracy;
  made["t_maze"] = of_maze;
  made["two_armed_bandit"] = of_bandit;
  made["bernoulli_bandit"] = of_arms;
  made["grid_world"] = of_grid;
  return made;
}

}  // namespace

void bind_worlds(nb::module_& module) {
  module.def("_world_defaults", &world_defaults);
  module.def("_t_maze", &new_t_maze, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
  module.def("_two_armed_bandit", &new_bandit, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
  module.def("_bernoulli_bandit", &new_bernoulli_bandit, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
  module.def("_grid_world", &new_grid, nb::arg("options"), nb::arg("seed").none(),
             nb::rv_policy::take_ownership);
  nb::class_<WorldCore>(module, "_DiscreteWorld")
      .def(
          "__init__",
          [](WorldCore* self, const GenerativeModel& model, Seed seed) {
            new (self) WorldCore(DiscreteWorld(model, world_stream(seed)));
          },
          nb::arg("model"), nb::arg("seed").none())
      .def("clone", &WorldCore::clone)
      .def("reset",
           [](WorldCore& self) {
             return self.alone([](DiscreteWorld& world) { return world.reset(); });
           })
      .def("reset",
           [](WorldCore& self, std::uint64_t seed) {
             const RandomStream random = world_stream(seed);
             return self.alone([&](DiscreteWorld& world) {
               world = DiscreteWorld(world.model(), random);
               return world.reset();
             });
           })
      .def("step",
           [](WorldCore& self, const Action& action) {
             return self.alone([&](DiscreteWorld& world) { return world.step(action); });
           })
      .def_prop_ro("model",
                   [](WorldCore& self) {
                     return self.alone([](const DiscreteWorld& world) { return world.model(); });
                   })
      .def_prop_ro("state", [](WorldCore& self) {
        return self.alone([](const DiscreteWorld& world) { return world.state(); });
      });
}

}  // namespace gaia::python
