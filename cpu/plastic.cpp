// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers: which executor runs them, and how several share the threads.
#include "plastic.h"

#include "../src/core/parallel.h"
#include "backend.h"

namespace gaia::cpu {

void CpuBackend::plastic(std::span<const PlasticRun> runs) {
  if (runs.empty() || runs[0].weights.shape[0] == 0) return;
  const auto execute = [this](const PlasticRun& run) {
    dispatch_floating(run.weights.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (run.executor == Executor::stepwise) {
        run_stepwise<T>(run);
      } else {
        run_chunkwise<T>(run, *this);
      }
    });
  };
  // Few runs share the threads one after another; of many, each has one.
  const auto count = static_cast<std::int64_t>(runs.size());
  if (count < num_threads()) {
    for (const PlasticRun& run : runs) execute(run);
  } else {
    parallel_for(count,
                 [&](std::int64_t number) { execute(runs[static_cast<std::size_t>(number)]); });
  }
}

}  // namespace gaia::cpu
