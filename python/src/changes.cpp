// SPDX-License-Identifier: MIT
/// \file
/// Detectors of changes; gaia/_changes.py is what people see of them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <string>
#include <vector>

#include "../../src/learning/change_detectors.h"
#include "agent_values.h"
#include "bindings.h"
#include "gil.h"

namespace gaia::python {
namespace {

/// What both detectors have; `make` is the function of its constructor.
template <class Detector, class Make>
void bind_detector(nb::module_& module, const char* name, const Make& make) {
  using Shared = Guarded<Detector>;
  nb::class_<Shared>(module, name)
      .def("__init__", make)
      .def("update", guarded<Shared>(&Detector::update))
      .def("update_all",
           [](Shared& shared, const Numbers& series) {
             const std::vector<double> own(series.data(), series.data() + series.size());
             return shared.alone([&](Detector& one) {
               std::vector<std::int64_t> changes;
               for (std::size_t t = 0; t < own.size(); ++t) {
                 if (one.update(own[t])) changes.push_back(static_cast<std::int64_t>(t));
               }
               return changes;
             });
           })
      .def("detected", guarded<Shared>(&Detector::detected))
      .def("statistic", guarded<Shared>(&Detector::statistic))
      .def("estimation", guarded<Shared>(&Detector::estimation))
      .def("width", guarded<Shared>(&Detector::width))
      .def("state", guarded<Shared>(&Detector::state))
      .def("set_state", guarded<Shared>(&Detector::set_state))
      .def("variance", [](Shared& shared) {
        return shared.alone([](const Detector& one) {
          if constexpr (requires { one.variance(); }) return one.variance();
          return 0.0;
        });
      });
}

}  // namespace

void bind_changes(nb::module_& module) {
  bind_detector<PageHinkley>(
      module, "_PageHinkley",
      [](Guarded<PageHinkley>* made, std::int64_t min_instances, double delta, double threshold,
         double alpha, const std::string& mode) {
        new (made) Guarded<PageHinkley>(PageHinkley({.min_instances = min_instances,
                                                     .delta = delta,
                                                     .threshold = threshold,
                                                     .alpha = alpha,
                                                     .mode = change_mode_from_name(mode)}));
      });
  bind_detector<Adwin>(
      module, "_Adwin",
      [](Guarded<Adwin>* made, double delta, std::int64_t clock, std::int64_t max_buckets,
         std::int64_t min_window_length, std::int64_t grace_period) {
        new (made) Guarded<Adwin>(Adwin({.delta = delta,
                                         .clock = clock,
                                         .max_buckets = max_buckets,
                                         .min_window_length = min_window_length,
                                         .grace_period = grace_period}));
      });
}

}  // namespace gaia::python
