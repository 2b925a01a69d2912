// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention.  Weights p = exp(scale (q k - largest)) / sum are made again tile by
/// tile for each of the three gradients, so that each number is summed by one thread, in order.
#pragma once

#include "attention_tiles.cuh"
#include "row_group.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

enum class AttentionGradient { queries, keys, values };

struct AsItIs {
  template <class T>
  __device__ double operator()(T x) const {
    return static_cast<double>(x);
  }
};

/// products = read(dy) y, row by row, in double, and shares = 1 / sums.
template <class Slope, class T, class Read>
__global__ void attention_statistics_kernel(std::int64_t rows, std::int64_t width, Read read,
                                            const Slope* dy, const T* y, const T* sums, T* products,
                                            T* shares) {
  using Row = RowGroup<kWarp>;
  for (std::int64_t row = Row::first_row(); row < rows; row += Row::row_step()) {
    const Slope* const a = dy + row * width;
    const T* const b = y + row * width;
    const double sum =
        Row::sum(width, [=](std::int64_t i) { return read(a[i]) * static_cast<double>(b[i]); });
    if (Row::lane() == 0) {
      products[row] = static_cast<T>(sum);
      shares[row] = T(1) / sums[row];
    }
  }
}

/// One of dv = p^T dy, dk = ds^T q and dq = ds k, with ds = scale p (dy v^T - dy y).  A block makes
/// a tile of its rows, which are queries or keys, and meets the others, keys or queries, in order.
template <class T, AttentionGradient wanted>
__global__ void __launch_bounds__(kTileThreads)
    attention_gradient_kernel(const __grid_constant__ AttentionArguments<T> p, std::int64_t tiles,
                              const T* dy, QueryStatistics<T> statistics, T* target) {
  constexpr int each = kTileEach<T>;
  GAIA_SHARED(TileMemory<T>, shared, [1]);
  TileMemory<T>& memory = shared[0];
  constexpr bool by_queries = wanted == AttentionGradient::queries;
  constexpr bool of_values = wanted == AttentionGradient::values;
  const std::int64_t rows = by_queries ? p.queries : p.keys;
  const std::int64_t columns = of_values ? p.width : p.size;
  for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    // Causal queries see most at the end, and causal keys are seen most at the beginning.
    const TilePlace place = tile_place<T>(by_queries ? tiles - 1 - number : number, rows, columns);
    const AttentionProblem<T> problem = p.problem(place.batch);
    const Rows<T> slopes{dy + place.batch * p.queries * p.width, p.width, p.queries, p.width};
    const Rows<T> own = by_queries ? problem.q : problem.k;
    const Rows<T> other = by_queries ? problem.k : problem.q;
    const Rows<T> factors = of_values ? slopes : other;
    std::int64_t first = 0;
    std::int64_t end = other.count;
    if constexpr (by_queries) {
      const std::int64_t last = (place.row + kTile<T> < rows ? place.row + kTile<T> : rows) - 1;
      end = problem.seen_by(last);
    } else if (place.row >= own.count) {
      end = 0;  // none of these keys is there
    } else if (p.causal) {
      first = place.row;  // earlier queries do not see these keys
    }
    TileSums<T> sums{};
    for (; first < end; first += kTile<T>) {
      TileSums<T> scores;
      dot_rows(own, place.row, other, first, memory, scores);
      TileSums<T> ds{};
      if constexpr (!of_values) {
        dot_rows(by_queries ? slopes : problem.v, place.row, by_queries ? problem.v : slopes, first,
                 memory, ds);
      }
#pragma unroll
      for (int i = 0; i < each; ++i) {
#pragma unroll
        for (int j = 0; j < each; ++j) {
          const std::int64_t row = place.row + tile_row(i);
          const std::int64_t column = first + tile_column(j);
          const std::int64_t query = by_queries ? row : column;
          const std::int64_t key = by_queries ? column : row;
          T weight = T(0);
          if (query < p.queries && key < problem.seen_by(query)) {
            const std::int64_t at = place.batch * p.queries + query;
            weight = statistics.shares[at] *
                     std::exp(p.scale * below(scores.at[i][j], statistics.largest[at]));
            if constexpr (!of_values) {
              weight = p.scale * weight * (ds.at[i][j] - statistics.products[at]);
            }
          }
          memory.weights[tile_row(i)][tile_column(j)] = weight;
        }
      }
      add_weighted_rows(factors, first, place.column, memory, sums);
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const std::int64_t row = place.row + tile_row(i);
        const std::int64_t column = place.column + tile_column(j);
        if (row < rows && column < columns) {
          target[(place.batch * rows + row) * columns + column] =
              row < own.count ? sums.at[i][j] : T(0);
        }
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
