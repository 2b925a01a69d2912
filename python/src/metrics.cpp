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

/// Binds a function whose result is a number, a struct or a list of them.
template <class Result, class... Given>
void bind(nb::module_& module, const char* name, Result (*function)(Given...)) {
  module.def(name, [function](Given... given) {
    return tuple_of(without_gil([&] { return function(given...); }));
  });
}

}  // namespace

void bind_metrics(nb::module_& module) {
  bind(module, "_representation_rank", &metrics::representation_rank);
  bind(module, "_selectivity", &metrics::selectivity);
  bind(module, "_lifetime_sparseness", &metrics::lifetime_sparseness);
  bind(module, "_population_sparseness", &metrics::population_sparseness);
  bind(module, "_orthogonality", &metrics::orthogonality);
  bind(module, "_mutual_coherence", &metrics::mutual_coherence);
  bind(module, "_reconstruction_error", &metrics::reconstruction_error);
  bind(module, "_subspace_score", &metrics::subspace_score);
  nb::class_<metrics::WeightPath>(module, "_WeightPath")
      .def(nb::init<>())
      .def("add", &metrics::WeightPath::add)
      .def("result", [](const metrics::WeightPath& path) { return tuple_of(path.result()); });
  bind(
      module, "_measure_plasticity_efficiency", +[](const Array& weights, const Scores& scores) {
        return metrics::measure_plasticity_efficiency(weights, scores);
      });
  bind(
      module, "_measure_adaptation_speed",
      +[](const Scores& scores, double share, std::int64_t tail) {
        return metrics::measure_adaptation_speed(scores, {.share = share, .tail = tail});
      });
  bind(
      module, "_measure_forgetting",
      +[](const Array& scores, const Scores& untrained, const Scores& alone) {
        return metrics::measure_forgetting(scores, untrained, alone);
      });
  bind(module, "_measure_stability_plasticity_tradeoff",
       &metrics::measure_stability_plasticity_tradeoff);
  bind(
      module, "_evaluate_adaptation_robustness",
      +[](const Scores& scores, const std::vector<std::int64_t>& switches, std::int64_t window,
          double share) {
        return metrics::evaluate_adaptation_robustness(scores, switches,
                                                       {.window = window, .share = share});
      });
  bind(
      module, "_evaluate_meta_learning_curve", +[](const Scores& scores, std::int64_t tail) {
        return metrics::evaluate_meta_learning_curve(scores, tail);
      });
  bind(module, "_evaluate_parameter_convergence", &metrics::evaluate_parameter_convergence);
}

}  // namespace gaia::python
