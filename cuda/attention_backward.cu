// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention: by tensor cores where these take the operands, else by kernels for any
/// dtype and size, in three launches, one for each gradient.
#include "attention_arguments.h"
#include "attention_backward.cuh"
#include "attention_operands.h"
#include "attention_sm80.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T>
void gradients_of_any_size(const AttentionBackwardRun& run, Memory& memory, cudaStream_t stream) {
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const std::int64_t batches = arguments.batch.count;
  const std::int64_t rows = batches * arguments.queries;
  const Scratch products(memory, rows * static_cast<std::int64_t>(sizeof(T)), stream);
  const Scratch shares(memory, rows * static_cast<std::int64_t>(sizeof(T)), stream);
  if (rows > 0) {
    launch("attention_backward", attention_statistics_kernel<T, T, AsItIs>,
           {.grid = blocks_for(rows, RowGroup<kWarp>::kRows), .block = kThreads}, stream, rows,
           arguments.width, AsItIs{}, run.dy.as<T>(), run.y.as<T>(), run.sum.as<T>(),
           products.as<T>(), shares.as<T>());
  }
  const QueryStatistics<T> statistics{run.largest.as<T>(), shares.as<T>(), products.as<T>()};
  const auto make = [&](auto kernel, const View& target, std::int64_t length, std::int64_t width) {
    if (target.count() == 0) return;
    const std::int64_t tiles = attention_tiles<T>(batches, length, width);
    launch("attention_backward", kernel, {.grid = blocks_for(tiles, 1), .block = kTileThreads},
           stream, arguments, tiles, run.dy.as<T>(), statistics, target.as<T>());
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
  const Call stream = begin({&run.q, &run.k, &run.v, if_any(run.key_lengths), &run.dy, &run.y,
                             &run.largest, &run.sum, &run.dq, &run.dk, &run.dv});
  const AttentionOperands operands(*this, memory_, run, stream);
  AttentionBackwardRun mine = operands.in(run);
  if (operands.for_tensor_cores()) {
    const Repacked dy = operands.ready(run.dy);
    mine.dy = dy.view();
    gradients_by_tensor_cores(mine, memory_, stream);
  } else {
    dispatch_floating(mine.q.dtype, [&](auto tag) {
      gradients_of_any_size<typename decltype(tag)::type>(mine, memory_, stream);
    });
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
