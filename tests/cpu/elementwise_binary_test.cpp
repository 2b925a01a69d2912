// SPDX-License-Identifier: MIT
/// \file
/// The vector forms of functions of two numbers against the formulas for single ones, and against
/// the C library's in higher precision, in units in the last place.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../cpu/vector/elementwise.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "ulps.h"

using namespace gaia;
using gaia::test::BinaryOp;

namespace {

template <class T>
struct Pairs {
  std::vector<T> a;
  std::vector<T> b;

  void push_back(T left, T right) {
    a.push_back(left);
    b.push_back(right);
  }
};

/// Pairs within the bounds, on a grid whose lines are no round numbers.
template <class T>
Pairs<T> between(double a_low, double a_high, double b_low, double b_high) {
  Pairs<T> pairs;
  constexpr int lines = 211;
  for (int i = 0; i < lines; ++i) {
    for (int j = 0; j < lines; ++j) {
      pairs.push_back(static_cast<T>(a_low + (a_high - a_low) * (i + j / 977.0) / lines),
                      static_cast<T>(b_low + (b_high - b_low) * (j + i / 953.0) / lines));
    }
  }
  return pairs;
}

/// Numbers of every size and of both signs, with each other.
template <class T>
Pairs<T> of_all_sizes() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> sizes;
  for (T x = Limits::denorm_min(); x < Limits::max() / T(40);
       x *= sizeof(T) == 4 ? T(2.7) : T(31.3)) {
    sizes.push_back(x);
  }
  Pairs<T> pairs;
  for (const T a : sizes) {
    for (const T b : sizes) {
      pairs.push_back(a, b);
      pairs.push_back(-a, b);
      pairs.push_back(a, -b);
    }
  }
  return pairs;
}

template <class T>
Pairs<T> special() {
  using Limits = std::numeric_limits<T>;
  const T numbers[] = {T(0),
                       T(0.5),
                       T(1),
                       T(1.5),
                       T(2),
                       T(3),
                       T(7),
                       T(0.1),
                       T(-4.5),
                       T(1e-20),
                       T(1e20),
                       T(16777216),
                       T(16777217.0),
                       T(9007199254740991.0),
                       T(9007199254740992.0),
                       std::nextafter(T(1), T(0)),
                       std::nextafter(T(1), T(2)),
                       Limits::min(),
                       Limits::max(),
                       Limits::denorm_min(),
                       Limits::infinity(),
                       Limits::quiet_NaN()};
  Pairs<T> pairs;
  for (const T a : numbers) {
    for (const T b : numbers) {
      for (const T left : {a, -a}) {
        for (const T right : {b, -b}) pairs.push_back(left, right);
      }
    }
  }
  return pairs;
}

template <class T>
std::vector<T> binary_answers(const Binary& f, const Pairs<T>& pairs) {
  std::vector<T> y(pairs.a.size(), T(-77));
  const auto run = GAIA_VECTOR_KERNEL(binary_run<T>);
  run(f, pairs.a.data(), 1, pairs.b.data(), 1, y.data(), static_cast<std::int64_t>(y.size()),
      cpu::Stores::through_caches);
  return y;
}

template <class T>
T single(const Binary& f, T a, T b) {
  return std::visit([&](const auto& function) { return function.value(a, b); }, f);
}

template <class T>
void check_last_places(const BinaryOp& f, const Pairs<T>& pairs) {
  const std::vector<T> y = binary_answers(f.function, pairs);
  double worst = 0.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto a = static_cast<long double>(pairs.a[i]);
    const auto b = static_cast<long double>(pairs.b[i]);
    double distance = ulps(y[i], f.formula.exact(a, b));
    if (y[i] == T(0) && std::signbit(y[i]) != std::signbit(f.formula.exact(a, b))) distance = 1e9;
    if (distance > worst) {
      worst = distance;
      at = i;
    }
  }
  INFO(f.name << " at " << pairs.a[at] << ", " << pairs.b[at] << ": " << y[at] << ", " << worst
              << " ulp");
  CHECK(worst <= (sizeof(T) == 4 ? 2.0 : 4.0));
}

}  // namespace

FLOAT_TEST_CASE("Vector functions of two numbers are right to the last places") {
  for (const BinaryOp& op : gaia::test::binary_ops()) {
    if (op.spans.empty()) continue;
    for (const auto& [a_low, a_high, b_low, b_high] : op.spans) {
      check_last_places(op, between<T>(a_low, a_high, b_low, b_high));
    }
    check_last_places(op, of_all_sizes<T>());
    check_last_places(op, special<T>());
  }
}

FLOAT_TEST_CASE("A power does not depend on its neighbours") {
  Pairs<T> pairs;
  for (int i = 0; i < 300; ++i) {
    pairs.push_back(static_cast<T>(0.01 + i / 90.0), static_cast<T>(i % 23 - 11.3));
    // Beside such as some forms treat apart.
    if (i % 20 == 0) pairs.push_back(T(-2), T(3));
    if (i % 20 == 5) pairs.push_back(std::numeric_limits<T>::denorm_min(), T(0.5));
    if (i % 20 == 10) pairs.push_back(T(3), T(1e4));
  }
  const std::vector<T> together = binary_answers<T>(Power{}, pairs);
  bool right = true;
  for (std::size_t i = 0; i < together.size(); ++i) {
    const std::vector<T> alone = binary_answers<T>(Power{}, {{pairs.a[i]}, {pairs.b[i]}});
    right = right && same_answer(alone[0], together[i]);
  }
  CHECK(right);
}

FLOAT_TEST_CASE("Small whole powers are exact") {
  Pairs<T> pairs;
  std::vector<T> exact;
  for (int base = -2000; base <= 2000; ++base) {
    long double power = 1.0L;
    for (int exponent = 0; exponent <= 25; ++exponent, power *= base) {
      if (static_cast<long double>(static_cast<T>(power)) != power) break;
      pairs.push_back(static_cast<T>(base), static_cast<T>(exponent));
      exact.push_back(static_cast<T>(power));
    }
  }
  CHECK(binary_answers<T>(Power{}, pairs) == exact);
}

FLOAT_TEST_CASE("Quotients and remainders are those of single numbers to the bit") {
  const Binary functions[] = {Fmod{}, Remainder{}, FloorDivide{}};
  const Pairs<T> sets[] = {between<T>(-100.0, 100.0, -7.0, 7.0), between<T>(-1e9, 1e9, -7.0, 7.0),
                           between<T>(-1e17, 1e17, 0.3, 0.9), of_all_sizes<T>(), special<T>()};
  for (const Binary& f : functions) {
    for (const Pairs<T>& pairs : sets) {
      const std::vector<T> y = binary_answers(f, pairs);
      std::size_t wrong = 0;
      std::size_t at = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (same_answer(y[i], single(f, pairs.a[i], pairs.b[i]))) continue;
        ++wrong;
        at = i;
      }
      INFO("function " << f.index() << " at " << pairs.a[at] << ", " << pairs.b[at] << ": "
                       << y[at]);
      CHECK(wrong == 0);
    }
  }
}

FLOAT_TEST_CASE("The logarithm of a sum of exponentials is that of single numbers") {
  for (const Pairs<T>& pairs :
       {between<T>(-20.0, 20.0, -20.0, 20.0), of_all_sizes<T>(), special<T>()}) {
    const std::vector<T> y = binary_answers<T>(LogAddExp{}, pairs);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const T expected = single<T>(LogAddExp{}, pairs.a[i], pairs.b[i]);
      if (same_answer(y[i], expected)) continue;
      // A small sum of larger numbers of both signs has the digits of those.
      const T size = std::max({std::abs(expected), std::abs(pairs.a[i]), T(0.7)});
      INFO("at " << pairs.a[i] << ", " << pairs.b[i] << ": " << y[i] << ", not " << expected);
      REQUIRE(std::abs(y[i] - expected) <= T(4) * std::numeric_limits<T>::epsilon() * size);
    }
  }
}

FLOAT_TEST_CASE("One number with all others is as good as an array of it") {
  const auto binary = GAIA_VECTOR_KERNEL(binary_run<T>);
  const Pairs<T> pairs = between<T>(0.1, 9.0, 0.1, 9.0);
  const auto n = static_cast<std::int64_t>(pairs.a.size());
  const T one = T(2.3);
  const std::vector<T> copies(pairs.a.size(), one);
  std::vector<T> y(pairs.a.size());
  for (const Binary& f :
       {Binary(Power{}), Binary(Fmod{}), Binary(Arctan2{}), Binary(LogAddExp{})}) {
    binary(f, &one, 0, pairs.b.data(), 1, y.data(), n, cpu::Stores::through_caches);
    CHECK(y == binary_answers<T>(f, {copies, pairs.b}));
    binary(f, pairs.a.data(), 1, &one, 0, y.data(), n, cpu::Stores::through_caches);
    CHECK(y == binary_answers<T>(f, {pairs.a, copies}));
  }
}
