// SPDX-License-Identifier: MIT
/// \file
/// Attention that never holds its weights.
#include "attention.cuh"
#include "attention_arguments.h"
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void CudaBackend::attention(const AttentionRun& run) {
  const cudaStream_t stream =
      begin({&run.q, &run.k, &run.v, if_any(run.key_lengths), &run.y, &run.logsumexp});
  if (run.logsumexp.count() == 0) return;
  dispatch_floating(run.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const AttentionArguments<T> arguments = attention_arguments<T>(run);
    const std::int64_t tiles =
        attention_tiles<T>(arguments.batch.count, arguments.queries, arguments.width);
    launch("attention", attention_kernel<T>, {.grid = blocks_for(tiles, 1), .block = kTileThreads},
           stream, arguments, tiles, run.y.as<T>(), run.logsumexp.as<T>());
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
