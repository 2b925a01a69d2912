// SPDX-License-Identifier: MIT
/// \file
/// The parts of the module, one function for each file.
#pragma once

#include <nanobind/nanobind.h>

namespace gaia::python {

void bind_errors(nanobind::module_& module);
void bind_array(nanobind::module_& module);
void bind_tensor(nanobind::module_& module);
void bind_functions_of_arrays(nanobind::module_& module);
void bind_positions(nanobind::module_& module);
void bind_sliding(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_checkpoint(nanobind::module_& module);
void bind_modules(nanobind::module_& module);
void bind_layers(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_plastic_linear(nanobind::module_& module);
void bind_networks(nanobind::module_& module);
void bind_experiment(nanobind::module_& module);
void bind_export(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_shaping(nanobind::module_& module);
void bind_changes(nanobind::module_& module);
void bind_signals(nanobind::module_& module);
void bind_stream(nanobind::module_& module);
void bind_consensus(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_filters(nanobind::module_& module);
void bind_continuous(nanobind::module_& module);
void bind_controllers(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);
void bind_hierarchy(nanobind::module_& module);
void bind_kernels(nanobind::module_& module);
void bind_linear_algebra(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);
void bind_agents(nanobind::module_& module);
void bind_bandits(nanobind::module_& module);
void bind_worlds(nanobind::module_& module);

/// Errors of calls to all that is bound so far name the argument that does not fit.
void guard_calls(nanobind::module_& module);

}  // namespace gaia::python
