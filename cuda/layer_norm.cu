// SPDX-License-Identifier: MIT
/// \file
/// Layer normalisation and its gradients.
#include "backend.h"
#include "layer_norm.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T>
T* data_of(const std::optional<View>& view) {
  return view ? view->as<T>() : nullptr;
}

}  // namespace

void CudaBackend::layer_norm(const LayerNormRun& run) {
  const Call stream =
      begin({&run.x, if_any(run.weight), if_any(run.bias), &run.y, &run.mean, &run.rstd});
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  if (rows == 0) return;
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const LayerNormArguments<T> arguments{.epsilon = run.epsilon,
                                          .rows = rows,
                                          .n = n,
                                          .x = run.x.as<T>(),
                                          .weight = data_of<T>(run.weight),
                                          .bias = data_of<T>(run.bias),
                                          .y = run.y.as<T>(),
                                          .mean = run.mean.as<T>(),
                                          .rstd = run.rstd.as<T>()};
    with_row_group(n, [&](auto group) {
      launch("layer_norm", layer_norm_kernel<T, group()>,
             {.grid = blocks_for(rows, RowGroup<group()>::kRows), .block = kThreads}, stream,
             arguments);
    });
  });
}

void CudaBackend::layer_norm_backward(const LayerNormBackwardRun& run) {
  const Call stream = begin({&run.dy, &run.x, if_any(run.weight), &run.mean, &run.rstd, &run.dx,
                             &run.dweight, &run.dbias});
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const LayerNormBackwardArguments<T> arguments{.rows = rows,
                                                  .n = n,
                                                  .dy = run.dy.as<T>(),
                                                  .x = run.x.as<T>(),
                                                  .weight = data_of<T>(run.weight),
                                                  .mean = run.mean.as<T>(),
                                                  .rstd = run.rstd.as<T>(),
                                                  .dx = run.dx.as<T>()};
    if (rows > 0) {
      with_row_group(n, [&](auto group) {
        launch("layer_norm_backward", layer_norm_backward_kernel<T, group()>,
               {.grid = blocks_for(rows, RowGroup<group()>::kRows), .block = kThreads}, stream,
               arguments);
      });
    }
    column_sums<T, 2>("layer_norm_backward", memory_, stream, LayerNormTerms<T>{arguments}, rows, n,
                      {{run.dweight.as<T>(), run.dbias.as<T>()}});
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
