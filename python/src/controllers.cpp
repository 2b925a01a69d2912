// SPDX-License-Identifier: MIT
/// \file
/// PlasticityController, MetaOptimizer and TaskSampler over functions of Python's;
/// gaia/_controllers.py is what people see of them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/search/meta_optimizer.h"
#include "../../src/search/plasticity_controller.h"
#include "../../src/search/task_sampler.h"
#include "agent_values.h"
#include "bindings.h"

namespace gaia::python {
namespace {

SearchMethod method_of(const nb::dict& given, const char* name) {
  std::string method = "cma_es";
  read_option(given, name, method);
  if (method == "cma_es") return SearchMethod::cma_es;
  if (method == "random") return SearchMethod::random;
  throw ArgumentError("[" + std::string(name) + "] expected 'cma_es' or 'random', got '" + method +
                      "'");
}

double score_by(nb::handle objective, std::span<const double> parameters, std::uint64_t seed) {
  return nb::cast<double>(
      objective(nb::cast(std::vector<double>(parameters.begin(), parameters.end())), seed));
}

/// A controller whose objective is only known while it is called: what is held longer could hold
/// the controller in turn, and nobody would let go of either.
class ControllerCore {
 public:
  ControllerCore(std::vector<SearchParameter> space, const nb::dict& given,
                 std::optional<std::uint64_t> seed)
      : controller_(
            SearchSpace(std::move(space)),
            [this](std::span<const double> parameters, std::uint64_t of_run) {
              return score_by(objective_, parameters, of_run);
            },
            options(given, seed)) {}
  ControllerCore(const ControllerCore&) = delete;
  ControllerCore& operator=(const ControllerCore&) = delete;

  double adapt(nb::handle objective) {
    if (objective_.is_valid()) {
      throw ArgumentError(
          "[PlasticityController] adapt_plasticity: expected one call at a time, got another from "
          "within the objective or another thread");
    }
    objective_ = objective;
    try {
      const double performance = controller_.adapt_plasticity();
      objective_ = {};
      return performance;
    } catch (...) {
      objective_ = {};
      throw;
    }
  }

  const PlasticityController& controller() const { return controller_; }
  void reset() { controller_.reset_state(); }

 private:
  static PlasticityControllerOptions options(const nb::dict& given,
                                             std::optional<std::uint64_t> seed) {
    PlasticityControllerOptions made{.method = method_of(given, "method"),
                                     .random = stream_of(seed, "search")};
    read_option(given, "start", made.start);
    read_option(given, "seeds", made.seeds);
    read_option(given, "held_out_seeds", made.held_out_seeds);
    read_option(given, "adaptation_rate", made.adaptation_rate);
    read_option(given, "exploration_noise", made.exploration_noise);
    read_option(given, "population_size", made.population_size);
    return made;
  }

  nb::handle objective_;
  PlasticityController controller_;
};

MetaOptimizer meta_optimizer(std::vector<SearchParameter> space, const nb::dict& given,
                             std::optional<std::uint64_t> seed) {
  MetaOptimizerOptions options{.outer_optimizer = method_of(given, "outer_optimizer"),
                               .random = stream_of(seed, "search")};
  std::string strategy = "uniform";
  read_option(given, "adaptation_strategy", strategy);
  options.adaptation_strategy = task_sampling_from_name(strategy);
  read_option(given, "tasks_per_episode", options.tasks_per_episode);
  read_option(given, "seeds_per_task", options.seeds_per_task);
  read_option(given, "task_switch_frequency", options.task_switch_frequency);
  read_option(given, "performance_threshold", options.performance_threshold);
  read_option(given, "adaptation_rate", options.adaptation_rate);
  read_option(given, "exploration_noise", options.exploration_noise);
  read_option(given, "population_size", options.population_size);
  read_option(given, "start", options.start);
  read_option(given, "validation_seeds", options.validation_seeds);
  read_option(given, "curriculum_share", options.curriculum_share);
  read_option(given, "uniform_share", options.uniform_share);
  return MetaOptimizer(SearchSpace(std::move(space)), std::move(options));
}

nb::dict meta_train(const MetaOptimizer& meta, std::int64_t episodes,
                    const std::vector<std::pair<std::string, nb::callable>>& given) {
  std::vector<MetaTask> tasks;
  for (const auto& [name, learn] : given) {
    tasks.push_back(
        {name, [&function = learn](std::span<const double> parameters, std::uint64_t seed) {
           return score_by(function, parameters, seed);
         }});
  }
  const MetaResult found = meta.meta_train(episodes, tasks);
  nb::list told;
  for (const MetaEpisode& episode : found.episodes) {
    told.append(nb::make_tuple(episode.tasks, episode.candidate, episode.fitness,
                               episode.validation, episode.is_taken));
  }
  nb::dict made;
  made["meta_parameters"] = found.meta_parameters;
  made["performance"] = found.performance;
  made["task_performance"] = found.task_performance;
  made["learning_history"] = numpy_of(found.learning_history);
  made["episodes"] = told;
  made["runs"] = found.runs;
  made["why_stopped"] = found.why_stopped;
  return made;
}

/// What a program in C++ has that says nothing; the package has the same, and a test compares.
nb::dict controller_defaults() {
  const PlasticityControllerOptions controller{.random = {0, 0}};
  const MetaOptimizerOptions meta{.random = {0, 0}};
  const TaskSamplerOptions sampler{.random = {0, 0}};
  nb::dict of_controller, of_meta, of_sampler, made;
  of_controller["seeds"] = controller.seeds;
  of_controller["held_out_seeds"] = controller.held_out_seeds;
  of_controller["adaptation_rate"] = controller.adaptation_rate;
  of_controller["exploration_noise"] = controller.exploration_noise;
  of_controller["population_size"] = controller.population_size;
  of_meta["adaptation_strategy"] = to_string(meta.adaptation_strategy);
  of_meta["tasks_per_episode"] = meta.tasks_per_episode;
  of_meta["seeds_per_task"] = meta.seeds_per_task;
  of_meta["task_switch_frequency"] = meta.task_switch_frequency;
  of_meta["performance_threshold"] = meta.performance_threshold;
  of_meta["adaptation_rate"] = meta.adaptation_rate;
  of_meta["exploration_noise"] = meta.exploration_noise;
  of_meta["population_size"] = meta.population_size;
  of_meta["validation_seeds"] = meta.validation_seeds;
  of_meta["curriculum_share"] = meta.curriculum_share;
  of_meta["uniform_share"] = meta.uniform_share;
  of_sampler["sampling"] = to_string(sampler.sampling);
  of_sampler["full_from"] = sampler.full_from;
  of_sampler["uniform_share"] = sampler.uniform_share;
  made["PlasticityController"] = of_controller;
  made["MetaOptimizer"] = of_meta;
  made["TaskSampler"] = of_sampler;
  return made;
}

using Space = std::vector<SearchParameter>;
using Seed64 = std::optional<std::uint64_t>;

}  // namespace

void bind_controllers(nb::module_& module) {
  module.def("_controller_defaults", &controller_defaults);
  nb::class_<ControllerCore>(module, "_PlasticityController")
      .def(nb::init<Space, const nb::dict&, Seed64>(), nb::arg("space"), nb::arg("options"),
           nb::arg("seed").none())
      .def("adapt", &ControllerCore::adapt)
      .def("reset", &ControllerCore::reset)
      .def_prop_ro("current_params",
                   [](const ControllerCore& c) { return c.controller().current_params(); })
      .def_prop_ro("performance",
                   [](const ControllerCore& c) { return c.controller().performance(); })
      .def_prop_ro("param_history",
                   [](const ControllerCore& c) { return c.controller().param_history(); })
      .def_prop_ro(
          "performance_history",
          [](const ControllerCore& c) { return numpy_of(c.controller().performance_history()); })
      .def_prop_ro("trials",
                   [](const ControllerCore& c) {
                     nb::list made;
                     for (const SearchTrial& one : c.controller().search_result().history) {
                       made.append(nb::make_tuple(one.generation, one.values, -one.objective));
                     }
                     return made;
                   })
      .def_prop_ro("runs", [](const ControllerCore& c) { return c.controller().runs(); });
  nb::class_<MetaOptimizer>(module, "_MetaOptimizer")
      .def(
          "__init__",
          [](MetaOptimizer* self, Space space, const nb::dict& options, Seed64 seed) {
            new (self) MetaOptimizer(meta_optimizer(std::move(space), options, seed));
          },
          nb::arg("space"), nb::arg("options"), nb::arg("seed").none())
      .def("meta_train", &meta_train);
  nb::class_<TaskSampler>(module, "_TaskSampler")
      .def(
          "__init__",
          [](TaskSampler* self, std::int64_t tasks, const std::string& sampling,
             std::int64_t full_from, double uniform_share, Seed64 seed) {
            new (self) TaskSampler(tasks, {.sampling = task_sampling_from_name(sampling),
                                           .full_from = full_from,
                                           .uniform_share = uniform_share,
                                           .random = stream_of(seed, "tasks")});
          },
          nb::arg("tasks"), nb::arg("sampling"), nb::arg("full_from"), nb::arg("uniform_share"),
          nb::arg("seed").none())
      .def("probabilities",
           [](const TaskSampler& self, std::int64_t episode) {
             return numpy_of(self.probabilities(episode));
           })
      .def("sample", &TaskSampler::sample)
      .def("tell", &TaskSampler::tell);
}

}  // namespace gaia::python
