// SPDX-License-Identifier: MIT
/// \file
/// Attention of rows of any size: each query keeps the largest score so far, and the sum of
/// exponentials and the output relative to it.  Dao (2023), arXiv:2307.08691.
#pragma once

#include <limits>

#include "attention_hidden_panels.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// What a lane knows of its queries.
template <class T>
struct QueryState {
  T largest[kRowsEach];  ///< Score.
  T sum[kRowsEach];      ///< What this lane has of it.
};

/// Turns scores of the keys from `key` on into weights relative to the largest score so far, which
/// it leaves to the warp; shrinks[i] is what those before are to be multiplied by.  `scale` is in
/// units of log 2.
template <class T>
__device__ void weigh(const AttentionProblem<T>& problem, const PanelPlace& place,
                      std::int64_t first_query, std::int64_t key, T scale, PanelSums<T>& scores,
                      QueryState<T>& state, T (&shrinks)[kRowsEach], T* weights) {
  using P = Panel<T>;
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  if (problem.seen_by(first_query + place.first_row) < key + P::kSide) {
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i) {
      const std::int64_t ahead = problem.seen_by(first_query + place.row(i)) - key - place.across;
      const int seen = static_cast<int>(ahead < P::kSide ? ahead : P::kSide);
#pragma unroll
      for (int j = 0; j < P::kColumnsEach; ++j) {
        if (kLanesAcross * j >= seen) scores.at[i][j] = nothing;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kRowsEach; ++i) {
    T now = scores.at[i][0];
#pragma unroll
    for (int j = 1; j < P::kColumnsEach; ++j) now = LargerOrNan{}(now, scores.at[i][j]);
    now = LargerOrNan{}(state.largest[i], join_across(now, LargerOrNan{}));
    const T base = now == nothing ? T(0) : now;  // as if these keys were not there
    shrinks[i] = exp2_flushed((state.largest[i] - base) * scale);
    T part = T(0);
#pragma unroll
    for (int j = 0; j < P::kColumnsEach; ++j) {
      const T weight = exp2_flushed((scores.at[i][j] - base) * scale);
      weight_at(place, weights, i, j) = weight;
      part += weight;
    }
    state.sum[i] = state.sum[i] * shrinks[i] + part;
    state.largest[i] = now;
  }
}

/// y = softmax(scale q k^T) v with the largest scores and the sums, for a tile of queries and
/// `Across` panels of v's columns per block; y, all_largest and sums are contiguous.  `scale` is in
/// units of log 2.
template <class T, int Across>
__global__ void __launch_bounds__(kPanelThreads, Across == 1 ? 3 : 2)
    attention_kernel(const __grid_constant__ AttentionArguments<T> p, T scale, std::int64_t tiles,
                     T* y, T* all_largest, T* sums) {
  using P = Panel<T>;
  GAIA_SHARED_DYNAMIC(PanelPack<T>, bytes);
  const PanelMemory<T> memory{bytes};
  const PanelPlace place = panel_place();
  const auto of_size = static_cast<int>(P::across(p.size));
  const bool keeps = of_size <= P::kKept;
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // From the end, where causal queries see most: the longest work begins first.
    const PanelTile tile = panel_tile<T, Across>(tiles - 1 - number, p.queries, p.width);
    const int of_width = panels_from<T, Across>(tile.column, p.width);
    AttentionProblem<T> problem = p.problem(tile.batch);
    const std::int64_t end = tile.row + kOwnRows < p.queries ? tile.row + kOwnRows : p.queries;
    problem.k.count = problem.v.count = problem.seen_by(end - 1);
    const auto copy_queries = [&](int panel, int to) {
      copy_panel<kOwnRows>(problem.q, tile.row, std::int64_t{panel} * P::kSide, memory.own(to));
    };
    const auto copy = [&](std::int64_t key, int panel, int stage) {
      const bool scores = panel < of_size;
      const std::int64_t first = scores ? 0 : tile.column - std::int64_t{of_size} * P::kSide;
      copy_panel<P::kSide>(choose(scores, problem.k, problem.v), key,
                           first + std::int64_t{panel} * P::kSide, memory.others(stage));
      if (scores && !keeps) copy_queries(panel, stage);
    };
    if (keeps && problem.k.count > 0) {
      for (int panel = 0; panel < of_size; ++panel) copy_queries(panel, panel);
    }
    PanelStream<T, decltype(copy)> stream(0, problem.k.count, of_size + of_width, copy);
    QueryState<T> state{};
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i) state.largest[i] = -std::numeric_limits<T>::infinity();
    PanelSums<T> answer[Across]{};
    for (std::int64_t key = 0; key < problem.k.count; key += P::kSide) {
      PanelSums<T> scores{};
      for (int panel = 0; panel < of_size; ++panel) {
        const int stage = stream.next();
        add_row_products(place, memory.own(keeps ? panel : stage), memory.others(stage),
                         packs_in_fours<T>(std::int64_t{panel} * P::kSide, p.size), scores);
      }
      T shrinks[kRowsEach];
      __syncwarp();  // all lanes are behind the last weights, if no panel of scores came between
      weigh(problem, place, tile.row, key, scale, scores, state, shrinks, memory.weights());
      const HiddenOfPanel<T> hidden{problem, problem.v, tile.row, key};
#pragma unroll
      for (int panel = 0; panel < Across; ++panel) {
        if (panel >= of_width) break;  // the same for the whole block
#pragma unroll
        for (int i = 0; i < kRowsEach; ++i) {
#pragma unroll
          for (int j = 0; j < P::kColumnsEach; ++j) answer[panel].at[i][j] *= shrinks[i];
        }
        PanelPack<T>* const values = memory.others(stream.next());
        const bool is_cleared = hidden.clear(values);
        add_weighted_rows(place, memory.weights(), values, packs_in_fours<T>(key, problem.k.count),
                          answer[panel]);
        if (is_cleared) {
          hidden.add(place, tile.column + std::int64_t{panel} * P::kSide, memory.weights(),
                     answer[panel]);
        }
      }
    }
    __syncthreads();  // the next tile's copies come to the same place
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i) {
      const T sum = join_across(state.sum[i], Plus{});
      const std::int64_t query = tile.row + place.row(i);
      if (query >= p.queries) continue;
      const std::int64_t row = tile.batch * p.queries + query;
      if (tile.column == 0 && place.across == 0) {
        all_largest[row] = state.largest[i];
        sums[row] = sum;
      }
      const bool sees_none = problem.seen_by(query) == 0;
#pragma unroll
      for (int panel = 0; panel < Across; ++panel) {
#pragma unroll
        for (int j = 0; j < P::kColumnsEach; ++j) {
          const std::int64_t column =
              summed_column<T>(place, tile.column + std::int64_t{panel} * P::kSide, j);
          if (column >= p.width) continue;
          y[row * p.width + column] = sees_none ? T(0) : answer[panel].at[i][j] / sum;
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
