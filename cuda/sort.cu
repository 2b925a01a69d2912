// SPDX-License-Identifier: MIT
/// \file
/// Sorting and searching by ComesBefore.
///
/// Tiles are sorted in shared memory by merging runs of 1, 2, 4, ... elements, and longer runs are
/// merged through device memory.  An element's place in a merged run is its place in its own plus
/// the number of elements of the other that come before it, which a binary search finds; elements
/// of the left run go before their equals of the right one, so the order is stable.
#include <bit>
#include <optional>
#include <utility>

#include "../src/formulas/order.h"
#include "backend.h"
#include "map.cuh"
#include "sort.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr int kTile = 2048;
constexpr int kPerThread = kTile / kThreads;

template <class T>
struct Before {
  bool descending;
  __device__ bool operator()(T a, T b) const {
    return descending ? ComesBefore{}.value(b, a) : ComesBefore{}.value(a, b);
  }
};

/// What is sorted: rows of keys, which may bring numbers along.  The rows of buffers are
/// contiguous.
struct SortShape {
  Walk<2> starts;  ///< Starts of rows, in x and y.
  std::int64_t length;
  std::int64_t stride_x;
  std::int64_t stride_y;
  std::int64_t kept;  ///< Elements of a sorted row that y has.
};

/// The place for sorted elements: buffers on the way, and y in the end, which takes keys or their
/// numbers.
template <class T>
struct SortTarget {
  T* keys;
  std::int64_t* numbers;
  bool is_buffer;

  __device__ void put(const SortShape& shape, std::int64_t row, std::int64_t i, T key,
                      std::int64_t number) const {
    if (!is_buffer && i >= shape.kept) return;
    const std::int64_t at =
        is_buffer ? row * shape.length + i : shape.starts(row).at[1] + i * shape.stride_y;
    if (keys != nullptr) keys[at] = key;
    if (numbers != nullptr) numbers[at] = number;
  }
};

/// The place of element `i` of `keys`, which has two sorted runs of `width` beside each other from
/// every multiple of 2 `width` on, when these are merged.
template <class T, class Index>
__device__ Index merged_place(const T* keys, Index i, Index width, Index length,
                              const Before<T>& before) {
  const Index own = i & ~(width - 1);  // width is a power of two
  const bool is_left = (i & width) == 0;
  const Index other = is_left ? own + width : own - width;
  if (other >= length) return i;
  const T key = keys[i];
  Index low = other;
  Index high = other + width < length ? other + width : length;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    const bool passes = is_left ? before(keys[middle], key) : !before(key, keys[middle]);
    if (passes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (is_left ? i : i - width) + (low - other);
}

/// Sorts tiles, or several shorter rows that share one, each with room for `room` elements.
template <class T, bool Numbered>
__global__ void __launch_bounds__(kThreads)
    sort_tiles_kernel(const __grid_constant__ SortShape shape, Before<T> before, int room,
                      const T* x, SortTarget<T> target) {
  GAIA_SHARED(T, keys, [kTile]);
  GAIA_SHARED(int, numbers, [Numbered ? kTile : 1]);
  const std::int64_t pieces = (shape.length + room - 1) / room;  // pieces of a row
  const int thread = static_cast<int>(threadIdx.x);
  const auto piece_of = [&](int at) {
    return std::int64_t{blockIdx.x} * (kTile / room) + at / room;
  };
  int length[kPerThread];  // lengths of the pieces that the thread's elements belong to
  for (int j = 0; j < kPerThread; ++j) {
    const int at = thread + j * kThreads;
    const std::int64_t row = piece_of(at) / pieces;
    const std::int64_t first = piece_of(at) % pieces * room;
    const std::int64_t left = shape.length - first;
    length[j] = row >= shape.starts.count ? 0 : static_cast<int>(left < room ? left : room);
    if (at % room < length[j]) {
      keys[at] = x[shape.starts(row).at[0] + (first + at % room) * shape.stride_x];
      if constexpr (Numbered) numbers[at] = at % room;
    }
  }
  __syncthreads();
  for (int width = 1; width < room; width *= 2) {
    T key[kPerThread];
    int number[kPerThread];
    int place[kPerThread];
    for (int j = 0; j < kPerThread; ++j) {
      const int at = thread + j * kThreads;
      place[j] = -1;
      if (at % room >= length[j]) continue;
      const int begin = at / room * room;
      key[j] = keys[at];
      if constexpr (Numbered) number[j] = numbers[at];
      place[j] = begin + merged_place(keys + begin, at % room, width, length[j], before);
    }
    __syncthreads();
    for (int j = 0; j < kPerThread; ++j) {
      if (place[j] < 0) continue;
      keys[place[j]] = key[j];
      if constexpr (Numbered) numbers[place[j]] = number[j];
    }
    __syncthreads();
  }
  for (int j = 0; j < kPerThread; ++j) {
    const int at = thread + j * kThreads;
    if (at % room >= length[j]) continue;
    const std::int64_t first = piece_of(at) % pieces * room;
    std::int64_t number = 0;
    if constexpr (Numbered) number = first + numbers[at];
    target.put(shape, piece_of(at) / pieces, first + at % room, keys[at], number);
  }
}

/// Merges pairs of runs of `width` elements.
template <class T, bool Numbered>
__global__ void __launch_bounds__(kThreads)
    merge_kernel(const __grid_constant__ SortShape shape, Before<T> before, std::int64_t width,
                 const T* keys, const std::int64_t* numbers, SortTarget<T> target) {
  const std::int64_t count = shape.starts.count * shape.length;
  for (std::int64_t at = first_of_grid(); at < count; at += threads_of_grid()) {
    const std::int64_t row = at / shape.length;
    const std::int64_t i = at - row * shape.length;
    const std::int64_t place =
        merged_place(keys + row * shape.length, i, width, shape.length, before);
    std::int64_t number = 0;
    if constexpr (Numbered) number = numbers[at];
    target.put(shape, row, place, keys[at], number);
  }
}

/// Room for the numbers, where these are wanted, and behind them the keys.
template <class T>
class SortBuffer {
 public:
  SortBuffer(Memory& memory, std::int64_t count, bool numbered, cudaStream_t stream)
      : numbers_(numbered ? count : 0),
        room_(memory,
              numbers_ * size_of(DType::int64) + count * static_cast<std::int64_t>(sizeof(T)),
              stream) {}
  SortTarget<T> target() const {
    auto* const numbers = room_.template as<std::int64_t>();
    return {reinterpret_cast<T*>(numbers + numbers_), numbers_ > 0 ? numbers : nullptr, true};
  }

 private:
  std::int64_t numbers_;
  Scratch room_;
};

template <class T, bool Numbered>
void sort_rows(cudaStream_t stream, Memory& memory, SortOrder order, const View& x,
               std::int64_t kept, const Strides& strides_y, const SortTarget<T>& result) {
  const std::int64_t count = x.count();
  if (count == 0) return;
  const auto without_last = [](const Dims& dims) {
    Dims outer = dims;
    outer.erase(outer.rank() - 1);
    return outer;
  };
  const SortShape shape{
      make_walk<2>(without_last(x.shape), {without_last(x.strides), without_last(strides_y)}),
      x.shape.back(), x.strides.back(), strides_y.back(), kept};
  const Before<T> before{order == SortOrder::descending};
  const std::int64_t n = shape.length;
  const int room = n >= kTile ? kTile : static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
  const std::int64_t tiles = ceil_div(shape.starts.count * ceil_div(n, room), kTile / room);
  std::optional<SortBuffer<T>> from;
  std::optional<SortBuffer<T>> to;
  if (n > kTile) from.emplace(memory, count, Numbered, stream);
  if (n > 2 * kTile) to.emplace(memory, count, Numbered, stream);
  launch("sort", sort_tiles_kernel<T, Numbered>,
         {.grid = static_cast<unsigned>(tiles), .block = kThreads}, stream, shape, before, room,
         x.as<const T>(), from ? from->target() : result);
  SortTarget<T> sorted = from ? from->target() : result;
  SortTarget<T> next = to ? to->target() : result;
  for (std::int64_t width = kTile; width < n; width *= 2) {
    launch("sort", merge_kernel<T, Numbered>,
           {.grid = blocks_for(count, kThreads), .block = kThreads}, stream, shape, before, width,
           sorted.keys, sorted.numbers, 2 * width < n ? next : result);
    std::swap(sorted, next);
  }
}

template <class F>
void dispatch_sortable(DType dtype, const F& f) {
  dispatch(dtype, [&](auto tag) {
    if constexpr (std::is_same_v<typename decltype(tag)::type, bfloat16>) {
      unexpected("sort", dtype);
    } else {
      f(tag);
    }
  });
}

template <class T>
struct Search {
  Side side;
  const T* sorted;
  std::int64_t stride;
  std::int64_t length;
  __device__ std::int64_t operator()(T wanted) const {
    std::int64_t low = 0;
    std::int64_t high = length;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const T there = sorted[middle * stride];
      const bool passes = side == Side::left ? ComesBefore{}.value(there, wanted)
                                             : !ComesBefore{}.value(wanted, there);
      if (passes) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

}  // namespace

void sort_numbered(cudaStream_t stream, Memory& memory, const View& x, std::int64_t* keys,
                   std::int64_t* numbers) {
  sort_rows<std::int64_t, true>(stream, memory, SortOrder::ascending, x, x.shape.back(),
                                row_major_strides(x.shape), {keys, numbers, true});
}

void CudaBackend::sort(SortOrder order, const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sort_rows<T, false>(stream, memory_, order, x, y.shape.back(), y.strides,
                        {y.as<T>(), nullptr, false});
  });
}

void CudaBackend::argsort(SortOrder order, const View& x, const View& y) {
  const Call stream = begin({&x, &y});
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sort_rows<T, true>(stream, memory_, order, x, y.shape.back(), y.strides,
                       {nullptr, y.as<std::int64_t>(), false});
  });
}

void CudaBackend::search(Side side, const View& sorted, const View& x, const View& y) {
  const Call stream = begin({&sorted, &x, &y});
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Search<T> f{side, sorted.as<const T>(), sorted.strides[0], sorted.shape[0]};
    map<std::int64_t, T>("search", stream, f, y, x);
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
