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

template <class T, int N>
struct SumTargets {
  T* target[N];
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

/// targets [N][n] = sums of partial [slabs, N, n]: 32 columns of target blockIdx.y for a block,
/// whose lines take the slabs in turn.
template <class T, int N>
__global__ void __launch_bounds__(kThreads)
    join_slabs_kernel(const double* partial, std::int64_t slabs, std::int64_t n,
                      const __grid_constant__ SumTargets<T, N> targets) {
  using Line = double[kSlabColumns];
  GAIA_SHARED(Line, of_lines, [kSlabRows]);
  const int line = static_cast<int>(threadIdx.x) / kSlabColumns;
  const int lane = static_cast<int>(threadIdx.x) % kSlabColumns;
  const std::int64_t column = std::int64_t{blockIdx.x} * kSlabColumns + lane;
  double sum = 0.0;
  if (column < n) {
#pragma unroll 8
    for (std::int64_t slab = line; slab < slabs; slab += kSlabRows) {
      sum += partial[(slab * N + blockIdx.y) * n + column];
    }
  }
  of_lines[line][lane] = sum;
  __syncthreads();
  if (line != 0 || column >= n) return;
  for (int k = 1; k < kSlabRows; ++k) sum += of_lines[k][lane];
  targets.target[blockIdx.y][column] = static_cast<T>(sum);
}

/// The launch of that kernel; n >= 1.
template <class T, int N>
void join_slabs(const char* name, cudaStream_t stream, const double* partial, std::int64_t slabs,
                std::int64_t n, const SumTargets<T, N>& targets) {
  launch(name, join_slabs_kernel<T, N>,
         {.grid = {static_cast<unsigned>(ceil_div(n, kSlabColumns)), N}, .block = kThreads}, stream,
         partial, slabs, n, targets);
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
  join_slabs(name, stream, partial.as<double>(), slabs, n, targets);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
