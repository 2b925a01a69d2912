// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention, in three launches, one for each.
#include "attention_arguments.h"
#include "attention_backward.cuh"
#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T>
void backward(const AttentionBackwardRun& run, Memory& memory, cudaStream_t stream) {
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const std::int64_t batches = arguments.batch.count;
  const std::int64_t rows = batches * arguments.queries;
  const Scratch products(memory, rows * static_cast<std::int64_t>(sizeof(T)), stream);
  if (rows > 0) {
    launch("attention_backward", attention_products_kernel<T>,
           {.grid = blocks_for(rows, RowGroup<kWarp>::kRows), .block = kThreads}, stream, rows,
           arguments.width, run.dy.as<T>(), run.y.as<T>(), products.as<T>());
  }
  const auto make = [&](auto kernel, const View& target, std::int64_t length, std::int64_t width) {
    if (target.count() == 0) return;
    const std::int64_t tiles = attention_tiles<T>(batches, length, width);
    launch("attention_backward", kernel, {.grid = blocks_for(tiles, 1), .block = kTileThreads},
           stream, arguments, tiles, run.dy.as<T>(), run.logsumexp.as<T>(), products.as<T>(),
           target.as<T>());
  };
  make(attention_gradient_kernel<T, AttentionGradient::queries>, run.dq, arguments.queries,
       arguments.size);
  make(attention_gradient_kernel<T, AttentionGradient::keys>, run.dk, arguments.keys,
       arguments.size);
  make(attention_gradient_kernel<T, AttentionGradient::values>, run.dv, arguments.keys,
       arguments.width);
}

}  // namespace

void CudaBackend::attention_backward(const AttentionBackwardRun& run) {
  const cudaStream_t stream = begin({&run.q, &run.k, &run.v, if_any(run.key_lengths), &run.dy,
                                     &run.y, &run.logsumexp, &run.dq, &run.dk, &run.dv});
  dispatch_floating(
      run.q.dtype, [&](auto tag) { backward<typename decltype(tag)::type>(run, memory_, stream); });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
