// SPDX-License-Identifier: MIT
/// \file
/// 1 / sqrt(x) of vectors without a division or a root, which block the processor for tens of
/// cycles a register.
#pragma once

#include <cstdint>
#include <limits>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

/// 1 / sqrt(x) for normal x > 0, within 1 ulp (1.4 without fused multiplication and addition); large
/// and finite for 0, NaN for NaN, anything for negative and infinite x.
///
/// A first guess by halving the exponent (Lomont 2003), wrong by 3.5 %, then two steps of third order,
/// y (1 + e / 2 + 3 e^2 / 8) with e = 1 - x y^2, and in double one of second.
template <class T>
GAIA_INLINE Vec<T> inverse_sqrt(Vec<T> x) {
  using V = Vec<T>;
  using Bits = typename V::Integers;
  constexpr bool single = sizeof(T) == 4;
  constexpr auto guess =
      single ? std::int64_t{0x5f375a86} : std::int64_t{0x5fe6eb50c7b537a9};
  V y(reinterpret_cast<typename V::Raw>(
      static_cast<decltype(Bits{}[0] + 0)>(guess) - (reinterpret_cast<Bits>(x.raw) >> 1)));
  for (int step = 0; step < 2; ++step) {
    const V e = fnma(x * y, y, V(T(1)));
    y = fma(y * e, fma(e, V(T(0.375)), V(T(0.5))), y);
  }
  if (single) return y;
  return fma(y * fnma(x * y, y, V(T(1))), V(T(0.5)), y);
}

}  // namespace gaia::cpu::GAIA_VECTOR_SET
