// SPDX-License-Identifier: MIT
/// \file
/// Quicksort (Hoare, 1962) whose steps move a register of keys at a time, in place, and for what is
/// left a bitonic network (Batcher, 1968): no branch depends on a single key.
#include "sort.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "simd.h"
#include "simd_integers.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Registers that the largest network sorts: half of those that there are.
constexpr int kLargestNetwork = GAIA_VECTOR_BYTES == 64 ? 16 : 8;

/// Puts lanes `Distance` apart in order, then those half as far, and so on.
template <int Distance, class K>
GAIA_INLINE Keys<K> merge_halves(Keys<K> x) {
  if constexpr (Distance > 0) {
    return merge_halves<Distance / 2>(in_order<Distance>(x));
  } else {
    return x;
  }
}

/// Sorts every `Size` lanes, from pairs on.
template <int Size, class K>
GAIA_INLINE Keys<K> sort_lanes(Keys<K> x) {
  if constexpr (Size < 2) {
    return x;
  } else {
    // The second half turned round behind the first makes a bitonic sequence.
    return merge_halves<Size / 4>(in_order<Size - 1>(sort_lanes<Size / 2>(x)));
  }
}

/// Puts sequences in order that rise and then fall, of `Count` registers each.
template <int Count, int Registers, class K>
GAIA_INLINE void merge_registers(Keys<K> (&x)[Registers]) {
  if constexpr (Count > 1) {
#pragma GCC unroll 16
    for (int i = 0; i < Registers; ++i) {
      if ((i & (Count / 2)) != 0) continue;
      put_in_order(x[i], x[i + Count / 2]);
    }
    merge_registers<Count / 2>(x);
  }
}

/// Sorts every `Count` registers, each of which is sorted.
template <int Count, int Registers, class K>
GAIA_INLINE void sort_registers(Keys<K> (&x)[Registers]) {
  if constexpr (Count > 1) {
    sort_registers<Count / 2>(x);
#pragma GCC unroll 16
    for (int first = 0; first < Registers; first += Count) {
      Keys<K> high[Count / 2];
#pragma GCC unroll 16
      for (int i = 0; i < Count / 2; ++i) {
        high[i] = exchanged<Keys<K>::lanes - 1>(x[first + Count - 1 - i]);
        put_in_order(x[first + i], high[i]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < Count / 2; ++i) x[first + Count / 2 + i] = high[i];
    }
    merge_registers<Count / 2>(x);
#pragma GCC unroll 16
    for (int i = 0; i < Registers; ++i) x[i] = merge_halves<Keys<K>::lanes / 2>(x[i]);
  }
}

/// The register that begins at `first` of n keys; what is left of it holds the last key there is.
template <class K>
GAIA_INLINE Keys<K> load_of(const K* keys, std::int64_t n, std::int64_t first) {
  const std::int64_t left = n - first;
  if (left >= Keys<K>::lanes) return Keys<K>::load(keys + first);
  return Keys<K>::load(keys + first, std::max<std::int64_t>(left, 0));
}

template <class K>
GAIA_INLINE void store_of(Keys<K> x, K* keys, std::int64_t n, std::int64_t first) {
  const std::int64_t left = n - first;
  if (left >= Keys<K>::lanes) {
    x.store(keys + first);
  } else if (left > 0) {
    x.store(keys + first, left);
  }
}

/// The n keys, which fit in so many registers, in order.
template <int Registers, class K>
GAIA_INLINE void load_sorted(const K* keys, std::int64_t n, Keys<K> (&x)[Registers]) {
#pragma GCC unroll 16
  for (int i = 0; i < Registers; ++i) {
    x[i] = sort_lanes<Keys<K>::lanes>(load_of(keys, n, std::int64_t{i} * Keys<K>::lanes));
  }
  sort_registers<Registers>(x);
}

template <int Registers, class K>
__attribute__((noinline)) void sort_in_registers(K* keys, std::int64_t n) {
  Keys<K> x[Registers];
  load_sorted(keys, n, x);
#pragma GCC unroll 16
  for (int i = 0; i < Registers; ++i) store_of(x[i], keys, n, std::int64_t{i} * Keys<K>::lanes);
}

/// Sorts a sequence that rises and then falls.
template <int Registers, class K>
GAIA_INLINE void merge_all(Keys<K> (&x)[Registers]) {
  merge_registers<Registers>(x);
#pragma GCC unroll 16
  for (int i = 0; i < Registers; ++i) x[i] = merge_halves<Keys<K>::lanes / 2>(x[i]);
}

/// Sorts more keys than fit in `First` registers, by `Second` more: those of the first turn wait in
/// memory for those of the second.
template <int First, int Second, class K>
__attribute__((noinline)) void sort_in_two_turns(K* keys, std::int64_t n) {
  static_assert(Second <= First);
  constexpr std::int64_t lanes = Keys<K>::lanes;
  constexpr std::int64_t border = First * lanes;
  sort_in_registers<First>(keys, border);
  Keys<K> y[Second];
  load_sorted(keys + border, n - border, y);
  // The larger half of both, had the second as many registers: the others would hold the last key.
#pragma GCC unroll 16
  for (int i = 0; i < Second; ++i) {
    Keys<K> low = Keys<K>::load(keys + border - (i + 1) * lanes);
    y[i] = exchanged<Keys<K>::lanes - 1>(y[i]);
    put_in_order(low, y[i]);
    low.store(keys + border - (i + 1) * lanes);
  }
  merge_all(y);
#pragma GCC unroll 16
  for (int i = 0; i < Second; ++i) store_of(y[i], keys + border, n - border, i * lanes);
  Keys<K> x[First];
#pragma GCC unroll 16
  for (int i = 0; i < First; ++i) x[i] = Keys<K>::load(keys + i * lanes);
  merge_all(x);
#pragma GCC unroll 16
  for (int i = 0; i < First; ++i) x[i].store(keys + i * lanes);
}

template <class K>
void sort_few(K* keys, std::int64_t n) {
  constexpr std::int64_t lanes = Keys<K>::lanes;
  constexpr int most = kLargestNetwork;
  if (n <= lanes) return sort_in_registers<1>(keys, n);
  if (n <= 2 * lanes) return sort_in_registers<2>(keys, n);
  if (n <= 4 * lanes) return sort_in_registers<4>(keys, n);
  if (n <= 8 * lanes) return sort_in_registers<8>(keys, n);
  if (n <= (most / 2 + most / 4) * lanes) return sort_in_two_turns<most / 2, most / 4>(keys, n);
  if (n <= most * lanes) return sort_in_registers<most>(keys, n);
  if (n <= (most + most / 4) * lanes) return sort_in_two_turns<most, most / 4>(keys, n);
  if (n <= (most + most / 2) * lanes) return sort_in_two_turns<most, most / 2>(keys, n);
  sort_in_two_turns<most, most>(keys, n);
}

template <class K>
constexpr std::int64_t kFew = 2 * kLargestNetwork * Keys<K>::lanes;

/// Registers that a step of quicksort reads from one end.
constexpr int kStep = 8;

/// About the middle of the keys: that of some, evenly spaced.
template <class K>
K middle_of(const K* keys, std::int64_t n) {
  constexpr std::int64_t most = 8 * Keys<K>::lanes;
  K some[most];
  const std::int64_t count = n < 32 * most ? most / 4 : most;
  const std::int64_t apart = n / count;
  for (std::int64_t i = 0; i < count; ++i) some[i] = keys[apart / 2 + i * apart];
  sort_few(some, count);
  return some[count / 2];
}

/// Moves the keys below `border`, or not above it, to the front and returns how many there are.
///
/// Some keys of both ends are put aside; what is read then comes from the end that has less room
/// left, so that both have enough to be written to (Bramas, 2017).
template <bool OrEqual, class K>
std::int64_t move_to_front(K* keys, std::int64_t n, K border) {
  constexpr std::int64_t lanes = Keys<K>::lanes;
  constexpr std::int64_t step = kStep * lanes;
  const Keys<K> many(border);
  const std::int64_t first = n < 2 * step ? n : step + n % step;
  const std::int64_t last = n < 2 * step ? 0 : step;
  K aside[3 * step];
  std::copy_n(keys, first, aside);
  std::copy_n(keys + n - last, last, aside + first);
  const K* front = keys + first;  // what is not read yet
  const K* back = keys + n - last;
  K* low = keys;  // what is not written yet
  K* high = keys + n;
  const auto move = [&](Keys<K> x) {
    const std::int64_t count = part<OrEqual>(x, many, low, high);
    low += count;
    high -= lanes - count;
  };
  while (front != back) {
    const K* from = front;
    if (front - low <= high - back) {
      front += step;
    } else {
      back -= step;
      from = back;
    }
    Keys<K> x[kStep];
#pragma GCC unroll 8
    for (int v = 0; v < kStep; ++v) x[v] = Keys<K>::load(from + v * lanes);
#pragma GCC unroll 8
    for (int v = 0; v < kStep; ++v) move(x[v]);
  }
  // The last register fills what room there is, so that a whole number of them has to be left.
  const K* rest = aside;
  const K* const end = aside + first + last;
  for (; (end - rest) % lanes != 0; ++rest) {
    const K key = *rest;
    *low = key;
    high[-1] = key;
    const std::int64_t count = (OrEqual ? key <= border : key < border) ? 1 : 0;
    low += count;
    high -= 1 - count;
  }
  for (; rest != end; rest += lanes) move(Keys<K>::load(rest));
  return low - keys;
}

/// With `left` more steps of quicksort at most.
template <class K>
void sort_within(K* keys, std::int64_t n, int left) {
  while (n > kFew<K>) {
    if (left-- == 0) {
      return std::sort(keys, keys + n, [](K a, K b) { return a < b; });
    }
    const PartedKeys parted = part_keys(keys, n);
    // The longer part in this loop, so that calls within calls stay few.
    if (parted.below < n - parted.above) {
      sort_within(keys, parted.below, left);
      keys += parted.above;
      n -= parted.above;
    } else {
      sort_within(keys + parted.above, n - parted.above, left);
      n = parted.below;
    }
  }
  if (n > 1) sort_few(keys, n);
}

}  // namespace

template <class T>
GAIA_FLATTEN Untold keys_of(const T* x, std::int64_t stride, SortedAs<T>* keys, std::int64_t n,
                            bool falling) {
  using Bits = SortKey<T>;
  Bits untold = 0;
  const auto loop = [&](auto apart, auto turned) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T one = x[i * apart];
      if constexpr (std::is_floating_point_v<T>) {
        constexpr Bits negative_zero = std::numeric_limits<Bits>::min();
        const bool is_nan = one != one;
        untold |= (is_nan ? 1 : 0) | (std::bit_cast<Bits>(one) == negative_zero ? 2 : 0);
        const T key = is_nan ? std::numeric_limits<T>::infinity() : one;
        keys[i] = turned ? -key : key;
      } else {
        keys[i] = turned ? ~static_cast<Bits>(one) : static_cast<Bits>(one);
      }
    }
  };
  const auto with_stride = [&](auto turned) {
    if (stride == 1) return loop(std::integral_constant<std::int64_t, 1>{}, turned);
    loop(stride, turned);
  };
  if (falling) {
    with_stride(std::true_type{});
  } else {
    with_stride(std::false_type{});
  }
  return {(untold & 1) != 0, (untold & 2) != 0};
}

template <class T>
GAIA_FLATTEN void numbers_of(const SortedAs<T>* keys, T* x, std::int64_t stride, std::int64_t n,
                             bool falling) {
  const auto loop = [&](auto apart) {
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        x[i * apart] = falling ? -keys[i] : keys[i];
      } else {
        x[i * apart] = static_cast<T>(falling ? ~keys[i] : keys[i]);
      }
    }
  };
  if (stride == 1) return loop(std::integral_constant<std::int64_t, 1>{});
  loop(stride);
}

template <class K>
PartedKeys part_keys(K* keys, std::int64_t n) {
  const K middle = middle_of(keys, n);
  const std::int64_t below = move_to_front<false>(keys, n, middle);
  if (below > 0) return {below, below};
  // The middle is the smallest, and perhaps there are many like it.
  return {0, move_to_front<true>(keys, n, middle)};
}

template <class K>
void sort_keys(K* keys, std::int64_t n, int steps) {
  sort_within(keys, n, steps);
}

#define GAIA_SORT(K)                              \
  template void sort_keys(K*, std::int64_t, int); \
  template PartedKeys part_keys(K*, std::int64_t);
GAIA_SORT(std::int32_t)
GAIA_SORT(std::int64_t)
GAIA_SORT(float)
GAIA_SORT(double)
#undef GAIA_SORT

#define GAIA_SORT_KEYS(T)                                                            \
  template Untold keys_of(const T*, std::int64_t, SortedAs<T>*, std::int64_t, bool); \
  template void numbers_of(const SortedAs<T>*, T*, std::int64_t, std::int64_t, bool);
GAIA_SORT_KEYS(bool)
GAIA_SORT_KEYS(std::int32_t)
GAIA_SORT_KEYS(std::int64_t)
GAIA_SORT_KEYS(float)
GAIA_SORT_KEYS(double)
#undef GAIA_SORT_KEYS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
