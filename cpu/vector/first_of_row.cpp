// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set.
#include "first_of_row.h"

#include <limits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class T>
GAIA_INLINE RankKey<T> rank_key(T x) {
  using Key = RankKey<T>;
  const T zero_is_one = x + T(0);  // 0 and -0 become one
  Key bits;
  __builtin_memcpy(&bits, &zero_is_one, sizeof(bits));
  const Key sign = bits >> (8 * sizeof(Key) - 1);
  const Key key = bits ^ (sign & std::numeric_limits<Key>::max());
  return x == x ? key : std::numeric_limits<Key>::min();
}

template <class Key>
GAIA_INLINE std::int64_t count_above(const Key* keys, std::int64_t n, Key border) {
  Key count = 0;  // a count as wide as the keys, so that vectors stay whole
  for (std::int64_t i = 0; i < n; ++i) count += keys[i] > border ? 1 : 0;
  return static_cast<std::int64_t>(count);
}

}  // namespace

template <class T>
GAIA_FLATTEN FirstOfRow<T> first_of_row(const T* x, std::int64_t n, std::int64_t count,
                                        RankKey<T>* keys) {
  using Key = RankKey<T>;
  using Wide = std::make_unsigned_t<Key>;
  Key low = std::numeric_limits<Key>::max();
  Key high = std::numeric_limits<Key>::min();
  for (std::int64_t i = 0; i < n; ++i) {
    const Key key = rank_key(x[i]);
    keys[i] = key;
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  if (count == 1) return {high, 1};
  std::int64_t above_high = 0;
  std::int64_t above = count_above(keys, n, low);
  if (above == count) return {low, 0};
  if (above < count) return {low, count - above};
  // Fewer than `count` are above `high`, more are above `low`: half the way, until all that is
  // between them is a single key, or the border has been met.
  while (static_cast<Wide>(high) - static_cast<Wide>(low) > 1) {
    const Wide half = (static_cast<Wide>(high) - static_cast<Wide>(low)) / 2;
    const Key middle = static_cast<Key>(static_cast<Wide>(low) + half);
    above = count_above(keys, n, middle);
    if (above == count) return {middle, 0};
    if (above < count) {
      high = middle;
      above_high = above;
    } else {
      low = middle;
    }
  }
  return {high, count - above_high};
}

template <class T>
GAIA_FLATTEN void keep_first_of_row(const FirstOfRow<T>& first, const RankKey<T>* keys, const T* x,
                                    T* y, std::int64_t n) {
  const RankKey<T> border = first.border;
  if (x != nullptr) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = keys[i] > border ? x[i] : T(0);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = keys[i] > border ? T(1) : T(0);
  }
  std::int64_t left = first.on_border;
  for (std::int64_t i = 0; left > 0; ++i) {
    if (keys[i] != border) continue;
    y[i] = x != nullptr ? x[i] : T(1);
    --left;
  }
}

template <class T>
GAIA_FLATTEN std::int64_t last_of_first(const FirstOfRow<T>& first, const RankKey<T>* keys,
                                        std::int64_t n) {
  if (first.on_border > 0) {
    std::int64_t left = first.on_border;
    std::int64_t i = 0;
    while (keys[i] != first.border || --left > 0) ++i;
    return i;
  }
  RankKey<T> least = std::numeric_limits<RankKey<T>>::max();
  for (std::int64_t i = 0; i < n; ++i) {
    least = keys[i] > first.border && keys[i] < least ? keys[i] : least;
  }
  std::int64_t i = n - 1;
  while (keys[i] != least) --i;
  return i;
}

#define GAIA_INSTANTIATE(T)                                                               \
  template FirstOfRow<T> first_of_row(const T*, std::int64_t, std::int64_t, RankKey<T>*); \
  template void keep_first_of_row(const FirstOfRow<T>&, const RankKey<T>*, const T*, T*,  \
                                  std::int64_t);                                          \
  template std::int64_t last_of_first(const FirstOfRow<T>&, const RankKey<T>*, std::int64_t);
GAIA_INSTANTIATE(float)
GAIA_INSTANTIATE(double)
#undef GAIA_INSTANTIATE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
