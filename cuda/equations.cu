// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text (docs/gpu.md): through matrix products, by a compiled kernel,
/// or by one that interprets the rule.
#include "backend.h"
#include "equation_chunk_launches.cuh"
#include "equation_compiled.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void CudaBackend::equations(const EquationRun& run) { equations_together({&run, 1}); }

void CudaBackend::equations_together(std::span<const EquationRun> runs) {
  if (runs.empty() || runs[0].outputs.count() == 0) return;
  Call stream = begin({});
  for (const EquationRun& run : runs) {
    stream = begin({&run.samples, &run.weights, &run.outputs, &run.memory, &run.traces,
                    &run.eligibility, &run.chained, &run.layer_signals, &run.neuron_signals});
  }
  const EquationChip chip{capability_, processors_};
  const bool by_chunks = takes_equation_chunks(runs[0], std::ssize(runs), chip);
  dispatch_floating(runs[0].weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (!by_chunks) {
      if (run_compiled<T>(runs, memory_, staging_, stream)) return;
      for (const EquationRun& run : runs) {
        interpret_equations<T>(run, memory_, staging_, stream);
      }
      return;
    }
    for (std::size_t first = 0; first < runs.size(); first += kMostGridRows) {
      const std::size_t count = std::min<std::size_t>(kMostGridRows, runs.size() - first);
      run_equation_chunks<T>(runs.subspan(first, count), chip, memory_, staging_, stream);
    }
  });
}

std::string CudaBackend::why_not_chunkwise(const EquationRun& run) const {
  if (takes_equation_chunks(run, 1, {capability_, processors_})) return {};
  const std::string why = "a GPU takes a layer of this size sample after sample, by ";
  if (!compiles_equations()) return why + "a kernel that interprets the rule";
  const std::string missing = why_not_compile();
  if (missing.empty()) return why + "a kernel that is compiled for the rule";
  return why + "a kernel that interprets the rule, since " + missing;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
