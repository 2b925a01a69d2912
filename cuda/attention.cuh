// SPDX-License-Identifier: MIT
/// \file
/// Attention by tiles of queries and keys: each query keeps the largest score so far, and the sum
/// of exponentials and the output relative to it.
#pragma once

#include <limits>

#include "attention_tiles.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// y = softmax(scale q k^T) v with the largest scores and the sums, for a tile of queries and of
/// v's columns per block; y, all_largest and sums are contiguous.
template <class T>
__global__ void __launch_bounds__(kTileThreads)
    attention_kernel(const __grid_constant__ AttentionArguments<T> p, std::int64_t tiles, T* y,
                     T* all_largest, T* sums) {
  constexpr int each = kTileEach<T>;
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  GAIA_SHARED(TileMemory<T>, shared, [1]);
  TileMemory<T>& memory = shared[0];
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // From the end, where causal queries see most: the longest work begins first.
    const TilePlace place = tile_place<T>(tiles - 1 - number, p.queries, p.width);
    AttentionProblem<T> problem = p.problem(place.batch);
    const std::int64_t end = place.row + kTile<T> < p.queries ? place.row + kTile<T> : p.queries;
    problem.k.count = problem.v.count = problem.seen_by(end - 1);
    T largest[each];
    double sum[each];
    for (int i = 0; i < each; ++i) {
      largest[i] = nothing;
      sum[i] = 0.0;
    }
    TileSums<T> answer{};
    for (std::int64_t key = 0; key < problem.k.count; key += kTile<T>) {
      TileSums<T> scores;
      dot_rows(problem.q, place.row, problem.k, key, memory, scores);
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const std::int64_t seen = problem.seen_by(place.row + tile_row(i));
        T here = nothing;
#pragma unroll
        for (int j = 0; j < each; ++j) {
          const bool sees = key + tile_column(j) < seen;
          if (!sees) scores.at[i][j] = nothing;
          here = LargerOrNan{}(here, scores.at[i][j]);
        }
        const T now = LargerOrNan{}(largest[i], row_reduce(here, LargerOrNan{}));
        const bool is_blind = now == nothing;  // as if these keys were not there
        const T shrink = is_blind ? T(1) : std::exp(p.scale * (largest[i] - now));
        T part = T(0);
#pragma unroll
        for (int j = 0; j < each; ++j) {
          const T weight = is_blind ? T(0) : std::exp(p.scale * (scores.at[i][j] - now));
          memory.weights[tile_row(i)][tile_column(j)] = weight;
          part += weight;
          answer.at[i][j] *= shrink;
        }
        sum[i] =
            sum[i] * static_cast<double>(shrink) + static_cast<double>(row_reduce(part, Plus{}));
        largest[i] = now;
      }
      add_weighted_rows(problem.v, key, place.column, memory, answer);
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const std::int64_t query = place.row + tile_row(i);
      if (query >= p.queries) continue;
      const std::int64_t row = place.batch * p.queries + query;
      if (place.column == 0 && tile_column(0) == 0) {
        all_largest[row] = largest[i];
        sums[row] = static_cast<T>(sum[i]);
      }
      const bool sees_none = problem.seen_by(query) == 0;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const std::int64_t column = place.column + tile_column(j);
        if (column >= p.width) continue;
        y[row * p.width + column] = sees_none ? T(0) : answer.at[i][j] / static_cast<T>(sum[i]);
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
