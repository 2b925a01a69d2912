// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../src/core/parallel.h"
#include "backend.h"
#include "strided_loop.h"
#include "vector/rows.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

template <class T>
void forward(const LayerNormRun& run) {
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  const RowNorm<T> norm{.weight = run.weight ? run.weight->as<T>() : nullptr,
                        .bias = run.bias ? run.bias->as<T>() : nullptr,
                        .epsilon = run.epsilon,
                        .stores = stores_for(rows * n * static_cast<std::int64_t>(sizeof(T)),
                                             run.x.data == run.y.data)};
  const auto normalize = GAIA_VECTOR_KERNEL(layer_norm_row<T>);
  const std::int64_t per_task = std::max<std::int64_t>(1, kElementsPerTask / n);
  parallel_for((rows + per_task - 1) / per_task, [&](std::int64_t task) {
    for (std::int64_t r = task * per_task; r < std::min(rows, (task + 1) * per_task); ++r) {
      const RowMoments found = normalize(norm, run.x.as<T>() + r * n, run.y.as<T>() + r * n, n);
      run.mean.as<T>()[r] = static_cast<T>(found.mean);
      run.rstd.as<T>()[r] = static_cast<T>(found.rstd);
    }
  });
}

template <class T>
void backward(CpuBackend& backend, const LayerNormBackwardRun& run) {
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  // Blocks of rows have sums of their own, joined in order; at most 64, so that they take little
  // memory.
  const std::int64_t per_block = std::max<std::int64_t>(
      {1, (rows + 63) / 64, std::min<std::int64_t>(16, kElementsPerTask / n)});
  const std::int64_t blocks = (rows + per_block - 1) / per_block;
  const Workspace<double> sums(backend, std::max<std::int64_t>(1, blocks) * 2 * n);
  std::fill_n(sums.data(), 2 * n, 0.0);
  const auto slope = GAIA_VECTOR_KERNEL(layer_norm_slope_row<T>);
  parallel_for(blocks, [&](std::int64_t block) {
    double* const dweight = sums.data() + block * 2 * n;
    std::fill_n(dweight, 2 * n, 0.0);
    for (std::int64_t r = block * per_block; r < std::min(rows, (block + 1) * per_block); ++r) {
      const RowNormSlope<T> norm{.weight = run.weight ? run.weight->as<T>() : nullptr,
                                 .mean = run.mean.as<T>()[r],
                                 .rstd = run.rstd.as<T>()[r],
                                 .dweight = dweight,
                                 .dbias = dweight + n};
      slope(norm, run.x.as<T>() + r * n, run.dy.as<T>() + r * n, run.dx.as<T>() + r * n, n);
    }
  });
  for (std::int64_t block = 1; block < blocks; ++block) {
    for (std::int64_t i = 0; i < 2 * n; ++i) sums[i] += sums[block * 2 * n + i];
  }
  for (std::int64_t i = 0; i < n; ++i) {
    run.dweight.as<T>()[i] = static_cast<T>(sums[i]);
    run.dbias.as<T>()[i] = static_cast<T>(sums[n + i]);
  }
}

}  // namespace

void CpuBackend::layer_norm(const LayerNormRun& run) {
  dispatch_floating(run.x.dtype, [&](auto tag) { forward<typename decltype(tag)::type>(run); });
}

void CpuBackend::layer_norm_backward(const LayerNormBackwardRun& run) {
  dispatch_floating(run.x.dtype,
                    [&](auto tag) { backward<typename decltype(tag)::type>(*this, run); });
}

}  // namespace gaia::cpu
