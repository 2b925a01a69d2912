// SPDX-License-Identifier: MIT
/// \file
/// A function of the elements of views of one shape.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "../src/formulas/view.h"
#include "walk.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Neighbours in memory that are read and written at once.
template <class T, int N>
struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) Pack {
  T lane[N];
};

/// Packs that begin at x, which must lie on their border; the emulator says so where it does not.
template <class P, class T>
__device__ P* as_packs(T* x) {
#ifndef __CUDACC__
  if (reinterpret_cast<std::uintptr_t>(x) % alignof(P) != 0) {
    emulator::fail("a pack is misaligned", emulator::CodePlace::here());
  }
#endif
  return reinterpret_cast<P*>(x);
}

/// Elements that a thread computes at a time: 16 bytes of the largest type, of bool 8, for each
/// takes a register.
template <class... T>
constexpr int kPackWidth =
    static_cast<int>(std::min<std::size_t>(16 / std::max({sizeof(T)...}), 8));

/// Rows of packs, which views of one shape may be walked by: along a row a view has neighbours, or
/// one element all over again.  Contiguous views are a single row, whose last pack may be ragged.
template <int N>
struct PackedRows {
  std::uint32_t rows;
  std::uint32_t per_row;    ///< Packs of a row,
  std::uint32_t whole;      ///< the whole ones among them,
  int ragged;               ///< and the elements of the one that is not.
  std::int64_t strides[N];  ///< From row to row, in elements.
  bool repeats[N];          ///< Which views have one element for a row.
  std::uint32_t rows_on;    ///< How far a thread goes at a time,
  std::uint32_t packs_on;   ///< and how far within a row.

  /// Lets so many threads take packs in turn.
  void share_among(std::uint32_t threads) {
    rows_on = threads / per_row;
    packs_on = threads % per_row;
  }
};

/// A pack, by its row and its number there.
struct PackPlace {
  std::uint32_t row;
  std::uint32_t pack;
};

/// One view's pack.  What is missing of a ragged one repeats its first element.
template <int View, int Width, int N, class T>
__device__ Pack<T, Width> load_pack(const PackedRows<N>& rows, PackPlace at, const T* x) {
  const T* const row = x + at.row * rows.strides[View];
  Pack<T, Width> values;
  if (rows.repeats[View]) {
    const T all = *row;
#pragma unroll
    for (T& value : values.lane) value = all;
  } else if (at.pack < rows.whole) {
    values = as_packs<const Pack<T, Width>>(row)[at.pack];
  } else {
    const T* const last = row + std::int64_t{at.pack} * Width;
#pragma unroll
    for (int i = 0; i < Width; ++i) values.lane[i] = last[i < rows.ragged ? i : 0];
  }
  return values;
}

template <int Width, int N, class T>
__device__ void store_pack(const PackedRows<N>& rows, PackPlace at, const Pack<T, Width>& values,
                           T* y) {
  T* const row = y + at.row * rows.strides[0];
  if (at.pack < rows.whole) {
    as_packs<Pack<T, Width>>(row)[at.pack] = values;
    return;
  }
  T* const last = row + std::int64_t{at.pack} * Width;
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    if (i < rows.ragged) last[i] = values.lane[i];
  }
}

/// Packs of views of several types.
template <std::size_t View, class T, int Width>
struct PackOfView {
  Pack<T, Width> pack;
};
template <int Width, class Views, class... X>
struct PacksOfViews;
template <int Width, std::size_t... I, class... X>
struct PacksOfViews<Width, std::index_sequence<I...>, X...> : PackOfView<I, X, Width>... {};

/// y = f(x...) by packs: while one is computed, the thread's next one is on its way.  The first
/// view of `rows` is y.
template <class Y, class... X, class F, std::size_t... I>
__device__ void map_packs(const F& f, const PackedRows<1 + static_cast<int>(sizeof...(X))>& rows,
                          std::index_sequence<I...> views, Y* y, const X*... x) {
  constexpr int width = kPackWidth<Y, X...>;
  using Packs = PacksOfViews<width, decltype(views), X...>;
  const auto load = [&]([[maybe_unused]] PackPlace at) {  // where there are no operands
    return Packs{
        PackOfView<I, X, width>{load_pack<static_cast<int>(I) + 1, width>(rows, at, x)}...};
  };
  const auto first = static_cast<std::uint32_t>(first_of_grid());
  PackPlace at{first / rows.per_row, first % rows.per_row};
  if (at.row >= rows.rows) return;
  Packs from = load(at);
  while (true) {
    PackPlace next{at.row + rows.rows_on, at.pack + rows.packs_on};
    if (next.pack >= rows.per_row) {
      next.pack -= rows.per_row;
      ++next.row;
    }
    const bool goes_on = next.row < rows.rows;
    Packs following{};
    if (goes_on) following = load(next);
    Pack<Y, width> to;
#pragma unroll
    for (int i = 0; i < width; ++i) {
      to.lane[i] = f(static_cast<const PackOfView<I, X, width>&>(from).pack.lane[i]...);
    }
    store_pack(rows, at, to, y);
    if (!goes_on) return;
    from = following;
    at = next;
  }
}

template <class F, class Y, class... X>
__global__ void __launch_bounds__(kThreads)
    map_packs_kernel(F f,
                     const __grid_constant__ PackedRows<1 + static_cast<int>(sizeof...(X))> rows,
                     Y* y, const X*... x) {
  map_packs<Y, X...>(f, rows, std::index_sequence_for<X...>{}, y, x...);
}

/// y = f(x...) for any strides, element by element.  The walk's first view is y.
template <class Y, class... X, class F, std::size_t... I>
__device__ void map_elements(const F& f, const Walk<1 + static_cast<int>(sizeof...(X))>& walk,
                             std::index_sequence<I...>, Y* y, const X*... x) {
  for (std::int64_t i = first_of_grid(); i < walk.count; i += threads_of_grid()) {
    const auto offsets = walk(i);
    y[offsets.at[0]] = f(x[offsets.at[I + 1]]...);
  }
}

template <class F, class Y, class... X>
__global__ void __launch_bounds__(kThreads)
    map_kernel(F f, const __grid_constant__ Walk<1 + static_cast<int>(sizeof...(X))> walk, Y* y,
               const X*... x) {
  map_elements<Y, X...>(f, walk, std::index_sequence_for<X...>{}, y, x...);
}

template <class T>
bool lies_on_packs(const T* data, int width) {
  return reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * static_cast<std::size_t>(width)) ==
         0;
}

/// The walk as rows of packs of `width`, if it is one; `on_packs` says which views begin on the
/// border of a pack.
template <std::size_t N>
std::optional<PackedRows<static_cast<int>(N)>> packed_rows(const Walk<static_cast<int>(N)>& walk,
                                                           const std::array<bool, N>& on_packs,
                                                           int width) {
  if (walk.rank > 2) return {};
  const int along = walk.rank - 1;
  PackedRows<static_cast<int>(N)> rows{};
  const std::int64_t count = walk.rank == 2 ? walk.lengths[0] : 1;
  const std::int64_t length = walk.lengths[along];
  const std::int64_t per_row = ceil_div(length, width);
  if (count * per_row > std::numeric_limits<std::int32_t>::max()) return {};
  rows.rows = static_cast<std::uint32_t>(count);
  rows.per_row = static_cast<std::uint32_t>(per_row);
  rows.whole = static_cast<std::uint32_t>(length / width);
  rows.ragged = static_cast<int>(length % width);
  if (rows.rows > 1 && rows.ragged != 0) return {};
  for (std::size_t i = 0; i < N; ++i) {
    rows.strides[i] = walk.rank == 2 ? walk.strides[i][0] : 0;
    rows.repeats[i] = i > 0 && walk.strides[i][along] == 0;
    if (rows.repeats[i]) continue;
    if (walk.strides[i][along] != 1 || !on_packs[i] || rows.strides[i] % width != 0) return {};
  }
  return rows;
}

/// y = f(x...), element by element; `f` is a functor that compiles for the device.
template <class Y, class... X, class F, class... Views>
void map(const char* name, cudaStream_t stream, const F& f, const View& y, const Views&... x) {
  static_assert(sizeof...(X) == sizeof...(Views));
  constexpr std::size_t views = 1 + sizeof...(X);
  constexpr int width = kPackWidth<Y, X...>;
  const auto walk = make_walk<views>(y.shape, {y.strides, x.strides...});
  if (walk.count == 0) return;
  const std::array<bool, views> on_packs = {lies_on_packs(y.template as<Y>(), width),
                                            lies_on_packs(x.template as<X>(), width)...};
  auto rows = packed_rows<views>(walk, on_packs, width);
  if (!rows) {
    launch(name, map_kernel<F, Y, X...>,
           {.grid = blocks_for(walk.count, kThreads), .block = kThreads}, stream, f, walk,
           y.template as<Y>(), x.template as<X>()...);
    return;
  }
  const unsigned blocks = blocks_for(std::int64_t{rows->rows} * rows->per_row, kThreads);
  rows->share_among(blocks * kThreads);
  launch(name, map_packs_kernel<F, Y, X...>, {.grid = blocks, .block = kThreads}, stream, f, *rows,
         y.template as<Y>(), x.template as<X>()...);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
