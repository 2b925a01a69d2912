// SPDX-License-Identifier: MIT
/// \file
/// Plain loops, which the compiler turns into vectors of each instruction set; masks 64 numbers at
/// a time.
#include "select.h"

#include <bit>
#include <cstdint>

#include "simd.h"
#include "simd_integers.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Numbers to a word of bits.
constexpr std::int64_t kBlock = 64;

/// Writes the numbers of the bits that are 1, counted from `first`; returns where it stopped.
GAIA_INLINE std::int64_t* write_bits(std::uint64_t bits, std::int64_t first, std::int64_t* to) {
  for (; bits != 0; bits &= bits - 1) *to++ = first + std::countr_zero(bits);
  return to;
}

const unsigned char* bytes_of(const bool* mask) {
  return reinterpret_cast<const unsigned char*>(mask);
}

}  // namespace

template <class T>
GAIA_FLATTEN void select_row(const bool* holds, const T* a, std::int64_t a_step, const T* b,
                             std::int64_t b_step, T* y, std::int64_t n) {
  // Compilers know how to widen bytes in vectors, but not truth.
  const auto* const bytes = bytes_of(holds);
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

template <class T>
GAIA_FLATTEN std::int64_t places_up_to(const T* x, std::int64_t n, SortKey<T> flip,
                                       SortKey<T> border, std::int64_t* places) {
  const auto belongs = [=](T one) { return (sort_key_of_value(one) ^ flip) <= border; };
  std::int64_t* to = places;
  std::int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    unsigned char holds[kBlock];
    for (std::int64_t j = 0; j < kBlock; ++j) holds[j] = belongs(x[i + j]) ? 1 : 0;
    to = write_bits(set_of_bytes(holds), i, to);
  }
  for (; i < n; ++i) {
    if (belongs(x[i])) *to++ = i;
  }
  return to - places;
}

GAIA_FLATTEN bool all_within(const std::int64_t* x, std::int64_t n, std::int64_t low,
                             std::int64_t high) {
  // Both differences have a sign only outside, without a comparison, of which older instruction
  // sets have none for vectors of 64-bit integers, or a slow one.
  const auto first = static_cast<std::uint64_t>(low);
  const std::uint64_t last = static_cast<std::uint64_t>(high) - 1;
  std::uint64_t signs = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto one = static_cast<std::uint64_t>(x[i]);
    signs |= (one - first) | (last - one);
  }
  return static_cast<std::int64_t>(signs) >= 0;
}

GAIA_FLATTEN std::int64_t count_of_true(const bool* mask, std::int64_t n) {
  std::int64_t count = 0;
  std::int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) count += std::popcount(set_of_bytes(bytes_of(mask + i)));
  for (; i < n; ++i) count += mask[i] ? 1 : 0;
  return count;
}

GAIA_FLATTEN std::int64_t* places_of_true(const bool* mask, std::int64_t n, std::int64_t first,
                                          std::int64_t* places, const std::int64_t* end) {
  std::int64_t i = 0;
  for (; i + kBlock <= n && places != end; i += kBlock) {
    std::uint64_t bits = set_of_bytes(bytes_of(mask + i));
    // Where eight are written at a time, what is not a place lies behind them.
    if (end - places < kBlock) {
      places = write_bits(bits, first + i, places);
      continue;
    }
    for (std::int64_t j = 0; bits != 0; j += 8, bits >>= 8) {
      places += write_members(static_cast<std::uint8_t>(bits & 0xff), first + i + j, places);
    }
  }
  for (; i < n && places != end; ++i) {
    if (mask[i]) *places++ = first + i;
  }
  return places;
}

#define GAIA_SELECT(T)                                                                      \
  template void select_row(const bool*, const T*, std::int64_t, const T*, std::int64_t, T*, \
                           std::int64_t);                                                   \
  template std::int64_t places_up_to(const T*, std::int64_t, SortKey<T>, SortKey<T>, std::int64_t*);
GAIA_SELECT(bool)
GAIA_SELECT(std::int32_t)
GAIA_SELECT(std::int64_t)
GAIA_SELECT(float)
GAIA_SELECT(double)
#undef GAIA_SELECT

}  // namespace gaia::cpu::GAIA_VECTOR_SET
