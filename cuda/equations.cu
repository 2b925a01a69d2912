// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text (docs/gpu.md).
#include "backend.h"
#include "equation_compiled.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void CudaBackend::equations(const EquationRun& run) {
  const Call stream =
      begin({&run.samples, &run.weights, &run.outputs, &run.memory, &run.traces, &run.eligibility,
             &run.chained, &run.layer_signals, &run.neuron_signals});
  if (run.outputs.count() == 0) return;
  dispatch_floating(run.weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (!run_compiled<T>(run, memory_, stream)) {
      interpret_equations<T>(run, memory_, staging_, stream);
    }
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
