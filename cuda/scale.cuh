// SPDX-License-Identifier: MIT
/// \file
/// Many arrays times one factor, in one launch.
#pragma once

#include "map.cuh"
#include "parts.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class T>
struct ScaledPart {
  const T* x;
  T* y;
  std::int64_t count;
  std::int64_t tiles_before = 0;
};

constexpr int kScaledPacks = 4;  ///< Packs of a thread.
template <class T>
constexpr std::int64_t kScaledTile = std::int64_t{kThreads} * kScaledPacks * kPackWidth<T>;

/// y = factor x for every part, where y may be x.
template <class T>
__global__ void __launch_bounds__(kThreads)
    scale_kernel(T factor, const __grid_constant__ PartTable<ScaledPart<T>> table) {
  using Packed = Pack<T, kPackWidth<T>>;
  int number = 0;
  for (std::int64_t tile = blockIdx.x; tile < table.tiles; tile += gridDim.x) {
    const ScaledPart<T>& part = part_of_tile(table, tile, number);
    const std::int64_t base = (tile - part.tiles_before) * kScaledTile<T>;
    const bool is_on_packs =
        ((reinterpret_cast<std::uintptr_t>(part.x) | reinterpret_cast<std::uintptr_t>(part.y)) %
         sizeof(Packed)) == 0;
    if (is_on_packs && base + kScaledTile<T> <= part.count) {
      const Packed* const from = as_packs<const Packed>(part.x + base) + threadIdx.x;
      Packed* const to = as_packs<Packed>(part.y + base) + threadIdx.x;
      Packed values[kScaledPacks];
#pragma unroll
      for (int i = 0; i < kScaledPacks; ++i) values[i] = from[i * kThreads];
#pragma unroll
      for (int i = 0; i < kScaledPacks; ++i) {
#pragma unroll
        for (T& value : values[i].lane) value *= factor;
        to[i * kThreads] = values[i];
      }
    } else {
      const std::int64_t end =
          base + kScaledTile<T> < part.count ? base + kScaledTile<T> : part.count;
      for (std::int64_t i = base + threadIdx.x; i < end; i += kThreads) {
        part.y[i] = part.x[i] * factor;
      }
    }
  }
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
