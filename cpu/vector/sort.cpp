// SPDX-License-Identifier: MIT
/// \file
/// Quicksort (Hoare, 1962) whose steps move a register of keys at a time, and for what is left a
/// bitonic network (Batcher, 1968): neither has a branch that depends on a key.
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

/// Compares lane i with lane i ^ Bits, and puts the smaller key first.
template <int Bits, class K>
GAIA_INLINE Integers<K> in_order(Integers<K> x) {
  const Integers<K> other = exchanged<Bits>(x);
  constexpr int upper = static_cast<int>(std::bit_floor(static_cast<unsigned>(Bits)));
  return alternating<upper>(smaller(x, other), larger(x, other));
}

/// Puts lanes `Distance` apart in order, then those half as far, and so on.
template <int Distance, class K>
GAIA_INLINE Integers<K> merge_halves(Integers<K> x) {
  if constexpr (Distance > 0) {
    return merge_halves<Distance / 2>(in_order<Distance>(x));
  } else {
    return x;
  }
}

/// Sorts every `Size` lanes, from pairs on.
template <int Size, class K>
GAIA_INLINE Integers<K> sort_lanes(Integers<K> x) {
  if constexpr (Size < 2) {
    return x;
  } else {
    // The second half turned round behind the first makes a bitonic sequence.
    return merge_halves<Size / 4>(in_order<Size - 1>(sort_lanes<Size / 2>(x)));
  }
}

/// Puts sequences in order that rise and then fall, of `Count` registers each.
template <int Count, int Registers, class K>
GAIA_INLINE void merge_registers(Integers<K> (&x)[Registers]) {
  if constexpr (Count > 1) {
#pragma GCC unroll 16
    for (int i = 0; i < Registers; ++i) {
      if ((i & (Count / 2)) != 0) continue;
      const Integers<K> a = x[i];
      const Integers<K> b = x[i + Count / 2];
      x[i] = smaller(a, b);
      x[i + Count / 2] = larger(a, b);
    }
    merge_registers<Count / 2>(x);
  }
}

/// Sorts every `Count` registers, each of which is sorted.
template <int Count, int Registers, class K>
GAIA_INLINE void sort_registers(Integers<K> (&x)[Registers]) {
  if constexpr (Count > 1) {
    sort_registers<Count / 2>(x);
#pragma GCC unroll 16
    for (int first = 0; first < Registers; first += Count) {
      Integers<K> high[Count / 2];
#pragma GCC unroll 16
      for (int i = 0; i < Count / 2; ++i) {
        const Integers<K> a = x[first + i];
        const Integers<K> b = exchanged<Integers<K>::lanes - 1>(x[first + Count - 1 - i]);
        x[first + i] = smaller(a, b);
        high[i] = larger(a, b);
      }
#pragma GCC unroll 16
      for (int i = 0; i < Count / 2; ++i) x[first + Count / 2 + i] = high[i];
    }
    merge_registers<Count / 2>(x);
#pragma GCC unroll 16
    for (int i = 0; i < Registers; ++i) x[i] = merge_halves<Integers<K>::lanes / 2>(x[i]);
  }
}

/// Sorts n keys that fit in so many registers; what is left of them holds the largest number.
template <int Registers, class K>
__attribute__((noinline)) void sort_in_registers(K* keys, std::int64_t n) {
  constexpr std::int64_t lanes = Integers<K>::lanes;
  Integers<K> x[Registers];
#pragma GCC unroll 16
  for (int i = 0; i < Registers; ++i) {
    const std::int64_t left = n - i * lanes;
    x[i] = left >= lanes ? Integers<K>::load(keys + i * lanes)
                         : Integers<K>::load(keys + i * lanes, std::max<std::int64_t>(left, 0));
    x[i] = sort_lanes<Integers<K>::lanes>(x[i]);
  }
  sort_registers<Registers>(x);
#pragma GCC unroll 16
  for (int i = 0; i < Registers; ++i) {
    const std::int64_t left = n - i * lanes;
    if (left >= lanes) {
      x[i].store(keys + i * lanes);
    } else if (left > 0) {
      x[i].store(keys + i * lanes, left);
    }
  }
}

template <class K>
void sort_few(K* keys, std::int64_t n) {
  constexpr std::int64_t lanes = Integers<K>::lanes;
  if (n <= lanes) return sort_in_registers<1>(keys, n);
  if (n <= 2 * lanes) return sort_in_registers<2>(keys, n);
  if (n <= 4 * lanes) return sort_in_registers<4>(keys, n);
  if (n <= 8 * lanes) return sort_in_registers<8>(keys, n);
  sort_in_registers<kLargestNetwork>(keys, n);
}

template <class K>
constexpr std::int64_t kFew = kLargestNetwork * Integers<K>::lanes;

/// About the middle of the keys: that of some, evenly spaced.
template <class K>
K middle_of(const K* keys, std::int64_t n) {
  constexpr std::int64_t most = 8 * Integers<K>::lanes;
  K some[most];
  const std::int64_t count = n < 32 * most ? most / 4 : most;
  const std::int64_t apart = n / count;
  for (std::int64_t i = 0; i < count; ++i) some[i] = keys[apart / 2 + i * apart];
  sort_few(some, count);
  return some[count / 2];
}

/// Moves the keys below `border`, or not above it, to the front and answers how many there are.
template <bool OrEqual, class K>
std::int64_t move_to_front(K* keys, K* room, std::int64_t n, K border) {
  constexpr std::int64_t lanes = Integers<K>::lanes;
  const Integers<K> many(border);
  std::int64_t low = 0;
  std::int64_t i = 0;
  // What is written to the front has been read: no more than that is below.
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const Integers<K> x[4] = {Integers<K>::load(keys + i), Integers<K>::load(keys + i + lanes),
                              Integers<K>::load(keys + i + 2 * lanes),
                              Integers<K>::load(keys + i + 3 * lanes)};
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      low += part<OrEqual>(x[v], many, keys + low, room + (i + v * lanes - low));
    }
  }
  for (; i < n; ++i) {
    const K key = keys[i];
    keys[low] = key;
    room[i - low] = key;
    low += (OrEqual ? key <= border : key < border) ? 1 : 0;
  }
  std::copy_n(room, n - low, keys + low);
  return low;
}

/// `left` more steps at most: unlucky borders end in another way.
template <class K>
void sort_within(K* keys, K* room, std::int64_t n, int left) {
  while (n > kFew<K>) {
    if (left-- == 0) {
      return std::sort(keys, keys + n, [](K a, K b) { return a < b; });
    }
    const PartedKeys parted = part_keys(keys, room, n);
    // The longer part in this loop, so that calls within calls stay few.
    if (parted.below < n - parted.above) {
      sort_within(keys, room, parted.below, left);
      keys += parted.above;
      n -= parted.above;
    } else {
      sort_within(keys + parted.above, room, n - parted.above, left);
      n = parted.below;
    }
  }
  if (n > 1) sort_few(keys, n);
}

}  // namespace

template <class T>
GAIA_FLATTEN void keys_of(const T* x, std::int64_t stride, SortKey<T>* keys, std::int64_t n,
                          SortKey<T> flip) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) keys[i] = sort_key(x[i]) ^ flip;
  } else {
    for (std::int64_t i = 0; i < n; ++i) keys[i] = sort_key(x[i * stride]) ^ flip;
  }
}

template <class T>
GAIA_FLATTEN void numbers_of(const SortKey<T>* keys, T* x, std::int64_t stride, std::int64_t n,
                             SortKey<T> flip) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) x[i] = number_of_key<T>(keys[i] ^ flip);
  } else {
    for (std::int64_t i = 0; i < n; ++i) x[i * stride] = number_of_key<T>(keys[i] ^ flip);
  }
}

template <class K>
PartedKeys part_keys(K* keys, K* room, std::int64_t n) {
  const K middle = middle_of(keys, n);
  const std::int64_t below = move_to_front<false>(keys, room, n, middle);
  if (below > 0) return {below, below};
  // The middle is the smallest, and perhaps there are many like it.
  return {0, move_to_front<true>(keys, room, n, middle)};
}

template <class K>
void sort_keys(K* keys, K* room, std::int64_t n) {
  sort_within(keys, room, n, 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))));
}

#define GAIA_SORT(K)                                            \
  template void sort_keys(K*, K*, std::int64_t);                \
  template PartedKeys part_keys(K*, K*, std::int64_t);
GAIA_SORT(std::int32_t)
GAIA_SORT(std::int64_t)
#undef GAIA_SORT

#define GAIA_SORT_KEYS(T)                                                                  \
  template void keys_of(const T*, std::int64_t, SortKey<T>*, std::int64_t, SortKey<T>);    \
  template void numbers_of(const SortKey<T>*, T*, std::int64_t, std::int64_t, SortKey<T>);
GAIA_SORT_KEYS(bool)
GAIA_SORT_KEYS(std::int32_t)
GAIA_SORT_KEYS(std::int64_t)
GAIA_SORT_KEYS(float)
GAIA_SORT_KEYS(double)
#undef GAIA_SORT_KEYS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
