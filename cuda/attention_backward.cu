// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention: by tensor cores where these take the operands, else by kernels for any
/// dtype and size; either way in two launches, one for queries, one for keys and values.
#include "attention_arguments.h"
#include "attention_backward.cuh"
#include "attention_operands.h"
#include "attention_sm80.h"
#include "attention_statistics.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T, int Across, TileOwner owner>
void start_gradient(const AttentionBackwardRun& run, const AttentionArguments<T>& arguments,
                    const QueryStatistics<T>& statistics, std::int64_t columns,
                    cudaStream_t stream) {
  using P = Panel<T>;
  constexpr bool by_queries = owner == TileOwner::queries;
  const std::int64_t rows = by_queries ? arguments.queries : arguments.keys;
  const std::int64_t tiles = panel_tiles<T, Across>(arguments.batch.count, rows, columns);
  launch("attention_backward", attention_gradient_kernel<T, Across, owner>,
         {.grid = blocks_for(tiles, 1),
          .block = kPanelThreads,
          .shared_bytes = P::shared_bytes(P::across(arguments.size) + P::across(arguments.width))},
         stream, arguments, scale_of_powers<T>(run.scale), tiles, run.dy.as<T>(), statistics,
         by_queries ? run.dq.as<T>() : run.dk.as<T>(), run.dv.as<T>());
}

/// dq, or dk and dv, by blocks of as few panels of columns as do.
template <class T, TileOwner owner>
void start_gradient(const AttentionBackwardRun& run, const AttentionArguments<T>& arguments,
                    const QueryStatistics<T>& statistics, std::int64_t columns,
                    cudaStream_t stream) {
  const bool is_empty = owner == TileOwner::queries ? run.dq.count() == 0
                                                    : run.dk.count() == 0 && run.dv.count() == 0;
  if (is_empty) return;
  if (columns <= Panel<T>::kSide) {
    start_gradient<T, 1, owner>(run, arguments, statistics, columns, stream);
  } else {
    start_gradient<T, Panel<T>::kMostAcross, owner>(run, arguments, statistics, columns, stream);
  }
}

template <class T>
void gradients_of_any_size(const AttentionBackwardRun& run, Memory& memory, cudaStream_t stream) {
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const StatisticsOfQueries<T> made(run, run.dy.as<T>(), AsItIs{}, memory, stream);
  const QueryStatistics<T> statistics = made.numbers();
  start_gradient<T, TileOwner::queries>(run, arguments, statistics, arguments.size, stream);
  start_gradient<T, TileOwner::keys>(run, arguments, statistics,
                                     std::max(arguments.size, arguments.width), stream);
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
