// SPDX-License-Identifier: MIT
/// \file
/// Metrics of plasticity; gaia/metrics.py is what people see of them.  Structs are tuples here.
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

/// The members of a struct, in their order; what is a list of structs becomes one of tuples.  Their
/// names stand in the named tuples of gaia/metrics.py.
template <class T>
nb::object tuple_of(const T& value);

template <class T>
nb::object tuple_of(const std::vector<T>& values) {
  nb::list made;
  for (const T& one : values) made.append(tuple_of(one));
  return made;
}

/// Stands for a member of any type where it is only counted how many there are.
struct Anything {
  template <class T>
  operator T() const;
};

template <class T>
nb::object tuple_of(const T& value) {
  const auto tuple = [](const auto&... members) -> nb::object {
    return nb::make_tuple(tuple_of(members)...);
  };
  constexpr Anything any;
  if constexpr (std::is_arithmetic_v<T>) {
    return nb::cast(value);
  } else if constexpr (requires { T{any, any, any, any, any, any, any, any}; }) {
    const auto& [a, b, c, d, e, f, g, h] = value;
    return tuple(a, b, c, d, e, f, g, h);
  } else if constexpr (requires { T{any, any, any, any, any, any, any}; }) {
    const auto& [a, b, c, d, e, f, g] = value;
    return tuple(a, b, c, d, e, f, g);
  } else if constexpr (requires { T{any, any, any, any, any, any}; }) {
    const auto& [a, b, c, d, e, f] = value;
    return tuple(a, b, c, d, e, f);
  } else if constexpr (requires { T{any, any, any, any}; }) {
    const auto& [a, b, c, d] = value;
    return tuple(a, b, c, d);
  } else {
    const auto& [a, b, c] = value;
    return tuple(a, b, c);
  }
}

void bind_representation_metrics(nb::module_& module) {
  module.def("_representation_rank", [](const Array& responses, bool centred) {
    return tuple_of(without_gil([&] { return metrics::representation_rank(responses, centred); }));
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
      .def("result", [](const metrics::WeightPath& path) { return tuple_of(path.result()); });
  module.def("_measure_plasticity_efficiency", [](const Array& weights, const Scores& scores) {
    return tuple_of(
        without_gil([&] { return metrics::measure_plasticity_efficiency(weights, scores); }));
  });
  module.def(
      "_measure_adaptation_speed", [](const Scores& scores, double share, std::int64_t tail) {
        return tuple_of(metrics::measure_adaptation_speed(scores, {.share = share, .tail = tail}));
      });
  module.def("_measure_forgetting",
             [](const Array& scores, const Scores& untrained, const Scores& alone) {
               return tuple_of(metrics::measure_forgetting(scores, untrained, alone));
             });
  module.def("_measure_stability_plasticity_tradeoff", [](const Array& scores, double ideal) {
    return tuple_of(metrics::measure_stability_plasticity_tradeoff(scores, ideal));
  });
  module.def("_evaluate_adaptation_robustness",
             [](const Scores& scores, const std::vector<std::int64_t>& switches,
                std::int64_t window, double share) {
               return tuple_of(metrics::evaluate_adaptation_robustness(
                   scores, switches, {.window = window, .share = share}));
             });
  module.def("_evaluate_meta_learning_curve", [](const Scores& scores, std::int64_t tail) {
    return tuple_of(metrics::evaluate_meta_learning_curve(scores, tail));
  });
  module.def("_evaluate_parameter_convergence", [](const Array& history) {
    return tuple_of(metrics::evaluate_parameter_convergence(history));
  });
}

}  // namespace gaia::python
