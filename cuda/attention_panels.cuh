// SPDX-License-Identifier: MIT
/// \file
/// Products of rows of any size in float32 and float64, computed in registers, for attention and
/// its gradients.
///
/// A block of four warps has 64 rows of its own, 16 to a warp, and meets other rows by panels: as
/// many rows as columns (64 of float32, 32 of float64), zeros where there are none.  While it
/// computes with one panel, the next is copied.  A lane has 4 rows, and an eighth of a panel's rows
/// or columns; it reads shared memory by packs of 16 bytes.  Its weights go to other lanes of its
/// warp through shared memory; no other warp reads them.
///
/// Banks: rows of a panel are a pack longer than they need be, so that one pack of eight rows in a
/// row lies in all banks, and neighbouring lanes read the same pack: by rows those that differ in
/// bit 1, by columns those that differ in bit 0, which shared memory answers at once.
#pragma once

#include "async_copy.cuh"
#include "attention_tiles.cuh"
#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

constexpr int kPanelWarps = 4;
constexpr int kPanelThreads = kPanelWarps * kWarp;
constexpr int kLanesAcross = 8;  ///< Lanes of a warp along columns.
constexpr int kLanesDown = kWarp / kLanesAcross;
constexpr int kRowsEach = 4;  ///< Rows of a lane, kLanesDown apart.
constexpr int kRowsOfWarp = kLanesDown * kRowsEach;
constexpr int kOwnRows = kPanelWarps * kRowsOfWarp;  ///< Own rows of a block.

template <class T>
using PanelPack = Pack<T, kPackWidth<T>>;

/// Sizes of panels of T.
template <class T>
struct Panel {
  static constexpr int kPacks = 16;                          ///< Packs of a row.
  static constexpr int kSide = kPacks * kPackWidth<T>;       ///< Numbers of a row; rows of others.
  static constexpr int kStep = kPacks + 1;                   ///< Packs from row to row.
  static constexpr int kColumnsEach = kSide / kLanesAcross;  ///< Columns of a lane.
  static constexpr int kBytes = kSide * kStep * 16;
  static constexpr int kOwnBytes = kOwnRows * kStep * 16;
  /// Numbers from a row of weights to the next: four rows' columns of a warp lie in all banks.
  static constexpr int kWeightsStep = kSide + kLanesAcross;
  static constexpr int kWeightsBytes = kOwnRows * kWeightsStep * static_cast<int>(sizeof(T));
  /// Panels of own rows that a block keeps; where they are more, they are copied again and again.
  static constexpr int kKept = 2;
  /// Panels of columns of a block, at most: what registers hold.
  static constexpr int kMostAcross = sizeof(T) == 4 ? 2 : 1;

  static_assert(2 * kBytes + kWeightsBytes + kKept * kOwnBytes <= kMostSharedBytes);

  __host__ __device__ static std::int64_t across(std::int64_t columns) {
    return ceil_div(columns, kSide);
  }
  /// Dynamic shared memory of a block whose own rows have as many panels.
  static std::size_t shared_bytes(std::int64_t own_panels) {
    return static_cast<std::size_t>(2 * kBytes + kWeightsBytes +
                                    (own_panels < kKept ? own_panels : kKept) * kOwnBytes);
  }
};

/// Shared memory of a block.
template <class T>
struct PanelMemory {
  using P = Panel<T>;
  PanelPack<T>* memory;

  __device__ PanelPack<T>* others(int stage) const { return memory + stage * (P::kBytes / 16); }
  __device__ T* weights() const { return reinterpret_cast<T*>(others(2)); }
  __device__ PanelPack<T>* own(int place) const {
    return others(2) + P::kWeightsBytes / 16 + place * (P::kOwnBytes / 16);
  }
};

/// The place of a thread: its lane down and across, and its warp's first row.
struct PanelPlace {
  int down;
  int across;
  int first_row;

  __device__ int row(int i) const { return first_row + down + kLanesDown * i; }
};
__device__ inline PanelPlace panel_place() {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  return {lane / 16 * 2 + lane % 2, lane / 2 % kLanesAcross, thread / kWarp * kRowsOfWarp};
}

/// For every lane of a row: the values of all of them joined.
template <class T, class Join>
__device__ T join_across(T value, const Join& join) {
#pragma unroll
  for (int distance = 2; distance < 2 * kLanesAcross; distance *= 2) {
    value = join(value, __shfl_xor_sync(kWholeWarp, value, distance));
  }
  return value;
}

/// A lane's numbers of its rows by a panel.  As products of rows column j is number
/// across + kLanesAcross j; as sums of rows it is number j % n of pack across + kLanesAcross (j /
/// n), with n numbers to a pack.
template <class T>
struct PanelSums {
  T at[kRowsEach][Panel<T>::kColumnsEach];
};

/// The column of x that a lane's sum j of the panel from `first` on is.
template <class T>
__device__ std::int64_t summed_column(const PanelPlace& place, std::int64_t first, int j) {
  constexpr int each = kPackWidth<T>;
  return first + (place.across + kLanesAcross * (j / each)) * each + j % each;
}

/// Begins to copy `Count` rows of x from `row` on, a panel of columns from `column` on: by packs
/// where these lie on their borders, else number by number; zeros where there are none.
template <int Count, class T>
__device__ void copy_panel(const Rows<T>& x, std::int64_t row, std::int64_t column,
                           PanelPack<T>* panel) {
  using P = Panel<T>;
  constexpr int each = kPackWidth<T>;
  const std::int64_t rows_left = x.count - row;
  const std::int64_t columns_left = x.width - column;
  const int rows = static_cast<int>(rows_left < Count ? rows_left : Count);
  const int columns = static_cast<int>(columns_left < P::kSide ? columns_left : P::kSide);
  const auto bytes = static_cast<std::uintptr_t>(x.step | x.width) * sizeof(T);
  const int thread = static_cast<int>(threadIdx.x);
  if ((reinterpret_cast<std::uintptr_t>(x.data) | bytes) % sizeof(PanelPack<T>) == 0) {
    constexpr int at_a_time = kPanelThreads / P::kPacks;  // rows
    const int first = thread / P::kPacks;
    const int pack = thread % P::kPacks;
    const int there = (pack * each < columns ? rows : 0) - first;
    const T* const from = x.data + (row + first) * x.step + column + pack * each;
    PanelPack<T>* const to = panel + first * P::kStep + pack;
#pragma unroll
    for (int r = 0; r < Count; r += at_a_time) {
      copy_async(to + r * P::kStep, reinterpret_cast<const PanelPack<T>*>(from + r * x.step),
                 r < there);
    }
  } else {
    constexpr int at_a_time = kPanelThreads / P::kSide;
    const int first = thread / P::kSide;
    const int number = thread % P::kSide;
    const int there = (number < columns ? rows : 0) - first;
    const T* const from = x.data + (row + first) * x.step + column + number;
    T* const to = panel->lane + first * P::kStep * each + number;
#pragma unroll 4
    for (int r = 0; r < Count; r += at_a_time) {
      copy_async(to + r * P::kStep * each, from + r * x.step, r < there);
    }
  }
}

/// One of two, by their members: a choice between places would put both into local memory.
template <class T>
__device__ Rows<T> choose(bool first, const Rows<T>& a, const Rows<T>& b) {
  return {first ? a.data : b.data, first ? a.step : b.step, first ? a.count : b.count,
          first ? a.width : b.width};
}

/// How many packs, in fours, hold the numbers from `first` on of `count`.
template <class T>
__device__ int packs_in_fours(std::int64_t first, std::int64_t count) {
  const std::int64_t left = count - first;
  const int here = static_cast<int>(left < Panel<T>::kSide ? left : Panel<T>::kSide);
  return static_cast<int>(ceil_div(here, 4 * kPackWidth<T>)) * 4;
}

/// sums += own other^T: the products of the warp's rows of a panel and all rows of another, over
/// the numbers of their first `packs`, a multiple of 4.
template <class T>
__device__ void add_row_products(const PanelPlace& place, const PanelPack<T>* own,
                                 const PanelPack<T>* other, int packs, PanelSums<T>& sums) {
  constexpr int step = Panel<T>::kStep;
  own += place.row(0) * step;
  other += place.across * step;
#pragma unroll 1
  for (const PanelPack<T>* const end = own + packs; own != end; own += 4, other += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      PanelPack<T> left[kRowsEach];
#pragma unroll
      for (int i = 0; i < kRowsEach; ++i) left[i] = own[kLanesDown * i * step + k];
#pragma unroll
      for (int j = 0; j < Panel<T>::kColumnsEach; ++j) {
        const PanelPack<T> right = other[kLanesAcross * j * step + k];
#pragma unroll
        for (int l = 0; l < kPackWidth<T>; ++l) {
#pragma unroll
          for (int i = 0; i < kRowsEach; ++i) sums.at[i][j] += left[i].lane[l] * right.lane[l];
        }
      }
    }
  }
}

/// The place where the lane keeps weight [i][j] of its warp.
template <class T>
__device__ T& weight_at(const PanelPlace& place, T* weights, int i, int j) {
  return weights[place.row(i) * Panel<T>::kWeightsStep + place.across + kLanesAcross * j];
}

/// sums += weights rows, over the first `packs` of weights, a multiple of 4, that the warp has
/// written before the last barrier.
template <class T>
__device__ void add_weighted_rows(const PanelPlace& place, const T* weights,
                                  const PanelPack<T>* rows, int packs, PanelSums<T>& sums) {
  constexpr int each = kPackWidth<T>;
  constexpr int step = Panel<T>::kStep;
  constexpr int weights_step = Panel<T>::kWeightsStep / each;
  const auto* own = reinterpret_cast<const PanelPack<T>*>(weights) + place.row(0) * weights_step;
  rows += place.across;
#pragma unroll 1
  for (const PanelPack<T>* const end = own + packs; own != end; own += 4, rows += 4 * each * step) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      PanelPack<T> left[kRowsEach];
#pragma unroll
      for (int i = 0; i < kRowsEach; ++i) left[i] = own[kLanesDown * i * weights_step + k];
#pragma unroll
      for (int l = 0; l < each; ++l) {
#pragma unroll
        for (int m = 0; m < Panel<T>::kColumnsEach / each; ++m) {
          const PanelPack<T> right = rows[(k * each + l) * step + kLanesAcross * m];
#pragma unroll
          for (int e = 0; e < each; ++e) {
#pragma unroll
            for (int i = 0; i < kRowsEach; ++i) {
              sums.at[i][m * each + e] += left[i].lane[l] * right.lane[e];
            }
          }
        }
      }
    }
  }
}

/// The panels that a block meets, `panels` for each panel of other rows from `row` on to `end`: one
/// is copied while the one before it is computed with.  copy(row, number of the panel, stage)
/// begins to copy one.
template <class T, class Copy>
class PanelStream {
 public:
  /// Begins with the first, and with what the thread has begun to copy beside it.
  __device__ PanelStream(std::int64_t row, std::int64_t end, int panels, const Copy& copy)
      : copy_(copy), row_(row), end_(panels == 0 ? row : end), panels_(panels) {
    copy_next();
  }

  /// The stage at which the next panel is there for the whole block; that of the last one is
  /// copied to again.  Contains a barrier.
  __device__ int next() {
    wait_for_copies();
    __syncthreads();  // all are behind the last panel, whose place the next copies take
    const int here = stage_;
    stage_ = 1 - stage_;
    copy_next();
    return here;
  }

 private:
  __device__ void copy_next() {
    if (row_ >= end_) return;
    copy_(row_, number_, stage_);
    if (++number_ < panels_) return;
    number_ = 0;
    row_ += Panel<T>::kSide;
  }

  const Copy& copy_;
  std::int64_t row_;
  std::int64_t end_;
  int panels_;
  int number_ = 0;
  int stage_ = 0;
};

/// Which part of the results a block makes: own rows by `Across` panels of columns, batch by batch.
struct PanelTile {
  std::int64_t batch;
  std::int64_t row;
  std::int64_t column;
};

/// At least one tile of columns, for what is written once for a row.
template <class T, int Across>
__host__ __device__ std::int64_t tiles_across(std::int64_t columns) {
  return columns == 0 ? 1 : ceil_div(columns, Across * Panel<T>::kSide);
}

/// Tiles of a result [batches, rows, columns].
template <class T, int Across>
std::int64_t panel_tiles(std::int64_t batches, std::int64_t rows, std::int64_t columns) {
  return batches * ceil_div(rows, kOwnRows) * tiles_across<T, Across>(columns);
}

template <class T, int Across>
__device__ PanelTile panel_tile(std::int64_t number, std::int64_t rows, std::int64_t columns) {
  const std::int64_t across = tiles_across<T, Across>(columns);
  const std::int64_t down = ceil_div(rows, kOwnRows);
  return {number / (across * down), number / across % down * kOwnRows,
          number % across * Across * Panel<T>::kSide};
}

/// How many of a tile's `Across` panels from `column` on there are.
template <class T, int Across>
__device__ int panels_from(std::int64_t column, std::int64_t columns) {
  if (column >= columns) return 0;
  const std::int64_t left = Panel<T>::across(columns - column);
  return static_cast<int>(left < Across ? left : Across);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
