// SPDX-License-Identifier: MIT
#include "ternary.cuh"

#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

void CudaBackend::ternary_product(const TernaryRun& run) {
  const Call stream = begin({&run.x, &run.packed, &run.y});
  const std::int64_t numbers = run.y.count();
  if (numbers == 0) return;
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const TernaryArguments<T> arguments{.rows = run.x.shape[0],
                                        .outputs = run.packed.shape[0],
                                        .columns = run.x.shape[1],
                                        .words = run.packed.shape[1],
                                        .x = run.x.as<T>(),
                                        .packed = run.packed.as<std::int32_t>(),
                                        .y = run.y.as<T>()};
    with_row_group(arguments.columns, [&](auto group) {
      launch("ternary_product", ternary_kernel<T, group()>,
             {.grid = blocks_for(numbers, RowGroup<group()>::kRows), .block = kThreads}, stream,
             arguments);
    });
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
