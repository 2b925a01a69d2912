// SPDX-License-Identifier: MIT
/// \file
/// Whether and where elements are what they should not be, and how many are true.
#include <algorithm>
#include <cmath>

#include "backend.h"
#include "reduce.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

template <class T>
struct NotFinite {
  const T* x;
  Walk<1> walk;
  __device__ bool operator()(std::int64_t i) const { return !std::isfinite(x[walk(i).at[0]]); }
};

struct Outside {
  const std::int64_t* x;
  std::int64_t low;
  std::int64_t high;
  __device__ bool operator()(std::int64_t i) const { return x[i] < low || x[i] >= high; }
};

/// For each block: the first of its elements for which `f` holds, or kNone.
template <class F>
__global__ void __launch_bounds__(kThreads)
    first_kernel(const __grid_constant__ F f, std::int64_t count, std::int64_t* first) {
  std::int64_t found = kNone;
  for (std::int64_t i = first_of_grid(); i < count && found == kNone; i += threads_of_grid()) {
    if (f(i)) found = i;
  }
  found = block_reduce<kThreads>(
      found, [](std::int64_t a, std::int64_t b) { return Smallest<std::int64_t>::join(a, b); });
  if (threadIdx.x == 0) first[blockIdx.x] = found;
}

std::int64_t fetch(const char* name, const std::int64_t* data, cudaStream_t stream) {
  std::int64_t number = 0;
  check(cudaMemcpyAsync(&number, data, sizeof number, cudaMemcpyDeviceToHost, stream), name);
  check(cudaStreamSynchronize(stream), name);
  return number;
}

/// R's join of all of contiguous `x`.
template <class R, class T>
std::int64_t join_all(const char* name, cudaStream_t stream, Memory& memory, const T* x,
                      std::int64_t count) {
  const Scratch result(memory, sizeof(std::int64_t), stream);
  ReducedAxes axes;
  axes.reduced = {count};
  axes.reduced_x = {1};
  reduce_axes<R>(name, stream, memory, axes, Elements{}, x,
                 {.data = result.as<void>(), .dtype = DType::int64});
  return fetch(name, result.as<std::int64_t>(), stream);
}

template <class F>
std::int64_t find_first(const char* name, cudaStream_t stream, Memory& memory, const F& f,
                        std::int64_t count) {
  if (count == 0) return -1;
  const auto blocks = std::min<std::int64_t>(ceil_div(count, kThreads), kFullGrid);
  const Scratch first(memory, blocks * static_cast<std::int64_t>(sizeof(std::int64_t)), stream);
  launch(name, first_kernel<F>, {.grid = static_cast<unsigned>(blocks), .block = kThreads}, stream,
         f, count, first.as<std::int64_t>());
  const std::int64_t found = join_all<Smallest<std::int64_t>>(
      name, stream, memory, first.as<const std::int64_t>(), blocks);
  return found == kNone ? -1 : found;
}

}  // namespace

std::int64_t CudaBackend::first_not_finite(const View& x) {
  const Call stream = begin({&x});
  const Walk<1> walk = make_walk<1>(x.shape, {x.strides});
  return dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return find_first("first_not_finite", stream, memory_, NotFinite<T>{x.as<const T>(), walk},
                      walk.count);
  });
}

std::int64_t CudaBackend::first_outside(const View& x, std::int64_t low, std::int64_t high) {
  const Call stream = begin({&x});
  return find_first("first_outside", stream, memory_,
                    Outside{x.as<const std::int64_t>(), low, high}, x.count());
}

std::int64_t CudaBackend::count_true(const View& mask) {
  const Call stream = begin({&mask});
  return join_all<Sum<std::int64_t>>("count_true", stream, memory_, mask.as<const bool>(),
                                     mask.count());
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
