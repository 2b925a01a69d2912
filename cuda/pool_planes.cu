// SPDX-License-Identifier: MIT
/// \file
/// Maxima and means of windows that slide over planes.
#include "backend.h"
#include "pool_planes.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class T>
void pool_all(const PlanePoolRun& run, cudaStream_t stream) {
  const PlanePoolArguments<T> arguments{
      .window = run.window,
      .count_padding = run.count_padding,
      .planes = run.x.shape[0],
      .height = run.x.shape[1],
      .width = run.x.shape[2],
      .y_height = run.y.shape[1],
      .y_width = run.y.shape[2],
      .x = run.x.as<T>(),
      .y = run.y.as<T>(),
      .indices = run.indices ? run.indices->as<std::int64_t>() : nullptr};
  const bool writes_x = run.pooling == PlanePooling::average_gradient;
  const std::int64_t count = (writes_x ? run.x : run.y).count();
  if (count == 0) return;
  const LaunchShape shape{.grid = blocks_for(count, kThreads), .block = kThreads};
  switch (run.pooling) {
    case PlanePooling::max:
      return launch("max_pool", max_planes_kernel<T>, shape, stream, arguments);
    case PlanePooling::average:
      return launch("avg_pool", average_planes_kernel<T>, shape, stream, arguments);
    case PlanePooling::average_gradient:
      return launch("avg_pool_gradient", spread_planes_kernel<T>, shape, stream, arguments);
  }
}

}  // namespace

void CudaBackend::pool_planes(const PlanePoolRun& run) {
  const Call stream = begin({&run.x, &run.y, if_any(run.indices)});
  dispatch_floating(run.x.dtype,
                    [&](auto tag) { pool_all<typename decltype(tag)::type>(run, stream); });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
