// SPDX-License-Identifier: MIT
/// \file
/// Registers of signed integers, as sorting needs them: smaller and larger, lanes in another order,
/// and lanes told apart by a border.  Beside simd.h, which says how such files are compiled.
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

/// A register of K, int32 or int64.
template <class K>
struct Integers {
  static constexpr int lanes = GAIA_VECTOR_BYTES / static_cast<int>(sizeof(K));
  typedef K Raw __attribute__((vector_size(GAIA_VECTOR_BYTES)));
  typedef K Anywhere __attribute__((vector_size(GAIA_VECTOR_BYTES), aligned(alignof(K)), may_alias));

  Raw raw;

  Integers() = default;
  GAIA_INLINE explicit Integers(Raw r) : raw(r) {}
  /// The same number in all lanes.
  template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
  GAIA_INLINE explicit Integers(N x) : raw(static_cast<K>(x) - Raw{}) {}

  GAIA_INLINE static Integers load(const K* p) {
    return Integers(Raw(*reinterpret_cast<const Anywhere*>(p)));
  }
  GAIA_INLINE void store(K* p) const { *reinterpret_cast<Anywhere*>(p) = raw; }
  /// The first n lanes; the others are the largest number there is, or are not written.
  GAIA_INLINE static Integers load(const K* p, std::int64_t n) {
    Integers x(std::numeric_limits<K>::max());
    std::memcpy(&x.raw, p, static_cast<std::size_t>(n) * sizeof(K));
    return x;
  }
  GAIA_INLINE void store(K* p, std::int64_t n) const {
    std::memcpy(p, &raw, static_cast<std::size_t>(n) * sizeof(K));
  }
};

template <class K>
GAIA_INLINE Integers<K> smaller(Integers<K> a, Integers<K> b) {
  return Integers<K>(a.raw < b.raw ? a.raw : b.raw);
}
template <class K>
GAIA_INLINE Integers<K> larger(Integers<K> a, Integers<K> b) {
  return Integers<K>(a.raw > b.raw ? a.raw : b.raw);
}

/// Lane i is x's lane i ^ Bits.
template <int Bits, class K>
GAIA_INLINE Integers<K> exchanged(Integers<K> x) {
  constexpr int lanes = Integers<K>::lanes;
#if defined(__clang__)
  typename Integers<K>::Raw result;
  for (int i = 0; i < lanes; ++i) result[i] = x.raw[i ^ Bits];
  return Integers<K>(result);
#else
  typename Integers<K>::Raw order;
  for (int i = 0; i < lanes; ++i) order[i] = i ^ Bits;
  return Integers<K>(__builtin_shuffle(x.raw, order));
#endif
}

/// Lanes whose number has Bit set are b's, the others a's.
template <int Bit, class K>
GAIA_INLINE Integers<K> alternating(Integers<K> a, Integers<K> b) {
  typename Integers<K>::Raw of_b;
  for (int i = 0; i < Integers<K>::lanes; ++i) of_b[i] = (i & Bit) != 0 ? -1 : 0;
  return Integers<K>(of_b ? b.raw : a.raw);
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// For every set of lanes of 32 bits, their numbers in order.
constexpr auto kLanesOfSet = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned set = 0; set < 256; ++set) {
    std::size_t place = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1U) != 0) table[set][place++] = static_cast<std::uint8_t>(lane);
    }
  }
  return table;
}();
#endif

#if defined(__AVX512F__)
/// Lanes in a mask.  It is moved to a register for numbers: g++ 12 may read a mask that it had put
/// aside in memory as wider than it is, together with what lies beside it.
template <class Bits>
GAIA_INLINE std::int64_t lanes_in(Bits mask) {
  asm("" : "+r"(mask));
  return std::popcount(mask);
}
#endif

/// Writes the lanes below `border`, or those not above it where OrEqual, side by side from `low` on,
/// and the others from `high` on, in their order; answers how many are in `low`.  A whole register is
/// written to both.
template <bool OrEqual, class K>
GAIA_INLINE std::int64_t part(Integers<K> x, Integers<K> border, K* low, K* high) {
#if defined(__AVX512F__)
  const __m512i raw = (__m512i)x.raw;
  if constexpr (sizeof(K) == 4) {
    const __mmask16 below = OrEqual ? _mm512_cmple_epi32_mask(raw, (__m512i)border.raw)
                                    : _mm512_cmplt_epi32_mask(raw, (__m512i)border.raw);
    _mm512_storeu_si512(low, _mm512_maskz_compress_epi32(below, raw));
    _mm512_storeu_si512(high, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~below), raw));
    return lanes_in(below);
  } else {
    const __mmask8 below = OrEqual ? _mm512_cmple_epi64_mask(raw, (__m512i)border.raw)
                                   : _mm512_cmplt_epi64_mask(raw, (__m512i)border.raw);
    _mm512_storeu_si512(low, _mm512_maskz_compress_epi64(below, raw));
    _mm512_storeu_si512(high, _mm512_maskz_compress_epi64(static_cast<__mmask8>(~below), raw));
    return lanes_in(below);
  }
#elif defined(__AVX2__)
  // A lane of 64 bits is two of 32.
  const auto holds = OrEqual ? x.raw <= border.raw : x.raw < border.raw;
  const auto below = static_cast<unsigned>(_mm256_movemask_ps((__m256)holds));
  const auto move = [&](unsigned set, K* to) {
    const __m256i order =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)kLanesOfSet[set].data()));
    _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32((__m256i)x.raw, order));
  };
  move(below, low);
  move(below ^ 0xffU, high);
  return std::popcount(below) / static_cast<int>(sizeof(K) / 4);
#else
  std::int64_t count = 0;
  for (int i = 0; i < Integers<K>::lanes; ++i) {
    const K value = x.raw[i];
    low[count] = value;
    high[i - count] = value;
    count += (OrEqual ? value <= border.raw[0] : value < border.raw[0]) ? 1 : 0;
  }
  return count;
#endif
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
