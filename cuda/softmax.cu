// SPDX-License-Identifier: MIT
/// \file
/// Softmax along the last axis, and its logarithm.
#include <cmath>
#include <limits>

#include "../src/formulas/reducers.h"
#include "backend.h"
#include "block_reduce.cuh"
#include "walk.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

template <class R>
struct JoinOf {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return R::join(a, b);
  }
};

/// For every thread of a row: the values of all of them joined.
template <int ThreadsPerRow, class R>
__device__ typename R::Value join_row(typename R::Value value) {
  if constexpr (ThreadsPerRow == kWarp) return warp_reduce(value, JoinOf<R>{});
  return block_reduce<kThreads>(value, JoinOf<R>{});
}

/// A row with its threads: rows that are none are computed as the last one is, and not written.
struct Rows {
  Walk<1> starts;  ///< In x.
  std::int64_t length;
  std::int64_t stride;  ///< In x; y is contiguous.
};

/// y = exp(x - max) / sum exp(x - max), the sum in double: in float32, many equal numbers would all
/// be rounded to the same side.
template <int ThreadsPerRow, class T>
__global__ void __launch_bounds__(kThreads)
    softmax_kernel(const __grid_constant__ Rows rows, const T* x, T* y) {
  constexpr int per_block = kThreads / ThreadsPerRow;
  const int thread = static_cast<int>(threadIdx.x) % ThreadsPerRow;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * per_block + static_cast<int>(threadIdx.x) / ThreadsPerRow;
  const bool is_row = row < rows.starts.count;
  const T* const from = x + rows.starts(is_row ? row : rows.starts.count - 1).at[0];
  T* const to = y + row * rows.length;
  T largest = Largest<T>::start();
  for (std::int64_t i = thread; i < rows.length; i += ThreadsPerRow) {
    largest = Largest<T>::join(largest, from[i * rows.stride]);
  }
  largest = join_row<ThreadsPerRow, Largest<T>>(largest);
  double total = 0.0;
  for (std::int64_t i = thread; i < rows.length; i += ThreadsPerRow) {
    const T power = std::exp(from[i * rows.stride] - largest);
    if (is_row) to[i] = power;
    total += static_cast<double>(power);
  }
  total = join_row<ThreadsPerRow, Sum<double>>(total);
  if (!is_row) return;
  const T sum = static_cast<T>(total);
  for (std::int64_t i = thread; i < rows.length; i += ThreadsPerRow) to[i] /= sum;
}

/// y = x - max - log(sum exp(x - max)); the largest term of the sum is 1, and the others are
/// carried apart from it, so that results near 0 keep their digits.
template <int ThreadsPerRow, class T>
__global__ void __launch_bounds__(kThreads)
    log_softmax_kernel(const __grid_constant__ Rows rows, const T* x, T* y) {
  constexpr int per_block = kThreads / ThreadsPerRow;
  const int thread = static_cast<int>(threadIdx.x) % ThreadsPerRow;
  const std::int64_t row =
      std::int64_t{blockIdx.x} * per_block + static_cast<int>(threadIdx.x) / ThreadsPerRow;
  const bool is_row = row < rows.starts.count;
  const T* const from = x + rows.starts(is_row ? row : rows.starts.count - 1).at[0];
  T own = Largest<T>::start();
  std::int64_t at = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t i = thread; i < rows.length; i += ThreadsPerRow) {
    const T value = from[i * rows.stride];
    if (value > own || at > i) at = i;
    own = Largest<T>::join(own, value);
  }
  const T largest = join_row<ThreadsPerRow, Largest<T>>(own);
  if (own != largest) at = std::numeric_limits<std::int64_t>::max();
  at = join_row<ThreadsPerRow, Smallest<std::int64_t>>(at);
  double others = 0.0;
  for (std::int64_t i = thread; i < rows.length; i += ThreadsPerRow) {
    const T power = std::exp(from[i * rows.stride] - largest);
    if (i != at) others += static_cast<double>(power);
  }
  others = join_row<ThreadsPerRow, Sum<double>>(others);
  if (!is_row) return;
  // NaN where the largest is: of NaN, of infinity, and of -infinity throughout.
  const double total = std::log1p(others) + static_cast<double>(largest - largest);
  T* const to = y + row * rows.length;
  for (std::int64_t i = thread; i < rows.length; i += ThreadsPerRow) {
    const T value = from[i * rows.stride] - largest;
    to[i] = static_cast<T>(static_cast<double>(value) - total);
  }
}

Rows rows_of(const View& x) {
  Shape outer = x.shape;
  Strides strides = x.strides;
  outer.erase(outer.rank() - 1);
  strides.erase(strides.rank() - 1);
  return {make_walk<1>(outer, {strides}), x.shape.back(), x.strides.back()};
}

/// A warp for each row, or a block where rows are long or few.
template <class Kernel, class T>
void launch_rows(const char* name, cudaStream_t stream, const Kernel& of_warp,
                 const Kernel& of_block, const Rows& rows, const T* x, T* y) {
  const std::int64_t count = rows.starts.count;
  if (count == 0) return;
  const bool by_warp = rows.length <= 256 || (rows.length <= 1024 && count >= 8192);
  const std::int64_t blocks = by_warp ? ceil_div(count, kThreads / kWarp) : count;
  launch(name, by_warp ? of_warp : of_block,
         {.grid = static_cast<unsigned>(blocks), .block = kThreads}, stream, rows, x, y);
}

}  // namespace

void CudaBackend::softmax(const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch_rows("softmax", stream, softmax_kernel<kWarp, T>, softmax_kernel<kThreads, T>,
                rows_of(x), x.as<const T>(), y.as<T>());
  });
}

void CudaBackend::log_softmax(const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch_rows("log_softmax", stream, log_softmax_kernel<kWarp, T>,
                log_softmax_kernel<kThreads, T>, rows_of(x), x.as<const T>(), y.as<T>());
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
