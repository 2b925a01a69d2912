// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set.
#include "compare.h"

#include <type_traits>

#include "simd.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

using Byte = unsigned char;

/// What compilers turn into vectors: of bool they read and write bytes.
template <class T>
using Lane = std::conditional_t<std::is_same_v<T, bool>, Byte, T>;

/// Calls g with f as a function of two lanes that returns 0 or 1 without a branch, and says whether
/// there is one.
template <class T, class F, class G>
GAIA_INLINE bool with_lanes(const F& f, const G& g) {
  if constexpr (std::is_same_v<F, LogicalAnd> || std::is_same_v<F, LogicalOr> ||
                std::is_same_v<F, LogicalXor>) {
    if constexpr (!std::is_same_v<T, bool>) {
      return false;
    } else if constexpr (std::is_same_v<F, LogicalAnd>) {
      g([](Byte a, Byte b) { return static_cast<Byte>(a & b); });
    } else if constexpr (std::is_same_v<F, LogicalOr>) {
      g([](Byte a, Byte b) { return static_cast<Byte>(a | b); });
    } else {
      g([](Byte a, Byte b) { return static_cast<Byte>(a ^ b); });
    }
  } else {
    g([&](Lane<T> a, Lane<T> b) { return static_cast<Byte>(f.value(a, b) ? 1 : 0); });
  }
  return true;
}

}  // namespace

template <class T>
GAIA_FLATTEN bool compare_run(const Comparison& f, const T* a, std::int64_t a_step, const T* b,
                              std::int64_t b_step, bool* y, std::int64_t n) {
  const auto* const p = reinterpret_cast<const Lane<T>*>(a);
  const auto* const q = reinterpret_cast<const Lane<T>*>(b);
  auto* const to = reinterpret_cast<Byte*>(y);
  bool found = false;
  with_alternative(f, [&](const auto& function) {
    found = with_lanes<T>(function, [&](const auto& holds) {
      if (n == 0) return;
      if (a_step != 0 && b_step != 0) {
        for (std::int64_t i = 0; i < n; ++i) to[i] = holds(p[i], q[i]);
      } else if (a_step != 0) {
        const Lane<T> right = *q;
        for (std::int64_t i = 0; i < n; ++i) to[i] = holds(p[i], right);
      } else if (b_step != 0) {
        const Lane<T> left = *p;
        for (std::int64_t i = 0; i < n; ++i) to[i] = holds(left, q[i]);
      } else {
        const Byte same = holds(*p, *q);
        for (std::int64_t i = 0; i < n; ++i) to[i] = same;
      }
    });
  });
  return found;
}

#define GAIA_COMPARE(T)                                                                        \
  template bool compare_run(const Comparison&, const T*, std::int64_t, const T*, std::int64_t, \
                            bool*, std::int64_t);
GAIA_COMPARE(bool)
GAIA_COMPARE(std::int32_t)
GAIA_COMPARE(std::int64_t)
GAIA_COMPARE(float)
GAIA_COMPARE(double)
#undef GAIA_COMPARE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
