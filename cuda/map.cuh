// SPDX-License-Identifier: MIT
/// \file
/// A function of the elements of views of one shape.
#pragma once

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

/// Elements that a thread computes at a time: 16 bytes of the largest type.
template <class... T>
constexpr int kPackWidth = static_cast<int>(16 / std::max({sizeof(T)...}));

/// Where a thread's elements lie.
enum class Lie {
  on_packs,    ///< All views are contiguous and begin on the border of a pack.
  one_by_one,  ///< Any strides.
};

/// One view's part of a thread's elements: `width` from `first` on as a pack, or those at
/// `offsets`.
template <int View, int N, class T, int Width>
__device__ Pack<T, Width> load(Lie lie, std::int64_t pack, const Offsets<N> (&at)[Width],
                               const T* x) {
  if (lie == Lie::on_packs) return as_packs<const Pack<T, Width>>(x)[pack];
  Pack<T, Width> values;
#pragma unroll
  for (int i = 0; i < Width; ++i) values.lane[i] = x[at[i].at[View]];
  return values;
}

/// y = f(x...).  The formula is compiled once for all ways in which elements may lie, since some
/// are long.  The walk's first view is y.
template <class Y, class... X, class F, std::size_t... I>
__device__ void map_elements(const F& f, const Walk<1 + static_cast<int>(sizeof...(X))>& walk,
                             Lie lie, std::index_sequence<I...>, Y* y, const X*... x) {
  constexpr int width = kPackWidth<Y, X...>;
  constexpr int views = 1 + static_cast<int>(sizeof...(X));
  // Threads take packs in turn, or else single elements in turn, so that neighbours stay
  // neighbours.
  const std::int64_t apart = lie == Lie::on_packs ? 1 : blockDim.x;
  const std::int64_t tile = std::int64_t{blockDim.x} * width;
  for (std::int64_t base = blockIdx.x * tile; base < walk.count; base += gridDim.x * tile) {
    const std::int64_t first = base + std::int64_t{threadIdx.x} * (apart == 1 ? width : 1);
    if (first >= walk.count) break;
    const std::int64_t left = (walk.count - first + apart - 1) / apart;
    const Lie here = left < width ? Lie::one_by_one : lie;
    Offsets<views> at[width] = {};
    if (here == Lie::one_by_one) {
#pragma unroll
      for (int i = 0; i < width; ++i) at[i] = walk(first + (i < left ? i * apart : 0));
    }
    const auto apply = [&](const Pack<X, width>&... from) {
      Pack<Y, width> to;
#pragma unroll
      for (int i = 0; i < width; ++i) to.lane[i] = f(from.lane[i]...);
      return to;
    };
    const Pack<Y, width> to =
        apply(load<static_cast<int>(I) + 1, views, X, width>(here, first / width, at, x)...);
    if (here == Lie::on_packs) {
      as_packs<Pack<Y, width>>(y)[first / width] = to;
    } else {
#pragma unroll
      for (int i = 0; i < width; ++i) {
        if (i < left) y[at[i].at[0]] = to.lane[i];
      }
    }
  }
}

template <class F, class Y, class... X>
__global__ void map_kernel(F f,
                           const __grid_constant__ Walk<1 + static_cast<int>(sizeof...(X))> walk,
                           Lie lie, Y* y, const X*... x) {
  map_elements<Y, X...>(f, walk, lie, std::index_sequence_for<X...>{}, y, x...);
}

template <class T>
bool lies_on_packs(const T* data, int width) {
  return reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * static_cast<std::size_t>(width)) ==
         0;
}

/// y = f(x...), element by element; `f` is a functor that compiles for the device.
template <class Y, class... X, class F, class... Views>
void map(const char* name, cudaStream_t stream, const F& f, const View& y, const Views&... x) {
  static_assert(sizeof...(X) == sizeof...(Views));
  constexpr int width = kPackWidth<Y, X...>;
  const auto walk = make_walk<1 + sizeof...(X)>(y.shape, {y.strides, x.strides...});
  if (walk.count == 0) return;
  const bool packed = walk.is_contiguous() && lies_on_packs(y.template as<Y>(), width) &&
                      (lies_on_packs(x.template as<X>(), width) && ...);
  launch(name, map_kernel<F, Y, X...>,
         {.grid = blocks_for(walk.count, kThreads * width), .block = kThreads}, stream, f, walk,
         packed ? Lie::on_packs : Lie::one_by_one, y.template as<Y>(), x.template as<X>()...);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
