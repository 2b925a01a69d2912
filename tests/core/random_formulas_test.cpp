// SPDX-License-Identifier: MIT
#include "../../src/core/random_formulas.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../support/catch.h"

namespace gaia {
namespace {

namespace formulas = random_formulas;

/// |got - wanted| in units of the last place of T at `wanted`.
template <class T>
double ulps(T got, long double wanted) {
  const T near = std::abs(static_cast<T>(wanted));
  const T unit = std::nextafter(near, std::numeric_limits<T>::infinity()) - near;
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted) / unit);
}

/// Powers of two and their neighbours, roots of two, and random numbers over the whole range.
template <class T>
std::vector<T> positive_numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {Limits::min(), Limits::max()};
  for (int e = Limits::min_exponent; e < Limits::max_exponent; ++e) {
    for (const T x : {std::ldexp(T(1), e), std::ldexp(std::sqrt(T(2)), e)}) {
      numbers.insert(numbers.end(), {x, std::nextafter(x, T(0)), std::nextafter(x, Limits::max())});
    }
  }
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> exponent(Limits::min_exponent, Limits::max_exponent - 1);
  for (int i = 0; i < 20000; ++i) numbers.push_back(static_cast<T>(std::exp2(exponent(engine))));
  for (int i = 0; i < 20000; ++i) {
    numbers.push_back(T(1) + static_cast<T>((exponent(engine) - 0.5) * 1e-4));
  }
  return numbers;
}

TEMPLATE_TEST_CASE("log_positive is the logarithm to a few units in the last place", "", float,
                   double) {
  double worst = 0;
  for (const TestType x : positive_numbers<TestType>()) {
    if (x < std::numeric_limits<TestType>::min()) continue;
    worst = std::max(worst, ulps(formulas::log_positive(x), std::log(static_cast<long double>(x))));
  }
  CHECK(worst < 3.0);
  CHECK(formulas::log_positive(TestType(1)) == TestType(0));
}

TEST_CASE(
    "A quotient by a reciprocal is the quotient, for every mantissa and every n of the series") {
  // What sine_cosine divides by, in float, and exponents at the ends and in the middle of what it
  // divides: -(pi t / 2)^2, for t a multiple of 2^-30 of at most 1/2.
  for (int n = 2; n <= 10; n += 2) {
    for (const int divisor : {n * (n - 1), n * (n + 1)}) {
      std::int64_t wrong = 0;
      const auto compare = [&](float a) {
        const float quotient = formulas::quotient_by_reciprocal(a, divisor);
        if (quotient != a / static_cast<float>(divisor)) ++wrong;
      };
      for (int mantissa = 1 << 23; mantissa < 1 << 24; ++mantissa) {
        const float a = -std::ldexp(static_cast<float>(mantissa), -24);
        compare(a);
        if (mantissa % 1024 == 1) {
          for (const int exponent : {-60, -40, -1}) compare(std::ldexp(a, exponent));
        }
      }
      compare(-0.0f);
      CHECK(wrong == 0);
    }
  }
}

TEMPLATE_TEST_CASE("sine_cosine and unit_vector agree with sine and cosine", "", float, double) {
  const long double quarter_turn = std::acos(-1.0L) / 2;
  double worst_sine = 0;
  double worst = 0;
  for (int i = -50000; i <= 50000; ++i) {
    const TestType t = static_cast<TestType>(i) / TestType(100000);
    TestType sine = 0;
    TestType cosine = 0;
    formulas::sine_cosine(t, sine, cosine);
    const long double angle = quarter_turn * static_cast<long double>(t);
    worst_sine = std::max(worst_sine, ulps(sine, std::sin(angle)));
    worst_sine = std::max(worst_sine, ulps(cosine, std::cos(angle)));
    for (const unsigned quarters : {0u, 1u, 2u, 3u}) {
      TestType x = 0;
      TestType y = 0;
      formulas::unit_vector(quarters, t, x, y);
      const long double turned = angle + quarters * quarter_turn;
      worst = std::max(worst, static_cast<double>(std::abs(x - std::cos(turned))));
      worst = std::max(worst, static_cast<double>(std::abs(y - std::sin(turned))));
    }
  }
  CHECK(worst_sine < 3.0);
  CHECK(worst < 2.0 * static_cast<double>(std::numeric_limits<TestType>::epsilon()));
}

TEST_CASE("Normal pairs are finite and exact to a few units at the extremes of their words") {
  const std::vector<std::uint32_t> words = {0u,          1u,          63u,         64u,
                                            0x1fffffffu, 0x20000000u, 0x3fffffffu, 0x40000000u,
                                            0x7fffffffu, 0x80000000u, 0xbfffffffu, 0xdfffffffu,
                                            0xe0000000u, 0xfffffffeu, 0xffffffffu};
  const long double full_turn = 2 * std::acos(-1.0L);
  double worst_float = 0;
  double worst_double = 0;
  for (const std::uint32_t a : words) {
    for (const std::uint32_t b : words) {
      float f0 = 0;
      float f1 = 0;
      formulas::normal_pair(a, b, f0, f1);
      // What the float path makes of the word is itself rounded to a float.
      const long double u = static_cast<float>(a) * 0x1p-32L + 0x1p-33L;
      const long double radius =
          std::sqrt(-2 * std::log(static_cast<long double>(static_cast<float>(u))));
      const long double angle = full_turn * static_cast<std::int32_t>(b) * 0x1p-32L;
      worst_float =
          std::max({worst_float, static_cast<double>(std::abs(f0 - radius * std::cos(angle))),
                    static_cast<double>(std::abs(f1 - radius * std::sin(angle)))});
      for (const std::uint32_t low : {0u, 0xffffffffu}) {
        const std::uint32_t four[4] = {a, low, b, low};
        double d0 = 0;
        double d1 = 0;
        formulas::normal_pair(four, d0, d1);
        const long double u53 = (static_cast<long double>(formulas::bits53(a, low)) + 1) * 0x1p-53L;
        const long double r = std::sqrt(-2 * std::log(u53));
        const long double turn =
            full_turn * static_cast<long double>(formulas::bits53(b, low)) * 0x1p-53L;
        worst_double =
            std::max({worst_double, static_cast<double>(std::abs(d0 - r * std::cos(turn))),
                      static_cast<double>(std::abs(d1 - r * std::sin(turn)))});
      }
    }
  }
  CHECK(worst_float < 8 * 0x1p-23 * 4);   // radius up to 6.8, errors of radius and angle
  CHECK(worst_double < 8 * 0x1p-52 * 4);  // radius up to 8.6
}

TEST_CASE("Uniforms are multiples of their resolution below 1") {
  CHECK(formulas::uniform(0u) == 0.0f);
  CHECK(formulas::uniform(0xffffffffu) == 1.0f - 0x1p-24f);
  CHECK(formulas::uniform(0x100u) == 0x1p-24f);
  CHECK(formulas::uniform(0u, 0u) == 0.0);
  CHECK(formulas::uniform(0xffffffffu, 0xffffffffu) == 1.0 - 0x1p-53);
  CHECK(formulas::uniform(0u, 64u) == 0x1p-53);
}

TEST_CASE("A uniform number of a range never reaches its open end") {
  const auto last_of = [](float low, float high) {
    return formulas::uniform_in_range(1.0f - 0x1p-24f, low, high - low, std::nextafter(high, low));
  };
  CHECK(last_of(0.0f, 1.0f) == 1.0f - 0x1p-24f);
  CHECK(last_of(1.0f, 2.0f) == std::nextafter(2.0f, 0.0f));  // 1 + (1 - 2^-24) rounds to 2
  CHECK(last_of(1000.0f, 1001.0f) == std::nextafter(1001.0f, 0.0f));
  CHECK(last_of(2.0f, 1.0f) == std::nextafter(1.0f, 2.0f));
  CHECK(last_of(3.0f, 3.0f) == 3.0f);
  CHECK(formulas::uniform_in_range(0.0f, 1.0f, 1.0f, 1.5f) == 1.0f);
  CHECK(formulas::uniform_in_range(0.25, -1.0, 2.0, 0.999) == -0.5);
}

}  // namespace
}  // namespace gaia
