// SPDX-License-Identifier: MIT
/// \file
/// Sorting and searching by ComesBefore.  The order is stable and hence unique, whatever the
/// pieces that threads sort.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "backend.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// Longer lanes are sorted in pieces, which are merged.
constexpr std::int64_t kPiece = 1 << 16;

/// bool is kept in bytes: bits of std::vector<bool> have no addresses.
template <class T>
using Kept = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
struct Numbered {
  T key;
  std::int64_t index;
};

template <class E, class Before>
void sort_lane(std::vector<E>& lane, const Before& before) {
  const auto n = static_cast<std::int64_t>(lane.size());
  const std::int64_t pieces = (n + kPiece - 1) / kPiece;
  parallel_for(pieces, [&](std::int64_t i) {
    std::stable_sort(lane.begin() + i * kPiece, lane.begin() + std::min(n, (i + 1) * kPiece),
                     before);
  });
  std::vector<E> other(pieces > 1 ? lane.size() : 0);
  for (std::int64_t width = kPiece; width < n; width *= 2) {
    parallel_for((n + 2 * width - 1) / (2 * width), [&](std::int64_t i) {
      const auto first = lane.begin() + i * 2 * width;
      const auto middle = lane.begin() + std::min(n, i * 2 * width + width);
      const auto last = lane.begin() + std::min(n, (i + 1) * 2 * width);
      std::merge(first, middle, middle, last, other.begin() + i * 2 * width, before);
    });
    lane.swap(other);
  }
}

/// Calls f with the strict order of elements whose keys `key` gives.
template <class Key, class F>
void with_order(SortOrder order, const Key& key, const F& f) {
  constexpr ComesBefore before;
  if (order == SortOrder::ascending) {
    f([&](const auto& a, const auto& b) { return before.value(key(a), key(b)); });
  } else {
    f([&](const auto& a, const auto& b) { return before.value(key(b), key(a)); });
  }
}

/// Calls lane(first of x, first of y) for each lane along the last axis, in parallel.
template <class Lane>
void for_each_lane(const View& x, const View& y, const Lane& lane) {
  Shape starts = x.shape;
  starts.back() = 1;
  const StridedLoop<2> loop(starts, {x.strides, y.strides});
  const std::int64_t length = std::max<std::int64_t>(1, x.shape.back());
  loop.for_each_run(
      [&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
        for (std::int64_t i = 0; i < n; ++i) lane(at[0] + i * step[0], at[1] + i * step[1]);
      },
      std::max<std::int64_t>(1, kElementsPerTask / length));
}

template <class F>
void dispatch_sortable(DType dtype, const F& f) {
  dispatch(dtype, [&](auto tag) {
    if constexpr (std::is_same_v<typename decltype(tag)::type, bfloat16>) {
      throw InternalError("[cpu::sort] got bfloat16");
    } else {
      f(tag);
    }
  });
}

}  // namespace

void CpuBackend::sort(SortOrder order, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = x.shape.back();
    for_each_lane(x, y, [&](std::int64_t from, std::int64_t to) {
      const T* const p = x.as<T>() + from;
      T* const q = y.as<T>() + to;
      std::vector<Kept<T>> lane(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        lane[static_cast<std::size_t>(i)] = p[i * x.strides.back()];
      }
      with_order(
          order, [](Kept<T> key) { return key; },
          [&](const auto& before) { sort_lane(lane, before); });
      for (std::int64_t i = 0; i < n; ++i) {
        q[i * y.strides.back()] = static_cast<T>(lane[static_cast<std::size_t>(i)]);
      }
    });
  });
}

void CpuBackend::argsort(SortOrder order, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = x.shape.back();
    for_each_lane(x, y, [&](std::int64_t from, std::int64_t to) {
      const T* const p = x.as<T>() + from;
      std::int64_t* const q = y.as<std::int64_t>() + to;
      std::vector<Numbered<T>> lane(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        lane[static_cast<std::size_t>(i)] = {p[i * x.strides.back()], i};
      }
      with_order(
          order, [](const Numbered<T>& element) { return element.key; },
          [&](const auto& before) { sort_lane(lane, before); });
      for (std::int64_t i = 0; i < n; ++i) {
        q[i * y.strides.back()] = lane[static_cast<std::size_t>(i)].index;
      }
    });
  });
}

void CpuBackend::search(Side side, const View& sorted, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr ComesBefore before;
    const T* const row = sorted.as<T>();
    const std::int64_t stride = sorted.strides[0];
    const StridedLoop<2> loop(x.shape, {x.strides, y.strides});
    loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
      for (std::int64_t i = 0; i < n; ++i) {
        const T wanted = x.as<T>()[at[0] + i * step[0]];
        std::int64_t low = 0;
        std::int64_t high = sorted.shape[0];
        while (low < high) {
          const std::int64_t middle = low + (high - low) / 2;
          const T there = row[middle * stride];
          const bool passes =
              side == Side::left ? before.value(there, wanted) : !before.value(wanted, there);
          (passes ? low : high) = passes ? middle + 1 : middle;
        }
        y.as<std::int64_t>()[at[1] + i * step[1]] = low;
      }
    });
  });
}

}  // namespace gaia::cpu
