// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set.
#include "select.h"

#include <cstdint>

#include "simd.h"

namespace gaia::cpu::GAIA_VECTOR_SET {

template <class T>
GAIA_FLATTEN void select_row(const bool* holds, const T* a, std::int64_t a_step, const T* b,
                             std::int64_t b_step, T* y, std::int64_t n) {
  // Compilers know how to widen bytes in vectors, but not truth.
  const auto* const bytes = reinterpret_cast<const unsigned char*>(holds);
  const auto loop = [&](auto first, auto second) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T p = first(i);
      const T q = second(i);
      y[i] = bytes[i] != 0 ? p : q;
    }
  };
  const auto each_of = [](const T* x) { return [x](std::int64_t i) { return x[i]; }; };
  const auto always = [](const T* x) { return [one = *x](std::int64_t) { return one; }; };
  if (n == 0) return;
  if (a_step != 0 && b_step != 0) return loop(each_of(a), each_of(b));
  if (a_step != 0) return loop(each_of(a), always(b));
  if (b_step != 0) return loop(always(a), each_of(b));
  loop(always(a), always(b));
}

#define GAIA_SELECT(T)                                                                        \
  template void select_row(const bool*, const T*, std::int64_t, const T*, std::int64_t, T*,   \
                           std::int64_t);
GAIA_SELECT(bool)
GAIA_SELECT(std::int32_t)
GAIA_SELECT(std::int64_t)
GAIA_SELECT(float)
GAIA_SELECT(double)
#undef GAIA_SELECT

}  // namespace gaia::cpu::GAIA_VECTOR_SET
