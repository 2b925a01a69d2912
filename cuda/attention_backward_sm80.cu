// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention by tensor cores, in two launches: one for queries, one for keys and
/// values.
#include "attention_arguments.h"
#include "attention_backward_sm80.cuh"
#include "attention_sm80.h"
#include "attention_statistics.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T, int Size>
void start(const AttentionBackwardRun& run, Memory& memory, cudaStream_t stream) {
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const std::int64_t batches = arguments.batch.count;
  const StatisticsOfQueries<float> made(run, run.dy.as<T>(), AsOperand{}, memory, stream);
  const QueryStatistics<float> statistics = made.numbers();
  const auto make = [&](auto kernel, std::int64_t rows, std::int64_t own, std::size_t shared_bytes,
                        const View& target) {
    if (target.count() == 0) return;
    const std::int64_t tiles = batches * ceil_div(rows, own);
    launch("attention_backward", kernel,
           {.grid = blocks_for(tiles, 1), .block = kMmaThreads, .shared_bytes = shared_bytes},
           stream, arguments, static_cast<float>(run.scale), scale_of_powers<float>(run.scale),
           tiles, run.dy.as<T>(), statistics, target.as<float>(), run.dv.as<float>());
  };
  using ByQueries = MmaGradient<T, Size, TileOwner::queries>;
  using ByKeys = MmaGradient<T, Size, TileOwner::keys>;
  make(attention_gradient_mma_kernel<T, Size, TileOwner::queries>, arguments.queries,
       ByQueries::kOwn, ByQueries::kSharedBytes, run.dq);
  make(attention_gradient_mma_kernel<T, Size, TileOwner::keys>, arguments.keys, ByKeys::kOwn,
       ByKeys::kSharedBytes, run.dk);
}

template <class T>
void start(const AttentionBackwardRun& run, Memory& memory, cudaStream_t stream) {
  if (run.q.shape.back() == 64) return start<T, 64>(run, memory, stream);
  start<T, 128>(run, memory, stream);
}

}  // namespace

void gradients_by_tensor_cores(const AttentionBackwardRun& run, Memory& memory,
                               cudaStream_t stream) {
  if (run.q.dtype == DType::bfloat16) return start<bfloat16>(run, memory, stream);
  start<float>(run, memory, stream);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
