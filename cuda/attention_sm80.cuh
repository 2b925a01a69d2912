// SPDX-License-Identifier: MIT
/// \file
/// Attention by tensor cores, for queries, keys and values of 64 or 128 numbers: of bfloat16, or of
/// float32 that may be rounded to TF32.
///
/// A warp has 16 queries at a time and meets tiles of keys, the next of which is copied while one
/// is computed with.  Scores, the running maximum and sum, and the output are float32; weights are
/// rounded as the values are.  Dao (2023), arXiv:2307.08691.
#pragma once

#include <limits>

#include "attention_hidden_mma.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Sizes for operands of T with Size numbers each.
template <class T, int Size>
struct MmaAttention {
  static constexpr int kBands = sizeof(T) == 2 ? 2 : 1;  ///< Bands of a warp, each of 16 queries.
  static constexpr int kQueries = kMmaWarps * kMmaRows * kBands;
  static constexpr int kKeys = sizeof(T) * Size == 128 ? 64 : 32;  // what registers hold
  static constexpr int kTiles =
      kQueries + 4 * kKeys;  ///< Rows: queries, and two of keys and values.
  static constexpr std::size_t kSharedBytes = kTiles * MmaRow<T, Size>::kBytes;
  static_assert(kSharedBytes <= kMostSharedBytes);
};

/// A warp's scores of its queries by a tile of keys, and its outputs.
template <class T, int Size>
struct MmaState {
  using P = MmaAttention<T, Size>;
  MmaSums<P::kBands, P::kKeys> scores;
  MmaSums<P::kBands, Size> answer;
  float largest[P::kBands][2];  ///< Largest score of the rows g and g + 8 of a band.
  float sum[P::kBands][2];      ///< What this lane has of it.
};

/// Turns scores into weights relative to the largest score so far, and shrinks what was summed
/// before.  `scale` is in units of log 2.  `first_key` is the tile's, `first_query` the warp's.
/// Scores stay without the scale, which multiplies what they lie below the largest.
template <class T, int Size>
__device__ void weigh(const AttentionProblem<T>& problem, std::int64_t first_query,
                      std::int64_t first_key, float scale, MmaState<T, Size>& state) {
  using P = MmaAttention<T, Size>;
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (problem.seen_by(first_query) < first_key + P::kKeys) {  // of a warp's queries it sees least
#pragma unroll
    for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t query = first_query + band * kMmaRows + lane / 4 + 8 * half;
        const std::int64_t ahead = problem.seen_by(query) - first_key - lane % 4 * 2;
        const int seen = static_cast<int>(ahead < P::kKeys ? ahead : P::kKeys);
#pragma unroll
        for (int n = 0; n < P::kKeys / 8; ++n) {
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            float& s = state.scores.at[band][n][2 * half + i];
            s = 8 * n + i < seen ? s : nothing;
          }
        }
      }
    }
  }
#pragma unroll
  for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float now = state.largest[band][half];
#pragma unroll
      for (int n = 0; n < P::kKeys / 8; ++n) {
        now = LargerOrNan{}(now, state.scores.at[band][n][2 * half]);
        now = LargerOrNan{}(now, state.scores.at[band][n][2 * half + 1]);
      }
      now = LargerOrNan{}(now, __shfl_xor_sync(kWholeWarp, now, 1));
      now = LargerOrNan{}(now, __shfl_xor_sync(kWholeWarp, now, 2));
      const float base = now == nothing ? 0.0f : now;  // as if these keys were not there
      const float shrink = exp2_flushed((state.largest[band][half] - base) * scale);
      state.largest[band][half] = now;
      float sum = state.sum[band][half] * shrink;
#pragma unroll
      for (int n = 0; n < P::kKeys / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float& s = state.scores.at[band][n][2 * half + i];
          s = exp2_flushed((s - base) * scale);
          sum += s;
        }
      }
      state.sum[band][half] = sum;
#pragma unroll
      for (int n = 0; n < Size / 8; ++n) {
        state.answer.at[band][n][2 * half] *= shrink;
        state.answer.at[band][n][2 * half + 1] *= shrink;
      }
    }
  }
}

/// y = softmax(scale q k^T) v with the largest scores and the sums, for a tile of queries per
/// block.  q, k and v have `Size` numbers and begin on borders of 16 bytes, as do their rows; y,
/// largest and sums are contiguous.
template <class T, int Size>
__global__ void __launch_bounds__(kMmaThreads)
    attention_mma_kernel(const __grid_constant__ AttentionArguments<T> p, float scale,
                         std::int64_t tiles, float* y, float* largest, float* sums) {
  using P = MmaAttention<T, Size>;
  constexpr int chunks = MmaRow<T, Size>::kChunks;
  GAIA_SHARED_DYNAMIC(Chunk, memory);
  Chunk* const q = memory;
  Chunk* const k = q + P::kQueries * chunks;  // two tiles
  Chunk* const v = k + 2 * P::kKeys * chunks;
  constexpr int stage = P::kKeys * chunks;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t tiles_down = ceil_div(p.queries, P::kQueries);
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // From the end, where causal queries see most: the longest work begins first.
    const std::int64_t place = tiles - 1 - number;
    const std::int64_t batch = place / tiles_down;
    const std::int64_t first_of_block = place % tiles_down * P::kQueries;
    const std::int64_t first_query = first_of_block + first_row_of_warp<P::kBands>();
    const AttentionProblem<T> problem = p.problem(batch);
    const std::int64_t end = first_of_block + P::kQueries;
    const std::int64_t keys = problem.seen_by((end < p.queries ? end : p.queries) - 1);
    MmaState<T, Size> state{};
#pragma unroll
    for (int band = 0; band < P::kBands; ++band) {
      state.largest[band][0] = state.largest[band][1] = -std::numeric_limits<float>::infinity();
    }
    if (keys > 0) {
      copy_rows<P::kQueries, chunks>(problem.q, first_of_block, q);
      copy_rows<P::kKeys, chunks>(problem.k, 0, k);
      copy_rows<P::kKeys, chunks>(problem.v, 0, v);
      end_copy_group();
    }
    int here = 0;
    for (std::int64_t key = 0; key < keys; key += P::kKeys, here = 1 - here) {
      if (key + P::kKeys < keys) {
        copy_rows<P::kKeys, chunks>(problem.k, key + P::kKeys, k + (1 - here) * stage);
        copy_rows<P::kKeys, chunks>(problem.v, key + P::kKeys, v + (1 - here) * stage);
      }
      end_copy_group();
      wait_for_copy_groups<1>();
      __syncthreads();
      const bool is_cleared =
          clear_hidden<T, Size, P::kKeys>(problem, first_of_block, key, v + here * stage);
      mma_dot_rows<T, Size>(q, k + here * stage, state.scores);
      weigh<T, Size>(problem, first_query, key, scale, state);
      mma_add_weighted_rows<T, Size>(state.scores, v + here * stage, state.answer);
      if (is_cleared) {
        add_hidden<P::kKeys>(problem, problem.v, first_query, key, HiddenValue{}, state.answer);
      }
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
        if (lane % 4 == 0) {
          largest[row] = state.largest[band][half];
          sums[row] = sum;
        }
        const float share = problem.seen_by(query) == 0 ? 0.0f : 1.0f / sum;
#pragma unroll
        for (int n = 0; n < Size / 8; ++n) {
          float* const to = y + row * Size + 8 * n + lane % 4 * 2;
          to[0] = state.answer.at[band][n][2 * half] * share;
          to[1] = state.answer.at[band][n][2 * half + 1] * share;
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
