// SPDX-License-Identifier: MIT
/// \file
/// Registers of the keys that are sorted: smaller and larger, lanes in another order, and lanes
/// told apart by a border.  Beside simd.h, which says how such files are compiled.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// A register of K: int32, int64, float or double.  Of floating numbers none may be NaN, and where
/// 0 meets -0 either may take the place of both.
template <class K>
struct Keys {
  static constexpr int lanes = GAIA_VECTOR_BYTES / static_cast<int>(sizeof(K));
  using Lane = std::conditional_t<sizeof(K) == 4, std::int32_t, std::int64_t>;
  typedef K Raw __attribute__((vector_size(GAIA_VECTOR_BYTES)));
  typedef Lane Integers __attribute__((vector_size(GAIA_VECTOR_BYTES)));
  typedef K Anywhere
      __attribute__((vector_size(GAIA_VECTOR_BYTES), aligned(alignof(K)), may_alias));

  /// What comes after every other key.
  static constexpr K last = std::is_floating_point_v<K> ? std::numeric_limits<K>::infinity()
                                                        : std::numeric_limits<K>::max();

  Raw raw;

  Keys() = default;
  GAIA_INLINE explicit Keys(Raw r) : raw(r) {}
  /// The same key in all lanes.
  template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
  GAIA_INLINE explicit Keys(N x) : raw(static_cast<K>(x) - Raw{}) {}

  GAIA_INLINE static Keys load(const K* p) {
    return Keys(Raw(*reinterpret_cast<const Anywhere*>(p)));
  }
  GAIA_INLINE void store(K* p) const { *reinterpret_cast<Anywhere*>(p) = raw; }
  /// The first n lanes; the others are `last`, or are not written.
  GAIA_INLINE static Keys load(const K* p, std::int64_t n) {
    Keys x(last);
    std::memcpy(&x.raw, p, static_cast<std::size_t>(n) * sizeof(K));
    return x;
  }
  GAIA_INLINE void store(K* p, std::int64_t n) const {
    std::memcpy(p, &raw, static_cast<std::size_t>(n) * sizeof(K));
  }
};

/// Puts the smaller of each two lanes into a and the larger into b.
template <class K>
GAIA_INLINE void put_in_order(Keys<K>& a, Keys<K>& b) {
  using Raw = typename Keys<K>::Raw;
  const Raw x = a.raw;
  const Raw y = b.raw;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<K, double>) {
    a.raw = (Raw)_mm512_min_pd((__m512d)x, (__m512d)y);
    b.raw = (Raw)_mm512_max_pd((__m512d)x, (__m512d)y);
    return;
  } else if constexpr (std::is_same_v<K, float>) {
    a.raw = (Raw)_mm512_min_ps((__m512)x, (__m512)y);
    b.raw = (Raw)_mm512_max_ps((__m512)x, (__m512)y);
    return;
  } else if constexpr (sizeof(K) == 8) {
    // Extremes of 64-bit integers take two operations each, and one port has them all.
    const __mmask8 less = _mm512_cmplt_epi64_mask((__m512i)x, (__m512i)y);
    a.raw = (Raw)_mm512_mask_blend_epi64(less, (__m512i)y, (__m512i)x);
    b.raw = (Raw)_mm512_mask_blend_epi64(less, (__m512i)x, (__m512i)y);
    return;
  }
#endif
  a.raw = x < y ? x : y;
  b.raw = x < y ? y : x;
}

/// Lane i is x's lane i ^ Bits.
template <int Bits, class K>
GAIA_INLINE Keys<K> exchanged(Keys<K> x) {
  constexpr int lanes = Keys<K>::lanes;
#if defined(__clang__)
  typename Keys<K>::Raw result;
  for (int i = 0; i < lanes; ++i) result[i] = x.raw[i ^ Bits];
  return Keys<K>(result);
#else
  typename Keys<K>::Integers order;
  for (int i = 0; i < lanes; ++i) order[i] = i ^ Bits;
  return Keys<K>(__builtin_shuffle(x.raw, order));
#endif
}

/// Compares lane i with lane i ^ Bits, and puts the smaller key first.
template <int Bits, class K>
GAIA_INLINE Keys<K> in_order(Keys<K> x) {
  constexpr int upper = static_cast<int>(std::bit_floor(static_cast<unsigned>(Bits)));
  const Keys<K> other = exchanged<Bits>(x);
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<K, std::int64_t>) {
    constexpr __mmask8 second = upper == 1 ? 0xaa : upper == 2 ? 0xcc : 0xf0;
    const __mmask8 less = _mm512_cmplt_epi64_mask((__m512i)x.raw, (__m512i)other.raw);
    // Either of two equal keys is right.
    return Keys<K>((typename Keys<K>::Raw)_mm512_mask_blend_epi64(
        _kxor_mask8(less, second), (__m512i)other.raw, (__m512i)x.raw));
  }
#endif
  Keys<K> low = x;
  Keys<K> high = other;
  put_in_order(low, high);
  typename Keys<K>::Integers of_high;
  for (int i = 0; i < Keys<K>::lanes; ++i) of_high[i] = (i & upper) != 0 ? -1 : 0;
  return Keys<K>(of_high ? high.raw : low.raw);
}

/// For every set of eight lanes, their numbers in order and then the others'.
template <class Number>
constexpr auto kLanesOfSet = [] {
  std::array<std::array<Number, 8>, 256> table{};
  for (unsigned set = 0; set < 256; ++set) {
    std::size_t place = 0;
    for (const unsigned belongs : {1U, 0U}) {
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((set >> lane & 1U) == belongs) table[set][place++] = static_cast<Number>(lane);
      }
    }
  }
  return table;
}();

#if defined(__AVX512F__)
/// Lanes in a mask.  It is moved to a register for numbers: g++ 12 may read a mask that it had put
/// aside in memory as wider than it is, together with what lies beside it.
template <class Bits>
GAIA_INLINE std::int64_t lanes_in(Bits mask) {
  asm("" : "+r"(mask));
  return std::popcount(mask);
}
#endif

/// Writes the lanes below `border`, or those not above it where OrEqual, side by side from `low`
/// on, and the others side by side up to `high`; returns how many are in `low`.  A whole register
/// is written to both.
template <bool OrEqual, class K>
GAIA_INLINE std::int64_t part(Keys<K> x, Keys<K> border, K* low, K* high) {
  constexpr int lanes = Keys<K>::lanes;
#if defined(__AVX512F__)
  constexpr int compared = OrEqual ? _CMP_LE_OQ : _CMP_LT_OQ;
  constexpr auto how = OrEqual ? _MM_CMPINT_LE : _MM_CMPINT_LT;
  const __m512i raw = (__m512i)x.raw;
  if constexpr (sizeof(K) == 4) {
    __mmask16 below;
    if constexpr (std::is_floating_point_v<K>) {
      below = _mm512_cmp_ps_mask((__m512)x.raw, (__m512)border.raw, compared);
    } else {
      below = _mm512_cmp_epi32_mask(raw, (__m512i)border.raw, how);
    }
    const std::int64_t count = lanes_in(below);
    _mm512_storeu_si512(low, _mm512_maskz_compress_epi32(below, raw));
    _mm512_mask_storeu_epi32(high - (lanes - count), static_cast<__mmask16>(0xffffU >> count),
                             _mm512_maskz_compress_epi32(static_cast<__mmask16>(~below), raw));
    return count;
  } else {
    __mmask8 below;
    if constexpr (std::is_floating_point_v<K>) {
      below = _mm512_cmp_pd_mask((__m512d)x.raw, (__m512d)border.raw, compared);
    } else {
      below = _mm512_cmp_epi64_mask(raw, (__m512i)border.raw, how);
    }
    asm("" : "+r"(below));
    const __m512i order = _mm512_loadu_si512(kLanesOfSet<std::int64_t>[below].data());
    const __m512i parted = _mm512_permutexvar_epi64(order, raw);
    _mm512_storeu_si512(low, parted);
    _mm512_storeu_si512(high - lanes, parted);
    return std::popcount(below);
  }
#elif defined(__AVX2__)
  // A lane of 64 bits is two of 32.
  const auto holds = OrEqual ? x.raw <= border.raw : x.raw < border.raw;
  const auto below = static_cast<unsigned>(_mm256_movemask_ps((__m256)holds));
  const __m256i order = _mm256_cvtepu8_epi32(
      _mm_loadl_epi64((const __m128i*)kLanesOfSet<std::uint8_t>[below].data()));
  const __m256i parted = _mm256_permutevar8x32_epi32((__m256i)x.raw, order);
  _mm256_storeu_si256((__m256i*)low, parted);
  _mm256_storeu_si256((__m256i*)(high - lanes), parted);
  return std::popcount(below) / static_cast<int>(sizeof(K) / 4);
#else
  std::int64_t count = 0;
  for (int i = 0; i < lanes; ++i) {
    const K value = x.raw[i];
    low[count] = value;
    high[count - i - 1] = value;
    count += (OrEqual ? value <= border.raw[0] : value < border.raw[0]) ? 1 : 0;
  }
  return count;
#endif
}

/// Which of 64 bytes are not 0, the first in the lowest bit.
GAIA_INLINE std::uint64_t set_of_bytes(const unsigned char* bytes) {
#if defined(__AVX512BW__)
  const __m512i x = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(x, x);
#elif defined(__AVX2__)
  const auto zeros_from = [&](int first) {
    const __m256i x = _mm256_loadu_si256((const __m256i*)(bytes + first));
    return std::uint64_t{static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256())))};
  };
  return ~(zeros_from(0) | zeros_from(32) << 32);
#elif defined(__SSE4_1__)
  const auto zeros_from = [&](int first) {
    const __m128i x = _mm_loadu_si128((const __m128i*)(bytes + first));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())))
           << first;
  };
  return ~(zeros_from(0) | zeros_from(16) | zeros_from(32) | zeros_from(48));
#else
  std::uint64_t set = 0;
  for (int i = 0; i < 64; ++i) set |= std::uint64_t{bytes[i] != 0} << i;
  return set;
#endif
}

/// Writes `first` and the seven numbers that follow, of these the ones in `set` in front, and
/// returns how many those are.
GAIA_INLINE std::int64_t write_members(std::uint8_t set, std::int64_t first, std::int64_t* to) {
#if defined(__AVX512F__)
  const __m512i all =
      _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(set, all));
#else
  const auto& lanes = kLanesOfSet<std::uint8_t>[set];
  for (std::size_t i = 0; i < 8; ++i) to[i] = first + lanes[i];
#endif
  return std::popcount(set);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
