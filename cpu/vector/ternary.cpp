// SPDX-License-Identifier: MIT
/// \file
/// A vector of codes is decoded in registers and used for several rows at once.  Every product is
/// added up in the same order, whatever stands beside it.
#include "ternary.h"

#include <algorithm>
#include <cstdint>

#include "simd.h"
#include "simd_lanes.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

constexpr std::int64_t kPerWord = 16;
constexpr int kOutputsTogether = 4;

/// The codes of the digits of `word` that begin at bit `first`, one a lane.
template <class T>
GAIA_INLINE Vec<T> decoded(std::int32_t word, int first) {
  using Integer = typename Vec<T>::Integer;
  typename Vec<T>::Integers shifts;
#pragma GCC unroll 16
  for (int i = 0; i < Vec<T>::lanes; ++i) shifts[i] = static_cast<Integer>(2 * i);
  // Words are stored with their highest bit turned over.
  const std::uint32_t bits = (static_cast<std::uint32_t>(word) ^ 0x80000000U) >> first;
  typename Vec<T>::Integers digits = static_cast<Integer>(bits) - typename Vec<T>::Integers{};
  digits = ((digits >> shifts) & 3) - 1;
  return Vec<T>(__builtin_convertvector(digits, typename Vec<T>::Raw));
}

/// Rows [row, row + Rows) by the outputs [output, output + count), at most kOutputsTogether.
template <class T, int Rows>
GAIA_INLINE void multiply_codes(const TernaryRows<T>& of, std::int64_t row, std::int64_t output,
                                std::int64_t count) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const std::int32_t* words[kOutputsTogether];
  for (int o = 0; o < kOutputsTogether; ++o) {  // those past the end repeat the last
    words[o] = of.packed + (output + std::min<std::int64_t>(o, count - 1)) * of.words;
  }
  const T* const x = of.x + row * of.columns;
  Vec<T> sums[Rows][kOutputsTogether];
  for (auto& some : sums) {
    for (Vec<T>& one : some) one = Vec<T>(T(0));
  }
  const auto add = [&](std::int64_t column, std::int64_t n) {
    const std::int64_t word = column / kPerWord;
    const int first = static_cast<int>(2 * (column % kPerWord));
    Vec<T> codes[kOutputsTogether];
#pragma GCC unroll 4
    for (int o = 0; o < kOutputsTogether; ++o) codes[o] = decoded<T>(words[o][word], first);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const T* const from = x + r * of.columns + column;
      const Vec<T> numbers = n == lanes ? Vec<T>::load(from) : Vec<T>::load(from, n);
#pragma GCC unroll 4
      for (int o = 0; o < kOutputsTogether; ++o) sums[r][o] = fma(codes[o], numbers, sums[r][o]);
    }
  };
  const std::int64_t whole = of.columns / lanes * lanes;
  for (std::int64_t column = 0; column < whole; column += lanes) add(column, lanes);
  if (whole < of.columns) add(whole, of.columns - whole);
  for (int r = 0; r < Rows; ++r) {
    T* const to = of.y + (row + r) * of.outputs + output;
    for (std::int64_t o = 0; o < count; ++o) to[o] = sum(sums[r][o]);
  }
}

}  // namespace

template <class T>
GAIA_FLATTEN void ternary_outputs(const TernaryRows<T>& of, std::int64_t first, std::int64_t last) {
  for (std::int64_t output = first; output < last; output += kOutputsTogether) {
    const std::int64_t count = std::min<std::int64_t>(kOutputsTogether, last - output);
    std::int64_t row = 0;
    for (; row + 4 <= of.rows; row += 4) multiply_codes<T, 4>(of, row, output, count);
    for (; row + 2 <= of.rows; row += 2) multiply_codes<T, 2>(of, row, output, count);
    for (; row < of.rows; ++row) multiply_codes<T, 1>(of, row, output, count);
  }
}

template void ternary_outputs(const TernaryRows<float>&, std::int64_t, std::int64_t);
template void ternary_outputs(const TernaryRows<double>&, std::int64_t, std::int64_t);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
