// SPDX-License-Identifier: MIT
/// \file
/// What the executors of rules that are text share; CpuBackend::equations chooses between them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "../src/array/backend.h"
#include "../src/formulas/equations/how_it_runs.h"

namespace gaia::cpu {

/// Whether some number of a tick needs all neurons of the layer.
inline bool crosses_layer(const EquationRun& run) {
  return gaia::crosses_layer(*run.program, run.activation);
}

/// How often all weights were gone over since the program began, by executor: at every tick of
/// every stream stepwise, and once a chunk chunkwise.  For tests, which see by it what was done.
struct EquationSweeps {
  std::atomic<std::int64_t> stepwise{0};
  std::atomic<std::int64_t> chunkwise{0};
};
EquationSweeps& equation_sweeps();

/// Samples of a stream that a chunk has.
inline std::int64_t chunk_of(const EquationRun& run) {
  const std::int64_t streams = run.samples.shape[0];
  return std::clamp<std::int64_t>(run.chunk / streams, 1,
                                  std::max<std::int64_t>(run.samples.shape[1], 1));
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

}  // namespace gaia::cpu
