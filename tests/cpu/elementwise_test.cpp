// SPDX-License-Identifier: MIT
/// \file
/// The vector forms of functions against the C library's in higher precision, in units in the last
/// place.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../../cpu/vector/elementwise.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/reductions.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "ulps.h"

using namespace gaia;
using gaia::test::unary_ops;
using gaia::test::UnaryOp;

namespace {

/// Numbers of all sizes between `low` and `high`, and the borders.
template <class T>
std::vector<T> arguments(double low, double high) {
  std::vector<T> x = {T(0), -T(0), T(low), T(high)};
  for (int i = 0; i <= 20000; ++i) x.push_back(static_cast<T>(low + (high - low) * i / 20000.0));
  for (double size = 1e-12; size < high; size *= 1.13) x.push_back(static_cast<T>(size));
  for (double size = 1e-12; size < -low; size *= 1.13) x.push_back(static_cast<T>(-size));
  return x;
}

__extension__ typedef unsigned __int128 Wide;

long double softplus_exactly(long double x) {
  return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x)));
}

struct Function {
  std::string name;
  Unary formula;
  std::function<long double(long double)> exact;
  UnaryOp::Span span;
};

/// The rows of the table that have spans, span by span, and softplus without its threshold.
const std::vector<Function> kFunctions = [] {
  std::vector<Function> all = {{"softplus", Softplus{1.0, 1000.0}, softplus_exactly, {-80, 80}},
                               {"softplus of 4 x",
                                Softplus{4.0, 1000.0},
                                [](long double x) { return softplus_exactly(4.0L * x) / 4.0L; },
                                {-20, 25}},
                               {"softplus of 3 x",
                                Softplus{3.0, 1000.0},
                                [](long double x) { return softplus_exactly(3.0L * x) / 3.0L; },
                                {0, 25, 4}}};
  for (const UnaryOp& op : unary_ops()) {
    for (const UnaryOp::Span& span : op.spans) {
      all.push_back({op.name, op.function, op.formula.exact, span});
    }
  }
  return all;
}();

template <class T>
std::vector<T> answers(const Unary& f, const std::vector<T>& x) {
  std::vector<T> y(x.size(), T(-77));
  const auto n = static_cast<std::int64_t>(x.size());
  const auto run = GAIA_VECTOR_KERNEL(unary_run<T>);
  run(f, x.data(), y.data(), n, cpu::Stores::through_caches);
  return y;
}

}  // namespace

FLOAT_TEST_CASE("Vector functions are right to the last places") {
  for (const Function& f : kFunctions) {
    const double allowed = f.span.units > 0.0 ? f.span.units : sizeof(T) == 4 ? 2.0 : 4.0;
    const std::vector<T> x = arguments<T>(f.span.low, f.span.high);
    const std::vector<T> y = answers(f.formula, x);
    double worst = 0.0;
    T at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double distance = ulps(y[i], f.exact(static_cast<long double>(x[i])));
      if (distance > worst) {
        worst = distance;
        at = x[i];
      }
    }
    INFO(f.name << " at " << at << ": " << worst << " ulp");
    CHECK(worst <= allowed);
  }
}

FLOAT_TEST_CASE("Vector functions take infinities, NaN and the smallest numbers") {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> x = {Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN(),
                            Limits::max(),
                            Limits::lowest(),
                            Limits::min(),
                            -Limits::min(),
                            T(0),
                            -T(0),
                            T(-1),
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            T(1),
                            std::nextafter(T(1), T(0)),
                            std::nextafter(T(1), T(2)),
                            std::nextafter(T(-1), T(0)),
                            T(1.5),
                            T(-89),
                            T(89.3),
                            T(128),
                            T(-149),
                            T(-150),
                            T(710.4),
                            T(-710.4),
                            T(711),
                            T(1024),
                            T(-1074),
                            T(-1075)};
  for (const Function& f : kFunctions) {
    const std::vector<T> y = answers(f.formula, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T exact = static_cast<T>(f.exact(static_cast<long double>(x[i])));
      INFO(f.name << " at " << x[i] << ": " << y[i] << ", not " << exact);
      CHECK(ulps(y[i], static_cast<long double>(exact)) <= 4.0);
      if (exact == T(0)) CHECK(std::signbit(y[i]) == std::signbit(exact));
    }
  }
}

FLOAT_TEST_CASE("Angles next to multiples of a quarter turn keep their digits") {
  std::vector<T> x;
  for (int n = 1; n < 700000; n += n < 1000 ? 1 : 13) {
    const T angle = static_cast<T>(n * 1.57079632679489661923132169163975144L);
    for (const T near : {angle, std::nextafter(angle, T(0)), std::nextafter(angle, T(2) * angle)}) {
      x.push_back(near);
      x.push_back(-near);
    }
  }
  const double allowed = sizeof(T) == 4 ? 2.0 : 4.0;
  const std::vector<T> sines = answers<T>(Sin{}, x);
  const std::vector<T> cosines = answers<T>(Cos{}, x);
  const std::vector<T> tangents = answers<T>(Tan{}, x);
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto angle = static_cast<long double>(x[i]);
    worst = std::max({worst, ulps(sines[i], std::sin(angle)), ulps(cosines[i], std::cos(angle)),
                      ulps(tangents[i], std::tan(angle))});
  }
  CHECK(worst <= allowed);
}

FLOAT_TEST_CASE("Bounded functions stay within their bounds") {
  std::vector<T> x = arguments<T>(-40.0, 40.0);
  for (int i = 0; i < 100000; ++i) x.push_back(static_cast<T>(i / 15625.0));
  for (const Unary& f : {Unary(Erf{}), Unary(Tanh{}), Unary(Sin{}), Unary(Cos{})}) {
    T most = 0;
    for (const T y : answers<T>(f, x)) most = std::max(most, std::abs(y));
    INFO("function " << f.index());
    CHECK(most <= T(1));
  }
}

TEST_CASE("Square roots next to the middle of two numbers are rounded correctly") {
  // Odd m of 54 digits with m^2 = d (mod 2^55) for small d, m / 2^k being such a middle: the root
  // of m^2 - d, a number of 53 digits, is next to it.  m is found digit by digit.
  std::vector<double> x;
  for (std::int64_t d = -127; d <= 127; d += 8) {
    for (std::uint64_t low = 1; low < 8; low += 2) {
      for (const int digits : {54, 55}) {
        std::uint64_t m = low;
        for (int k = 3; k < digits; ++k) {
          const std::uint64_t off = m * m - static_cast<std::uint64_t>(d);
          if ((off >> k & 1U) != 0) m += std::uint64_t{1} << (k - 1);
        }
        for (const std::uint64_t root : {m, m + (std::uint64_t{1} << (digits - 1))}) {
          const std::uint64_t middle = root % (std::uint64_t{1} << 54);
          if (middle < std::uint64_t{1} << 53) continue;
          const Wide square = static_cast<Wide>(middle) * middle;
          const Wide near = square - static_cast<Wide>(d);
          const double number = static_cast<double>(near);
          if (static_cast<Wide>(number) == near) x.push_back(number);
        }
      }
    }
  }
  CHECK(x.size() > 60);
  const std::size_t hard = x.size();
  for (std::size_t i = 0; i < hard; ++i) {
    x.push_back(std::ldexp(x[i], -600));
    x.push_back(std::ldexp(x[i], 900));
  }
  for (const double size : {0x1p-1074, 0x1p-1022, 0x1p-901, 0x1p-900, 1.0, 2.0, 0x1p1023}) {
    for (int i = 0; i < 3000; ++i) x.push_back(size * (1.0 + i / 3001.0));
  }
  x.push_back(std::numeric_limits<double>::max());
  x.insert(x.end(), 16, 0.0);
  const std::vector<double> y = answers<double>(Sqrt{}, x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += y[i] == std::sqrt(x[i]) ? 0 : 1;
  CHECK(wrong == 0);
}

FLOAT_TEST_CASE("Whole powers of 2 and 10 have whole logarithms") {
  using Limits = std::numeric_limits<T>;
  std::vector<T> exponents;
  std::vector<T> powers;
  for (int k = Limits::min_exponent - Limits::digits; k < Limits::max_exponent; ++k) {
    exponents.push_back(static_cast<T>(k));
    powers.push_back(std::ldexp(T(1), k));
  }
  CHECK(answers<T>(Exp2{}, exponents) == powers);
  CHECK(answers<T>(Log2{}, powers) == exponents);
  exponents.clear();
  powers.clear();
  T power = 1;
  for (int k = 0; k <= (sizeof(T) == 4 ? 10 : 22); ++k, power *= T(10)) {
    exponents.push_back(static_cast<T>(k));
    powers.push_back(power);
  }
  CHECK(answers<T>(Log10{}, powers) == exponents);
  CHECK(answers<T>(Cos{}, {T(0), -T(0)}) == std::vector<T>{T(1), T(1)});
  CHECK(answers<T>(Cosh{}, {T(0), -T(0)}) == std::vector<T>{T(1), T(1)});
}

FLOAT_TEST_CASE("An answer does not depend on its place in a run or its neighbours") {
  const auto unary = GAIA_VECTOR_KERNEL(unary_run<T>);
  for (const Function& f : kFunctions) {
    std::vector<T> x;
    for (int i = 0; i < 83; ++i) {
      x.push_back(static_cast<T>(f.span.low + (f.span.high - f.span.low) * i / 82.0));
      // Beside such numbers as some forms treat apart.
      if (i % 7 == 0) x.push_back(static_cast<T>(i % 2 == 0 ? 3e30 : -0.0));
      if (i % 7 == 3) x.push_back(T(-1));
      if (i % 7 == 5) x.push_back(std::numeric_limits<T>::max());
    }
    const std::vector<T> together = answers(f.formula, x);
    bool right = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      T alone = T(-77);
      unary(f.formula, &x[i], &alone, 1, cpu::Stores::through_caches);
      right = right && same_answer(alone, together[i]);
    }
    INFO(f.name);
    CHECK(right);
  }
}

FLOAT_TEST_CASE("Runs of every length and place are written, and nothing around them") {
  const auto unary = GAIA_VECTOR_KERNEL(unary_run<T>);
  const auto binary = GAIA_VECTOR_KERNEL(binary_run<T>);
  for (const cpu::Stores stores : {cpu::Stores::through_caches, cpu::Stores::past_caches}) {
    for (std::size_t n = 0; n <= 140; ++n) {
      const std::size_t before = 1 + n % 17;
      std::vector<T> x(n);
      std::vector<T> room(before + n + 1, T(-77));
      T* const y = room.data() + before;
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i) - T(9);
      const auto count = static_cast<std::int64_t>(n);
      const T two = 2;
      bool right = true;
      unary(Square{}, x.data(), y, count, stores);
      for (std::size_t i = 0; i < n; ++i) right = right && y[i] == x[i] * x[i];
      const T eight = 8;
      unary(Arctan{}, x.data(), y, count, stores);
      for (std::size_t i = 0; i < n; ++i)
        right = right && std::abs(y[i] - std::atan(x[i])) < T(1e-6);
      binary(Remainder{}, x.data(), 1, &eight, 0, y, count, stores);
      for (std::size_t i = 0; i < n; ++i) right = right && y[i] == Remainder{}.value(x[i], eight);
      binary(Subtract{}, &two, 0, x.data(), 1, y, count, stores);
      for (std::size_t i = 0; i < n; ++i) right = right && y[i] == two - x[i];
      binary(Maximum{}, x.data(), 1, &two, 0, y, count, stores);
      for (std::size_t i = 0; i < n; ++i) right = right && y[i] == std::max(x[i], two);
      binary(Add{}, x.data(), 1, x.data(), 1, y, count, stores);
      for (std::size_t i = 0; i < n; ++i) right = right && y[i] == x[i] + x[i];
      CHECK(right);
      CHECK(y[n] == T(-77));
      CHECK(std::count(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(before), T(-77)) ==
            static_cast<std::ptrdiff_t>(before));
    }
  }
}

FLOAT_TEST_CASE("Clipped numbers are those of single numbers to the bit") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<T> x = {T(nan), -T(nan), T(0), -T(0), T(infinity), -T(infinity), T(1.5), T(-1.5)};
  for (int i = 0; i < 61; ++i) x.push_back(T(0.1) * static_cast<T>(i - 30));
  const double bounds[][2] = {{-1, 1},        {0, 2},   {-0.0, 0.0}, {0.0, -0.0}, {1, -1},
                              {-infinity, 1}, {nan, 1}, {-1, nan},   {nan, nan},  {-1.5, infinity}};
  for (const auto& [low, high] : bounds) {
    const Clip clip{low, high};
    std::vector<T> y(x.size());
    const auto run = GAIA_VECTOR_KERNEL(unary_run<T>);
    run(clip, x.data(), y.data(), std::ssize(x), cpu::Stores::through_caches);
    bool right = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T wanted = clip.value(x[i]);
      right = right && (wanted != wanted ? y[i] != y[i] : y[i] == wanted) &&
              (wanted != wanted || std::signbit(y[i]) == std::signbit(wanted));
    }
    INFO("between " << low << " and " << high);
    CHECK(right);
  }
}

FLOAT_TEST_CASE("Slopes along runs are those of single numbers") {
  const auto slope = GAIA_VECTOR_KERNEL(slope_run<T>);
  const auto check = [&](const auto& function) {
    for (const std::size_t n : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 16U, 31U, 33U, 70U}) {
      std::vector<T> x(n);
      std::vector<T> y(n);
      std::vector<T> dy(n);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = T(0.3) + static_cast<T>(i % 13) / T(4) - T(1.5);
        y[i] = function.value(x[i]);
        dy[i] = static_cast<T>(i % 5) - T(1.5);
      }
      std::vector<T> dx(n + 1, T(-77));
      slope(function, x.data(), y.data(), dy.data(), dx.data(), static_cast<std::int64_t>(n));
      for (std::size_t i = 0; i < n; ++i) {
        const T expected = dy[i] * function.slope(x[i], y[i]);
        INFO("function " << Unary(function).index() << " at " << x[i]);
        CHECK(std::abs(dx[i] - expected) <=
              T(16) * std::numeric_limits<T>::epsilon() * std::max(T(1), std::abs(expected)));
      }
      CHECK(dx[n] == T(-77));
    }
  };
  check(Square{});
  check(Exp{});
  check(Tanh{});
  check(Sigmoid{});
  check(Relu{});
  check(LeakyRelu{});
  check(Softplus{});
  check(GeluTanh{});
  check(GeluExact{});
  check(Sin{});
  check(Cos{});
  check(Tan{});
  check(Exp2{});
  check(Arctan{});
  check(Sinh{});
  check(Cosh{});
  check(Arcsinh{});
}

TEST_CASE("Results larger than a cache are those of smaller ones") {
  const std::int64_t n = (std::int64_t{28} << 20) / 4;
  REQUIRE(cpu::stores_for(n * 4, false) == cpu::Stores::past_caches);
  CHECK(cpu::stores_for(n * 4, true) == cpu::Stores::through_caches);
  CHECK(cpu::stores_for(1 << 20, false) == cpu::Stores::through_caches);
  const Array x = arange(n).astype(DType::float32);
  const Array all = x * 0.5 + x;
  const Array first = x.slice(0, 0, 1001) * 0.5 + x.slice(0, 0, 1001);
  const Array last = x.slice(0, n - 1001, n) * 0.5 + x.slice(0, n - 1001, n);
  CHECK(max(abs(all.slice(0, 0, 1001) - first)).item() == 0.0);
  CHECK(max(abs(all.slice(0, n - 1001, n) - last)).item() == 0.0);
  CHECK(max(abs(all - x * 1.5)).item() <= 1.0);
}
