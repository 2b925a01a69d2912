// SPDX-License-Identifier: MIT
/// \file
/// Reading elements by their positions, and finding positions.
#include <algorithm>

#include "backend.h"
#include "block_reduce.cuh"
#include "indexing.cuh"
#include "scan.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// y[i] = x[beside(i) + place of indices[i]]
template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_kernel(const __grid_constant__ Walk<3> walk, IndexedAxis axis,
                  const std::int64_t* indices, const T* x, T* y) {
  for (std::int64_t i = first_of_grid(); i < walk.count; i += threads_of_grid()) {
    const Offsets<3> at = walk(i);
    y[at.at[2]] = x[at.at[1] + axis.place(indices[at.at[0]])];
  }
}

/// Bytes that can be moved at a time: more than an element's where the same index holds for
/// neighbours that are contiguous in x and y.
std::int64_t widest(const View& x, int axis, const View& indices, const View& y) {
  const std::int64_t size = size_of(x.dtype);
  const int last = y.rank() - 1;
  if (axis == last || indices.strides[last] != 0 || x.strides[last] != 1 || y.strides[last] != 1) {
    return size;
  }
  std::int64_t width = 16;
  const auto fits = [&](std::int64_t bytes) {
    while (width > size && bytes % width != 0) width /= 2;
  };
  fits(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data) % 16));
  fits(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(y.data) % 16));
  fits(y.shape[last] * size);
  for (int i = 0; i < last; ++i) {
    fits(x.strides[i] * size);
    fits(y.strides[i] * size);
  }
  return width;
}

/// The view in elements of `width` bytes; its last axis is contiguous if these are wider.
View widened(const View& x, std::int64_t width) {
  View wide = x;
  const std::int64_t factor = width / size_of(x.dtype);
  if (factor == 1) return wide;
  wide.shape.back() /= factor;
  for (int i = 0; i + 1 < x.rank(); ++i) wide.strides[i] /= factor;
  return wide;
}

constexpr int kPerThread = 8;
constexpr std::int64_t kMaskTile = kThreads * kPerThread;

/// How many elements of each tile are true.
__global__ void __launch_bounds__(kThreads)
    count_tiles_kernel(const bool* mask, std::int64_t count, std::int64_t* counts) {
  std::int64_t found = 0;
  for (int j = 0; j < kPerThread; ++j) {
    const std::int64_t i = blockIdx.x * kMaskTile + j * kThreads + threadIdx.x;
    if (i < count && mask[i]) ++found;
  }
  found = block_reduce<kThreads>(found, Plus{});
  if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

struct Lengths {
  int rank;
  std::int64_t of_axis[kMaxRank];
};

/// Rows of y: the positions of what is true in each tile, from row `ends` of the tile before on.
__global__ void __launch_bounds__(kThreads)
    positions_kernel(const __grid_constant__ Lengths lengths, const bool* mask, std::int64_t count,
                     const std::int64_t* ends, std::int64_t* y) {
  GAIA_SHARED(int, of_warps, [kThreads / kWarp]);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  unsigned truths = 0;  // a bit for each of the thread's elements
  for (int j = 0; j < kPerThread; ++j) {
    const std::int64_t i = blockIdx.x * kMaskTile + j * kThreads + threadIdx.x;
    if (i < count && mask[i]) truths |= 1u << j;
  }
  std::int64_t base = blockIdx.x == 0 ? 0 : ends[blockIdx.x - 1];
#pragma unroll 1
  for (int j = 0; j < kPerThread; ++j) {
    const std::int64_t i = blockIdx.x * kMaskTile + j * kThreads + threadIdx.x;
    const bool is_true = (truths >> j & 1u) != 0;
    const unsigned votes = __ballot_sync(kWholeWarp, is_true ? 1 : 0);
    if (lane == 0) of_warps[warp] = __popc(votes);
    __syncthreads();
    std::int64_t row = base + __popc(votes & ((1u << lane) - 1u));
    for (int w = 0; w < kThreads / kWarp; ++w) {
      if (w < warp) row += of_warps[w];
      base += of_warps[w];
    }
    if (is_true) {
      std::int64_t rest = i;
      for (int axis = lengths.rank - 1; axis > 0; --axis) {
        const std::int64_t above = rest / lengths.of_axis[axis];
        y[row * lengths.rank + axis] = rest - above * lengths.of_axis[axis];
        rest = above;
      }
      y[row * lengths.rank] = rest;
    }
    __syncthreads();
  }
}

}  // namespace

void CudaBackend::gather(const View& x, int axis, const View& indices, const View& y) {
  const Call stream = begin({&x, &indices, &y});
  const std::int64_t width = widest(x, axis, indices, y);
  const View from = widened(x, width);
  const View to = widened(y, width);
  Strides beside = from.strides;
  beside[axis] = 0;
  const Walk<3> walk = make_walk<3>(to.shape, {indices.strides, beside, to.strides});
  if (walk.count == 0) return;
  dispatch_width(width, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch("gather", gather_kernel<T>,
           {.grid = blocks_for(walk.count, kThreads), .block = kThreads}, stream, walk,
           IndexedAxis{from.shape[axis], from.strides[axis]}, indices.as<const std::int64_t>(),
           from.as<const T>(), to.as<T>());
  });
}

void CudaBackend::positions(const View& mask, const View& y) {
  const Call stream = begin({&mask, &y});
  const std::int64_t count = mask.count();
  if (count == 0) return;
  const std::int64_t tiles = ceil_div(count, kMaskTile);
  const std::int64_t bytes = tiles * static_cast<std::int64_t>(sizeof(std::int64_t));
  const Scratch counts(memory_, bytes, stream);
  const Scratch ends(memory_, bytes, stream);
  const LaunchShape grid{.grid = static_cast<unsigned>(tiles), .block = kThreads};
  launch("positions", count_tiles_kernel, grid, stream, mask.as<const bool>(), count,
         counts.as<std::int64_t>());
  running_sums(stream, memory_, counts.as<const std::int64_t>(), ends.as<std::int64_t>(), tiles);
  Lengths lengths{mask.rank(), {}};
  std::copy(mask.shape.begin(), mask.shape.end(), lengths.of_axis);
  launch("positions", positions_kernel, grid, stream, lengths, mask.as<const bool>(), count,
         ends.as<const std::int64_t>(), y.as<std::int64_t>());
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
