// SPDX-License-Identifier: MIT
/// \file
/// Products of rows in shared memory by tensor cores: bfloat16, or float32 that is rounded to TF32
/// when it is multiplied.
///
/// Rows of shared memory are chunks of 16 bytes, and those of row r change places by the exclusive
/// or with r % 8, so that eight rows' chunks of one number lie in different banks.
#pragma once

#include "async_copy.cuh"
#include "attention_tiles.cuh"
#include "mma.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kMmaWarps = 4;
constexpr int kMmaThreads = kMmaWarps * kWarp;
constexpr int kMmaRows = 16;  ///< Rows of a product.

struct alignas(16) Chunk {
  std::uint32_t words[4];
};

/// Rows of `Size` numbers of T.
template <class T, int Size>
struct MmaRow {
  static constexpr int kChunks = Size * static_cast<int>(sizeof(T)) / 16;
  static constexpr std::size_t kBytes = Size * sizeof(T);
};

/// The place of chunk `chunk` in row `row` of a tile of rows of `Chunks` chunks.
template <int Chunks>
__device__ int chunk_place(int row, int chunk) {
  return row * Chunks + (chunk ^ (row & 7));
}

/// The first of the 16 `Bands` rows of a block's tile that are the calling warp's.
template <int Bands>
__device__ int first_row_of_warp() {
  return static_cast<int>(threadIdx.x) / kWarp * kMmaRows * Bands;
}

/// Begins to copy `Count` rows of x, of `Chunks` chunks each, from `first` on; zeros where there
/// are none.
template <int Count, int Chunks, class T>
__device__ void copy_rows(const Rows<T>& x, std::int64_t first, Chunk* tile) {
  constexpr int at_a_time = kMmaThreads / Chunks;  // rows
  const int thread = static_cast<int>(threadIdx.x);
  const int row = thread / Chunks;
  const int chunk = thread % Chunks;
  const std::int64_t left = x.count - first;
  const int there = static_cast<int>(left < Count ? left : Count) - row;
  const T* const from = x.data + (first + row) * x.step;
#pragma unroll 4  // all of them at once would take the registers of the sums
  for (int r = 0; r < Count; r += at_a_time) {
    copy_async(tile + chunk_place<Chunks>(row + r, chunk),
               reinterpret_cast<const Chunk*>(from + r * x.step) + chunk, r < there);
  }
}

/// Rounds what a register holds to what tensor cores take.
template <class T>
__device__ std::uint32_t as_operand(std::uint32_t bits) {
  if constexpr (sizeof(T) == 2) {
    return bits;
  } else {
    float x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return tf32_bits(x);
  }
}

/// A number as tensor cores take it.
struct AsOperand {
  __device__ double operator()(bfloat16 x) const { return static_cast<double>(float(x)); }
  __device__ double operator()(float x) const {
    const std::uint32_t bits = tf32_bits(x);
    float rounded = 0;
    std::memcpy(&rounded, &bits, sizeof rounded);
    return static_cast<double>(rounded);
  }
};

template <class T>
__device__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
  if constexpr (sizeof(T) == 2) {
    mma_bfloat16(d, a, b0, b1);
  } else {
    mma_tf32(d, a, b0, b1);
  }
}

/// A warp's products of its rows and `Columns` others: [band][columns / 8] of d, the bands of 16
/// rows each.
template <int Bands, int Columns>
struct MmaSums {
  float at[Bands][Columns / 8][4];
};

/// sums = own other^T, of the warp's rows of `own` and all `Others` of `other`.
template <class T, int Size, int Bands, int Others>
__device__ void mma_dot_rows(const Chunk* own, const Chunk* other, MmaSums<Bands, Others>& sums) {
  constexpr int chunks = MmaRow<T, Size>::kChunks;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int first_row = first_row_of_warp<Bands>();
#pragma unroll
  for (int band = 0; band < Bands; ++band) {
#pragma unroll
    for (int n = 0; n < Others / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sums.at[band][n][i] = 0.0f;
    }
  }
#pragma unroll 4
  for (int step = 0; step < chunks / 2; ++step) {
    std::uint32_t a[Bands][4];
#pragma unroll
    for (int band = 0; band < Bands; ++band) {
      const int row = first_row + band * kMmaRows + lane % 16;
      load_matrices(a[band], own + chunk_place<chunks>(row, 2 * step + lane / 16));
#pragma unroll
      for (int i = 0; i < 4; ++i) a[band][i] = as_operand<T>(a[band][i]);
    }
#pragma unroll
    for (int n = 0; n < Others / 16; ++n) {
      std::uint32_t b[4];
      const int row = n * 16 + lane / 16 * 8 + lane % 8;
      load_matrices(b, other + chunk_place<chunks>(row, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; ++i) b[i] = as_operand<T>(b[i]);
#pragma unroll
      for (int band = 0; band < Bands; ++band) {
        multiply_add<T>(sums.at[band][2 * n], a[band], b[0], b[1]);
        multiply_add<T>(sums.at[band][2 * n + 1], a[band], b[2], b[3]);
      }
    }
  }
}

/// sums += weights rows, with the weights rounded as the rows are.  The registers of d of one
/// product are those of a of the next, for bfloat16 as they are; for TF32 rows 2 t and 2 t + 1 take
/// the places of t and t + 4.
template <class T, int Size, int Bands, int Others>
__device__ void mma_add_weighted_rows(const MmaSums<Bands, Others>& weights, const Chunk* rows,
                                      MmaSums<Bands, Size>& sums) {
  constexpr int chunks = MmaRow<T, Size>::kChunks;
  constexpr int depth = 32 / sizeof(T);  // terms of the sums of a product
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int step = 0; step < Others / depth; ++step) {
    std::uint32_t a[Bands][4];
#pragma unroll
    for (int band = 0; band < Bands; ++band) {
      if constexpr (sizeof(T) == 2) {
        const auto& left = weights.at[band][2 * step];
        const auto& right = weights.at[band][2 * step + 1];
        a[band][0] = bfloat16_bits(left[0], left[1]);
        a[band][1] = bfloat16_bits(left[2], left[3]);
        a[band][2] = bfloat16_bits(right[0], right[1]);
        a[band][3] = bfloat16_bits(right[2], right[3]);
      } else {
        const auto& of_step = weights.at[band][step];
        a[band][0] = tf32_bits(of_step[0]);
        a[band][1] = tf32_bits(of_step[2]);
        a[band][2] = tf32_bits(of_step[1]);
        a[band][3] = tf32_bits(of_step[3]);
      }
    }
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int n = 0; n < Size / 16; ++n) {
        std::uint32_t b[4];
        load_matrices_transposed(
            b, rows + chunk_place<chunks>(step * 16 + lane % 16, 2 * n + lane / 16));
#pragma unroll
        for (int band = 0; band < Bands; ++band) {
          multiply_add<T>(sums.at[band][2 * n], a[band], b[0], b[1]);
          multiply_add<T>(sums.at[band][2 * n + 1], a[band], b[2], b[3]);
        }
      }
    } else {
#pragma unroll
      for (int n = 0; n < Size / 8; ++n) {
        const int column = 8 * n + lane / 4;
        std::uint32_t b[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int row = step * 8 + lane % 4 * 2 + i;
          b[i] = as_operand<T>(rows[chunk_place<chunks>(row, column / 4)].words[column % 4]);
        }
#pragma unroll
        for (int band = 0; band < Bands; ++band) {
          multiply_add<T>(sums.at[band][n], a[band], b[0], b[1]);
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
