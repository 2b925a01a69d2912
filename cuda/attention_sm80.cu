// SPDX-License-Identifier: MIT
/// \file
/// Attention by tensor cores.
#include "attention_sm80.h"

#include "attention_arguments.h"
#include "attention_sm80.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T, int Size>
void start(const AttentionRun& run, cudaStream_t stream) {
  using P = MmaAttention<T, Size>;
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const std::int64_t tiles = arguments.batch.count * ceil_div(arguments.queries, P::kQueries);
  launch("attention", attention_mma_kernel<T, Size>,
         {.grid = blocks_for(tiles, 1), .block = kMmaThreads, .shared_bytes = P::kSharedBytes},
         stream, arguments, scale_of_powers<float>(run.scale), tiles, run.y.as<float>(),
         run.largest.as<float>(), run.sum.as<float>());
}

template <class T>
void start(const AttentionRun& run, cudaStream_t stream) {
  if (run.q.shape.back() == 64) return start<T, 64>(run, stream);
  start<T, 128>(run, stream);
}

}  // namespace

void attention_by_tensor_cores(const AttentionRun& run, cudaStream_t stream) {
  if (run.q.dtype == DType::bfloat16) return start<bfloat16>(run, stream);
  start<float>(run, stream);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
