// SPDX-License-Identifier: MIT
/// \file
/// Writing elements by their positions, repeated ones in ascending order of what is written.
///
/// Where lanes beside the indexed axis are many, a thread walks each in order.  Where they are few,
/// the indices are sorted first, and a thread walks those of each lane that are equal.
#include <type_traits>

#include "../src/formulas/reducers.h"
#include "backend.h"
#include "indexing.cuh"
#include "sort.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

struct Assign {
  static constexpr bool kLastOnly = true;
  template <class T>
  __device__ T operator()(T, T from) const {
    return from;
  }
};

struct Accumulate {
  static constexpr bool kLastOnly = false;
  template <class T>
  __device__ T operator()(T to, T from) const {
    return sum_of_two(to, from);
  }
};

/// A lane's indices and values along the axis.
struct ScatterLanes {
  Walk<3> starts;  ///< Starts in indices, values and y.
  IndexedAxis axis;
  std::int64_t count;
  std::int64_t index_stride;
  std::int64_t value_stride;
};

template <class T, class Write>
__global__ void __launch_bounds__(kThreads)
    scatter_lanes_kernel(const __grid_constant__ ScatterLanes lanes, Write write,
                         const std::int64_t* indices, const T* values, T* y) {
  for (std::int64_t lane = first_of_grid(); lane < lanes.starts.count; lane += threads_of_grid()) {
    const Offsets<3> at = lanes.starts(lane);
    const std::int64_t* index = indices + at.at[0];
    const T* value = values + at.at[1];
    T* const to = y + at.at[2];
    for (std::int64_t k = 0; k < lanes.count; ++k) {
      T& target = to[lanes.axis.place(*index)];
      target = write(target, *value);
      index += lanes.index_stride;
      value += lanes.value_stride;
    }
  }
}

/// Rows of indices in order, each for `lanes` lanes.
struct SortedRows {
  Walk<2> starts;  ///< Starts in values and y, for [rows, lanes].
  std::int64_t count;
  std::int64_t lanes;
  std::int64_t value_stride;
  std::int64_t y_stride;
};

/// `keys` [rows, count] are places along the axis of y in order, and `numbers` where along the axis
/// of values they come from.
template <class T, class Write>
__global__ void __launch_bounds__(kThreads)
    scatter_sorted_kernel(const __grid_constant__ SortedRows rows, Write write,
                          const std::int64_t* keys, const std::int64_t* numbers, const T* values,
                          T* y) {
  const std::int64_t all = rows.starts.count * rows.count;
  for (std::int64_t i = first_of_grid(); i < all; i += threads_of_grid()) {
    const std::int64_t entry = i / rows.lanes;  // place among keys and numbers
    const std::int64_t row = entry / rows.count;
    const std::int64_t key = keys[entry];
    const std::int64_t end = (row + 1) * rows.count;
    const auto repeats = [&](std::int64_t next) { return next < end && keys[next] == key; };
    if (Write::kLastOnly ? repeats(entry + 1)
                         : entry > row * rows.count && keys[entry - 1] == key) {
      continue;
    }
    const Offsets<2> at = rows.starts(row * rows.lanes + (i - entry * rows.lanes));
    T* const to = y + at.at[1] + key * rows.y_stride;
    T value = *to;
    std::int64_t next = entry;
    do {
      value = write(value, values[at.at[0] + numbers[next] * rows.value_stride]);
      ++next;
    } while (repeats(next));
    *to = value;
  }
}

struct FromFront {
  std::int64_t length;
  __device__ std::int64_t operator()(std::int64_t index) const {
    return index < 0 ? index + length : index;
  }
};

template <class T, class Write>
void scatter_lanes(cudaStream_t stream, const Write& write, const View& values, int axis,
                   const View& indices, const View& y) {
  Shape beside = indices.shape;
  beside[axis] = 1;
  const ScatterLanes lanes{make_walk<3>(beside, {indices.strides, values.strides, y.strides}),
                           {y.shape[axis], y.strides[axis]},
                           indices.shape[axis],
                           indices.strides[axis],
                           values.strides[axis]};
  launch("scatter", scatter_lanes_kernel<T, Write>,
         {.grid = blocks_for(lanes.starts.count, kThreads), .block = kThreads}, stream, lanes,
         write, indices.as<const std::int64_t>(), values.as<const T>(), y.as<T>());
}

template <class T, class Write>
void scatter_sorted(cudaStream_t stream, Memory& memory, const Write& write, const View& values,
                    int axis, const View& indices, const View& y) {
  // Axes along which indices differ come first: rows; then those of the lanes that share a row.
  View rows{indices.data, DType::int64, {}, {}};
  Shape beside;
  Strides beside_values;
  Strides beside_y;
  SortedRows sorted{};
  sorted.lanes = 1;
  for (const bool shared : {false, true}) {
    for (int i = 0; i < indices.rank(); ++i) {
      const bool is_shared = indices.strides[i] == 0;
      if (i == axis || is_shared != shared) continue;
      beside.push_back(indices.shape[i]);
      beside_values.push_back(values.strides[i]);
      beside_y.push_back(y.strides[i]);
      if (shared) {
        sorted.lanes *= indices.shape[i];
      } else {
        rows.shape.push_back(indices.shape[i]);
        rows.strides.push_back(indices.strides[i]);
      }
    }
  }
  rows.shape.push_back(indices.shape[axis]);
  rows.strides.push_back(indices.strides[axis]);
  sorted.starts = make_walk<2>(beside, {beside_values, beside_y});
  sorted.count = indices.shape[axis];
  sorted.value_stride = values.strides[axis];
  sorted.y_stride = y.strides[axis];

  const std::int64_t bytes = rows.count() * static_cast<std::int64_t>(sizeof(std::int64_t));
  const Scratch keys(memory, bytes, stream);
  const Scratch numbers(memory, bytes, stream);
  {
    const Scratch places(memory, bytes, stream);
    const View all{places.as<void>(), DType::int64, rows.shape, row_major_strides(rows.shape)};
    map<std::int64_t, std::int64_t>("scatter", stream, FromFront{y.shape[axis]}, all, rows);
    sort_numbered(stream, memory, all, keys.as<std::int64_t>(), numbers.as<std::int64_t>());
  }
  launch("scatter", scatter_sorted_kernel<T, Write>,
         {.grid = blocks_for(sorted.starts.count * sorted.count, kThreads), .block = kThreads},
         stream, sorted, write, keys.as<const std::int64_t>(), numbers.as<const std::int64_t>(),
         values.as<const T>(), y.as<T>());
}

template <class T, class Write>
void scatter_with(cudaStream_t stream, Memory& memory, const Write& write, const View& values,
                  int axis, const View& indices, const View& y) {
  if (indices.count() == 0) return;
  // A thread goes through so many in the time that sorting takes, or less.
  constexpr std::int64_t few_indices = 64;
  constexpr std::int64_t many_lanes = 1 << 16;
  const std::int64_t count = indices.shape[axis];
  if (count <= few_indices || indices.count() / count >= many_lanes) {
    scatter_lanes<T>(stream, write, values, axis, indices, y);
  } else {
    scatter_sorted<T>(stream, memory, write, values, axis, indices, y);
  }
}

}  // namespace

void CudaBackend::scatter(Scatter mode, const View& values, int axis, const View& indices,
                          const View& y) {
  const Call stream = begin({&values, &indices, &y});
  if (mode == Scatter::assign) {
    return dispatch_width(size_of(y.dtype), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (sizeof(T) <= 8) {
        scatter_with<T>(stream, memory_, Assign{}, values, axis, indices, y);
      }
    });
  }
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bfloat16>) {
      unexpected("scatter", y.dtype);
    } else {
      scatter_with<T>(stream, memory_, Accumulate{}, values, axis, indices, y);
    }
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
