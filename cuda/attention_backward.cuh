// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention for rows of any size.
///
/// One kernel makes dq, a tile of queries per block that meets the keys in order; another dk and
/// dv, a tile of keys that meets the queries.  Both make the weights p = exp(scale (q k - largest))
/// / sum again, so that each number is summed by one lane, in order.  Dao (2023), arXiv:2307.08691.
#pragma once

#include "attention_hidden_panels.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// One of the statistics for a lane's queries: its rows, or its columns of a panel.
template <class T, TileOwner owner>
struct LaneStatistic {
  static constexpr bool kByRows = owner == TileOwner::queries;
  static constexpr int kCount = kByRows ? kRowsEach : Panel<T>::kColumnsEach;
  T at[kCount];

  /// Loads the numbers of the queries from `first` on, 0 where there are none.
  __device__ void load(const PanelPlace& place, const T* of, std::int64_t first,
                       std::int64_t queries) {
#pragma unroll
    for (int n = 0; n < kCount; ++n) {
      const std::int64_t query = first + (kByRows ? place.row(n) : place.across + kLanesAcross * n);
      at[n] = query < queries ? of[query] : T(0);
    }
  }
  __device__ T of(int i, int j) const { return at[kByRows ? i : j]; }
};

/// Rows that are seen by all of a block's own rows.
struct NothingHidden {
  template <class Panels>
  __device__ bool clear(Panels* /*panel*/) const {
    return false;
  }
  template <class Sums, class Weights>
  __device__ void add(const PanelPlace&, int, const Weights*, Sums&) const {}
};

/// Rows that may be hidden from some, in panels of columns from `column` on.
template <class T>
struct AddHidden {
  const HiddenOfPanel<T>& hidden;
  std::int64_t column;

  __device__ bool clear(PanelPack<T>* panel) const { return hidden.clear(panel); }
  __device__ void add(const PanelPlace& place, int panel, const T* weights,
                      PanelSums<T>& sums) const {
    hidden.add(place, column + std::int64_t{panel} * Panel<T>::kSide, weights, sums);
  }
};

/// Adds the weights' products with panels of `of_tile` columns that the stream brings.
template <class T, int Across, class Stream, class Hidden = NothingHidden>
__device__ void add_weighted_panels(const PanelPlace& place, const PanelMemory<T>& memory,
                                    Stream& stream, int of_tile, int packs,
                                    PanelSums<T> (&sums)[Across], const Hidden& hidden = {}) {
#pragma unroll
  for (int panel = 0; panel < Across; ++panel) {
    if (panel >= of_tile) break;  // the same for the whole block
    PanelPack<T>* const rows = memory.others(stream.next());
    const bool is_cleared = hidden.clear(rows);
    add_weighted_rows(place, memory.weights(), rows, packs, sums[panel]);
    if (is_cleared) hidden.add(place, panel, memory.weights(), sums[panel]);
  }
}

/// Writes a lane's sums times `factor` to target [rows, columns]; zeros from row `there` on.
template <class T, int Across>
__device__ void store_panels(const PanelPlace& place, const PanelTile& tile, std::int64_t there,
                             std::int64_t rows, std::int64_t columns, T factor,
                             const PanelSums<T> (&sums)[Across], T* target) {
#pragma unroll
  for (int i = 0; i < kRowsEach; ++i) {
    const std::int64_t row = tile.row + place.row(i);
    if (row >= rows) continue;
#pragma unroll
    for (int panel = 0; panel < Across; ++panel) {
#pragma unroll
      for (int j = 0; j < Panel<T>::kColumnsEach; ++j) {
        const std::int64_t column =
            summed_column<T>(place, tile.column + std::int64_t{panel} * Panel<T>::kSide, j);
        if (column >= columns) continue;
        target[row * columns + column] = row < there ? sums[panel].at[i][j] * factor : T(0);
      }
    }
  }
}

/// dq = ds k, or dk = ds^T q and dv = p^T dy, with ds = scale p (dy v^T - dy y), for a tile of own
/// rows and `Across` panels of columns per block; dy is [batches, queries, width].  `scale_2` is
/// scale in units of log 2.
///
/// For each panel of other rows there come, in order: their panels that scores are computed from;
/// where keys are the owners, dy for dv; those that slopes of weights are computed from (v or dy);
/// and those that make dq or dk (k or q).
template <class T, int Across, TileOwner owner>
__global__ void __launch_bounds__(kPanelThreads, 2)
    attention_gradient_kernel(const __grid_constant__ AttentionArguments<T> p, T scale_2,
                              std::int64_t tiles, const T* dy, QueryStatistics<T> statistics,
                              T* d_scored, T* dv) {
  using P = Panel<T>;
  constexpr bool by_queries = owner == TileOwner::queries;
  GAIA_SHARED_DYNAMIC(PanelPack<T>, bytes);
  const PanelMemory<T> memory{bytes};
  const PanelPlace place = panel_place();
  const std::int64_t rows = by_queries ? p.queries : p.keys;
  const std::int64_t columns = by_queries || p.size > p.width ? p.size : p.width;
  const auto of_size = static_cast<int>(P::across(p.size));
  const auto of_width = static_cast<int>(P::across(p.width));
  const bool keeps = of_size + of_width <= P::kKept;
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // Causal queries see most at the end, and causal keys are seen most at the beginning.
    const PanelTile tile =
        panel_tile<T, Across>(by_queries ? tiles - 1 - number : number, rows, columns);
    const AttentionProblem<T> problem = p.problem(tile.batch);
    const Rows<T> slopes{dy + tile.batch * p.queries * p.width, p.width, p.queries, p.width};
    const Rows<T> own_scored = by_queries ? problem.q : problem.k;
    const Rows<T> own_valued = by_queries ? slopes : problem.v;
    const Rows<T> scored = by_queries ? problem.k : problem.q;
    const Rows<T> valued = by_queries ? problem.v : slopes;
    std::int64_t other = 0;
    std::int64_t end = p.queries;
    if constexpr (by_queries) {
      const std::int64_t last = tile.row + kOwnRows;
      end = problem.seen_by((last < rows ? last : rows) - 1);
    } else if (tile.row >= own_scored.count) {
      end = 0;  // none of these keys is there
    } else if (p.causal) {
      other = tile.row;  // earlier queries do not see these keys
    }
    // Panels of the tile's own columns, in dq or dk and in dv.
    const int summed = panels_from<T, Across>(tile.column, p.size);
    const int values = by_queries ? 0 : panels_from<T, Across>(tile.column, p.width);
    const int before_slopes = of_size + values;
    const int before_sums = before_slopes + of_width;
    const auto copy_own = [&](int panel, int to) {
      const bool of_scores = panel < of_size;
      const int in_row = of_scores ? panel : panel - of_size;
      copy_panel<kOwnRows>(choose(of_scores, own_scored, own_valued), tile.row,
                           std::int64_t{in_row} * P::kSide, memory.own(to));
    };
    const auto copy = [&](std::int64_t row, int panel, int stage) {
      const bool of_scores = panel < of_size;
      const bool of_values = !of_scores && panel < before_slopes;
      const bool of_slopes = panel >= before_slopes && panel < before_sums;
      const int first = of_scores   ? 0
                        : of_values ? of_size
                        : of_slopes ? before_slopes
                                    : before_sums;
      copy_panel<P::kSide>(
          choose(of_values || of_slopes, valued, scored), row,
          (of_scores || of_slopes ? 0 : tile.column) + std::int64_t{panel - first} * P::kSide,
          memory.others(stage));
      if (!keeps && (of_scores || of_slopes)) {
        copy_own(of_scores ? panel : of_size + panel - before_slopes, stage);
      }
    };
    if (keeps && other < end) {
      for (int panel = 0; panel < of_size + of_width; ++panel) copy_own(panel, panel);
    }
    PanelStream<T, decltype(copy)> stream(other, end, before_sums + summed, copy);
    const auto products_of_rows = [&](int first, std::int64_t width) {
      PanelSums<T> made{};
      for (std::int64_t column = 0; column < width; column += P::kSide, ++first) {
        const int stage = stream.next();
        add_row_products(place, memory.own(keeps ? first : stage), memory.others(stage),
                         packs_in_fours<T>(column, width), made);
      }
      return made;
    };
    PanelSums<T> of_scored[Across]{};
    PanelSums<T> of_valued[by_queries ? 1 : Across]{};
    LaneStatistic<T, owner> largest;
    LaneStatistic<T, owner> shares;
    LaneStatistic<T, owner> products;
    const auto load = [&](const T* of, LaneStatistic<T, owner>& to) {
      to.load(place, of + tile.batch * p.queries, by_queries ? tile.row : other, p.queries);
    };
    if constexpr (by_queries) {
      load(statistics.largest, largest);
      load(statistics.shares, shares);
      load(statistics.products, products);
    }
    // Counted from the lane's first of the panel.
    const auto seen_by_row = [&](int i) {
      return seen_of<owner, P::kSide>(problem, tile.row + place.row(i), other + place.across);
    };
    T* const weights = memory.weights();
    // Between what is written to the weights and read by other lanes, or read and written again, a
    // panel comes, and with it a barrier.
    for (; other < end; other += P::kSide) {
      const int packs = packs_in_fours<T>(other, end);
      if constexpr (!by_queries) {
        load(statistics.largest, largest);
        load(statistics.shares, shares);
      }
      const PanelSums<T> scores = products_of_rows(0, p.size);
#pragma unroll
      for (int i = 0; i < kRowsEach; ++i) {
        const Seen seen = seen_by_row(i);
#pragma unroll
        for (int j = 0; j < P::kColumnsEach; ++j) {
          const T away = below(scores.at[i][j], largest.of(i, j));
          weight_at(place, weights, i, j) =
              seen.has(kLanesAcross * j) ? shares.of(i, j) * exp2_flushed(away * scale_2) : T(0);
        }
      }
      if constexpr (!by_queries) {
        add_weighted_panels(place, memory, stream, values, packs, of_valued);
        load(statistics.products, products);
      }
      const PanelSums<T> ds = products_of_rows(of_size, p.width);
#pragma unroll
      for (int i = 0; i < kRowsEach; ++i) {
        const Seen seen = seen_by_row(i);
#pragma unroll
        for (int j = 0; j < P::kColumnsEach; ++j) {
          T& weight = weight_at(place, weights, i, j);
          weight = seen.has(kLanesAcross * j) ? weight * (ds.at[i][j] - products.of(i, j)) : T(0);
        }
      }
      if constexpr (by_queries) {
        const HiddenOfPanel<T> hidden{problem, problem.k, tile.row, other};
        add_weighted_panels(place, memory, stream, summed, packs, of_scored,
                            AddHidden<T>{hidden, tile.column});
      } else {
        add_weighted_panels(place, memory, stream, summed, packs, of_scored);
      }
    }
    __syncthreads();  // the next tile's copies come to the same place
    store_panels(place, tile, own_scored.count, rows, p.size, p.scale, of_scored,
                 d_scored + tile.batch * rows * p.size);
    if constexpr (!by_queries) {
      store_panels(place, tile, own_scored.count, rows, p.width, T(1), of_valued,
                   dv + tile.batch * rows * p.width);
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
