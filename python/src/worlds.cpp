// SPDX-License-Identifier: MIT
/// \file
/// Worlds for agents over discrete states; gaia/_worlds.py is what people see of them.
#include "../../src/agents/discrete/worlds.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "agent_values.h"
#include "bindings.h"

namespace gaia::python {

using namespace agents;

template <class Visit>
void list_options(Visit&& visit, TMazeOptions& options) {
  visit("win_probability", options.win_probability);
  visit("cue_probability", options.cue_probability);
  visit("win", options.win);
  visit("loss", options.loss);
  visit("arms_are_final", options.arms_are_final);
}

template <class Visit>
void list_options(Visit&& visit, BanditOptions& options) {
  visit("better", options.better);
  visit("worse", options.worse);
  visit("change", options.change);
  visit("win", options.win);
  visit("loss", options.loss);
}

template <class Visit>
void list_options(Visit&& visit, BernoulliBanditOptions& options) {
  visit.without_default("probabilities", options.probabilities);
  visit("win", options.win);
  visit("loss", options.loss);
}

template <class Visit>
void list_options(Visit&& visit, GridOptions& options) {
  visit("rows", options.rows);
  visit("columns", options.columns);
  visit.without_default("walls", options.walls);
  visit("start", options.start);
  visit.without_default("goal", options.goal);
  visit("preference", options.preference);
  visit("is_graded", options.is_graded);
  visit("slip", options.slip);
  visit("accuracy", options.accuracy);
}

namespace {

using WorldCore = Guarded<DiscreteWorld>;
using Seed = std::optional<std::uint64_t>;

RandomStream world_stream(Seed seed) { return stream_of(seed, "world"); }

/// The function of a world, under its name, and its defaults.
template <class Options>
void bind_world(nb::module_& module, nb::dict& defaults) {
  module.def(
      ("_" + std::string(Options::name)).c_str(),
      [](const nb::dict& given, Seed seed) {
        return new WorldCore(read_options(given, Options{.random = world_stream(seed)}).make());
      },
      nb::arg("options"), nb::arg("seed").none(), nb::rv_policy::take_ownership);
  defaults[Options::name] = defaults_of(Options{.random = {0, 0}});
}

}  // namespace

void bind_worlds(nb::module_& module) {
  nb::dict defaults;
  bind_world<TMazeOptions>(module, defaults);
  bind_world<BanditOptions>(module, defaults);
  bind_world<BernoulliBanditOptions>(module, defaults);
  bind_world<GridOptions>(module, defaults);
  module.def("_world_defaults", [defaults] { return defaults; });
  nb::class_<WorldCore>(module, "_DiscreteWorld")
      .def(
          "__init__",
          [](WorldCore* self, const GenerativeModel& model, Seed seed) {
            new (self) WorldCore(DiscreteWorld(model, world_stream(seed)));
          },
          nb::arg("model"), nb::arg("seed").none())
      .def("clone", &WorldCore::clone)
      .def("reset", guarded<WorldCore>(&DiscreteWorld::reset))
      .def("reset",
           [](WorldCore& self, std::uint64_t seed) {
             const RandomStream random = world_stream(seed);
             return self.alone([&](DiscreteWorld& world) {
               world = DiscreteWorld(world.model(), random);
               return world.reset();
             });
           })
      .def("step", guarded<WorldCore>(&DiscreteWorld::step))
      .def_prop_ro("model", guarded<WorldCore>(&DiscreteWorld::model))
      .def_prop_ro("state", guarded<WorldCore>(&DiscreteWorld::state));
}

}  // namespace gaia::python
