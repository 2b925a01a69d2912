// SPDX-License-Identifier: MIT
/// \file
/// Plain loops without branches, which the compiler turns into vectors, but for int64: most
/// processors have no instruction that makes one of a floating number in a vector.
#include "cast.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "../../src/formulas/cast.h"
#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

typedef std::int64_t Longs __attribute__((vector_size(GAIA_VECTOR_BYTES)));

/// The power of two above the largest integer.
template <class To, class From>
constexpr From kLimit = -static_cast<From>(std::numeric_limits<To>::min());

/// cast<To>(x) with both choices computed everywhere, and no integer formed of what fits none.
template <class To, class From>
GAIA_INLINE To without_branches(From x) {
  const bool is_low = x < -kLimit<To, From>;
  const bool fits = !is_low & (x < kLimit<To, From>);
  const To inside = static_cast<To>(fits ? x : From(0));
  const To high = x >= kLimit<To, From> ? std::numeric_limits<To>::max() : inside;
  return is_low ? std::numeric_limits<To>::min() : high;
}

/// Integers from whole numbers up to 2^51: added to 1.5 x 2^52 they stand in the last bits of the
/// sum.
[[maybe_unused]] GAIA_INLINE Longs longs_of_small(Vec<double> x) {
  const Vec<double> shift(0x1.8p52);
  return (Longs)(x + shift).raw - (Longs)shift.raw;
}

/// Integers from whole numbers from -2^63 to below 2^63.
GAIA_INLINE Longs longs_of(Vec<double> x) {
#if defined(__SSE2__) && !defined(__AVX512DQ__)
  const Vec<double> high = floor(x * Vec<double>(0x1p-32));
  const Vec<double> low = x - high * Vec<double>(0x1p32);
  return (longs_of_small(high) << 32) + longs_of_small(low);
#else
  return __builtin_convertvector(x.raw, Longs);
#endif
}

GAIA_INLINE Longs truncated(Vec<double> x) {
#if defined(__SSE2__) && !defined(__AVX512DQ__)
  if (!any(!(abs(x) < Vec<double>(0x1p51)))) return longs_of_small(trunc(x));
#endif
  const Vec<double> limit(0x1p63);
  const Mask<double> fits = (x >= -limit) & (x < limit);
  const Longs inside = longs_of(choose(fits, trunc(x), Vec<double>(0.0)));
  const Longs high =
      x.raw >= limit.raw ? std::numeric_limits<std::int64_t>::max() - Longs{} : inside;
  return x.raw < -limit.raw ? std::numeric_limits<std::int64_t>::min() - Longs{} : high;
}

template <class From>
GAIA_INLINE void truncate_row(const From* x, std::int64_t* y, std::int64_t n) {
  constexpr std::int64_t lanes = Vec<double>::lanes;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Longs whole = truncated(widen(x + i));
    std::memcpy(y + i, &whole, sizeof whole);
  }
  for (; i < n; ++i) y[i] = without_branches<std::int64_t>(x[i]);
}

}  // namespace

template <class To, class From>
GAIA_FLATTEN void cast_row(const From* __restrict x, To* __restrict y, std::int64_t n) {
  if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int64_t>) {
    truncate_row(x, y, n);
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int32_t>) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = without_branches<To>(x[i]);
  } else if constexpr (std::is_same_v<From, bool>) {
    // Compilers know how to widen bytes in vectors, but not truth.
    const auto* const bytes = reinterpret_cast<const unsigned char*>(x);
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<To>(bytes[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = cast<To>(x[i]);
  }
}

#define GAIA_CAST(To, From) template void cast_row<To, From>(const From*, To*, std::int64_t);
#define GAIA_CASTS(From, A, B, C, D) \
  GAIA_CAST(A, From)                 \
  GAIA_CAST(B, From)                 \
  GAIA_CAST(C, From)                 \
  GAIA_CAST(D, From)
GAIA_CASTS(bool, std::int32_t, std::int64_t, float, double)
GAIA_CASTS(std::int32_t, bool, std::int64_t, float, double)
GAIA_CASTS(std::int64_t, bool, std::int32_t, float, double)
GAIA_CASTS(float, bool, std::int32_t, std::int64_t, double)
GAIA_CASTS(double, bool, std::int32_t, std::int64_t, float)
#undef GAIA_CASTS
#undef GAIA_CAST

}  // namespace gaia::cpu::GAIA_VECTOR_SET
