// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <numbers>

#include "../../../src/core/error.h"
#include "../../../src/io/generators/sines.h"
#include "../../support/catch.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

TEST_CASE("sines are sums of sines of phase 0 in channel 0") {
  const std::vector<double> x =
      read_all(*make_sines({.frequencies = {0.01, 0.2}, .amplitudes = {2.0, -0.5}}, 300, 5));
  for (std::size_t t = 0; t < x.size(); ++t) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(t);
    CHECK(x[t] == Approx(2.0 * std::sin(0.01 * angle) - 0.5 * std::sin(0.2 * angle)).margin(1e-11));
  }
}

TEST_CASE("sines have amplitude 1 where none is given") {
  const std::vector<double> x = read_all(*make_sines({.frequencies = {0.25}}, 5, 5));
  const double expected[] = {0.0, 1.0, 0.0, -1.0, 0.0};
  for (std::size_t t = 0; t < x.size(); ++t) CHECK(x[t] == Approx(expected[t]).margin(1e-15));
}

/// Amplitude and phase of frequency f in x, whose length is a multiple of its period.
std::complex<double> fourier(const std::vector<double>& x, double f) {
  std::complex<double> sum = 0.0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    sum += x[t] * std::polar(1.0, -2.0 * std::numbers::pi * f * static_cast<double>(t));
  }
  // sin(a + phi) = Re(-i e^(i phi) e^(i a))
  return std::complex<double>(0.0, 2.0) * sum / static_cast<double>(x.size());
}

TEST_CASE("sines have random phases in further channels, uniform around the circle") {
  constexpr std::size_t kChannels = 400;
  const SinesOptions options{.frequencies = {0.05, 0.125}, .channels = kChannels};
  const std::vector<double> x = read_all(*make_sines(options, 200, 11));
  std::complex<double> mean = 0.0;
  std::complex<double> mean_square = 0.0;
  for (std::size_t c = 0; c < kChannels; ++c) {
    const std::vector<double> channel = column(x, kChannels, c);
    for (const double f : options.frequencies) {
      const std::complex<double> wave = fourier(channel, f);
      CHECK(std::abs(wave) == Approx(1.0).epsilon(1e-9));
      if (c == 0) CHECK(std::arg(wave) == Approx(0.0).margin(1e-9));
      if (c > 0) mean += wave / 798.0;
      if (c > 0) mean_square += wave * wave / 798.0;
    }
  }
  // 1 / sqrt(798) = 0.035 for uniform phases.
  CHECK(std::abs(mean) < 0.12);
  CHECK(std::abs(mean_square) < 0.12);
}

TEST_CASE("sines keep the channels they had when more are added") {
  const auto few = make_sines({.frequencies = {0.05, 0.1}, .channels = 2}, 20, 11);
  const auto many = make_sines({.frequencies = {0.05, 0.1}, .channels = 5}, 20, 11);
  CHECK(column(read_all(*few), 2, 1) == column(read_all(*many), 5, 1));
}

TEST_CASE("sines keep their phase in a long series") {
  // 1/8 is exact in binary: after 8 k steps the wave is where it began.
  const std::int64_t late = (std::int64_t{1} << 52) + 8;
  const auto series = make_sines({.frequencies = {0.125}}, late + 100, 0);
  CHECK(read_rows(*series, late, 100) == read_rows(*series, 0, 100));
  // 0.1 is not; its double is 0.1 + 5.55e-18, which makes 5.55e-6 turns after 1e12 steps.
  const auto decimal = make_sines({.frequencies = {0.1}}, 1000000000001, 0);
  CHECK(read_rows(*decimal, 1000000000000, 1)[0] ==
        Approx(2.0 * std::numbers::pi * 5.551115123125783e-6).epsilon(1e-6));
}

TEST_CASE("sines refuse options that make no series") {
  CHECK_THROWS_WITH(make_sines({}, 3, 0),
                    "[sines] frequencies: expected at least one number, got none");
  CHECK_THROWS_WITH(make_sines({.frequencies = {0.1, 50.0}}, 3, 0),
                    "[sines] frequencies[1]: expected a number from 0 to 0.5, got 50");
  CHECK_THROWS_WITH(make_sines({.frequencies = {-0.1}}, 3, 0),
                    "[sines] frequencies[0]: expected a number from 0 to 0.5, got -0.1");
  CHECK_THROWS_WITH(make_sines({.frequencies = {std::nan("")}}, 3, 0),
                    "[sines] frequencies[0]: expected a number from 0 to 0.5, got nan");
  CHECK_THROWS_WITH(make_sines({.frequencies = {0.1, 0.2}, .amplitudes = {1.0}}, 3, 0),
                    "[sines] amplitudes: expected 2 numbers, one for each of frequencies, got 1");
  CHECK_THROWS_WITH(make_sines({.frequencies = {0.1}, .amplitudes = {INFINITY}}, 3, 0),
                    "[sines] amplitudes[0]: expected a finite number, got inf");
  CHECK_THROWS_WITH(make_sines({.frequencies = {0.1}, .channels = 0}, 3, 0),
                    "[sines] channels: expected an integer from 1 to 100000, got 0");
  CHECK_THROWS_WITH(
      make_sines({.frequencies = std::vector<double>(1000, 0.1), .channels = 100000}, 3, 0),
      "[sines] channels: expected at most 16777 channels for 1000 vectors, got 100000");
}

}  // namespace
}  // namespace gaia
