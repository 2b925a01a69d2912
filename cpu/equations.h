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
  return run.lateral != nullptr || gaia::crosses_layer(*run.program, run.activation);
}

/// The same, or some vector of the update.
inline bool sees_layer(const EquationRun& run) {
  return crosses_layer(run) || !run.program->backs.empty();
}

/// How often all weights were gone over since the program began, by executor: at every tick of
/// every stream stepwise, and once a chunk chunkwise.  For tests, which see by it what was done.
struct EquationSweeps {
  std::atomic<std::int64_t> stepwise{0};
  std::atomic<std::int64_t> chunkwise{0};
};
EquationSweeps& equation_sweeps();

/// Sample by sample, weight by weight: the definition, of rules of either class.
template <class T>
void run_equations_stepwise(const EquationRun& run);

/// The same where nothing learns.
template <class T>
void run_equations_still(const EquationRun& run);

/// Chunks of samples through matrix products, where why_stepwise has nothing against it.
template <class T>
void run_equations_chunkwise(const EquationRun& run, Backend& backend);

/// Whether a chunk of so many ticks is a tick of many samples, all of which see the same weights.
bool goes_by_ticks(const EquationRun& run, std::int64_t chunk);

/// The same where it is.
template <class T>
void run_equations_batch(const EquationRun& run, Backend& backend);

/// The same of a single stream where something goes back to the inputs, in chunks of so many ticks.
template <class T>
void run_equations_back(const EquationRun& run, std::int64_t chunk, Backend& backend);

/// The same by what the ticks of a chunk do to each column of W: where something goes back up to
/// each neuron, and in small layers, where products of matrices are too small to pay.
template <class T>
void run_equations_map(const EquationRun& run, std::int64_t chunk, Backend& backend);

/// Rules beside which each weight has a chain, in chunks of so many ticks.
template <class T>
void run_equations_chained(const EquationRun& run, std::int64_t chunk, Backend& backend);

/// Which of the two runs a rule by which something goes back.
inline bool goes_by_map(const EquationRun& run) {
  constexpr std::int64_t kFewNeurons = 48;  // measured: at 64 products take less time
  return run.weights.shape[0] <= kFewNeurons ||
         std::any_of(run.program->backs.begin(), run.program->backs.end(),
                     [](const EquationBack& back) { return back.upto; });
}

}  // namespace gaia::cpu
