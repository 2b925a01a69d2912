// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers under rules that couple their neurons (Sanger, Oja's subspace rule).
#include "backend.h"
#include "layer_phases.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void CudaBackend::coupled(const CoupledRun& run) {
  const Call stream = begin({&run.samples, &run.weights, &run.outputs});
  if (run.outputs.count() == 0) return;
  dispatch_floating(run.weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    PlasticLayer<T> layer(run);
    const bool is_batch = layer.x.streams > 1;
    const std::int64_t residuals = is_batch ? layer.x.streams * layer.x.n : 0;
    const Scratch scratch(memory_, residuals * size_of(run.weights.dtype), stream);
    layer.residuals = scratch.as<T>();
    std::visit([&](const auto& rule) { run_phases("coupled", stream, layer, rule); }, run.rule);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
