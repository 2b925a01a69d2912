// SPDX-License-Identifier: MIT
/// \file
/// gaia.nn.PlasticLinear, and what goes with it.
#include "../../src/layers/network/plastic_linear.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "../../src/autograd/trace_guard.h"
#include "../../src/layers/network/plastic_health.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"
#include "guard_scope.h"

namespace gaia::python {

using nb::arg;

void bind_plastic_linear(nb::module_& module) {
  nb::class_<PackedPlasticLinear, Module>(
      module, "PackedPlasticLinear",
      "A PlasticLinear that no longer changes, with two bits for each weight; "
      "`PlasticLinear.pack` makes it.");
  nb::class_<PlasticLinear, Module>(
      module, "PlasticLinear",
      "y = (Q(W) + fast_gain F + slow_gain S) x + bias, x [..., inputs]: ternary weights that "
      "gradients train straight through, and two Hebbian traces.\n\n"
      "A forward pass in training writes the traces: F <- fast_decay F + fast_rate relu(y)^T x / "
      "n, shortened to the norm trace_bound, and S <- slow_decay S + slow_rate F. In evaluation, "
      "without `plasticity_enabled` and within `trace_guard` they are used as they are.\n\n"
      "Raises ArgumentError for numbers out of range.")
      .def(
          "__init__",
          [](PlasticLinear* made, std::int64_t inputs, std::int64_t outputs, bool bias,
             bool plasticity, double fast_gain, double slow_gain, double fast_decay,
             double fast_rate, double slow_decay, double slow_rate, double trace_bound,
             double deviation, DType dtype) {
            new (made) PlasticLinear(inputs, outputs,
                                     {.bias = bias,
                                      .plasticity = plasticity,
                                      .fast_gain = fast_gain,
                                      .slow_gain = slow_gain,
                                      .fast_decay = fast_decay,
                                      .fast_rate = fast_rate,
                                      .slow_decay = slow_decay,
                                      .slow_rate = slow_rate,
                                      .trace_bound = trace_bound,
                                      .deviation = deviation,
                                      .dtype = dtype});
          },
          arg("inputs"), arg("outputs"), arg("bias") = false, arg("plasticity") = true,
          arg("fast_gain") = 0.1, arg("slow_gain") = 0.05, arg("fast_decay") = 0.95,
          arg("fast_rate") = 0.05, arg("slow_decay") = 0.99, arg("slow_rate") = 0.01,
          arg("trace_bound") = 5.0, arg("deviation") = 0.02, arg("dtype") = DType::float32)
      .def_prop_ro("weights", &PlasticLinear::weights, "W [outputs, inputs], a Tensor.")
      .def_prop_ro("fast", &PlasticLinear::fast, "F [outputs, inputs], an Array.")
      .def_prop_ro("slow", &PlasticLinear::slow, "S [outputs, inputs], an Array.")
      .def_prop_rw("plasticity_enabled", &PlasticLinear::plasticity_enabled,
                   &PlasticLinear::enable_plasticity, "Whether training writes the traces.")
      .def("reset_traces", &PlasticLinear::reset_traces, "Sets both traces to 0.")
      .def(
          "diagnostics",
          [](const PlasticLinear& layer) {
            std::map<std::string, double> all;
            for (const auto& [name, value] : layer.diagnostics().named()) all[name] = value;
            return all;
          },
          "Norms of traces, of the last update, of the weights and of their gradient (NaN without "
          "one), and the share of codes that are 0, by name.")
      .def("pack", &PlasticLinear::pack, "The same with two bits for each weight.");
  module.def(
      "health",
      [](const std::string& name, double value) {
        const HealthyRange* const range = healthy_range(name);
        return range == nullptr ? std::string() : to_string(health_of(*range, value));
      },
      arg("name"), arg("value"),
      "\"healthy\", \"too low\", \"too high\" or \"not a number\": what the guide of GAIA v3.1 "
      "says "
      "of a diagnostic, or an empty text where it has no range for it.");
  nb::class_<GuardScope<TraceGuard>>(
      module, "trace_guard",
      "Within `with trace_guard():` no layer that this thread runs writes its traces, so that what "
      "is imagined leaves no mark.")
      .def(nb::init<>())
      .def("__enter__", &GuardScope<TraceGuard>::enter)
      .def("__exit__", [](GuardScope<TraceGuard>& scope, const nb::args&) { scope.exit(); });
}

}  // namespace gaia::python
