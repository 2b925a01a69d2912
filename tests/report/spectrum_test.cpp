// SPDX-License-Identifier: MIT
#include "../../src/report/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia::report;

namespace {

double peak_of(const Spectrum& spectrum) {
  const auto at = std::max_element(spectrum.density.begin(), spectrum.density.end());
  return spectrum.frequency[static_cast<std::size_t>(at - spectrum.density.begin())];
}

double integral_of(const Spectrum& spectrum) {
  double sum = 0.0;
  for (const double density : spectrum.density) sum += density;
  return sum * spectrum.frequency[1];
}

double sine(double frequency, int row) {
  return std::sin(2.0 * std::numbers::pi * frequency * row);
}

}  // namespace

TEST_CASE("the spectrum of a sine peaks at its frequency") {
  for (const double frequency : {0.03125, 0.1, 0.25, 0.43}) {
    Welch welch(1, 256);
    for (int row = 0; row < 4096; ++row) welch.add(std::vector{3.0 * sine(frequency, row) + 7.0});
    const Spectrum spectrum = welch.spectrum();
    INFO(frequency);
    CHECK(spectrum.segments == 31);  // they overlap by half
    CHECK(peak_of(spectrum) == Approx(frequency).margin(0.5 / 256.0 + 1e-9));
    CHECK(integral_of(spectrum) == Approx(4.5).epsilon(0.01));  // the variance, without the mean
  }
}

TEST_CASE("white noise has one density at all frequencies") {
  std::vector<double> noise(1 << 15);
  gaia::RandomStream{5, 0}.normals(0, noise);
  Welch welch(1, 128);
  for (const double value : noise) welch.add(std::vector{2.0 * value});
  const Spectrum spectrum = welch.spectrum();
  // One-sided: variance 4 over frequencies up to 1/2.
  for (std::size_t k = 2; k + 2 < spectrum.density.size(); ++k) {
    CHECK(spectrum.density[k] == Approx(8.0).epsilon(0.25));
  }
  CHECK(integral_of(spectrum) == Approx(4.0).epsilon(0.05));
}

TEST_CASE("channels are averaged") {
  Welch welch(2, 64);
  for (int row = 0; row < 640; ++row) welch.add(std::vector{sine(0.125, row), sine(0.375, row)});
  const Spectrum spectrum = welch.spectrum();
  CHECK(spectrum.density[8] == Approx(spectrum.density[24]).epsilon(1e-6));
  CHECK(integral_of(spectrum) == Approx(0.5).epsilon(0.01));
}

TEST_CASE("segments with numbers that are not finite are left out") {
  Welch welch(1, 32);
  for (int row = 0; row < 320; ++row) welch.add(std::vector{row == 100 ? NAN : sine(0.25, row)});
  const Spectrum spectrum = welch.spectrum();
  CHECK(spectrum.segments == 17);  // 19 less the two that hold row 100
  CHECK(peak_of(spectrum) == 0.25);
}

TEST_CASE("an interruption ends a segment, and a short series has no spectrum") {
  Welch welch(1, 32);
  for (int row = 0; row < 31; ++row) welch.add(std::vector{1.0});
  CHECK(welch.spectrum().segments == 0);
  CHECK(welch.spectrum().density.empty());
  welch.interrupt();
  for (int row = 0; row < 31; ++row) welch.add(std::vector{1.0});
  CHECK(welch.spectrum().segments == 0);
  welch.add(std::vector{1.0});
  CHECK(welch.spectrum().segments == 1);
}

TEST_CASE("segments are powers of two that leave some to be averaged") {
  CHECK(Welch::segment_length(10) == 16);
  CHECK(Welch::segment_length(1000) == 128);
  CHECK(Welch::segment_length(100000) == 4096);
  CHECK(Welch::segment_length(100000000) == 4096);
}
