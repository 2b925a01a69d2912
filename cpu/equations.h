// SPDX-License-Identifier: MIT
/// \file
/// What the executors of rules that are text share; CpuBackend::equations chooses between them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../src/array/backend.h"

namespace gaia::cpu {

/// Whether some number of a tick needs all neurons of the layer.
inline bool crosses_layer(const EquationRun& run) {
  return run.program->crosses_layer ||
         (run.program->reads_activation && run.activation == Activation::softmax);
}

/// Sample by sample, weight by weight: the definition, of rules of either class.
template <class T>
void run_equations_stepwise(const EquationRun& run);

/// Where nothing learns.
template <class T>
void run_equations_still(const EquationRun& run);

/// Chunks of samples through matrix products, where why_stepwise has nothing against it.
template <class T>
void run_equations_chunkwise(const EquationRun& run, Backend& backend);

/// The same of a single stream where something goes back to the inputs, in chunks of so many ticks.
template <class T>
void run_equations_back(const EquationRun& run, std::int64_t chunk, Backend& backend);

/// The same where something goes back up to each neuron.
template <class T>
void run_equations_upto(const EquationRun& run, std::int64_t chunk, Backend& backend);

/// Whether a rule has such a sum.
inline bool has_upto(const EquationProgram& program) {
  return std::any_of(program.backs.begin(), program.backs.end(),
                     [](const EquationBack& back) { return back.upto; });
}

}  // namespace gaia::cpu
