// SPDX-License-Identifier: MIT
/// \file
/// Attention by tensor cores, for queries, keys and values of 64 or 128 numbers: of bfloat16, or of
/// float32 that may be rounded to TF32.
///
/// A warp has 16 queries at a time and meets tiles of keys, the next of which is copied while one
/// is computed with.  Scores, the running maximum and sum, and the answer are float32; weights are
/// rounded as the values are.  Dao (2023), arXiv:2307.08691.
///
/// Rows of shared memory are chunks of 16 bytes, and those of row r change places by the exclusive
/// or with r % 8, so that eight rows' chunks of one number lie in different banks.
#pragma once

#include <limits>

#include "async_copy.cuh"
#include "attention_tiles.cuh"
#include "mma.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kMmaWarps = 4;
constexpr int kMmaThreads = kMmaWarps * kWarp;
constexpr int kMmaRows = 16;  ///< Of a product.

/// Sizes for operands of T with Size numbers each.
template <class T, int Size>
struct MmaAttention {
  static constexpr int kBands = sizeof(T) == 2 ? 2 : 1;  ///< Of 16 queries, of a warp.
  static constexpr int kQueries = kMmaWarps * kMmaRows * kBands;
  static constexpr int kKeys = sizeof(T) * Size == 128 ? 64 : 32;  // what registers hold
  static constexpr int kChunk = 16 / sizeof(T);                    ///< Numbers of a chunk.
  static constexpr int kChunks = Size / kChunk;                    ///< Of a row.
  static constexpr int kDepth = 2 * kChunk;  ///< Terms of the sums of a product.
  static constexpr int kTiles =
      kQueries + 4 * kKeys;  ///< Rows: queries, and two of keys and values.
  static constexpr std::size_t kSharedBytes = std::size_t{kTiles} * Size * sizeof(T);
};

struct alignas(16) Chunk {
  std::uint32_t words[4];
};

/// Where the chunk lies that has number `chunk` in row `row` of a tile of rows of `Chunks` chunks.
template <int Chunks>
__device__ int chunk_place(int row, int chunk) {
  return row * Chunks + (chunk ^ (row & 7));
}

/// Begins to copy `Count` rows of x from `first` on; zeros where there are none.
template <int Count, int Chunks, class T>
__device__ void copy_rows(const Rows<T>& x, std::int64_t first, Chunk* tile) {
#pragma unroll 2  // all of them at once would take the registers of the sums
  for (int i = static_cast<int>(threadIdx.x); i < Count * Chunks; i += kMmaThreads) {
    const int row = i / Chunks;
    const int chunk = i % Chunks;
    const bool is_there = first + row < x.count;
    const T* const from = x.data + (is_there ? first + row : 0) * x.step;
    copy_async(tile + chunk_place<Chunks>(row, chunk), reinterpret_cast<const Chunk*>(from) + chunk,
               is_there);
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

template <class T>
__device__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
  if constexpr (sizeof(T) == 2) {
    mma_bfloat16(d, a, b0, b1);
  } else {
    mma_tf32(d, a, b0, b1);
  }
}

/// A warp's scores of its queries by a tile of keys, and its answers: [band][columns / 8] of d.
template <class T, int Size>
struct MmaState {
  using P = MmaAttention<T, Size>;
  float scores[P::kBands][P::kKeys / 8][4];
  float answer[P::kBands][Size / 8][4];
  float largest[P::kBands][2];  ///< Of the rows g and g + 8 of a band.
  float sum[P::kBands][2];      ///< What this lane has of it.
};

/// scores = q k^T.
template <class T, int Size>
__device__ void score(const Chunk* q, const Chunk* k, MmaState<T, Size>& state) {
  using P = MmaAttention<T, Size>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int first_row = static_cast<int>(threadIdx.x) / kWarp * kMmaRows * P::kBands;
#pragma unroll
  for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
    for (int n = 0; n < P::kKeys / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) state.scores[band][n][i] = 0.0f;
    }
  }
#pragma unroll
  for (int step = 0; step < P::kChunks / 2; ++step) {
    std::uint32_t a[P::kBands][4];
#pragma unroll
    for (int band = 0; band < P::kBands; ++band) {
      const int row = first_row + band * kMmaRows + lane % 16;
      load_matrices(a[band], q + chunk_place<P::kChunks>(row, 2 * step + lane / 16));
#pragma unroll
      for (int i = 0; i < 4; ++i) a[band][i] = as_operand<T>(a[band][i]);
    }
#pragma unroll
    for (int n = 0; n < P::kKeys / 16; ++n) {
      std::uint32_t b[4];
      const int row = n * 16 + lane / 16 * 8 + lane % 8;
      load_matrices(b, k + chunk_place<P::kChunks>(row, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; ++i) b[i] = as_operand<T>(b[i]);
#pragma unroll
      for (int band = 0; band < P::kBands; ++band) {
        multiply_add<T>(state.scores[band][2 * n], a[band], b[0], b[1]);
        multiply_add<T>(state.scores[band][2 * n + 1], a[band], b[2], b[3]);
      }
    }
  }
}

/// Turns scores into weights relative to the largest score so far, and shrinks what was summed
/// before.  `scale` is in units of log 2.  `first_key` is the tile's, `first_query` the warp's.
template <class T, int Size>
__device__ void weigh(const AttentionProblem<T>& problem, std::int64_t first_query,
                      std::int64_t first_key, float scale, MmaState<T, Size>& state) {
  using P = MmaAttention<T, Size>;
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t query = first_query + band * kMmaRows + lane / 4 + 8 * half;
      const std::int64_t ahead = problem.seen_by(query) - first_key - lane % 4 * 2;
      const int seen = static_cast<int>(ahead < 0 ? 0 : ahead > P::kKeys ? P::kKeys : ahead);
      float now = state.largest[band][half];
#pragma unroll
      for (int n = 0; n < P::kKeys / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float& s = state.scores[band][n][2 * half + i];
          s = 8 * n + i < seen ? s * scale : nothing;
          now = LargerOrNan{}(now, s);
        }
      }
      now = LargerOrNan{}(now, __shfl_xor_sync(kWholeWarp, now, 1));
      now = LargerOrNan{}(now, __shfl_xor_sync(kWholeWarp, now, 2));
      const float base = now == nothing ? 0.0f : now;  // as if these keys were not there
      const float shrink = exp2f(state.largest[band][half] - base);
      state.largest[band][half] = now;
      float sum = state.sum[band][half] * shrink;
#pragma unroll
      for (int n = 0; n < P::kKeys / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float& s = state.scores[band][n][2 * half + i];
          s = exp2f(s - base);
          sum += s;
        }
      }
      state.sum[band][half] = sum;
#pragma unroll
      for (int n = 0; n < Size / 8; ++n) {
        state.answer[band][n][2 * half] *= shrink;
        state.answer[band][n][2 * half + 1] *= shrink;
      }
    }
  }
}

/// answer += weights v.  The registers of d of one product are those of a of the next, for bfloat16
/// as they are; for TF32 keys 2 t and 2 t + 1 take the places of t and t + 4.
template <class T, int Size>
__device__ void add_values(const Chunk* v, MmaState<T, Size>& state) {
  using P = MmaAttention<T, Size>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int step = 0; step < P::kKeys / P::kDepth; ++step) {
    std::uint32_t a[P::kBands][4];
#pragma unroll
    for (int band = 0; band < P::kBands; ++band) {
      if constexpr (sizeof(T) == 2) {
        const auto& left = state.scores[band][2 * step];
        const auto& right = state.scores[band][2 * step + 1];
        a[band][0] = bfloat16_bits(left[0], left[1]);
        a[band][1] = bfloat16_bits(left[2], left[3]);
        a[band][2] = bfloat16_bits(right[0], right[1]);
        a[band][3] = bfloat16_bits(right[2], right[3]);
      } else {
        const auto& weights = state.scores[band][step];
        a[band][0] = tf32_bits(weights[0]);
        a[band][1] = tf32_bits(weights[2]);
        a[band][2] = tf32_bits(weights[1]);
        a[band][3] = tf32_bits(weights[3]);
      }
    }
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int n = 0; n < Size / 16; ++n) {
        std::uint32_t b[4];
        load_matrices_transposed(
            b, v + chunk_place<P::kChunks>(step * 16 + lane % 16, 2 * n + lane / 16));
#pragma unroll
        for (int band = 0; band < P::kBands; ++band) {
          multiply_add<T>(state.answer[band][2 * n], a[band], b[0], b[1]);
          multiply_add<T>(state.answer[band][2 * n + 1], a[band], b[2], b[3]);
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
          b[i] = as_operand<T>(v[chunk_place<P::kChunks>(row, column / 4)].words[column % 4]);
        }
#pragma unroll
        for (int band = 0; band < P::kBands; ++band) {
          multiply_add<T>(state.answer[band][n], a[band], b[0], b[1]);
        }
      }
    }
  }
}

/// y = softmax(scale q k^T) v and the logarithm of the sums, for a tile of queries per block.  q, k
/// and v have `Size` numbers and begin on borders of 16 bytes, as do their rows; y and logsumexp
/// are contiguous.
template <class T, int Size>
__global__ void __launch_bounds__(kMmaThreads)
    attention_mma_kernel(const __grid_constant__ AttentionArguments<T> p, float scale,
                         std::int64_t tiles, float* y, float* logsumexp) {
  using P = MmaAttention<T, Size>;
  GAIA_SHARED_DYNAMIC(Chunk, memory);
  Chunk* const q = memory;
  Chunk* const k = q + P::kQueries * P::kChunks;  // two tiles
  Chunk* const v = k + 2 * P::kKeys * P::kChunks;
  constexpr int stage = P::kKeys * P::kChunks;
  constexpr float log_2 = 0.693147180559945309f;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t tiles_down = ceil_div(p.queries, P::kQueries);
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // From the end, where causal queries see most: the longest work begins first.
    const std::int64_t place = tiles - 1 - number;
    const std::int64_t batch = place / tiles_down;
    const std::int64_t first_of_block = place % tiles_down * P::kQueries;
    const std::int64_t first_query =
        first_of_block + static_cast<int>(threadIdx.x) / kWarp * kMmaRows * P::kBands;
    const AttentionProblem<T> problem = p.problem(batch);
    const std::int64_t end = first_of_block + P::kQueries;
    const std::int64_t keys = problem.seen_by((end < p.queries ? end : p.queries) - 1);
    MmaState<T, Size> state{};
#pragma unroll
    for (int band = 0; band < P::kBands; ++band) {
      state.largest[band][0] = state.largest[band][1] = -std::numeric_limits<float>::infinity();
    }
    if (keys > 0) {
      copy_rows<P::kQueries, P::kChunks>(problem.q, first_of_block, q);
      copy_rows<P::kKeys, P::kChunks>(problem.k, 0, k);
      copy_rows<P::kKeys, P::kChunks>(problem.v, 0, v);
      end_copy_group();
    }
    int here = 0;
    for (std::int64_t key = 0; key < keys; key += P::kKeys, here = 1 - here) {
      if (key + P::kKeys < keys) {
        copy_rows<P::kKeys, P::kChunks>(problem.k, key + P::kKeys, k + (1 - here) * stage);
        copy_rows<P::kKeys, P::kChunks>(problem.v, key + P::kKeys, v + (1 - here) * stage);
      }
      end_copy_group();
      wait_for_copy_groups<1>();
      __syncthreads();
      score<T, Size>(q, k + here * stage, state);
      weigh<T, Size>(problem, first_query, key, scale, state);
      add_values<T, Size>(v + here * stage, state);
      __syncthreads();  // the next copies come to the same place
    }
#pragma unroll
    for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = state.sum[band][half];
        sum += __shfl_xor_sync(kWholeWarp, sum, 1);
        sum += __shfl_xor_sync(kWholeWarp, sum, 2);
        const std::int64_t query = first_query + band * kMmaRows + lane / 4 + 8 * half;
        if (query >= p.queries) continue;
        const std::int64_t row = batch * p.queries + query;
        if (lane % 4 == 0) logsumexp[row] = state.largest[band][half] * log_2 + logf(sum);
        const float share = problem.seen_by(query) == 0 ? 0.0f : 1.0f / sum;
#pragma unroll
        for (int n = 0; n < Size / 8; ++n) {
          float* const to = y + row * Size + 8 * n + lane % 4 * 2;
          to[0] = state.answer[band][n][2 * half] * share;
          to[1] = state.answer[band][n][2 * half + 1] * share;
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
