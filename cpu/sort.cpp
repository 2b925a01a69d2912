// SPDX-License-Identifier: MIT
/// \file
/// Sorting and searching by ComesBefore.  The order is stable and hence unique, whatever the
/// pieces that threads sort.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend.h"
#include "sort_keys.h"
#include "strided_loop.h"
#include "vector/reduce.h"
#include "vector/sort.h"

namespace gaia::cpu {
namespace {

/// Keys of one part of a long lane, which threads sort side by side.
constexpr std::int64_t kKeysPerTask = 1 << 16;

/// Memory for `count` numbers, as it comes.
template <class K>
std::unique_ptr<K[]> room_for(std::int64_t count) {
  return std::make_unique_for_overwrite<K[]>(static_cast<std::size_t>(count));
}

template <class K>
void sort_all(K* keys, K* room, std::int64_t n) {
  const auto sort_keys = GAIA_VECTOR_KERNEL(sort_keys<K>);
  if (n < 2 * kKeysPerTask || num_threads() == 1 || inside_parallel_task()) {
    return sort_keys(keys, room, n);
  }
  struct Part {
    std::int64_t first;
    std::int64_t count;
  };
  std::vector<Part> parts;
  std::vector<Part> long_parts = {{0, n}};
  while (!long_parts.empty()) {
    const Part part = long_parts.back();
    long_parts.pop_back();
    if (part.count < kKeysPerTask) {
      parts.push_back(part);
      continue;
    }
    const PartedKeys parted =
        GAIA_VECTOR_KERNEL(part_keys<K>)(keys + part.first, room + part.first, part.count);
    long_parts.push_back({part.first, parted.below});
    long_parts.push_back({part.first + parted.above, part.count - parted.above});
  }
  parallel_for(std::ssize(parts), [&](std::int64_t i) {
    const auto [first, count] = parts[static_cast<std::size_t>(i)];
    sort_keys(keys + first, room + first, count);
  });
}

/// Sorts integers of which there are more than values between the least and the most by counting
/// those of every value.  Returns false, having done nothing, for others.
template <class K>
bool sort_by_counting(K* keys, std::int64_t n) {
  if (n < 2) return true;
  const K first = GAIA_VECTOR_KERNEL(join_row<Smallest<K>, K>)(keys, n);
  const K last = GAIA_VECTOR_KERNEL(join_row<Largest<K>, K>)(keys, n);
  const std::uint64_t beyond = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (beyond >= static_cast<std::uint64_t>(n) / 2) return false;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(beyond) + 1, 0);
  const auto place = [=](K key) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(key) -
                                    static_cast<std::uint64_t>(first));
  };
  for (std::int64_t i = 0; i < n; ++i) ++counts[place(keys[i])];
  K value = first;
  for (const std::int64_t count : counts) {
    keys = std::fill_n(keys, count, value);
    value = static_cast<K>(static_cast<std::uint64_t>(value) + 1);
  }
  return true;
}

/// Equal numbers keep their order, though keys do not tell 0 from -0 as equals do, nor one NaN from
/// another: writes those of x for which `belongs` holds to y, as they come.
template <class T, class F>
void restore(const T* x, std::int64_t x_stride, T* y, std::int64_t y_stride, std::int64_t n,
             const F& belongs) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T one = x[i * x_stride];
    if (!belongs(one)) continue;
    *y = one;
    y += y_stride;
  }
}

/// y = x in order, a lane each.
template <class T>
void sort_lane(SortOrder order, const T* x, std::int64_t x_stride, T* y, std::int64_t y_stride,
               std::int64_t n, SortKey<T>* room) {
  using K = SortKey<T>;
  const K flip = order == SortOrder::ascending ? 0 : -1;
  K* const keys = room + n;
  GAIA_VECTOR_KERNEL(keys_of<T>)(x, x_stride, keys, n, flip);
  if (std::is_floating_point_v<T> || !sort_by_counting(keys, n)) sort_all(keys, room, n);
  GAIA_VECTOR_KERNEL(numbers_of<T>)(keys, y, y_stride, n, flip);
  if constexpr (std::is_floating_point_v<T>) {
    const auto run_of = [&](K one, K other) {  // of keys that are one of two neighbours
      const K low = std::min<K>(one ^ flip, other ^ flip);
      const K high = std::max<K>(one ^ flip, other ^ flip);
      const K* const first = std::lower_bound(keys, keys + n, low);
      return std::pair{first, std::upper_bound(first, static_cast<const K*>(keys + n), high)};
    };
    const auto [zero, after] = run_of(sort_key(-T(0)), sort_key(T(0)));
    if (zero != after && *zero != after[-1]) {
      restore(x, x_stride, y + (zero - keys) * y_stride, y_stride, n, [](T one) { return one == 0; });
    }
    const K nan = sort_key(std::numeric_limits<T>::quiet_NaN());
    const auto [first_nan, last_nan] = run_of(nan, nan);
    if (first_nan != last_nan) {
      restore(x, x_stride, y + (first_nan - keys) * y_stride, y_stride, n,
              [](T one) { return one != one; });
    }
  }
}

/// Moves the first `count` keys in order to the front, and perhaps some more; answers how many.
std::int64_t move_first_to_front(std::int64_t* keys, std::int64_t* room, std::int64_t n,
                                 std::int64_t count) {
  std::int64_t low = 0;  // what is before it is among the first
  std::int64_t high = n;
  const std::int64_t enough = count + n / 64;
  for (int steps = 64; high > enough && low < count && high - low > 1 && steps > 0; --steps) {
    const PartedKeys parted =
        GAIA_VECTOR_KERNEL(part_keys<std::int64_t>)(keys + low, room, high - low);
    if (count <= low + parted.below) {
      high = low + parted.below;
    } else if (count <= low + parted.above) {
      return low + parted.above;
    } else {
      low += parted.above;
    }
  }
  return high;
}

/// y = the first `kept` places of x's numbers in order, a lane each.
///
/// What is sorted are key and place in one integer, so that equal keys stay in their order.  Where
/// there is no room for all of the key, its last digits are left out and looked at in the end.
template <class T>
void argsort_lane(SortOrder order, const T* x, std::int64_t x_stride, std::int64_t* y,
                  std::int64_t y_stride, std::int64_t n, std::int64_t kept, std::int64_t* room) {
  const auto flip = order == SortOrder::ascending ? SortKey<T>{0} : SortKey<T>{-1};
  const auto key_at = [&](std::int64_t i) {
    return std::int64_t{sort_key_of_value(x[i * x_stride]) ^ flip};
  };
  std::int64_t* const packed = room + n;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (std::int64_t i = 0; i < n; ++i) {
    packed[i] = key_at(i);
    least = std::min(least, packed[i]);
    most = std::max(most, packed[i]);
  }
  using Word = std::uint64_t;
  const auto above_least = [=](std::int64_t key) {
    return static_cast<Word>(key) - static_cast<Word>(least);
  };
  const int of_place = static_cast<int>(std::bit_width(static_cast<Word>(n - 1)));
  const int of_key = static_cast<int>(std::bit_width(above_least(most)));
  const int left_out = std::max(0, of_key + of_place - 63);
  for (std::int64_t i = 0; i < n; ++i) {
    packed[i] = static_cast<std::int64_t>(above_least(packed[i]) >> left_out << of_place |
                                          static_cast<Word>(i));
  }
  const auto key_of = [=](std::int64_t one) { return one >> of_place; };
  std::int64_t count = n;
  if (kept < n / 4) {
    count = move_first_to_front(packed, room, n, kept);
    // Numbers whose keys begin alike are not told apart yet.
    const std::int64_t last = key_of(*std::max_element(packed, packed + count));
    const auto is_among = [=](std::int64_t one) { return key_of(one) <= last; };
    if (left_out > 0) count = std::partition(packed + count, packed + n, is_among) - packed;
  }
  sort_all(packed, room, count);
  const auto place_of = [=](std::int64_t one) {
    return one & static_cast<std::int64_t>((Word{1} << of_place) - 1);
  };
  for (std::int64_t i = 0; left_out > 0 && i < count;) {
    std::int64_t end = i + 1;
    while (end < count && key_of(packed[end]) == key_of(packed[i])) ++end;
    if (end - i > 1) {
      std::stable_sort(packed + i, packed + end, [&](std::int64_t a, std::int64_t b) {
        return key_at(place_of(a)) < key_at(place_of(b));
      });
    }
    i = end;
  }
  for (std::int64_t i = 0; i < kept; ++i) y[i * y_stride] = place_of(packed[i]);
}

/// Calls lane(first of x, first of y, room) for each lane along the last axis, in parallel, where
/// `room` holds twice as many K as a lane and is no lane's alone.
template <class K, class Lane>
void for_each_lane(const View& x, const View& y, const Lane& lane) {
  Shape starts = x.shape;
  starts.back() = 1;
  const StridedLoop<2> loop(starts, {x.strides, y.strides});
  const std::int64_t length = std::max<std::int64_t>(1, x.shape.back());
  loop.for_each_run(
      [&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
        const auto room = room_for<K>(2 * length);
        for (std::int64_t i = 0; i < n; ++i) {
          lane(at[0] + i * step[0], at[1] + i * step[1], room.get());
        }
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
    for_each_lane<SortKey<T>>(x, y, [&](std::int64_t from, std::int64_t to, SortKey<T>* room) {
      sort_lane(order, x.as<T>() + from, x.strides.back(), y.as<T>() + to, y.strides.back(),
                x.shape.back(), room);
    });
  });
}

void CpuBackend::argsort(SortOrder order, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_lane<std::int64_t>(x, y, [&](std::int64_t from, std::int64_t to, std::int64_t* room) {
      argsort_lane(order, x.as<T>() + from, x.strides.back(), y.as<std::int64_t>() + to,
                   y.strides.back(), x.shape.back(), y.shape.back(), room);
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
