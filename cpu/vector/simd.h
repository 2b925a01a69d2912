// SPDX-License-Identifier: MIT
/// \file
/// Vec<T>: as many numbers side by side as a vector register holds.
///
/// It has the operators of a number, so the formulas of src/ (rules, activations) run on it as they
/// are; comparisons give a Mask, and `choose` takes the place of a branch.  Built from the vector
/// types of g++ and clang; the few instructions that those do not reach stand here and in
/// simd_integers.h.  Only files that are compiled once per instruction set may include this.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if !defined(GAIA_VECTOR_SET) || !defined(GAIA_VECTOR_BYTES)
#error "cpu/vector/ is compiled once per instruction set; see cpu/CMakeLists.txt"
#endif

#define GAIA_INLINE __attribute__((always_inline)) inline
// Takes everything that a function calls into it, so that none of it stays behind as a function
// that the rest of the program may be linked to (tests/architecture/vector_symbols.py).
#define GAIA_FLATTEN __attribute__((flatten))

namespace gaia::cpu::GAIA_VECTOR_SET {

template <class T>
struct Vec {
  static constexpr int lanes = GAIA_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T Raw __attribute__((vector_size(GAIA_VECTOR_BYTES)));
  typedef T Anywhere
      __attribute__((vector_size(GAIA_VECTOR_BYTES), aligned(alignof(T)), may_alias));
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef Integer Integers __attribute__((vector_size(GAIA_VECTOR_BYTES)));

  Raw raw;

  Vec() = default;
  GAIA_INLINE explicit Vec(Raw r) : raw(r) {}
  /// The same number in all lanes.  (x - 0 keeps the sign of zero.)
  template <class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0>
  GAIA_INLINE explicit Vec(N x) : raw(static_cast<T>(x) - Raw{}) {}

  GAIA_INLINE static Vec load(const T* p) {
    return Vec(Raw(*reinterpret_cast<const Anywhere*>(p)));
  }
  GAIA_INLINE void store(T* p) const { *reinterpret_cast<Anywhere*>(p) = raw; }
  /// The first n lanes, 0 <= n <= lanes; the others are 0, or are not written.
  GAIA_INLINE static Vec load(const T* p, std::int64_t n) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      return Vec((Raw)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), p));
    } else {
      return Vec((Raw)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1), p));
    }
#else
    Vec v(T(0));
    std::memcpy(&v.raw, p, static_cast<std::size_t>(n) * sizeof(T));
    return v;
#endif
  }
  GAIA_INLINE void store(T* p, std::int64_t n) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1U << n) - 1), (__m512)raw);
    } else {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1U << n) - 1), (__m512d)raw);
    }
#else
    std::memcpy(p, &raw, static_cast<std::size_t>(n) * sizeof(T));
#endif
  }

  /// Past the caches, for what is not read again soon.  p lies on a vector's border; what other
  /// threads are to see needs finish_streams() after it.
  GAIA_INLINE void stream(T* p) const {
#if defined(__AVX512F__)
    _mm512_stream_si512((__m512i*)p, (__m512i)raw);
#elif defined(__AVX2__)
    _mm256_stream_si256((__m256i*)p, (__m256i)raw);
#elif defined(__SSE2__)
    _mm_stream_si128((__m128i*)p, (__m128i)raw);
#else
    store(p);
#endif
  }

  GAIA_INLINE T operator[](int lane) const { return raw[lane]; }

  GAIA_INLINE Vec& operator+=(Vec b) {
    raw += b.raw;
    return *this;
  }
  GAIA_INLINE Vec& operator-=(Vec b) {
    raw -= b.raw;
    return *this;
  }
  GAIA_INLINE Vec& operator*=(Vec b) {
    raw *= b.raw;
    return *this;
  }
  GAIA_INLINE Vec& operator/=(Vec b) {
    raw /= b.raw;
    return *this;
  }
  friend GAIA_INLINE Vec operator+(Vec a, Vec b) { return Vec(a.raw + b.raw); }
  friend GAIA_INLINE Vec operator-(Vec a, Vec b) { return Vec(a.raw - b.raw); }
  friend GAIA_INLINE Vec operator*(Vec a, Vec b) { return Vec(a.raw * b.raw); }
  friend GAIA_INLINE Vec operator/(Vec a, Vec b) { return Vec(a.raw / b.raw); }
  friend GAIA_INLINE Vec operator-(Vec a) { return Vec(-a.raw); }
};

GAIA_INLINE void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// What a comparison of two Vec<T> gives: all bits of a lane, or none.
template <class T>
struct Mask {
  typename Vec<T>::Integers raw;

  friend GAIA_INLINE Mask operator&(Mask a, Mask b) { return {a.raw & b.raw}; }
  friend GAIA_INLINE Mask operator|(Mask a, Mask b) { return {a.raw | b.raw}; }
  friend GAIA_INLINE Mask operator!(Mask a) { return {~a.raw}; }
};

template <class T>
GAIA_INLINE Mask<T> operator<(Vec<T> a, Vec<T> b) {
  return {a.raw < b.raw};
}
template <class T>
GAIA_INLINE Mask<T> operator<=(Vec<T> a, Vec<T> b) {
  return {a.raw <= b.raw};
}
template <class T>
GAIA_INLINE Mask<T> operator>(Vec<T> a, Vec<T> b) {
  return {a.raw > b.raw};
}
template <class T>
GAIA_INLINE Mask<T> operator>=(Vec<T> a, Vec<T> b) {
  return {a.raw >= b.raw};
}
template <class T>
GAIA_INLINE Mask<T> operator==(Vec<T> a, Vec<T> b) {
  return {a.raw == b.raw};
}
template <class T>
GAIA_INLINE Mask<T> operator!=(Vec<T> a, Vec<T> b) {
  return {a.raw != b.raw};
}

/// holds ? a : b, lane by lane.
template <class T>
GAIA_INLINE Vec<T> choose(Mask<T> holds, Vec<T> a, Vec<T> b) {
  return Vec<T>(holds.raw ? a.raw : b.raw);
}

template <class T>
GAIA_INLINE bool any(Mask<T> mask) {
#if defined(__AVX512DQ__)
  if constexpr (sizeof(T) == 4) {
    return _mm512_movepi32_mask((__m512i)mask.raw) != 0;
  } else {
    return _mm512_movepi64_mask((__m512i)mask.raw) != 0;
  }
#elif defined(__AVX2__)
  return _mm256_movemask_epi8((__m256i)mask.raw) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_epi8((__m128i)mask.raw) != 0;
#else
  typename Vec<T>::Integer together = 0;
  for (int i = 0; i < Vec<T>::lanes; ++i) together |= mask.raw[i];
  return together != 0;
#endif
}

template <class T>
GAIA_INLINE bool all(Mask<T> mask) {
  return !any(!mask);
}

/// a b + c, in one rounding where the processor has that.
template <class T>
GAIA_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return Vec<T>(a.raw * b.raw + c.raw);
}

/// c - a b.
template <class T>
GAIA_INLINE Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return Vec<T>(c.raw - a.raw * b.raw);
}

template <class T>
GAIA_INLINE Vec<T> abs(Vec<T> x) {
  using Integers = typename Vec<T>::Integers;
  constexpr auto sign = std::is_same_v<T, float> ? std::int64_t{0x7fffffff} : 0x7fffffffffffffff;
  return Vec<T>((typename Vec<T>::Raw)((Integers)x.raw &
                                       (static_cast<typename Vec<T>::Integer>(sign) - Integers{})));
}

/// The sign bit of x alone.
template <class T>
GAIA_INLINE typename Vec<T>::Integers sign_bit(Vec<T> x) {
  using Integer = typename Vec<T>::Integer;
  return (typename Vec<T>::Integers)x.raw &
         (std::numeric_limits<Integer>::min() - typename Vec<T>::Integers{});
}
/// x, negated where the sign bit of `of` is set.
template <class T>
GAIA_INLINE Vec<T> flip_sign(Vec<T> x, Vec<T> of) {
  return Vec<T>((typename Vec<T>::Raw)((typename Vec<T>::Integers)x.raw ^ sign_bit(of)));
}
/// x, whose own sign bit is not set, with that of `of`.
template <class T>
GAIA_INLINE Vec<T> with_sign(Vec<T> x, Vec<T> of) {
  return Vec<T>((typename Vec<T>::Raw)((typename Vec<T>::Integers)x.raw | sign_bit(of)));
}

/// a > b ? a : b, in one instruction: b where either is NaN.
template <class T>
GAIA_INLINE Vec<T> max(Vec<T> a, Vec<T> b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm512_max_ps((__m512)a.raw, (__m512)b.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm512_max_pd((__m512d)a.raw, (__m512d)b.raw));
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm256_max_ps((__m256)a.raw, (__m256)b.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm256_max_pd((__m256d)a.raw, (__m256d)b.raw));
  }
#else
  return choose(a > b, a, b);
#endif
}
/// a < b ? a : b.
template <class T>
GAIA_INLINE Vec<T> min(Vec<T> a, Vec<T> b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm512_min_ps((__m512)a.raw, (__m512)b.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm512_min_pd((__m512d)a.raw, (__m512d)b.raw));
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm256_min_ps((__m256)a.raw, (__m256)b.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm256_min_pd((__m256d)a.raw, (__m256d)b.raw));
  }
#else
  return choose(a < b, a, b);
#endif
}

template <class T>
GAIA_INLINE Vec<T> sqrt(Vec<T> x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm512_sqrt_ps((__m512)x.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm512_sqrt_pd((__m512d)x.raw));
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm256_sqrt_ps((__m256)x.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm256_sqrt_pd((__m256d)x.raw));
  }
#elif defined(__SSE2__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm_sqrt_ps((__m128)x.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm_sqrt_pd((__m128d)x.raw));
  }
#else
  for (int i = 0; i < Vec<T>::lanes; ++i) x.raw[i] = static_cast<T>(__builtin_sqrt(x.raw[i]));
  return x;
#endif
}

#if defined(__AVX512F__)
/// 1 / sqrt(x) to 14 binary digits, infinite for 0.
GAIA_INLINE Vec<double> inverse_sqrt_estimate(Vec<double> x) {
  return Vec<double>((Vec<double>::Raw)_mm512_rsqrt14_pd((__m512d)x.raw));
}
#endif

// Rounding to whole numbers: down, up, towards 0, and to the nearest (halves to the even one).
#if defined(__AVX512F__)
#define GAIA_ROUNDING(name, mode)                                                     \
  GAIA_INLINE Vec<float> name(Vec<float> x) {                                         \
    return Vec<float>((Vec<float>::Raw)_mm512_roundscale_ps((__m512)x.raw, mode));    \
  }                                                                                   \
  GAIA_INLINE Vec<double> name(Vec<double> x) {                                       \
    return Vec<double>((Vec<double>::Raw)_mm512_roundscale_pd((__m512d)x.raw, mode)); \
  }
#elif defined(__AVX2__)
#define GAIA_ROUNDING(name, mode)                                                \
  GAIA_INLINE Vec<float> name(Vec<float> x) {                                    \
    return Vec<float>((Vec<float>::Raw)_mm256_round_ps((__m256)x.raw, mode));    \
  }                                                                              \
  GAIA_INLINE Vec<double> name(Vec<double> x) {                                  \
    return Vec<double>((Vec<double>::Raw)_mm256_round_pd((__m256d)x.raw, mode)); \
  }
#elif defined(__SSE4_1__)
#define GAIA_ROUNDING(name, mode)                                             \
  GAIA_INLINE Vec<float> name(Vec<float> x) {                                 \
    return Vec<float>((Vec<float>::Raw)_mm_round_ps((__m128)x.raw, mode));    \
  }                                                                           \
  GAIA_INLINE Vec<double> name(Vec<double> x) {                               \
    return Vec<double>((Vec<double>::Raw)_mm_round_pd((__m128d)x.raw, mode)); \
  }
#else
#define GAIA_ROUNDING(name, mode)                            \
  template <class T>                                         \
  GAIA_INLINE Vec<T> name(Vec<T> x) {                        \
    for (int i = 0; i < Vec<T>::lanes; ++i) {                \
      x.raw[i] = static_cast<T>(__builtin_##name(x.raw[i])); \
    }                                                        \
    return x;                                                \
  }
#endif
GAIA_ROUNDING(floor, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
GAIA_ROUNDING(ceil, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
GAIA_ROUNDING(trunc, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
GAIA_ROUNDING(nearbyint, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#undef GAIA_ROUNDING

/// How many numbers a table has that `looked_up` reads in one instruction: two registers' worth,
/// or none.
#if defined(__AVX512F__)
template <class T>
constexpr int kTableSize = 2 * Vec<T>::lanes;

/// table[i] for the last binary digits i of each lane of `index`.
template <class T>
GAIA_INLINE Vec<T> looked_up(const T (&table)[kTableSize<T>], typename Vec<T>::Integers index) {
  const Vec<T> low = Vec<T>::load(table);
  const Vec<T> high = Vec<T>::load(table + Vec<T>::lanes);
  if constexpr (sizeof(T) == 4) {
    return Vec<T>((typename Vec<T>::Raw)_mm512_permutex2var_ps((__m512)low.raw, (__m512i)index,
                                                               (__m512)high.raw));
  } else {
    return Vec<T>((typename Vec<T>::Raw)_mm512_permutex2var_pd((__m512d)low.raw, (__m512i)index,
                                                               (__m512d)high.raw));
  }
}
#else
template <class T>
constexpr int kTableSize = 0;
#endif

/// A register of lanes of 64 bits.
typedef std::uint64_t Lanes64 __attribute__((vector_size(GAIA_VECTOR_BYTES)));

/// The products of the lower halves of the lanes.
GAIA_INLINE Lanes64 product_of_low_halves(Lanes64 a, Lanes64 b) {
#if defined(__AVX512F__)
  return (Lanes64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (Lanes64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (Lanes64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  constexpr std::uint64_t low = 0xffffffff;
  return (a & low) * (b & low);
#endif
}

/// Loads as many float32 as there are lanes of float64, in float64.
GAIA_INLINE Vec<double> widen(const float* p) {
#if defined(__AVX512F__)
  return Vec<double>((Vec<double>::Raw)_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#elif defined(__AVX2__)
  return Vec<double>((Vec<double>::Raw)_mm256_cvtps_pd(_mm_loadu_ps(p)));
#elif defined(__SSE2__)
  return Vec<double>(
      (Vec<double>::Raw)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i*)p))));
#else
  typedef float Half __attribute__((vector_size(GAIA_VECTOR_BYTES / 2)));
  Half half;
  std::memcpy(&half, p, sizeof half);
  return Vec<double>(__builtin_convertvector(half, Vec<double>::Raw));
#endif
}
GAIA_INLINE Vec<double> widen(const double* p) { return Vec<double>::load(p); }

/// The lanes of x in float64, the lower half of them and the upper.
GAIA_INLINE void widen(Vec<float> x, Vec<double>& lower, Vec<double>& upper) {
#if defined(__AVX512DQ__)
  lower.raw = (Vec<double>::Raw)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x.raw));
  upper.raw = (Vec<double>::Raw)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x.raw, 1));
#elif defined(__AVX2__)
  lower.raw = (Vec<double>::Raw)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x.raw));
  upper.raw = (Vec<double>::Raw)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x.raw, 1));
#elif defined(__SSE2__)
  lower.raw = (Vec<double>::Raw)_mm_cvtps_pd((__m128)x.raw);
  upper.raw = (Vec<double>::Raw)_mm_cvtps_pd(_mm_movehl_ps((__m128)x.raw, (__m128)x.raw));
#else
  typedef float Half __attribute__((vector_size(GAIA_VECTOR_BYTES / 2)));
  Half half[2];
  std::memcpy(half, &x.raw, sizeof half);
  lower.raw = __builtin_convertvector(half[0], Vec<double>::Raw);
  upper.raw = __builtin_convertvector(half[1], Vec<double>::Raw);
#endif
}

/// The opposite.
GAIA_INLINE Vec<float> narrow(Vec<double> lower, Vec<double> upper) {
#if defined(__AVX512DQ__)
  return Vec<float>((Vec<float>::Raw)_mm512_insertf32x8(
      _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)lower.raw)),
      _mm512_cvtpd_ps((__m512d)upper.raw), 1));
#elif defined(__AVX2__)
  return Vec<float>((Vec<float>::Raw)_mm256_insertf128_ps(
      _mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)lower.raw)),
      _mm256_cvtpd_ps((__m256d)upper.raw), 1));
#elif defined(__SSE2__)
  return Vec<float>((Vec<float>::Raw)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)lower.raw),
                                                   _mm_cvtpd_ps((__m128d)upper.raw)));
#else
  typedef float Half __attribute__((vector_size(GAIA_VECTOR_BYTES / 2)));
  const Half half[2] = {__builtin_convertvector(lower.raw, Half),
                        __builtin_convertvector(upper.raw, Half)};
  Vec<float> x;
  std::memcpy(&x.raw, half, sizeof half);
  return x;
#endif
}

/// Whether a b + c takes one rounding in `exact_fma`.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define GAIA_HAS_FMA 1
#else
#define GAIA_HAS_FMA 0
#endif

#if GAIA_HAS_FMA
/// a b + c in one rounding for certain: the compiler may take `fma` apart where it needs a b too.
template <class T>
GAIA_INLINE Vec<T> exact_fma(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(
        (typename Vec<T>::Raw)_mm512_fmadd_ps((__m512)a.raw, (__m512)b.raw, (__m512)c.raw));
  } else {
    return Vec<T>(
        (typename Vec<T>::Raw)_mm512_fmadd_pd((__m512d)a.raw, (__m512d)b.raw, (__m512d)c.raw));
  }
#elif defined(__FMA__)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(
        (typename Vec<T>::Raw)_mm256_fmadd_ps((__m256)a.raw, (__m256)b.raw, (__m256)c.raw));
  } else {
    return Vec<T>(
        (typename Vec<T>::Raw)_mm256_fmadd_pd((__m256d)a.raw, (__m256d)b.raw, (__m256d)c.raw));
  }
#else
  for (int i = 0; i < Vec<T>::lanes; ++i) {
    if constexpr (sizeof(T) == 4) {
      c.raw[i] = __builtin_fmaf(a.raw[i], b.raw[i], c.raw[i]);
    } else {
      c.raw[i] = __builtin_fma(a.raw[i], b.raw[i], c.raw[i]);
    }
  }
  return c;
#endif
}
#endif

#if defined(__AVX2__) && defined(__FMA__) && !defined(__AVX512F__)
#define GAIA_WIDE_ADDS_BY_FMA 1
#else
#define GAIA_WIDE_ADDS_BY_FMA 0
#endif

/// Sums of numbers that have just been widened.  With 32-byte vectors these are fused multiply-adds
/// by one, which round as additions do: Zen converts in the pipes that add, and the others
/// multiply.
class WideAdder {
 public:
  GAIA_INLINE WideAdder() {
#if GAIA_WIDE_ADDS_BY_FMA
    asm("" : "+x"(one_.raw));  // else compilers see that it is one, and add
#endif
  }
  GAIA_INLINE Vec<double> operator()(Vec<double> sum, Vec<double> x) const {
#if GAIA_WIDE_ADDS_BY_FMA
    return exact_fma(x, one_, sum);
#else
    return sum + x;
#endif
  }

 private:
#if GAIA_WIDE_ADDS_BY_FMA
  Vec<double> one_{1.0};
#endif
};

/// Rows and vectors of a tile of sums that fills the registers: kRows x kVectors sums, the vectors
/// of one operand, and one number of the other.
#if GAIA_VECTOR_BYTES == 64 || !defined(__x86_64__)
constexpr int kRows = 8;  // 32 registers
#else
constexpr int kRows = 4;  // 16 registers
#endif
constexpr int kVectors = 3;

}  // namespace gaia::cpu::GAIA_VECTOR_SET
