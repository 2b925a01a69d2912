// SPDX-License-Identifier: MIT
/// \file
/// Sums along the columns of matrices, in double and in two stages: slabs of rows, whose number
/// depends on the shape alone, and then the slabs in order.
#pragma once

#include "../src/core/host_device.h"
#include "grid.cuh"
#include "memory.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kSlabColumns = 32;  ///< Columns of a block.
constexpr int kSlabRows = kThreads / kSlabColumns;

template <int N>
struct Terms {
  double term[N];
};

/// partial [slabs, N, n] = sums over the rows of a slab of f(row, column), which returns Terms<N>.
template <int N, class F>
__global__ void slab_sums_kernel(F f, std::int64_t rows, std::int64_t n, std::int64_t per_slab,
                                 double* partial) {
  using Line = double[kSlabColumns];
  using Lines = Line[kSlabRows];
  GAIA_SHARED(Lines, of_threads, [N]);
  const int line = static_cast<int>(threadIdx.x) / kSlabColumns;
  const int lane = static_cast<int>(threadIdx.x) % kSlabColumns;
  const std::int64_t across = ceil_div(n, kSlabColumns);
  const std::int64_t slab = blockIdx.x / across;
  const std::int64_t column = blockIdx.x % across * kSlabColumns + lane;
  const std::int64_t end = (slab + 1) * per_slab < rows ? (slab + 1) * per_slab : rows;
  Terms<N> sums{};
  if (column < n) {
#pragma unroll 4
    for (std::int64_t row = slab * per_slab + line; row < end; row += kSlabRows) {
      const Terms<N> here = f(row, column);
      for (int i = 0; i < N; ++i) sums.term[i] += here.term[i];
    }
  }
  for (int i = 0; i < N; ++i) of_threads[i][line][lane] = sums.term[i];
  __syncthreads();
  if (line != 0 || column >= n) return;
  for (int i = 0; i < N; ++i) {
    double sum = 0.0;
    for (int k = 0; k < kSlabRows; ++k) sum += of_threads[i][k][lane];
    partial[(slab * N + i) * n + column] = sum;
  }
}

template <class T, int N>
struct SumTargets {
  T* target[N];
};

/// targets [N][n] = sums of partial [slabs, N, n].
template <class T, int N>
__global__ void join_slabs_kernel(const double* partial, std::int64_t slabs, std::int64_t n,
                                  SumTargets<T, N> targets) {
  const std::int64_t column = first_of_grid();
  if (column >= n) return;
  for (int i = 0; i < N; ++i) {
    double sum = 0.0;
#pragma unroll 8
    for (std::int64_t slab = 0; slab < slabs; ++slab) sum += partial[(slab * N + i) * n + column];
    targets.target[i][column] = static_cast<T>(sum);
  }
}

/// targets [N][n] = sums over `rows` rows of f(row, column).
template <class T, int N, class F>
void column_sums(const char* name, Memory& memory, cudaStream_t stream, const F& f,
                 std::int64_t rows, std::int64_t n, const SumTargets<T, N>& targets) {
  if (n == 0) return;
  const std::int64_t across = ceil_div(n, kSlabColumns);
  // Enough blocks to fill a chip, with some rows for each thread.
  const std::int64_t wanted = std::clamp<std::int64_t>(ceil_div(2048, across), 1, 128);
  const std::int64_t per_slab = std::max<std::int64_t>(4 * kSlabRows, ceil_div(rows, wanted));
  const std::int64_t slabs = std::max<std::int64_t>(1, ceil_div(rows, per_slab));
  const Scratch partial(memory, slabs * N * n * size_of(DType::float64), stream);
  launch(name, slab_sums_kernel<N, F>,
         {.grid = static_cast<unsigned>(slabs * across), .block = kThreads}, stream, f, rows, n,
         per_slab, partial.as<double>());
  launch(name, join_slabs_kernel<T, N>,
         {.grid = static_cast<unsigned>(ceil_div(n, kThreads)), .block = kThreads}, stream,
         partial.as<double>(), slabs, n, targets);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
