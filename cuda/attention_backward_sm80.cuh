// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention by tensor cores, for the operands of attention_sm80.cuh.
///
/// One kernel makes dq, a tile of queries per block that meets the keys in order; another dk and
/// dv, a tile of keys that meets the queries.  Both make the weights p = exp(scale (q k - largest))
/// / sum again, so that each number is summed by one lane, in order.  Weights and their gradients
/// are rounded as the operands are; sums are float32.  Dao (2023), arXiv:2307.08691.
#pragma once

#include "attention_hidden_mma.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Sizes for operands of T with Size numbers each: what registers and shared memory hold.
template <class T, int Size, TileOwner owner>
struct MmaGradient {
  static constexpr bool kByQueries = owner == TileOwner::queries;
  static constexpr std::size_t kRow = MmaRow<T, Size>::kBytes;
  /// Bands of a warp, each of 16 own rows.
  static constexpr int kBands = sizeof(T) == 2 && (kByQueries || Size == 64) ? 2 : 1;
  static constexpr int kOwn = kMmaWarps * kMmaRows * kBands;
  static constexpr int kOthers = kRow == 512 || (!kByQueries && kBands == 2) ? 16 : 32;
  static constexpr int kStatistics = 3 * kOthers;  ///< Statistics of other rows, if queries.
  static constexpr std::size_t kSharedBytes =
      (2 * kOwn + 4 * kOthers) * kRow + 2 * kStatistics * sizeof(float);
  static_assert(kSharedBytes <= kMostSharedBytes);
};

/// Whether each of a warp's own rows that is there meets all of a tile's other rows.
template <class P, class T>
__device__ bool sees_all(const AttentionProblem<T>& problem, std::int64_t first_own,
                         std::int64_t first_other) {
  const std::int64_t end = first_other + P::kOthers;
  if constexpr (P::kByQueries) return end <= problem.seen_by(first_own);
  const std::int64_t last_own = first_own + P::kBands * kMmaRows - 1;
  return end <= problem.q.count && (!problem.causal || last_own <= first_other);
}

/// Own rows of a warp: what is summed for them.
template <class T, int Size, TileOwner owner>
struct MmaGradientState {
  using P = MmaGradient<T, Size, owner>;
  MmaSums<P::kBands, P::kOthers> weights;                          ///< At first scores.
  MmaSums<P::kBands, P::kOthers> slopes;                           ///< At first dy v.
  MmaSums<P::kBands, Size> sums;                                   ///< dq or dk, but for the scale.
  MmaSums<P::kBands, owner == TileOwner::keys ? Size : 8> values;  ///< dv.
  // Statistics of queries that are own rows.
  float largest[P::kBands][2];
  float shares[P::kBands][2];
  float products[P::kBands][2];
};

/// Turns scores into weights and products of dy and v into slopes of the scores.  `scale` is in
/// units of log 2; `statistics` are those of the tile's queries, where these are the other rows.
/// What rows that are not there get does not matter: it is not stored.
template <class T, int Size, TileOwner owner>
__device__ void weigh_slopes(const AttentionProblem<T>& problem, std::int64_t first_own,
                             std::int64_t first_other, float scale, const float* statistics,
                             MmaGradientState<T, Size, owner>& state) {
  using P = MmaGradient<T, Size, owner>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int first_column = lane % 4 * 2;
#pragma unroll
  for (int n = 0; n < P::kOthers / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float of_column[3] = {};
      if constexpr (!P::kByQueries) {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          of_column[k] = statistics[k * P::kOthers + first_column + 8 * n + i];
        }
      }
#pragma unroll
      for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const float largest = P::kByQueries ? state.largest[band][half] : of_column[0];
          const float share = P::kByQueries ? state.shares[band][half] : of_column[1];
          const float product = P::kByQueries ? state.products[band][half] : of_column[2];
          float& weight = state.weights.at[band][n][2 * half + i];
          float& slope = state.slopes.at[band][n][2 * half + i];
          weight = share * exp2_flushed(below(weight, largest) * scale);
          slope = weight * (slope - product);
        }
      }
    }
  }
  if (sees_all<P>(problem, first_own, first_other)) return;
#pragma unroll
  for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t own = first_own + band * kMmaRows + lane / 4 + 8 * half;
      const Seen seen = seen_of<owner, P::kOthers>(problem, own, first_other + first_column);
#pragma unroll
      for (int n = 0; n < P::kOthers / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const bool sees = seen.has(8 * n + i);
          float& weight = state.weights.at[band][n][2 * half + i];
          float& slope = state.slopes.at[band][n][2 * half + i];
          weight = sees ? weight : 0.0f;
          slope = sees ? slope : 0.0f;
        }
      }
    }
  }
}

/// Writes a warp's sums times `factor`; zeros from row `there` on.
template <int Bands, int Size>
__device__ void store_sums(const MmaSums<Bands, Size>& sums, std::int64_t first, std::int64_t there,
                           std::int64_t rows, float factor, float* target) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int band = 0; band < Bands; ++band) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = first + band * kMmaRows + lane / 4 + 8 * half;
      if (row >= rows) continue;
#pragma unroll
      for (int n = 0; n < Size / 8; ++n) {
        float* const to = target + row * Size + 8 * n + lane % 4 * 2;
        to[0] = row < there ? sums.at[band][n][2 * half] * factor : 0.0f;
        to[1] = row < there ? sums.at[band][n][2 * half + 1] * factor : 0.0f;
      }
    }
  }
}

/// Begins to copy the statistics of a tile of queries.
template <int Count>
__device__ void copy_statistics(const QueryStatistics<float>& of, std::int64_t first,
                                std::int64_t queries, float* to) {
  for (int i = static_cast<int>(threadIdx.x); i < 3 * Count; i += kMmaThreads) {
    const std::int64_t query = first + i % Count;
    const bool is_there = query < queries;
    const float* const from = i < Count ? of.largest : i < 2 * Count ? of.shares : of.products;
    copy_async(to + i, from + (is_there ? query : 0), is_there);
  }
}

/// dq, or dk and dv, for a tile of queries or of keys per block; dy is [batches, queries, Size] and
/// begins, as q, k, v and their rows do, on a border of 16 bytes.  `scale_2` is scale in units of
/// log 2.
template <class T, int Size, TileOwner owner>
__global__ void __launch_bounds__(kMmaThreads)
    attention_gradient_mma_kernel(const __grid_constant__ AttentionArguments<T> p, float scale,
                                  float scale_2, std::int64_t tiles, const T* dy,
                                  QueryStatistics<float> statistics, float* d_scored, float* dv) {
  using P = MmaGradient<T, Size, owner>;
  constexpr int chunks = MmaRow<T, Size>::kChunks;
  constexpr int stage = P::kOthers * chunks;
  GAIA_SHARED_DYNAMIC(Chunk, memory);
  Chunk* const own_scored = memory;                         // q or k: what scores are computed from
  Chunk* const own_valued = own_scored + P::kOwn * chunks;  // dy or v
  Chunk* const scored = own_valued + P::kOwn * chunks;      // two tiles of k or q
  Chunk* const valued = scored + 2 * stage;                 // and of v or dy
  float* const of_tile = reinterpret_cast<float*>(valued + 2 * stage);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t rows = P::kByQueries ? p.queries : p.keys;
  const std::int64_t tiles_down = ceil_div(rows, P::kOwn);
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // Causal queries see most at the end, and causal keys are seen most at the beginning.
    const std::int64_t place = P::kByQueries ? tiles - 1 - number : number;
    const std::int64_t batch = place / tiles_down;
    const std::int64_t first_of_block = place % tiles_down * P::kOwn;
    const std::int64_t first_own = first_of_block + first_row_of_warp<P::kBands>();
    const AttentionProblem<T> problem = p.problem(batch);
    const Rows<T> slopes{dy + batch * p.queries * Size, Size, p.queries, Size};
    const QueryStatistics<float> here_of{statistics.largest + batch * p.queries,
                                         statistics.shares + batch * p.queries,
                                         statistics.products + batch * p.queries};
    const Rows<T>& of_own = P::kByQueries ? problem.q : problem.k;
    const Rows<T>& of_own_values = P::kByQueries ? slopes : problem.v;
    const Rows<T>& of_others = P::kByQueries ? problem.k : problem.q;
    const Rows<T>& of_values = P::kByQueries ? problem.v : slopes;
    std::int64_t first = 0;
    std::int64_t end = p.queries;
    if constexpr (P::kByQueries) {
      const std::int64_t last = first_of_block + P::kOwn;
      end = problem.seen_by((last < rows ? last : rows) - 1);
    } else if (first_of_block >= problem.k.count) {
      end = 0;  // none of these keys is there
    } else if (p.causal) {
      first = first_of_block;  // earlier queries do not see these keys
    }
    const auto copy_others = [&](std::int64_t from, int to) {
      copy_rows<P::kOthers, chunks>(of_others, from, scored + to * stage);
      copy_rows<P::kOthers, chunks>(of_values, from, valued + to * stage);
      if constexpr (!P::kByQueries) {
        copy_statistics<P::kOthers>(here_of, from, p.queries, of_tile + to * P::kStatistics);
      }
    };
    MmaGradientState<T, Size, owner> state{};
    if (first < end) {
      copy_rows<P::kOwn, chunks>(of_own, first_of_block, own_scored);
      copy_rows<P::kOwn, chunks>(of_own_values, first_of_block, own_valued);
      copy_others(first, 0);
      end_copy_group();
    }
    if constexpr (P::kByQueries) {
#pragma unroll
      for (int band = 0; band < P::kBands; ++band) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const std::int64_t query = first_own + band * kMmaRows + lane / 4 + 8 * half;
          if (query >= rows) continue;
          state.largest[band][half] = here_of.largest[query];
          state.shares[band][half] = here_of.shares[query];
          state.products[band][half] = here_of.products[query];
        }
      }
    }
    int here = 0;
    for (; first < end; first += P::kOthers, here = 1 - here) {
      if (first + P::kOthers < end) copy_others(first + P::kOthers, 1 - here);
      end_copy_group();
      wait_for_copy_groups<1>();
      __syncthreads();
      mma_dot_rows<T, Size>(own_scored, scored + here * stage, state.weights);
      mma_dot_rows<T, Size>(own_valued, valued + here * stage, state.slopes);
      weigh_slopes<T, Size, owner>(problem, first_own, first, scale_2,
                                   of_tile + here * P::kStatistics, state);
      if constexpr (!P::kByQueries) {
        mma_add_weighted_rows<T, Size>(state.weights, valued + here * stage, state.values);
      }
      bool is_cleared = false;
      if constexpr (P::kByQueries) {
        if (may_hide(problem, first_of_block, first + P::kOthers)) {
          __syncthreads();  // all have made their scores of what is cleared
          is_cleared = clear_hidden<T, Size, P::kOthers>(problem, first_of_block, first,
                                                         scored + here * stage);
        }
      }
      mma_add_weighted_rows<T, Size>(state.slopes, scored + here * stage, state.sums);
      if constexpr (P::kByQueries) {
        if (is_cleared) {
          add_hidden<P::kOthers>(problem, problem.k, first_own, first, HiddenKey{}, state.sums);
        }
      }
      __syncthreads();  // the next copies come to the same place
    }
    float* const sums_to = d_scored + batch * rows * Size;
    store_sums(state.sums, first_own, of_own.count, rows, scale, sums_to);
    if constexpr (!P::kByQueries) {
      store_sums(state.values, first_own, of_own.count, rows, 1.0f, dv + batch * rows * Size);
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
