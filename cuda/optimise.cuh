// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent, for many parameters in one launch.
#pragma once

#include "map.cuh"
#include "parts.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// A parameter of a launch.  Views that a rule does not have are null.
template <class T>
struct OptimisedPart {
  T* parameter;
  const T* gradient;
  T* first;
  T* second;
  std::int64_t count;
  std::int64_t tiles_before = 0;
};

/// Elements of a thread, which are one pack, or lie `apart` from each other.
template <class T>
constexpr int kOptimisedEach = kPackWidth<T>;
template <class T>
constexpr int kOptimisedTile = kThreads * kOptimisedEach<T>;

template <class T>
__device__ Pack<T, kOptimisedEach<T>> load_memory(bool packed, const T* from, int view,
                                                  const Offsets<4> (&at)[kOptimisedEach<T>]) {
  Pack<T, kOptimisedEach<T>> values{};
  if (from == nullptr) return values;
  if (packed) return *as_packs<const Pack<T, kOptimisedEach<T>>>(from + at[0].at[view]);
#pragma unroll
  for (int i = 0; i < kOptimisedEach<T>; ++i) values.lane[i] = from[at[i].at[view]];
  return values;
}

template <class T>
__device__ void store_memory(bool packed, const Pack<T, kOptimisedEach<T>>& values, T* to, int view,
                             const Offsets<4> (&at)[kOptimisedEach<T>], std::int64_t count) {
  if (to == nullptr) return;
  if (packed) {
    *as_packs<Pack<T, kOptimisedEach<T>>>(to + at[0].at[view]) = values;
    return;
  }
#pragma unroll
  for (int i = 0; i < kOptimisedEach<T>; ++i) {
    if (i < count) to[at[i].at[view]] = values.lane[i];
  }
}

/// step(w, g, a, b) for every element of every part.  With a walk (count > 0) there is one part,
/// whose elements lie as the walk says; otherwise all are contiguous.
template <class T, class Step>
__global__ void optimise_kernel(Step step,
                                const __grid_constant__ PartTable<OptimisedPart<T>> table,
                                const __grid_constant__ Walk<4> walk) {
  constexpr int each = kOptimisedEach<T>;
  int number = 0;
  for (std::int64_t tile = blockIdx.x; tile < table.tiles; tile += gridDim.x) {
    const OptimisedPart<T>& part = part_of_tile(table, tile, number);
    const std::int64_t base = (tile - part.tiles_before) * kOptimisedTile<T>;
    const bool is_on_packs = ((reinterpret_cast<std::uintptr_t>(part.parameter) |
                               reinterpret_cast<std::uintptr_t>(part.gradient) |
                               reinterpret_cast<std::uintptr_t>(part.first) |
                               reinterpret_cast<std::uintptr_t>(part.second)) %
                              sizeof(Pack<T, each>)) == 0;
    const bool packed = walk.count == 0 && is_on_packs && base + kOptimisedTile<T> <= part.count;
    // Threads take packs in turn, or else single elements, so that neighbours stay neighbours.
    const int apart = packed ? 1 : kThreads;
    const std::int64_t first = base + std::int64_t{threadIdx.x} * (packed ? each : 1);
    if (first >= part.count) continue;
    const std::int64_t left = (part.count - first + apart - 1) / apart;
    Offsets<4> at[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const std::int64_t index = first + (i < left ? i * apart : 0);
      at[i] = walk.count > 0 ? walk(index) : Offsets<4>{{index, index, index, index}};
    }
    auto w = load_memory<T>(packed, part.parameter, 0, at);
    const auto g = load_memory<T>(packed, part.gradient, 1, at);
    auto a = load_memory<T>(packed, part.first, 2, at);
    auto b = load_memory<T>(packed, part.second, 3, at);
#pragma unroll
    for (int i = 0; i < each; ++i) step(w.lane[i], g.lane[i], a.lane[i], b.lane[i]);
    store_memory<T>(packed, w, part.parameter, 0, at, left);
    store_memory<T>(packed, a, part.first, 2, at, left);
    store_memory<T>(packed, b, part.second, 3, at, left);
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
