// SPDX-License-Identifier: MIT
/// \file
/// What layers that run sample by sample share: where samples and outputs lie, and what a warp
/// does with a row of numbers.
#pragma once

#include "../src/formulas/activation.h"
#include "../src/formulas/view.h"
#include "block_reduce.cuh"
#include "divide.cuh"
#include "grid.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// [streams, ticks, n], last axis contiguous.
template <class T>
struct Ticks {
  T* data;
  std::int64_t streams;
  std::int64_t ticks;
  std::int64_t n;
  std::int64_t stream_stride;
  std::int64_t tick_stride;

  template <class AnyView>  // View, which kernels that are compiled when they run know nothing of
  explicit Ticks(const AnyView& x)
      : data(x.template as<T>()),
        streams(x.shape[0]),
        ticks(x.shape[1]),
        n(x.shape[2]),
        stream_stride(x.strides[0]),
        tick_stride(x.strides[1]) {}

  __device__ std::int64_t offset(std::int64_t stream, std::int64_t tick) const {
    return stream * stream_stride + tick * tick_stride;
  }
  __device__ T* row(std::int64_t stream, std::int64_t tick) const {
    return data + offset(stream, tick);
  }
};

/// f(x); one that needs the whole row gives x.
template <class T>
__device__ T activate(Activation f, T x) {
  return dispatch_activation(f, [x](auto functor) { return functor.value(x); });
}

struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};

/// For every lane: a . b, by one warp.
template <class T>
__device__ T warp_dot(int lane, const T* a, const T* b, std::int64_t n) {
  T even = 0;
  T odd = 0;
  std::int64_t j = lane;
  for (; j + kWarp < n; j += 2 * kWarp) {
    even += a[j] * b[j];
    odd += a[j + kWarp] * b[j + kWarp];
  }
  if (j < n) even += a[j] * b[j];
  return warp_reduce(even + odd, Plus{});
}

/// x <- exp(x - max) / sum, by one warp, n >= 1.  Each lane reads and writes numbers of its own.
template <class T>
__device__ void warp_softmax(int lane, T* x, std::int64_t n) {
  using std::exp;
  T largest = x[lane < n ? lane : 0];
  for (std::int64_t j = lane; j < n; j += kWarp) largest = Larger{}(largest, x[j]);
  __syncwarp();  // x[0] has been read by others
  largest = warp_reduce(largest, Larger{});
  T total = 0;
  for (std::int64_t j = lane; j < n; j += kWarp) {
    x[j] = exp(x[j] - largest);
    total += x[j];
  }
  total = warp_reduce(total, Plus{});
  for (std::int64_t j = lane; j < n; j += kWarp) x[j] /= total;
}

/// x <- max(x - mean, 0), alike.
template <class T>
__device__ void warp_coates(int lane, T* x, std::int64_t n) {
  double total = 0.0;  // as on the CPU
  for (std::int64_t j = lane; j < n; j += kWarp) total += static_cast<double>(x[j]);
  const T mean = static_cast<T>(warp_reduce(total, Plus{}) / static_cast<double>(n));
  for (std::int64_t j = lane; j < n; j += kWarp) x[j] = Relu{}.value(x[j] - mean);
}

/// x <- f(x) of a whole row, by one warp.
template <class T>
__device__ void warp_activate_row(int lane, Activation f, T* x, std::int64_t n) {
  f == Activation::softmax ? warp_softmax(lane, x, n) : warp_coates(lane, x, n);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
