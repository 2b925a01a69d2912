// SPDX-License-Identifier: MIT
/// \file
/// Products of matrices of any strides, tile by tile through shared memory: for element types and
/// layouts that cuBLASLt does not take.
#pragma once

#include "../src/formulas/elementwise_multiply_add.h"
#include "walk.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kMatmulTile = 64;   ///< Rows and columns of y that a block makes.
constexpr int kMatmulDepth = 16;  ///< Terms of their sums at a time.
constexpr int kMatmulSide = 16;   ///< Threads along rows and along columns.
constexpr int kMatmulThreads = kMatmulSide * kMatmulSide;
constexpr int kMatmulEach = kMatmulTile / kMatmulSide;  ///< Rows and columns of a thread.

template <class T>
struct StridedMatrix {
  T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// Elements [row, row + Rows) x [column, column + Columns) of x, 0 outside of [0, rows) x
/// [0, columns).  Neighbouring threads read neighbours, whichever way these lie.
template <int Rows, int Columns, class T>
__device__ void load_tile(const StridedMatrix<const T>& x, std::int64_t row, std::int64_t column,
                          std::int64_t rows, std::int64_t columns, T (&tile)[Rows][Columns + 1]) {
  const bool by_rows = x.column_stride == 1;
  for (int i = static_cast<int>(threadIdx.x); i < Rows * Columns; i += kMatmulThreads) {
    const int r = by_rows ? i / Columns : i % Rows;
    const int c = by_rows ? i % Columns : i / Rows;
    const bool inside = row + r < rows && column + c < columns;
    tile[r][c] = inside ? x.data[(row + r) * x.row_stride + (column + c) * x.column_stride] : T{};
  }
}

/// y [m, n] = a [m, k] b [k, n], or y += a b if it `accumulates`, for a batch that `walk` goes
/// through in y, a and b.  Every sum is computed by one thread, in order.
template <class T, class From, bool accumulates>
__global__ void __launch_bounds__(kMatmulThreads)
    matmul_kernel(std::int64_t m, std::int64_t n, std::int64_t k,
                  const __grid_constant__ Walk<3> walk, StridedMatrix<T> y,
                  StridedMatrix<const From> a, StridedMatrix<const From> b) {
  using TileA = From[kMatmulTile][kMatmulDepth + 1];
  using TileB = From[kMatmulDepth][kMatmulTile + 1];
  GAIA_SHARED(TileA, tile_a, [1]);
  GAIA_SHARED(TileB, tile_b, [1]);
  const int row_here = static_cast<int>(threadIdx.x) / kMatmulSide;
  const int column_here = static_cast<int>(threadIdx.x) % kMatmulSide;
  const std::int64_t across = ceil_div(n, kMatmulTile);
  const std::int64_t tiles = ceil_div(m, kMatmulTile) * across;
  for (std::int64_t number = blockIdx.x; number < tiles * walk.count; number += gridDim.x) {
    const Offsets<3> at = walk(number / tiles);
    const std::int64_t row = number % tiles / across * kMatmulTile;
    const std::int64_t column = number % tiles % across * kMatmulTile;
    const StridedMatrix<const From> left{a.data + at.at[1], a.row_stride, a.column_stride};
    const StridedMatrix<const From> right{b.data + at.at[2], b.row_stride, b.column_stride};
    T sums[kMatmulEach][kMatmulEach] = {};
    for (std::int64_t depth = 0; depth < k; depth += kMatmulDepth) {
      load_tile<kMatmulTile, kMatmulDepth>(left, row, depth, m, k, tile_a[0]);
      load_tile<kMatmulDepth, kMatmulTile>(right, depth, column, k, n, tile_b[0]);
      __syncthreads();
      for (int l = 0; l < kMatmulDepth; ++l) {
        T of_a[kMatmulEach];
        T of_b[kMatmulEach];
#pragma unroll
        for (int i = 0; i < kMatmulEach; ++i) {
          of_a[i] = static_cast<T>(tile_a[0][row_here + i * kMatmulSide][l]);
          of_b[i] = static_cast<T>(tile_b[0][l][column_here + i * kMatmulSide]);
        }
#pragma unroll
        for (int i = 0; i < kMatmulEach; ++i) {
#pragma unroll
          for (int j = 0; j < kMatmulEach; ++j) {
            sums[i][j] = MultiplyAdd{}(of_a[i], of_b[j], sums[i][j]);
          }
        }
      }
      __syncthreads();  // the next tiles come to the same place
    }
#pragma unroll
    for (int i = 0; i < kMatmulEach; ++i) {
#pragma unroll
      for (int j = 0; j < kMatmulEach; ++j) {
        const std::int64_t r = row + row_here + i * kMatmulSide;
        const std::int64_t c = column + column_here + j * kMatmulSide;
        if (r < m && c < n) {
          T& to = y.data[at.at[0] + r * y.row_stride + c * y.column_stride];
          if constexpr (accumulates) {
            to += sums[i][j];
          } else {
            to = sums[i][j];
          }
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
