// SPDX-License-Identifier: MIT
/// \file
/// gaia._gaia: what the package `gaia` is made of; people use the package.
#include "../../src/core/parallel.h"
#include "../../src/core/version.h"
#include "bindings.h"

#include <nanobind/stl/string.h>

NB_MODULE(_gaia, module) {
  namespace nb = nanobind;
  // What Python lets go of at its end may be let go of in any order.
  nb::set_leak_warnings(false);
  gaia::python::bind_errors(module);
  gaia::python::bind_array(module);
  gaia::python::bind_tensor(module);
  gaia::python::bind_functions_of_arrays(module);
  gaia::python::bind_statistics(module);
  gaia::python::bind_positions(module);
  gaia::python::bind_sliding(module);
  gaia::python::bind_devices(module);
  gaia::python::bind_checkpoint(module);
  gaia::python::bind_modules(module);
  gaia::python::bind_layers(module);
  gaia::python::bind_plastic_linear(module);
  gaia::python::bind_networks(module);
  gaia::python::bind_data(module);
  gaia::python::bind_experiment(module);
  gaia::python::bind_export(module);
  gaia::python::bind_search(module);
  gaia::python::bind_shaping(module);
  gaia::python::bind_changes(module);
  gaia::python::bind_signals(module);
  gaia::python::bind_stream(module);
  gaia::python::bind_consensus(module);
  gaia::python::bind_files(module);
  gaia::python::bind_filters(module);
  gaia::python::bind_continuous(module);
  gaia::python::bind_controllers(module);
  gaia::python::bind_hierarchy(module);
  gaia::python::bind_kernels(module);
  gaia::python::bind_linear_algebra(module);
  gaia::python::bind_metrics(module);
  gaia::python::bind_agents(module);
  gaia::python::bind_bandits(module);
  gaia::python::bind_worlds(module);
  module.def("_version", [] { return gaia::version(); });
  module.def("_git_commit", [] { return gaia::git_commit(); });
  module.def("num_threads", &gaia::num_threads, "How many threads gaia computes with.");
  module.def("set_num_threads", &gaia::set_num_threads, nb::arg("count"),
             "Computes with so many threads from here on; 0: with as many as at first.");
  gaia::python::guard_calls(module);
}
