// SPDX-License-Identifier: MIT
/// \file
/// The formula behind normalised weights, with registers that every processor has.
#define GAIA_VECTOR_SET tested
#define GAIA_VECTOR_BYTES 16
#include "../../cpu/vector/simd_inverse_sqrt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../support/catch.h"

namespace gaia::cpu {
namespace {

/// The largest error over a factor of four, within which the formula repeats itself, in units of
/// the last place of the answer.
template <class T>
double worst_ulp(T first, int samples) {
  double worst = 0.0;
  for (int i = 0; i < samples; ++i) {
    const T x = first * (T(1) + T(3) * static_cast<T>(i) / static_cast<T>(samples));
    const T y = tested::inverse_sqrt(tested::Vec<T>(x))[0];
    const long double exact = 1.0L / std::sqrt(static_cast<long double>(x));
    const T nearest = static_cast<T>(exact);
    const T ulp = std::nextafter(nearest, std::numeric_limits<T>::infinity()) - nearest;
    const long double error = std::abs(static_cast<long double>(y) - exact);
    worst = std::max(worst, static_cast<double>(error / static_cast<long double>(ulp)));
  }
  return worst;
}

template <class T>
void check_inverse_sqrt() {
  using Limits = std::numeric_limits<T>;
  for (const T first : {T(1), T(0.7), T(1e-9), T(1e9), Limits::min(), Limits::max() / 4}) {
    INFO("from " << first);
    CHECK(worst_ulp<T>(first, 100000) <= 1.4);
  }
  const T of_zero = tested::inverse_sqrt(tested::Vec<T>(T(0)))[0];
  CHECK(std::isfinite(of_zero));
  CHECK(of_zero > 1 / std::sqrt(Limits::min()));
  CHECK(std::isnan(tested::inverse_sqrt(tested::Vec<T>(Limits::quiet_NaN()))[0]));
}

}  // namespace

TEST_CASE("1 / sqrt(x) without a division is right to its last digits") {
  SECTION("float32") { check_inverse_sqrt<float>(); }
  SECTION("float64") { check_inverse_sqrt<double>(); }
}

}  // namespace gaia::cpu
