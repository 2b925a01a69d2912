// SPDX-License-Identifier: MIT
/// \file
/// A row of numbers in the registers of the threads that share it, by packs of 16 bytes.
#pragma once

#include "map.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The layout of the numbers of rows.
enum class Lie {
  on_packs,    ///< All rows begin on the border of a pack and consist of whole ones.
  one_by_one,  ///< Anywhere.
};

/// A thread's part of a row of n: pack k of `lane` are the neighbours from (k group + lane) kWidth
/// on, in a tile of `group` threads with `Packs` packs each.  A longer row has several tiles.
/// Every thread has the same numbers wherever in memory rows begin, so sums over them are the same
/// too.
template <class T, int Packs, Lie lie>
struct RowPacks {
  static constexpr int kWidth = kPackWidth<T>;
  using Packed = Pack<T, kWidth>;
  using Held = Packed[Packs];

  std::int64_t n;  ///< Numbers of a row.
  int group;
  int lane;

  __device__ int numbers_of_tile() const { return group * Packs * kWidth; }
  /// Whether threads hold the whole row.
  __device__ bool is_held() const { return n <= numbers_of_tile(); }
  /// What is left of the row from this thread's first number of the tile at `first` on.
  __device__ int left(std::int64_t first) const {
    const std::int64_t rest = n - first;
    return (rest < numbers_of_tile() ? static_cast<int>(rest) : numbers_of_tile()) - lane * kWidth;
  }
  /// Whether number i of pack k is one of the row's.
  __device__ bool is_there(int k, int i, int left) const {
    return k * group * kWidth + (lie == Lie::on_packs ? 0 : i) < left;
  }

  /// The place of number i of pack k in a tile.
  __device__ int number(int k, int i) const { return (k * group + lane) * kWidth + i; }

  /// Pack k of the tile of `row` at `first`: 0 where no number is.
  __device__ Packed load_pack(const T* row, std::int64_t first, int k) const {
    const T* const from = row + first + lane * kWidth;
    const int there = left(first);
    Packed pack{};
    if constexpr (lie == Lie::on_packs) {
      if (is_there(k, 0, there)) pack = as_packs<const Packed>(from)[k * group];
    } else {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        if (is_there(k, i, there)) pack.lane[i] = from[k * group * kWidth + i];
      }
    }
    return pack;
  }

  /// to <- the tile of `row` at `first`, likewise.
  __device__ void load(const T* row, std::int64_t first, Held& to) const {
#pragma unroll
    for (int k = 0; k < Packs; ++k) to[k] = load_pack(row, first, k);
  }

  /// Pack k of the tile at `first` of `row` <- pack, as far as there is a row.
  __device__ void store_pack(T* row, std::int64_t first, int k, const Packed& pack) const {
    T* const to = row + first + lane * kWidth;
    const int there = left(first);
    if constexpr (lie == Lie::on_packs) {
      if (is_there(k, 0, there)) as_packs<Packed>(to)[k * group] = pack;
    } else {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        if (is_there(k, i, there)) to[k * group * kWidth + i] = pack.lane[i];
      }
    }
  }
};

/// Calls f(std::integral_constant<Lie, lie>) for contiguous rows of n, one behind the other from
/// each of `data` on (those that are not null).
template <class F, class T, class... More>
void with_lie_of_rows(const F& f, std::int64_t n, const T* data, const More*... more) {
  constexpr int width = kPackWidth<T>;
  if (n % width == 0 && lies_on_packs(data, width) && (lies_on_packs(more, width) && ...)) {
    return f(std::integral_constant<Lie, Lie::on_packs>{});
  }
  f(std::integral_constant<Lie, Lie::one_by_one>{});
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
