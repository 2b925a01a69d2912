// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text (docs/gpu.md).
#include "backend.h"
#include "equation_launches.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void CudaBackend::equations(const EquationRun& run) {
  const Call stream =
      begin({&run.samples, &run.weights, &run.outputs, &run.memory, &run.traces, &run.eligibility,
             &run.chained, &run.layer_signals, &run.neuron_signals});
  if (run.outputs.count() == 0) return;
  dispatch_floating(run.weights.dtype, [&](auto tag) {
    interpret_equations<typename decltype(tag)::type>(run, memory_, staging_, stream);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
