// SPDX-License-Identifier: MIT
/// \file
/// Metrics of plasticity; gaia/metrics.py is what people see of them.  Structs are dicts here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../../src/learning/plasticity_metrics.h"
#include "../../src/learning/representation_metrics.h"
#include "bindings.h"
#include "gil.h"

namespace gaia::python {
namespace {

using Scores = std::vector<double>;

nb::dict dict_of(const metrics::RepresentationRank& rank) {
  nb::dict made;
  made["effective"] = rank.effective;
  made["participation"] = rank.participation;
  made["numerical"] = rank.numerical;
  return made;
}

nb::dict dict_of(const metrics::PlasticityEfficiency& found) {
  nb::dict made;
  made["steps"] = found.steps;
  made["path"] = found.path;
  made["net"] = found.net;
  made["efficiency"] = found.efficiency;
  made["turnover"] = found.turnover;
  made["gain"] = found.gain;
  made["gain_per_change"] = found.gain_per_change;
  return made;
}

nb::dict dict_of(const metrics::Adaptation& found) {
  nb::dict made;
  made["first"] = found.first;
  made["final"] = found.final;
  made["gain"] = found.gain;
  made["steps"] = found.steps;
  made["settled"] = found.settled;
  made["speed"] = found.speed;
  return made;
}

nb::dict dict_of(const metrics::Forgetting& found) {
  nb::dict made;
  made["of_task"] = nb::cast(found.of_task);
  made["forgetting"] = found.forgetting;
  made["average"] = found.average;
  made["backward_transfer"] = found.backward_transfer;
  made["forward_transfer"] = found.forward_transfer;
  made["intransigence"] = found.intransigence;
  return made;
}

nb::dict dict_of(const metrics::StabilityPlasticity& found) {
  nb::dict made;
  made["stability"] = found.stability;
  made["plasticity"] = found.plasticity;
  made["overall"] = found.overall;
  made["tradeoff"] = found.tradeoff;
  return made;
}

nb::dict dict_of(const metrics::AdaptationRobustness& found) {
  nb::list switches;
  for (const metrics::TaskSwitch& one : found.switches) {
    nb::dict made;
    made["at"] = one.at;
    made["before"] = one.before;
    made["drop"] = one.drop;
    made["recovery"] = one.recovery;
    switches.append(made);
  }
  nb::dict made;
  made["switches"] = switches;
  made["mean_drop"] = found.mean_drop;
  made["recovered"] = found.recovered;
  made["mean_recovery"] = found.mean_recovery;
  return made;
}

nb::dict dict_of(const metrics::LearningCurve& found) {
  nb::dict made;
  made["first"] = found.first;
  made["final"] = found.final;
  made["best"] = found.best;
  made["mean"] = found.mean;
  made["gain"] = found.gain;
  made["slope"] = found.slope;
  made["spread"] = found.spread;
  made["rising"] = found.rising;
  return made;
}

nb::list dict_of(const std::vector<metrics::ParameterConvergence>& found) {
  nb::list list;
  for (const metrics::ParameterConvergence& one : found) {
    nb::dict made;
    made["first"] = one.first;
    made["final"] = one.final;
    made["low"] = one.low;
    made["high"] = one.high;
    made["settled"] = one.settled;
    made["reversals"] = one.reversals;
    list.append(made);
  }
  return list;
}

void bind_representation_metrics(nb::module_& module) {
  module.def("_representation_rank", [](const Array& responses, bool centred) {
    return dict_of(without_gil([&] { return metrics::representation_rank(responses, centred); }));
  });
  module.def("_selectivity", [](const Array& responses) {
    return without_gil([&] { return metrics::selectivity(responses); });
  });
  module.def("_lifetime_sparseness", [](const Array& responses) {
    return without_gil([&] { return metrics::lifetime_sparseness(responses); });
  });
  module.def("_population_sparseness", [](const Array& responses) {
    return without_gil([&] { return metrics::population_sparseness(responses); });
  });
  module.def("_orthogonality", [](const Array& weights) {
    return without_gil([&] { return metrics::orthogonality(weights); });
  });
  module.def("_mutual_coherence", [](const Array& weights) {
    return without_gil([&] { return metrics::mutual_coherence(weights); });
  });
  module.def("_reconstruction_error", [](const Array& samples, const Array& weights, bool centred) {
    return without_gil([&] { return metrics::reconstruction_error(samples, weights, centred); });
  });
  module.def("_subspace_score", [](const Array& weights, const Array& directions) {
    return without_gil([&] { return metrics::subspace_score(weights, directions); });
  });
}

}  // namespace

void bind_metrics(nb::module_& module) {
  bind_representation_metrics(module);
  nb::class_<metrics::WeightPath>(module, "_WeightPath")
      .def(nb::init<>())
      .def("add", &metrics::WeightPath::add)
      .def("result", [](const metrics::WeightPath& path) { return dict_of(path.result()); });
  module.def("_measure_plasticity_efficiency", [](const Array& weights, const Scores& scores) {
    return dict_of(
        without_gil([&] { return metrics::measure_plasticity_efficiency(weights, scores); }));
  });
  module.def(
      "_measure_adaptation_speed", [](const Scores& scores, double share, std::int64_t tail) {
        return dict_of(metrics::measure_adaptation_speed(scores, {.share = share, .tail = tail}));
      });
  module.def("_measure_forgetting",
             [](const Array& scores, const Scores& untrained, const Scores& alone) {
               return dict_of(metrics::measure_forgetting(scores, untrained, alone));
             });
  module.def("_measure_stability_plasticity_tradeoff", [](const Array& scores, double ideal) {
    return dict_of(metrics::measure_stability_plasticity_tradeoff(scores, ideal));
  });
  module.def("_evaluate_adaptation_robustness",
             [](const Scores& scores, const std::vector<std::int64_t>& switches,
                std::int64_t window, double share) {
               return dict_of(metrics::evaluate_adaptation_robustness(
                   scores, switches, {.window = window, .share = share}));
             });
  module.def("_evaluate_meta_learning_curve", [](const Scores& scores, std::int64_t tail) {
    return dict_of(metrics::evaluate_meta_learning_curve(scores, tail));
  });
  module.def("_evaluate_parameter_convergence", [](const Array& history) {
    return dict_of(metrics::evaluate_parameter_convergence(history));
  });
}

}  // namespace gaia::python
