// SPDX-License-Identifier: MIT
/// \file
/// Running sums and products along the last axis.
///
/// Rows are cut into chunks, whose lengths follow from the shape alone.  Where there are several:
/// first the total of each, then the running totals of these, and then each chunk from its own.
#include <algorithm>
#include <cstdlib>

#include "../src/formulas/reducers.h"
#include "backend.h"
#include "block_reduce.cuh"
#include "scan.cuh"
#include "walk.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

struct ScanShape {
  Walk<2> starts;  ///< Starts of rows, in x and y.
  std::int64_t length;
  std::int64_t stride_x;
  std::int64_t stride_y;
  std::int64_t chunk;   ///< A multiple of kWarp.
  std::int64_t chunks;  ///< Chunks of a row.
  /// Whether neighbours among threads take neighbouring rows, and not elements of one.
  bool rows_side_by_side;
};

/// The running join of `value` over the lanes of a warp.
template <class R>
__device__ typename R::Value scan_warp(typename R::Value value) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const auto before = __shfl_up_sync(kWholeWarp, value, static_cast<unsigned>(distance));
    if (lane >= distance) value = R::join(before, value);
  }
  return value;
}

/// Writes the running join of each chunk to y, from `before` [rows, chunks - 1] on, which says what
/// the chunk before comes to; or, where `totals` is given, the total of each chunk but the last
/// there instead.
template <class R, class T, class U>
__global__ void __launch_bounds__(kThreads)
    scan_kernel(const __grid_constant__ ScanShape shape, const T* x, U* y,
                const typename R::Value* before, typename R::Value* totals) {
  using V = typename R::Value;
  const bool by_thread = shape.rows_side_by_side;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t task = by_thread ? first_of_grid() : first_of_grid() / kWarp;
  const std::int64_t rows = shape.starts.count;
  // Side by side rows are neighbours, else chunks.
  const std::int64_t row = by_thread ? task % rows : task / shape.chunks;
  const std::int64_t number = by_thread ? task / rows : task % shape.chunks;
  // The same for all lanes of a warp, where these work together.
  if (row >= rows || number >= shape.chunks) return;
  if (totals != nullptr && number == shape.chunks - 1) return;
  const std::int64_t first = number * shape.chunk;
  const std::int64_t end = first + shape.chunk < shape.length ? first + shape.chunk : shape.length;
  const Offsets<2> at = shape.starts(row);
  const T* const from = x + at.at[0];
  U* const to = y + at.at[1];
  const std::int64_t part = row * (shape.chunks - 1) + number;
  bool has_carry = before != nullptr && number > 0;
  V carry = has_carry ? before[part - 1] : R::start();
  if (by_thread) {
    for (std::int64_t i = first; i < end; ++i) {
      const V next = static_cast<V>(read(from[i * shape.stride_x]));
      carry = has_carry ? R::join(carry, next) : next;
      has_carry = true;
      if (totals == nullptr) to[i * shape.stride_y] = static_cast<U>(carry);
    }
    if (totals != nullptr) totals[part] = carry;
    return;
  }
  constexpr int ahead = 4;  // so many loads are on their way at a time
  for (std::int64_t base = first; base < end; base += ahead * kWarp) {
    V value[ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      const std::int64_t i = base + j * kWarp + lane;
      value[j] = i < end ? static_cast<V>(read(from[i * shape.stride_x])) : R::start();
    }
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      const std::int64_t i = base + j * kWarp + lane;
      V here = scan_warp<R>(value[j]);
      if (has_carry) here = R::join(carry, here);
      if (totals == nullptr && i < end) to[i * shape.stride_y] = static_cast<U>(here);
      carry = __shfl_sync(kWholeWarp, here, kWarp - 1);
      has_carry = true;
    }
  }
  if (totals != nullptr && lane == 0) totals[part] = carry;
}

/// Chunks that keep a large chip busy, and no more.
void cut(ScanShape& shape) {
  constexpr std::int64_t least = 8 * kWarp;
  constexpr std::int64_t warps = 8192;
  const std::int64_t wanted = warps * (shape.rows_side_by_side ? kWarp : 1);
  const std::int64_t per_row = std::max<std::int64_t>(1, wanted / shape.starts.count);
  const std::int64_t chunk = std::max(least, ceil_div(shape.length, per_row));
  shape.chunk = ceil_div(chunk, kWarp) * kWarp;
  shape.chunks = ceil_div(shape.length, shape.chunk);
}

template <class R, class T, class U>
void scan_rows(cudaStream_t stream, Memory& memory, ScanShape shape, const T* x, U* y) {
  using V = typename R::Value;
  const std::int64_t rows = shape.starts.count;
  if (rows == 0 || shape.length == 0) return;
  cut(shape);
  const std::int64_t tasks = rows * shape.chunks * (shape.rows_side_by_side ? 1 : kWarp);
  const LaunchShape grid{.grid = static_cast<unsigned>(ceil_div(tasks, kThreads)),
                         .block = kThreads};
  const auto kernel = scan_kernel<R, T, U>;
  V* const none = nullptr;
  if (shape.chunks == 1) {
    launch("scan", kernel, grid, stream, shape, x, y, none, none);
    return;
  }
  const std::int64_t parts = shape.chunks - 1;
  const std::int64_t bytes = rows * parts * static_cast<std::int64_t>(sizeof(V));
  const Scratch totals(memory, bytes, stream);
  const Scratch before(memory, bytes, stream);
  launch("scan", kernel, grid, stream, shape, x, y, none, totals.as<V>());
  ScanShape of_totals{};
  of_totals.starts = make_walk<2>({rows}, {Strides{parts}, Strides{parts}});
  of_totals.length = parts;
  of_totals.stride_x = of_totals.stride_y = 1;
  scan_rows<R, V, V>(stream, memory, of_totals, totals.as<const V>(), before.as<V>());
  launch("scan", kernel, grid, stream, shape, x, y, before.as<const V>(), none);
}

ScanShape shape_of(const View& x, const View& y) {
  const auto without_last = [](const Dims& dims) {
    Dims result = dims;
    result.erase(result.rank() - 1);
    return result;
  };
  ScanShape shape{};
  shape.starts =
      make_walk<2>(without_last(x.shape), {without_last(x.strides), without_last(y.strides)});
  shape.length = x.shape.back();
  shape.stride_x = x.strides.back();
  shape.stride_y = y.strides.back();
  const int last = shape.starts.rank - 1;
  shape.rows_side_by_side = shape.starts.lengths[last] >= kWarp / 2 &&
                            std::abs(shape.starts.strides[0][last]) < std::abs(shape.stride_x);
  return shape;
}

}  // namespace

void running_sums(cudaStream_t stream, Memory& memory, const std::int64_t* x, std::int64_t* y,
                  std::int64_t n) {
  ScanShape shape{};
  shape.starts = make_walk<2>({}, {Strides{}, Strides{}});
  shape.length = n;
  shape.stride_x = shape.stride_y = 1;
  scan_rows<Sum<std::int64_t>>(stream, memory, shape, x, y);
}

void CudaBackend::scan(Scan kind, const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  const ScanShape shape = shape_of(x, y);
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using U = std::conditional_t<std::is_floating_point_v<Read<T>>, Read<T>, std::int64_t>;
    if (y.dtype != dtype_of<U>()) unexpected("scan", y.dtype);
    if (kind == Scan::sum) {
      scan_rows<Sum<Carried<T>>>(stream, memory_, shape, x.as<const T>(), y.as<U>());
    } else {
      scan_rows<Product<Carried<T>>>(stream, memory_, shape, x.as<const T>(), y.as<U>());
    }
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
