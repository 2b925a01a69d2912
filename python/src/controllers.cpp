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

template <class Visit>
void list_options(Visit&& visit, PlasticityControllerOptions& options) {
  visit.without_default("start", options.start);
  visit("seeds", options.seeds);
  visit("held_out_seeds", options.held_out_seeds);
  visit("adaptation_rate", options.adaptation_rate);
  visit("exploration_noise", options.exploration_noise);
  visit("population_size", options.population_size);
}

template <class Visit>
void list_options(Visit&& visit, MetaOptimizerOptions& options) {
  visit.named("adaptation_strategy", options.adaptation_strategy, &task_sampling_from_name);
  visit("tasks_per_episode", options.tasks_per_episode);
  visit("seeds_per_task", options.seeds_per_task);
  visit("task_switch_frequency", options.task_switch_frequency);
  visit("performance_threshold", options.performance_threshold);
  visit("adaptation_rate", options.adaptation_rate);
  visit("exploration_noise", options.exploration_noise);
  visit("population_size", options.population_size);
  visit.without_default("start", options.start);
  visit("validation_seeds", options.validation_seeds);
  visit("curriculum_share", options.curriculum_share);
  visit("uniform_share", options.uniform_share);
}

template <class Visit>
void list_options(Visit&& visit, TaskSamplerOptions& options) {
  visit.named("sampling", options.sampling, &task_sampling_from_name);
  visit("full_from", options.full_from);
  visit("uniform_share", options.uniform_share);
}

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
          "[PlasticityController] adapt_plasticity: expected one call at a time, got another "
          "from "
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
    return read_options(given, PlasticityControllerOptions{.method = method_of(given, "method"),
                                                           .random = stream_of(seed, "search")});
  }

  nb::handle objective_;
  PlasticityController controller_;
};

MetaOptimizer meta_optimizer(std::vector<SearchParameter> space, const nb::dict& given,
                             std::optional<std::uint64_t> seed) {
  auto options = read_options(
      given, MetaOptimizerOptions{.outer_optimizer = method_of(given, "outer_optimizer"),
                                  .random = stream_of(seed, "search")});
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

nb::dict controller_defaults() {
  nb::dict made;
  made["PlasticityController"] = defaults_of(PlasticityControllerOptions{.random = {0, 0}});
  made["MetaOptimizer"] = defaults_of(MetaOptimizerOptions{.random = {0, 0}});
  made["TaskSampler"] = defaults_of(TaskSamplerOptions{.random = {0, 0}});
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
