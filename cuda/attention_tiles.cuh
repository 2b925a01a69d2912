// SPDX-License-Identifier: MIT
/// \file
/// What attention and its gradients share: which keys a query sees, and products of tiles of rows
/// that a block makes in its registers.
#pragma once

#include "block_reduce.cuh"
#include "walk.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kTileSide = 16;  ///< Threads along rows and along columns of a tile.
constexpr int kTileThreads = kTileSide * kTileSide;
/// Rows, and columns, of a thread: side by side they lie kTileSide apart.
template <class T>
constexpr int kTileEach = sizeof(T) == 4 ? 4 : 2;
/// Rows and columns of a tile.
template <class T>
constexpr int kTile = kTileSide* kTileEach<T>;
/// Terms of sums that are in shared memory at a time.
constexpr int kTileDepth = 16;

/// A thread's numbers of a tile.
template <class T>
struct TileSums {
  T at[kTileEach<T>][kTileEach<T>];
};

__device__ inline int tile_row(int i) {
  return static_cast<int>(threadIdx.x) / kTileSide + i * kTileSide;
}
__device__ inline int tile_column(int j) {
  return static_cast<int>(threadIdx.x) % kTileSide + j * kTileSide;
}

/// For every thread of a row of the tile: the values of all of them joined.
template <class T, class Join>
__device__ T row_reduce(T value, const Join& join) {
  for (int distance = kTileSide / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_xor_sync(kWholeWarp, value, distance));
  }
  return value;
}

/// The larger, NaN if one is.
struct LargerOrNan {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a >= b || a != a ? a : b;
  }
};

/// How far a score lies below the largest of its query, which rounding does not turn into above.
template <class T>
__device__ T below(T score, T largest) {
  const T away = score - largest;
  return away > T(0) ? T(0) : away;
}

/// What gradients need of each query, beside its row: [batches, queries].
template <class T>
struct QueryStatistics {
  const T* largest;   ///< Score.
  const T* shares;    ///< 1 / sum of exp(scale (score - largest)).
  const T* products;  ///< dy y.
};

/// Rows of contiguous numbers, `step` apart.
template <class T>
struct Rows {
  const T* data;
  std::int64_t step;
  std::int64_t count;
  std::int64_t width;
};

/// Shared memory of a block.  Rows have one number too many, so that they begin at different banks.
template <class T>
struct TileMemory {
  T own[kTile<T>][kTileDepth + 1];
  T other[kTile<T>][kTileDepth + 1];
  T weights[kTile<T>][kTile<T> + 1];
  T factors[kTileDepth][kTile<T> + 1];
};

/// tile = x's rows from `row` on and columns from `column` on, 0 where there are none.
template <class T, int Count, int Padded>
__device__ void load_rows(const Rows<T>& x, std::int64_t row, std::int64_t column,
                          T (&tile)[Count][Padded]) {
  constexpr int width = Padded - 1;
  for (int i = static_cast<int>(threadIdx.x); i < Count * width; i += kTileThreads) {
    const int r = i / width;
    const int c = i % width;
    const bool is_there = row + r < x.count && column + c < x.width;
    tile[r][c] = is_there ? x.data[(row + r) * x.step + column + c] : T(0);
  }
}

/// sums += left right, over kTileDepth terms: left(row of the tile, term), right(term, column).
template <class T, class Left, class Right>
__device__ void add_products(const Left& left, const Right& right, TileSums<T>& sums) {
  constexpr int each = kTileEach<T>;
#pragma unroll 4
  for (int l = 0; l < kTileDepth; ++l) {
    T of_left[each];
    T of_right[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      of_left[i] = left(tile_row(i), l);
      of_right[i] = right(l, tile_column(i));
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
#pragma unroll
      for (int j = 0; j < each; ++j) sums.at[i][j] += of_left[i] * of_right[j];
    }
  }
}

/// sums[i][j] = the product of own row `first` + i and other row `other_first` + j.  Contains
/// barriers, the last one behind all reading.
template <class T>
__device__ void dot_rows(const Rows<T>& own, std::int64_t first, const Rows<T>& other,
                         std::int64_t other_first, TileMemory<T>& memory, TileSums<T>& sums) {
  sums = {};
  for (std::int64_t depth = 0; depth < own.width; depth += kTileDepth) {
    load_rows(own, first, depth, memory.own);
    load_rows(other, other_first, depth, memory.other);
    __syncthreads();
    add_products([&](int row, int l) { return memory.own[row][l]; },
                 [&](int l, int column) { return memory.other[column][l]; }, sums);
    __syncthreads();
  }
}

/// sums[i][j] += the product of row i of the weights, which the block has just written, and column
/// `column` + j of the rows of x from `row` on.  Contains barriers, the last one behind all
/// reading.
template <class T>
__device__ void add_weighted_rows(const Rows<T>& x, std::int64_t row, std::int64_t column,
                                  TileMemory<T>& memory, TileSums<T>& sums) {
  for (int depth = 0; depth < kTile<T>; depth += kTileDepth) {
    load_rows(x, row + depth, column, memory.factors);
    __syncthreads();
    add_products([&](int own, int l) { return memory.weights[own][depth + l]; },
                 [&](int l, int place) { return memory.factors[l][place]; }, sums);
    __syncthreads();
  }
}

/// One matrix of each input.
template <class T>
struct AttentionProblem {
  Rows<T> q;
  Rows<T> k;  ///< Keys that are there, and so for v.
  Rows<T> v;
  bool causal;

  /// How many keys a query sees: these are the first.
  __device__ std::int64_t seen_by(std::int64_t query) const {
    return causal && query + 1 < k.count ? query + 1 : k.count;
  }
};

template <class T>
struct AttentionArguments {
  T scale;
  bool causal;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t size;   ///< Of queries and keys.
  std::int64_t width;  ///< Of values.
  Walk<4> batch;       ///< In q, k, v and key_lengths.
  std::int64_t q_step;
  std::int64_t k_step;
  std::int64_t v_step;
  const T* q;
  const T* k;
  const T* v;
  const std::int64_t* key_lengths;  ///< May be null.

  __device__ AttentionProblem<T> problem(std::int64_t index) const {
    const Offsets<4> at = batch(index);
    std::int64_t there = keys;
    if (key_lengths != nullptr) {
      const std::int64_t length = key_lengths[at.at[3]];
      there = length < 0 ? 0 : length < keys ? length : keys;
    }
    return {{q + at.at[0], q_step, queries, size},
            {k + at.at[1], k_step, there, size},
            {v + at.at[2], v_step, there, width},
            causal};
  }
};

/// Which part of the results a block makes: tiles of rows by tiles of columns, batch by batch.
struct TilePlace {
  std::int64_t batch;
  std::int64_t row;
  std::int64_t column;
};

/// At least one tile of columns, for what is written once for a row.
template <class T>
__host__ __device__ std::int64_t tiles_across(std::int64_t columns) {
  return columns == 0 ? 1 : ceil_div(columns, kTile<T>);
}

template <class T>
__device__ TilePlace tile_place(std::int64_t number, std::int64_t rows, std::int64_t columns) {
  const std::int64_t across = tiles_across<T>(columns);
  const std::int64_t down = ceil_div(rows, kTile<T>);
  return {number / (across * down), number / across % down * kTile<T>, number % across * kTile<T>};
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
