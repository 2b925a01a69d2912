// SPDX-License-Identifier: MIT
/// \file
/// Kernels of rows at every length around the vectors, against plain loops in double.
#include "../../cpu/vector/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../support/catch.h"

using namespace gaia;

namespace {

template <class T>
std::vector<T> row(std::int64_t n) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) {
    x.push_back(static_cast<T>(3.0 * std::sin(1.3 * static_cast<double>(i * i)) + 0.2));
  }
  return x;
}

template <class T>
void check_row(const std::vector<T>& got, const std::vector<double>& expected, double units) {
  REQUIRE(got.size() == expected.size());
  const double unit = units * static_cast<double>(std::numeric_limits<T>::epsilon());
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double distance = std::abs(static_cast<double>(got[i]) - expected[i]);
    worst = std::max(worst, distance / std::max(1e-3, std::abs(expected[i])));
  }
  INFO(got.size() << " numbers");
  CHECK(worst <= unit);
}

std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 70; ++n) all.push_back(n);
  all.insert(all.end(), {127, 128, 129, 1000});
  return all;
}

}  // namespace

FLOAT_TEST_CASE("Sums and extremes of rows of every length") {
  for (const std::int64_t n : lengths()) {
    std::vector<T> x = row<T>(n);
    double sum = 0.0;
    for (const T v : x) sum += static_cast<double>(v);
    CHECK(GAIA_VECTOR_KERNEL(sum_row<T>)(x.data(), n) == Approx(sum).epsilon(1e-12).margin(1e-12));
    CHECK(GAIA_VECTOR_KERNEL(largest_of_row<T>)(x.data(), n) ==
          *std::max_element(x.begin(), x.end()));
    CHECK(GAIA_VECTOR_KERNEL(smallest_of_row<T>)(x.data(), n) ==
          *std::min_element(x.begin(), x.end()));
    // A NaN anywhere is the answer.
    x[static_cast<std::size_t>(n / 2)] = std::numeric_limits<T>::quiet_NaN();
    CHECK(std::isnan(GAIA_VECTOR_KERNEL(largest_of_row<T>)(x.data(), n)));
    CHECK(std::isnan(GAIA_VECTOR_KERNEL(smallest_of_row<T>)(x.data(), n)));
  }
}

FLOAT_TEST_CASE("Squares of distances in rows of every length") {
  for (const std::int64_t n : lengths()) {
    const std::vector<T> x = row<T>(n);
    for (const double center : {0.0, 0.3}) {
      double sum = 0.0;
      for (const T v : x) {
        const double away = static_cast<double>(v) - center;
        sum += away * away;
      }
      CHECK(GAIA_VECTOR_KERNEL(square_distances<T>)(x.data(), n, center) ==
            Approx(sum).epsilon(1e-12));
    }
  }
}

FLOAT_TEST_CASE("A NaN or an infinity anywhere makes a row not finite") {
  for (const std::int64_t n : lengths()) {
    std::vector<T> x = row<T>(n);
    x.front() = std::numeric_limits<T>::max();
    CHECK(GAIA_VECTOR_KERNEL(all_finite<T>)(x.data(), n));
    bool all_found = true;
    for (T& number : x) {
      for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity()}) {
        const T before = std::exchange(number, bad);
        all_found = all_found && !GAIA_VECTOR_KERNEL(all_finite<T>)(x.data(), n);
        number = before;
      }
    }
    CHECK(all_found);
  }
  CHECK(GAIA_VECTOR_KERNEL(all_finite<T>)(nullptr, 0));
}

FLOAT_TEST_CASE("Products of rows of every length, and what they add to others") {
  for (const std::int64_t n : lengths()) {
    const std::vector<T> a = row<T>(3 * n);
    const std::vector<T> b = row<T>(2 * n);
    for (const std::int64_t a_stride : {1, 3}) {
      for (const std::int64_t b_stride : {1, 2}) {
        double sum = 0.0;
        double size = 0.0;
        for (std::int64_t i = 0; i < n; ++i) {
          const double term = static_cast<double>(a[static_cast<std::size_t>(i * a_stride)]) *
                              static_cast<double>(b[static_cast<std::size_t>(i * b_stride)]);
          sum += term;
          size += std::abs(term);
        }
        INFO(n << " numbers, " << a_stride << " and " << b_stride << " apart");
        CHECK(std::abs(
                  GAIA_VECTOR_KERNEL(inner_product<T>)(a.data(), a_stride, b.data(), b_stride, n) -
                  sum) <= 1e-14 * size);
        if (a_stride * b_stride > 1) continue;
        const double dot = static_cast<double>(GAIA_VECTOR_KERNEL(dot<T>)(a.data(), b.data(), n));
        CHECK(std::abs(dot - sum) <=
              10.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size);
      }
    }
    std::vector<T> y(static_cast<std::size_t>(n) + 1, T(0.5));
    GAIA_VECTOR_KERNEL(add_scaled<T>)(y.data(), T(-2), a.data(), n);
    CHECK(y.back() == T(0.5));
    y.pop_back();
    std::vector<double> expected;
    for (std::size_t i = 0; i < y.size(); ++i) {
      expected.push_back(0.5 - 2.0 * static_cast<double>(a[i]));
    }
    check_row(y, expected, 8.0);
  }
}

FLOAT_TEST_CASE("Softmax and its logarithm of rows of every length") {
  for (const std::int64_t n : lengths()) {
    const std::vector<T> x = row<T>(n);
    const long double largest = *std::max_element(x.begin(), x.end());
    long double total = 0.0;
    for (const T v : x) total += std::exp(v - largest);
    std::vector<double> expected;
    std::vector<double> logarithms;
    for (const T v : x) {
      expected.push_back(static_cast<double>(std::exp(v - largest) / total));
      logarithms.push_back(static_cast<double>(v - largest - std::log(total)));
    }
    std::vector<T> y(x.size());
    GAIA_VECTOR_KERNEL(softmax_row<T>)(x.data(), y.data(), n);
    check_row(y, expected, 8.0);
    GAIA_VECTOR_KERNEL(log_softmax_row<T>)(x.data(), y.data(), n);
    check_row(y, logarithms, 8.0);
    std::vector<T> in_place = x;
    GAIA_VECTOR_KERNEL(softmax_row<T>)(in_place.data(), in_place.data(), n);
    check_row(in_place, expected, 8.0);
    in_place = x;
    const T sum = GAIA_VECTOR_KERNEL(exponentials_of_row<T>)(in_place.data(), n, T(0.5), T(4));
    double exponentials = 0.0;
    for (const T v : x) exponentials += std::exp(0.5 * (static_cast<double>(v) - 4.0));
    CHECK(
        static_cast<double>(sum) ==
        Approx(exponentials).epsilon(8.0 * static_cast<double>(std::numeric_limits<T>::epsilon())));
  }
}

FLOAT_TEST_CASE("Exponentials of rows far from 0 keep the digits of their differences") {
  const T far = sizeof(T) == 4 ? T(0x1p22) : T(0x1p50);
  const T scale = T(0.7);
  for (const std::int64_t n : lengths()) {
    std::vector<T> x;
    std::vector<double> expected;
    for (std::int64_t i = 0; i < n; ++i) {
      const T away = static_cast<T>(i % 5);
      x.push_back(far - away);
      expected.push_back(std::exp(-static_cast<double>(scale) * static_cast<double>(away)));
    }
    GAIA_VECTOR_KERNEL(exponentials_of_row<T>)(x.data(), n, scale, far);
    check_row(x, expected, 8.0);
  }
  std::vector<T> odd = {far + T(1), T(-1e30), -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN()};
  GAIA_VECTOR_KERNEL(exponentials_of_row<T>)(odd.data(), 4, T(1e3), far);
  CHECK(odd[0] == T(1));
  CHECK(odd[1] == T(0));
  CHECK(odd[2] == T(0));
  CHECK(std::isnan(odd[3]));
}

FLOAT_TEST_CASE("Layer norm of rows of every length") {
  for (const std::int64_t n : lengths()) {
    const std::vector<T> x = row<T>(n);
    const std::vector<T> weight = row<T>(n);
    const std::vector<T> bias(static_cast<std::size_t>(n), T(0.25));
    double mean = 0.0;
    for (const T v : x) mean += static_cast<double>(v) / static_cast<double>(n);
    double variance = 0.0;
    for (const T v : x) {
      const double away = static_cast<double>(v) - mean;
      variance += away * away / static_cast<double>(n);
    }
    const double rstd = 1.0 / std::sqrt(variance + 1e-5);
    for (const bool weighted : {false, true}) {
      for (const bool biased : {false, true}) {
        std::vector<double> expected;
        for (std::size_t i = 0; i < x.size(); ++i) {
          double h = (static_cast<double>(x[i]) - mean) * rstd;
          if (weighted) h *= static_cast<double>(weight[i]);
          if (biased) h += static_cast<double>(bias[i]);
          expected.push_back(h);
        }
        std::vector<T> y(x.size());
        const cpu::RowNorm<T> norm{.weight = weighted ? weight.data() : nullptr,
                                   .bias = biased ? bias.data() : nullptr,
                                   .epsilon = 1e-5,
                                   .stores = cpu::Stores::through_caches};
        const auto found = GAIA_VECTOR_KERNEL(layer_norm_row<T>)(norm, x.data(), y.data(), n);
        CHECK(found.mean == Approx(mean).epsilon(1e-10).margin(1e-12));
        CHECK(found.rstd == Approx(rstd).epsilon(1e-6));
        check_row(y, expected, 1000.0);
      }
    }
  }
}

FLOAT_TEST_CASE("Gradients of layer norm in rows of every length") {
  for (const std::int64_t n : lengths()) {
    const std::vector<T> x = row<T>(n);
    const std::vector<T> weight = row<T>(n);
    std::vector<T> dy = row<T>(n + 3);
    dy.erase(dy.begin(), dy.begin() + 3);
    const T mean = T(0.375);
    const T rstd = T(0.75);
    for (const bool weighted : {false, true}) {
      const auto h = [&](std::size_t i) {
        return (static_cast<double>(x[i]) - static_cast<double>(mean)) * static_cast<double>(rstd);
      };
      const auto g = [&](std::size_t i) {
        return static_cast<double>(dy[i]) * (weighted ? static_cast<double>(weight[i]) : 1.0);
      };
      double level = 0.0;
      double tilt = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        level += g(i) / static_cast<double>(n);
        tilt += g(i) * h(i) / static_cast<double>(n);
      }
      std::vector<double> dweight(x.size(), 1.0);
      std::vector<double> dbias(x.size(), 2.0);
      const cpu::RowNormSlope<T> norm{.weight = weighted ? weight.data() : nullptr,
                                      .mean = mean,
                                      .rstd = rstd,
                                      .dweight = dweight.data(),
                                      .dbias = dbias.data()};
      std::vector<T> dx = dy;  // in place
      GAIA_VECTOR_KERNEL(layer_norm_slope_row<T>)(norm, x.data(), dx.data(), dx.data(), n);
      const double unit = 50.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
      double worst = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double slope = static_cast<double>(rstd) * (g(i) - level - h(i) * tilt);
        worst = std::max({worst, std::abs(static_cast<double>(dx[i]) - slope),
                          std::abs(dweight[i] - 1.0 - static_cast<double>(dy[i]) * h(i)),
                          std::abs(dbias[i] - 2.0 - static_cast<double>(dy[i]))});
      }
      INFO(n << " numbers" << (weighted ? ", weighted" : ""));
      CHECK(worst <= unit);
    }
  }
}
