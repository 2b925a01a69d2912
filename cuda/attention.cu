// SPDX-License-Identifier: MIT
/// \file
/// Attention that never holds its weights: by tensor cores where these take the operands, else by
/// the kernel for any dtype and size.
#include "attention.cuh"

#include "attention_arguments.h"
#include "attention_operands.h"
#include "attention_sm80.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T, int Across>
void attention_by_panels(const AttentionRun& run, cudaStream_t stream) {
  const AttentionArguments<T> arguments = attention_arguments<T>(run);
  const std::int64_t tiles =
      panel_tiles<T, Across>(arguments.batch.count, arguments.queries, arguments.width);
  launch("attention", attention_kernel<T, Across>,
         {.grid = blocks_for(tiles, 1),
          .block = kPanelThreads,
          .shared_bytes = Panel<T>::shared_bytes(Panel<T>::across(arguments.size))},
         stream, arguments, scale_of_powers<T>(run.scale), tiles, run.y.as<T>(),
         run.largest.as<T>(), run.sum.as<T>());
}

void attention_of_any_size(const AttentionRun& run, cudaStream_t stream) {
  dispatch_floating(run.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (run.v.shape.back() <= Panel<T>::kSide) return attention_by_panels<T, 1>(run, stream);
    attention_by_panels<T, Panel<T>::kMostAcross>(run, stream);
  });
}

}  // namespace

void CudaBackend::attention(const AttentionRun& run) {
  const Call stream =
      begin({&run.q, &run.k, &run.v, if_any(run.key_lengths), &run.y, &run.largest, &run.sum});
  if (run.sum.count() == 0) return;
  const AttentionOperands operands(*this, memory_, run, stream);
  const AttentionRun mine = operands.in(run);
  if (operands.for_tensor_cores()) {
    attention_by_tensor_cores(mine, stream);
  } else {
    attention_of_any_size(mine, stream);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
