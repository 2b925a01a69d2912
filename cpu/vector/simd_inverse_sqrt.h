// SPDX-License-Identifier: MIT
/// \file
/// 1 / sqrt(x) and sqrt(x) of vectors without a division or a root, which block the processor for
/// tens of cycles a register.
#pragma once

#include <cstdint>
#include <limits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// 1 / sqrt(x) for normal x > 0, within 1 ulp (1.4 without fused multiplication and addition);
/// large and finite for 0, NaN for NaN, anything for negative and infinite x.
///
/// A first guess by halving the exponent (Lomont 2003), wrong by 3.5 %, then two steps of third
/// order, y (1 + e / 2 + 3 e^2 / 8) with e = 1 - x y^2, and in double one of second.
template <class T>
GAIA_INLINE Vec<T> inverse_sqrt(Vec<T> x) {
  using V = Vec<T>;
  using Bits = typename V::Integers;
  constexpr bool single = sizeof(T) == 4;
  constexpr auto guess = single ? std::int64_t{0x5f375a86} : std::int64_t{0x5fe6eb50c7b537a9};
  V y(reinterpret_cast<typename V::Raw>(static_cast<decltype(Bits{}[0] + 0)>(guess) -
                                        (reinterpret_cast<Bits>(x.raw) >> 1)));
  for (int step = 0; step < 2; ++step) {
    const V e = fnma(x * y, y, V(T(1)));
    y = fma(y * e, fma(e, V(T(0.375)), V(T(0.5))), y);
  }
  if (single) return y;
  return fma(y * fnma(x * y, y, V(T(1))), V(T(0.5)), y);
}

#if defined(__AVX512F__)
/// sqrt(x), rounded correctly, where nothing else keeps the processor busy meanwhile.
///
/// Goldschmidt's steps from an estimate, then that of Markstein (1990): root + (x - root^2) / (2
/// root) is wrong by less than 2^-104 of it before the last rounding.  No root of a number of 53
/// digits lies so near to the middle of two such numbers, but for some hundred of them (Cornea,
/// Harrison and Tang, 2002), which tests/cpu/elementwise_test.cpp takes one by one.
GAIA_INLINE Vec<double> sqrt_by_estimate(Vec<double> x) {
  using V = Vec<double>;
  // For smaller numbers x - root^2 would lose digits.
  const Mask<double> usual = (x >= V(0x1p-900)) & (x <= V(std::numeric_limits<double>::max()));
  if (any(!usual)) return sqrt(x);
  const V estimate = inverse_sqrt_estimate(x);
  V root = x * estimate;
  V half_inverse = V(0.5) * estimate;
  for (int step = 0; step < 2; ++step) {
    const V lacks = fnma(root, half_inverse, V(0.5));
    root = fma(root, lacks, root);
    half_inverse = fma(half_inverse, lacks, half_inverse);
  }
  return exact_fma(exact_fma(-root, root, x), half_inverse, root);
}
#endif

}  // namespace gaia::cpu::GAIA_VECTOR_SET
