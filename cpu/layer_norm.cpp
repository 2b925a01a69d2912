// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../src/core/parallel.h"
#include "backend.h"
#include "rows.h"
#include "strided_loop.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

struct Moments {
  double mean;
  double variance;
};

/// Passes over a row, which stays in the cache.
template <class T>
Moments moments(const T* x, std::int64_t n) {
  const auto count = static_cast<double>(n);
  double mean =
      sum_of<double>(n, [x](std::int64_t i) { return static_cast<double>(x[i]); }) / count;
  if constexpr (std::is_same_v<T, double>) {  // take back what rounding left
    mean += sum_of<double>(n, [x, mean](std::int64_t i) { return x[i] - mean; }) / count;
  }
  const double squares = sum_of<double>(n, [=](std::int64_t i) {
    const double away = static_cast<double>(x[i]) - mean;
    return away * away;
  });
  return {mean, squares / count};
}

template <class T>
void forward(const LayerNormRun& run) {
  const std::int64_t rows = run.x.shape[0];
  const std::int64_t n = run.x.shape[1];
  const T* const weight = run.weight ? run.weight->as<T>() : nullptr;
  const T* const bias = run.bias ? run.bias->as<T>() : nullptr;
  const std::int64_t per_task = std::max<std::int64_t>(1, kElementsPerTask / n);
  parallel_for((rows + per_task - 1) / per_task, [&](std::int64_t task) {
    for (std::int64_t r = task * per_task; r < std::min(rows, (task + 1) * per_task); ++r) {
      const T* const x = run.x.as<T>() + r * n;
      T* const y = run.y.as<T>() + r * n;
      const Moments of_row = moments(x, n);
      const double rstd = 1.0 / std::sqrt(of_row.variance + run.epsilon);
      run.mean.as<T>()[r] = static_cast<T>(of_row.mean);
      run.rstd.as<T>()[r] = static_cast<T>(rstd);
      for (std::int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<T>((static_cast<double>(x[i]) - of_row.mean) * rstd);
      }
      if (weight != nullptr) {
        for (std::int64_t i = 0; i < n; ++i) y[i] *= weight[i];
      }
      if (bias != nullptr) {
        for (std::int64_t i = 0; i < n; ++i) y[i] += bias[i];
      }
    }
  });
}

/// One row; `h` and `g` are room for n numbers.  Adds to dweight and dbias.
template <class T>
void backward_row(const LayerNormBackwardRun& run, std::int64_t row, T* h, T* g, double* dweight,
                  double* dbias) {
  const std::int64_t n = run.x.shape[1];
  const T* const x = run.x.as<T>() + row * n;
  const T* const dy = run.dy.as<T>() + row * n;
  T* const dx = run.dx.as<T>() + row * n;
  const T mean = run.mean.as<T>()[row];
  const T rstd = run.rstd.as<T>()[row];
  for (std::int64_t i = 0; i < n; ++i) h[i] = (x[i] - mean) * rstd;
  for (std::int64_t i = 0; i < n; ++i) {
    dweight[i] += static_cast<double>(dy[i]) * static_cast<double>(h[i]);
    dbias[i] += static_cast<double>(dy[i]);
  }
  if (run.weight) {
    const T* const weight = run.weight->as<T>();
    for (std::int64_t i = 0; i < n; ++i) g[i] = dy[i] * weight[i];
  } else {
    std::copy_n(dy, n, g);
  }
  const auto count = static_cast<double>(n);
  const auto number = [](T value) { return static_cast<double>(value); };
  const T level =
      static_cast<T>(sum_of<double>(n, [&](std::int64_t i) { return number(g[i]); }) / count);
  const T tilt = static_cast<T>(
      sum_of<double>(n, [&](std::int64_t i) { return number(g[i]) * number(h[i]); }) / count);
  for (std::int64_t i = 0; i < n; ++i) dx[i] = rstd * (g[i] - level - h[i] * tilt);
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
  parallel_for(blocks, [&](std::int64_t block) {
    const Workspace<T> room(backend, 2 * n);
    double* const dweight = sums.data() + block * 2 * n;
    std::fill_n(dweight, 2 * n, 0.0);
    for (std::int64_t r = block * per_block; r < std::min(rows, (block + 1) * per_block); ++r) {
      backward_row<T>(run, r, room.data(), room.data() + n, dweight, dweight + n);
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
