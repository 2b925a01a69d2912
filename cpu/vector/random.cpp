// SPDX-License-Identifier: MIT
#include "random.h"

#include <algorithm>
#include <bit>

#include "simd.h"
#include "simd_lanes.h"

namespace gaia::random_formulas {
template <class T>
struct NumberOf<cpu::GAIA_VECTOR_SET::Vec<T>> {
  using type = T;
};
}  // namespace gaia::random_formulas

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Blocks side by side, as many as there are lanes of 64 bits.
constexpr int kBlocks = Vec<double>::lanes;

/// The words of these blocks, each in the lower half of its lane.
struct Words {
  Lanes64 word[4];
};

/// Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011, SC'11).
GAIA_INLINE Words philox(const RandomStream& stream, std::uint64_t first) {
  constexpr std::uint64_t low = 0xffffffff;
  Lanes64 block;
  for (int i = 0; i < kBlocks; ++i) block[i] = first + static_cast<std::uint64_t>(i);
  Lanes64 c0 = block & low;
  Lanes64 c1 = block >> 32;
  Lanes64 c2 = (stream.stream & low) - Lanes64{};
  Lanes64 c3 = (stream.stream >> 32) - Lanes64{};
  auto key0 = static_cast<std::uint32_t>(stream.seed);
  auto key1 = static_cast<std::uint32_t>(stream.seed >> 32);
  // The upper halves hold what products leave there; no product reads them.
  for (int round = 0; round < 10; ++round) {
    const Lanes64 a = product_of_low_halves(c0, std::uint64_t{0xd2511f53} - Lanes64{});
    const Lanes64 b = product_of_low_halves(c2, std::uint64_t{0xcd9e8d57} - Lanes64{});
    c0 = (b >> 32) ^ c1 ^ std::uint64_t{key0};
    c1 = b;
    c2 = (a >> 32) ^ c3 ^ std::uint64_t{key1};
    c3 = a;
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return {{c0 & low, c1 & low, c2 & low, c3 & low}};
}

/// The same numbers, below 2^52, in floating point.
GAIA_INLINE Vec<double> to_double(Lanes64 x) {
  constexpr std::uint64_t two_to_52 = 0x4330000000000000;
  return Vec<double>((Vec<double>::Raw)(x | two_to_52)) - Vec<double>(0x1p52);
}

GAIA_INLINE Vec<double> log_positive(Vec<double> x) {
  const auto bits = (Lanes64)x.raw;
  const Vec<double> exponent = to_double(bits >> 52) - Vec<double>(1023.0);
  const Vec<double> mantissa((Vec<double>::Raw)((bits & std::uint64_t{0x000fffffffffffff}) |
                                                std::uint64_t{0x3ff0000000000000}));
  const auto is_large = mantissa > Vec<double>(1.4142135623730951);
  return random_formulas::log_of_parts(choose(is_large, exponent + Vec<double>(1.0), exponent),
                                       choose(is_large, mantissa * Vec<double>(0.5), mantissa));
}

GAIA_INLINE Vec<float> log_positive(Vec<float> x) {
  using Integers = Vec<float>::Integers;
  const auto bits = (Integers)x.raw;
  const Vec<float> exponent(__builtin_convertvector((bits >> 23) - 127, Vec<float>::Raw));
  const Vec<float> mantissa((Vec<float>::Raw)((bits & 0x007fffff) | 0x3f800000));
  const auto is_large = mantissa > Vec<float>(1.41421356f);
  return random_formulas::log_of_parts(choose(is_large, exponent + Vec<float>(1.0f), exponent),
                                       choose(is_large, mantissa * Vec<float>(0.5f), mantissa));
}

/// (1, 0) turned by `quarters` + t quarter turns, times `radius`.
template <class T, class Quarters>
GAIA_INLINE void turned(Vec<T> radius, Quarters quarters, Vec<T> t, Vec<T>& x, Vec<T>& y) {
  using Integers = typename Vec<T>::Integers;
  const auto where = [](Quarters bits) { return Mask<T>{(Integers)(bits != 0)}; };
  Vec<T> sine;
  Vec<T> cosine;
  random_formulas::sine_cosine(t, sine, cosine);
  const Mask<T> odd = where(quarters & 1);
  x = choose(odd, sine, cosine);
  y = choose(odd, cosine, sine);
  x = choose(where((quarters + 1) & 2), -x, x) * radius;
  y = choose(where(quarters & 2), -y, y) * radius;
}

/// The pairs of numbers of each block: those of a in lanes 0, 2, 4 ..., and of float32 a second
/// pair of each block in lanes 1, 3, 5 ...
template <class T>
struct Pairs {
  Vec<T> a;
  Vec<T> b;
};

/// Words 0 and 2, and words 1 and 3, side by side.
struct HalfWords {
  static_assert(std::endian::native == std::endian::little);
  Vec<float>::Integers a;
  Vec<float>::Integers b;

  GAIA_INLINE explicit HalfWords(const Words& w)
      : a((Vec<float>::Integers)(w.word[0] | (w.word[2] << 32))),
        b((Vec<float>::Integers)(w.word[1] | (w.word[3] << 32))) {}
};

GAIA_INLINE Vec<float> to_float(Vec<float>::Integers x) {
  return Vec<float>(__builtin_convertvector(x, Vec<float>::Raw));
}

/// x >> count without the sign.
GAIA_INLINE Vec<float>::Integers shifted(Vec<float>::Integers x, int count) {
  return (x >> count) & static_cast<std::int32_t>(0xffffffffU >> count);
}

GAIA_INLINE Pairs<float> normals(const Words& words, float) {
  const HalfWords w(words);
  // A word is two numbers of 16 bits, which are exact, and so is the upper one's product.
  const Vec<float> word = to_float(shifted(w.a, 16)) * Vec<float>(0x1p16f) + to_float(w.a & 0xffff);
  const Vec<float> u = word * Vec<float>(0x1p-32f) + Vec<float>(0x1p-33f);
  const Vec<float> radius = sqrt(Vec<float>(-2.0f) * log_positive(u));
  // The words as numbers with a sign have the same bits, without the overflow.
  const Vec<float>::Integers quarters = shifted(w.b, 29);
  const Vec<float>::Integers nearest = ((quarters + 1) >> 1) & 3;
  const Vec<float>::Integers offset = (w.b & 0x3fffffff) - ((quarters & 1) << 30);
  Pairs<float> pairs;
  turned(radius, nearest, to_float(offset) * Vec<float>(0x1p-30f), pairs.a, pairs.b);
  return pairs;
}

GAIA_INLINE Pairs<double> normals(const Words& w, double) {
  const auto joined = [](Vec<double> high, Vec<double> low) {
    return high * Vec<double>(0x1p26) + low;  // exact: 53 bits
  };
  const Vec<double> u =
      joined(to_double(w.word[0] >> 5), to_double((w.word[1] >> 6) + 1)) * Vec<double>(0x1p-53);
  const Vec<double> radius = sqrt(Vec<double>(-2.0) * log_positive(u));
  const Lanes64 high = w.word[2] >> 5;  // share of 2^27, which is a full turn
  const Lanes64 quarters = (high + (1u << 24)) >> 25;
  const Vec<double> offset = to_double(high) - to_double(quarters << 25);
  Pairs<double> pairs;
  turned(radius, quarters, joined(offset, to_double(w.word[3] >> 6)) * Vec<double>(0x1p-51),
         pairs.a, pairs.b);
  return pairs;
}

GAIA_INLINE Pairs<float> uniforms(const Words& words, float) {
  const HalfWords w(words);
  const auto uniform = [](Vec<float>::Integers word) {
    return to_float(shifted(word, 8)) * Vec<float>(0x1p-24f);
  };
  return {uniform(w.a), uniform(w.b)};
}

GAIA_INLINE Pairs<double> uniforms(const Words& w, double) {
  const auto uniform = [](Lanes64 high, Lanes64 low) {
    return to_double(high >> 5) * Vec<double>(0x1p-27) + to_double(low >> 6) * Vec<double>(0x1p-53);
  };
  return {uniform(w.word[0], w.word[1]), uniform(w.word[2], w.word[3])};
}

template <class T>
GAIA_INLINE Pairs<T> drawn(const random_formulas::NormalDraw<T>& draw, const Words& words) {
  const Pairs<T> normal = normals(words, T());
  const auto moved = [&](Vec<T> x) { return Vec<T>(draw.shift) + Vec<T>(draw.scale) * x; };
  return {moved(normal.a), moved(normal.b)};
}

template <class T>
GAIA_INLINE Pairs<T> drawn(const random_formulas::UniformDraw<T>& draw, const Words& words) {
  const Pairs<T> uniform = uniforms(words, T());
  const auto moved = [&](Vec<T> u) {
    const Vec<T> x = Vec<T>(draw.shift) + Vec<T>(draw.scale) * u;
    const Vec<T> last(draw.last);
    return choose(draw.scale < T(0) ? x < last : x > last, last, x);
  };
  return {moved(uniform.a), moved(uniform.b)};
}

}  // namespace

template <class Draw>
GAIA_FLATTEN void draw_blocks(const RandomStream& stream, const Draw& draw, std::uint64_t first,
                              std::int64_t blocks, typename Draw::Number* out) {
  using T = typename Draw::Number;
  constexpr int lanes = Vec<T>::lanes;
  for (std::int64_t done = 0; done < blocks; done += kBlocks) {
    const Pairs<T> pairs = drawn(draw, philox(stream, first + static_cast<std::uint64_t>(done)));
    const Vec<T> numbers[2] = {interleave<false>(pairs.a, pairs.b),
                               interleave<true>(pairs.a, pairs.b)};
    T* const to = out + done * random_formulas::kPerBlock<T>;
    if (blocks - done >= kBlocks) {
      numbers[0].store(to);
      numbers[1].store(to + lanes);
    } else {
      const std::int64_t left = (blocks - done) * random_formulas::kPerBlock<T>;
      numbers[0].store(to, std::min<std::int64_t>(lanes, left));
      numbers[1].store(to + lanes, std::max<std::int64_t>(0, left - lanes));
    }
  }
}

#define GAIA_DRAWS(T)                                                                    \
  template void draw_blocks(const RandomStream&, const random_formulas::NormalDraw<T>&,  \
                            std::uint64_t, std::int64_t, T*);                            \
  template void draw_blocks(const RandomStream&, const random_formulas::UniformDraw<T>&, \
                            std::uint64_t, std::int64_t, T*);
GAIA_DRAWS(float)
GAIA_DRAWS(double)
#undef GAIA_DRAWS

}  // namespace gaia::cpu::GAIA_VECTOR_SET
