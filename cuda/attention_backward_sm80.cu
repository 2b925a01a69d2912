// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention by tensor cores, in two launches: one for queries, one for keys and
/// values.
#include "attention_arguments.h"
#include "attention_backward.cuh"
#include "attention_backward_sm80.cuh"
#include "attention_sm80.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T, int Size>
void start(const AttentionBackwardRun& run, Memory& memory, cudaStream_t stream) {
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const std::int64_t batches = arguments.batch.count;
  const std::int64_t queries = batches * arguments.queries;
  const Scratch products(memory, queries * static_cast<std::int64_t>(sizeof(float)), stream);
  const Scratch shares(memory, queries * static_cast<std::int64_t>(sizeof(float)), stream);
  if (queries > 0) {
    launch("attention_backward", attention_statistics_kernel<T, float, AsOperand>,
           {.grid = blocks_for(queries, RowGroup<kWarp>::kRows), .block = kThreads}, stream,
           queries, std::int64_t{Size}, AsOperand{}, run.dy.as<T>(), run.y.as<float>(),
           run.sum.as<float>(), products.as<float>(), shares.as<float>());
  }
  const QueryStatistics<float> statistics{run.largest.as<float>(), shares.as<float>(),
                                          products.as<float>()};
  const auto make = [&](auto kernel, std::int64_t rows, std::int64_t own, std::size_t shared_bytes,
                        const View& target) {
    if (target.count() == 0) return;
    const std::int64_t tiles = batches * ceil_div(rows, own);
    launch("attention_backward", kernel,
           {.grid = blocks_for(tiles, 1), .block = kMmaThreads, .shared_bytes = shared_bytes},
           stream, arguments, static_cast<float>(run.scale), scale_of_powers<float>(run.scale),
           tiles, run.dy.as<T>(), statistics, target.as<float>(), run.dv.as<float>());
  };
  using ByQueries = MmaGradient<T, Size, MmaOwner::queries>;
  using ByKeys = MmaGradient<T, Size, MmaOwner::keys>;
  make(attention_gradient_mma_kernel<T, Size, MmaOwner::queries>, arguments.queries,
       ByQueries::kOwn, ByQueries::kSharedBytes, run.dq);
  make(attention_gradient_mma_kernel<T, Size, MmaOwner::keys>, arguments.keys, ByKeys::kOwn,
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
