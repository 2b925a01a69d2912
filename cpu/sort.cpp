// SPDX-License-Identifier: MIT
/// \file
/// Sorting and searching by ComesBefore.  The order is stable and hence unique, whatever the
/// pieces that threads sort.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

#include "backend.h"
#include "sort_keys.h"
#include "strided_loop.h"
#include "vector/pack.h"
#include "vector/reduce.h"
#include "vector/select.h"
#include "vector/sort.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

/// Keys of one part of a long lane, which threads sort side by side.
constexpr std::int64_t kKeysPerTask = 1 << 16;

template <class K>
void sort_all(K* keys, std::int64_t n) {
  const auto sort_part = [](K* part, std::int64_t count) {
    // Twice as many steps as borders in the middle would need.
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
    GAIA_VECTOR_KERNEL(sort_keys<K>)(part, count, 2 * bits);
  };
  if (n < 2 * kKeysPerTask || num_threads() == 1 || inside_parallel_task()) {
    return sort_part(keys, n);
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
    const PartedKeys parted = GAIA_VECTOR_KERNEL(part_keys<K>)(keys + part.first, part.count);
    long_parts.push_back({part.first, parted.below});
    long_parts.push_back({part.first + parted.above, part.count - parted.above});
  }
  parallel_for(std::ssize(parts), [&](std::int64_t i) {
    const auto [first, count] = parts[static_cast<std::size_t>(i)];
    sort_part(keys + first, count);
  });
}

/// Sorts integers of which there are more than values between the least and the most by counting
/// those of every value.  Returns false, having done nothing, for others.
template <class K>
bool sort_by_counting(K* keys, std::int64_t n) {
  if (n < 2) return true;
  const auto are_too_far_apart = [n](K low, K high) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) >=
           static_cast<std::uint64_t>(n) / 2;
  };
  const auto [low, high] = std::minmax({keys[0], keys[n / 4], keys[n / 2], keys[n - 1]});
  if (are_too_far_apart(low, high)) return false;
  const K first = GAIA_VECTOR_KERNEL(join_row<Smallest<K>, K>)(keys, n);
  const K last = GAIA_VECTOR_KERNEL(join_row<Largest<K>, K>)(keys, n);
  if (are_too_far_apart(first, last)) return false;
  const auto place = [=](K key) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(key) -
                                    static_cast<std::uint64_t>(first));
  };
  std::vector<std::int64_t> counts(place(last) + 1, 0);
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

/// y = x in order, a lane each.  `room` is for n keys where they cannot be sorted in y.
template <class T>
void sort_lane(SortOrder order, const T* x, std::int64_t x_stride, T* y, std::int64_t y_stride,
               std::int64_t n, SortedAs<T>* room) {
  using K = SortedAs<T>;
  const bool falling = order == SortOrder::descending;
  K* keys = room;
  if constexpr (std::is_same_v<K, T>) keys = y_stride == 1 ? y : room;
  const Untold untold = GAIA_VECTOR_KERNEL(keys_of<T>)(x, x_stride, keys, n, falling);
  if constexpr (std::is_floating_point_v<T>) {
    sort_all(keys, n);
  } else if (!sort_by_counting(keys, n)) {
    sort_all(keys, n);
  }
  T* zeros = y;
  if constexpr (std::is_floating_point_v<T>) {
    zeros += (std::lower_bound(keys, keys + n, T(0)) - keys) * y_stride;
  }
  const bool is_there = static_cast<const void*>(keys) == y;
  if (falling || !is_there) GAIA_VECTOR_KERNEL(numbers_of<T>)(keys, y, y_stride, n, falling);
  if constexpr (std::is_floating_point_v<T>) {
    if (untold.negative_zero) {
      restore(x, x_stride, zeros, y_stride, n, [](T one) { return one == 0; });
    }
    if (untold.nan) {
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < n; ++i) count += std::isnan(x[i * x_stride]) ? 1 : 0;
      T* const first = falling ? y : y + (n - count) * y_stride;
      restore(x, x_stride, first, y_stride, n, [](T one) { return std::isnan(one); });
    }
  }
}

/// Moves the first `count` keys in order to the front, and perhaps some more; returns how many.
std::int64_t move_first_to_front(std::int64_t* keys, std::int64_t n, std::int64_t count) {
  std::int64_t low = 0;  // what is before it is among the first
  std::int64_t high = n;
  const std::int64_t enough = count + n / 64;
  for (int steps = 64; high > enough && low < count && high - low > 1 && steps > 0; --steps) {
    const PartedKeys parted = GAIA_VECTOR_KERNEL(part_keys<std::int64_t>)(keys + low, high - low);
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

/// Writes places to which the first `kept` of n neighbours belong, in their order, and returns how
/// many: those whose keys are not above a border that some keys suggest.  0 where that goes wrong.
template <class T>
std::int64_t places_of_first(const T* x, std::int64_t n, std::int64_t kept, SortKey<T> flip,
                             std::int64_t* places) {
  if (n < 512) return 0;
  std::array<SortKey<T>, 1024> some;
  const std::int64_t looked_at = std::min<std::int64_t>(std::ssize(some), n / 16);
  const std::int64_t apart = n / looked_at;
  for (std::int64_t i = 0; i < looked_at; ++i) {
    some[static_cast<std::size_t>(i)] = sort_key_of_value(x[apart / 2 + i * apart]) ^ flip;
  }
  // Three standard deviations more than those looked at that are expected among the first.
  const double expected =
      static_cast<double>(kept) * static_cast<double>(looked_at) / static_cast<double>(n);
  const auto rank = static_cast<std::int64_t>(expected + 3.0 * std::sqrt(expected) + 3.0);
  if (rank >= looked_at) return 0;
  std::nth_element(some.begin(), some.begin() + rank, some.begin() + looked_at);
  const SortKey<T> border = some[static_cast<std::size_t>(rank)];
  const std::int64_t count = GAIA_VECTOR_KERNEL(places_up_to<T>)(x, n, flip, border, places);
  return count < kept ? 0 : count;
}

/// y = the first `kept` places of x's numbers in order, a lane each.
///
/// What is sorted are key and place in one integer, so that equal keys stay in their order.  Where
/// there is no room for all of the key, its last digits are left out and looked at in the end.
template <class T>
void argsort_lane(SortOrder order, const T* x, std::int64_t x_stride, std::int64_t* y,
                  std::int64_t y_stride, std::int64_t n, std::int64_t kept, std::int64_t* packed) {
  const auto flip = order == SortOrder::ascending ? SortKey<T>{0} : SortKey<T>{-1};
  const auto key_at = [&](std::int64_t i) {
    return std::int64_t{sort_key_of_value(x[i * x_stride]) ^ flip};
  };
  const bool few_kept = kept < n / 4;
  const std::int64_t some =
      few_kept && x_stride == 1 ? places_of_first(x, n, kept, flip, packed) : 0;
  std::int64_t count = some > 0 ? some : n;
  KeyRange range;
  if (some > 0) {
    range = {key_at(packed[0]), key_at(packed[0])};
    for (std::int64_t i = 1; i < some; ++i) {
      const std::int64_t key = key_at(packed[i]);
      range = {std::min(range.least, key), std::max(range.most, key)};
    }
  } else {
    range = GAIA_VECTOR_KERNEL(value_keys_of<T>)(x, x_stride, n, flip, packed);
  }
  using Word = std::uint64_t;
  const auto above_least = [=](std::int64_t key) {
    return static_cast<Word>(key) - static_cast<Word>(range.least);
  };
  const int of_place = static_cast<int>(std::bit_width(static_cast<Word>(n - 1)));
  const int of_key = static_cast<int>(std::bit_width(above_least(range.most)));
  const int left_out = std::max(0, of_key + of_place - 63);
  const Packing packing = {range.least, left_out, of_place};
  if (some == 0) GAIA_VECTOR_KERNEL(pack_with_places)(packing, packed, n);
  for (std::int64_t i = 0; i < some; ++i) {
    packed[i] = static_cast<std::int64_t>(above_least(key_at(packed[i])) >> left_out << of_place |
                                          static_cast<Word>(packed[i]));
  }
  const auto key_of = [=](std::int64_t one) { return one >> of_place; };
  if (few_kept) {
    const std::int64_t all = count;
    count = move_first_to_front(packed, all, kept);
    // Numbers whose keys begin alike are not told apart yet.
    const std::int64_t last = key_of(*std::max_element(packed, packed + count));
    const auto is_among = [=](std::int64_t one) { return key_of(one) <= last; };
    if (left_out > 0) count = std::partition(packed + count, packed + all, is_among) - packed;
  }
  sort_all(packed, count);
  const auto place_of = [=](std::int64_t one) {
    return one & static_cast<std::int64_t>((Word{1} << of_place) - 1);
  };
  for (std::int64_t i = 0; left_out > 0 && i < count;) {
    constexpr std::int64_t block = 256;  // most such blocks have no two that are alike
    if (i + block < count && !GAIA_VECTOR_KERNEL(have_alike)(packing, packed + i, block + 1)) {
      i += block;
      continue;
    }
    std::int64_t end = i + 1;
    while (end < count && key_of(packed[end]) == key_of(packed[i])) ++end;
    if (end - i > 1) {
      std::sort(packed + i, packed + end, [&](std::int64_t a, std::int64_t b) {
        const auto key_of_a = key_at(place_of(a)), key_of_b = key_at(place_of(b));
        return key_of_a != key_of_b ? key_of_a < key_of_b : place_of(a) < place_of(b);
      });
    }
    i = end;
  }
  if (y_stride == 1) {
    std::transform(packed, packed + kept, y, place_of);
  } else {
    for (std::int64_t i = 0; i < kept; ++i) y[i * y_stride] = place_of(packed[i]);
  }
}

/// Calls lane(first of x, first of y, room) for each lane along the last axis, in parallel, where
/// `room` holds as many K as a lane and is no lane's alone.
template <class K, class Lane>
void for_each_lane(Backend& backend, const View& x, const View& y, bool needs_room,
                   const Lane& lane) {
  Shape starts = x.shape;
  starts.back() = 1;
  const StridedLoop<2> loop(starts, {x.strides, y.strides});
  const std::int64_t length = std::max<std::int64_t>(1, x.shape.back());
  loop.for_each_run(
      [&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
        const Workspace<K> room(backend, needs_room ? length : 0);
        for (std::int64_t i = 0; i < n; ++i) {
          lane(at[0] + i * step[0], at[1] + i * step[1], room.data());
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

/// Numbers in order.
template <class T>
struct Row {
  const T* data;
  std::int64_t stride;
  std::int64_t length;
};

/// The place where NaN begin, which come last.
template <class T>
std::int64_t first_nan(const Row<T>& row) {
  std::int64_t low = 0;
  std::int64_t high = row.length;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const bool is_nan = std::isnan(row.data[middle * row.stride]);
    (is_nan ? high : low) = is_nan ? middle : middle + 1;
  }
  return low;
}

/// The places to which each of `Count` numbers belongs, by halves.  Which half is no branch, for
/// half of the guesses would be wrong, and the steps of one search hide behind those of the others.
template <Side S, int Count, class T>
void search_together(const Row<T>& row, const T* wanted, std::int64_t* places) {
  // The order is that of ComesBefore, but for NaN that are looked for.
  const auto passes = [&](std::int64_t place, int i) {
    const T there = row.data[place * row.stride];
    return S == Side::left ? there < wanted[i] : there <= wanted[i];
  };
  for (int i = 0; i < Count; ++i) places[i] = 0;
  for (std::int64_t left = row.length; left > 0;) {
    const std::int64_t half = (left + 1) / 2;
    for (int i = 0; i < Count; ++i) {
      places[i] += half & -std::int64_t{passes(places[i] + half - 1, i)};
    }
    left -= half;
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (int i = 0; i < Count; ++i) {
      if (std::isnan(wanted[i])) places[i] = S == Side::left ? first_nan(row) : row.length;
    }
  }
}

/// The same where all numbers belong next to place `from`, as those that are asked for in ascending
/// order do; false, and nothing is done, if one does not.
template <Side S, int Count, class T>
bool search_nearby(const Row<T>& row, std::int64_t from, const T* wanted, std::int64_t* places) {
  constexpr std::int64_t near = 4;
  if (from + near > row.length) return false;
  const auto passes = [&](std::int64_t place, int i) {
    const T there = row.data[place * row.stride];
    return S == Side::left ? there < wanted[i] : there <= wanted[i];
  };
  const auto is_number = [&]([[maybe_unused]] int i) {
    if constexpr (std::is_floating_point_v<T>) return !std::isnan(wanted[i]);
    return true;
  };
  const auto is_near = [&](int i) {
    const int is_above = from == 0 ? is_number(i) : passes(from - 1, i);
    const int is_beyond = passes(from + near - 1, i);
    return is_above > is_beyond;
  };
  // The ends say most, so that numbers in any order cost little.
  if (!is_near(0) || !is_near(Count - 1)) return false;
  int count = 0;
  for (int i = 0; i < Count; ++i) count += is_near(i) ? 1 : 0;
  if (count < Count) return false;
  for (int i = 0; i < Count; ++i) places[i] = from;
  for (std::int64_t next = 0; next + 1 < near; ++next) {
    for (int i = 0; i < Count; ++i) places[i] += passes(from + next, i) ? 1 : 0;
  }
  return true;
}

template <Side S, class T>
void search_run(const Row<T>& row, const T* x, std::int64_t x_stride, std::int64_t* y,
                std::int64_t y_stride, std::int64_t n) {
  constexpr int together = 8;
  std::int64_t i = 0;
  std::int64_t before = 0;  // the place of the number before
  for (; i + together <= n; i += together) {
    T wanted[together];
    std::int64_t places[together];
    for (int j = 0; j < together; ++j) wanted[j] = x[(i + j) * x_stride];
    if (!search_nearby<S, together>(row, before, wanted, places)) {
      search_together<S, together>(row, wanted, places);
    }
    for (int j = 0; j < together; ++j) y[(i + j) * y_stride] = places[j];
    before = places[together - 1];
  }
  for (; i < n; ++i) search_together<S, 1>(row, x + i * x_stride, y + i * y_stride);
}

}  // namespace

void CpuBackend::sort(SortOrder order, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using K = SortedAs<T>;
    const bool needs_room = !std::is_same_v<K, T> || y.strides.back() != 1;
    for_each_lane<K>(*this, x, y, needs_room, [&](std::int64_t from, std::int64_t to, K* room) {
      sort_lane(order, x.as<T>() + from, x.strides.back(), y.as<T>() + to, y.strides.back(),
                x.shape.back(), room);
    });
  });
}

void CpuBackend::argsort(SortOrder order, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using K = std::int64_t;
    for_each_lane<K>(*this, x, y, true, [&](std::int64_t from, std::int64_t to, K* room) {
      argsort_lane(order, x.as<T>() + from, x.strides.back(), y.as<std::int64_t>() + to,
                   y.strides.back(), x.shape.back(), y.shape.back(), room);
    });
  });
}

void CpuBackend::search(Side side, const View& sorted, const View& x, const View& y) {
  dispatch_sortable(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Row<T> row = {sorted.as<T>(), sorted.strides[0], sorted.shape[0]};
    const StridedLoop<2> loop(x.shape, {x.strides, y.strides});
    loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
      const T* const from = x.as<T>() + at[0];
      std::int64_t* const to = y.as<std::int64_t>() + at[1];
      if (side == Side::left) {
        search_run<Side::left>(row, from, step[0], to, step[1], n);
      } else {
        search_run<Side::right>(row, from, step[0], to, step[1], n);
      }
    });
  });
}

}  // namespace gaia::cpu
