// SPDX-License-Identifier: MIT
/// \file
/// Spectra compared with loops over segments and sums.
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "../../src/array/ops.h"
#include "../../src/array/reductions.h"
#include "../../src/signals/spectra.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"
#include "../support/operands.h"
#include "plain_fourier.h"

namespace gaia::test {
namespace {

/// How the loop below cuts a series.
struct Plan {
  std::int64_t length;
  std::int64_t overlap;
  std::int64_t nfft;
  Detrend detrend;
};

std::vector<double> without(std::vector<double> x, Detrend detrend) {
  const auto n = static_cast<double>(x.size());
  double sum = 0.0;
  double slope = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double place = static_cast<double>(i) - (n - 1.0) / 2.0;
    sum += x[i];
    slope += place * x[i];
    square += place * place;
  }
  for (std::size_t i = 0; i < x.size() && detrend != Detrend::none; ++i) {
    const double place = static_cast<double>(i) - (n - 1.0) / 2.0;
    x[i] -= sum / n + (detrend == Detrend::linear ? place * slope / square : 0.0);
  }
  return x;
}

/// The transforms of a series' segments under Hann's window, not divided by anything.
std::vector<ComplexNumbers> plain_segments(const std::vector<double>& x, const Plan& plan) {
  std::vector<ComplexNumbers> all;
  const auto length = static_cast<std::size_t>(plan.length);
  for (std::size_t at = 0; at + length <= x.size();
       at += static_cast<std::size_t>(plan.length - plan.overlap)) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<double> segment =
        without({begin, begin + static_cast<std::ptrdiff_t>(length)}, plan.detrend);
    ComplexNumbers z(static_cast<std::size_t>(plan.nfft), 0.0);
    for (std::size_t i = 0; i < length; ++i) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(plan.length);
      z[i] = segment[i] * (0.5 - 0.5 * std::cos(angle));
    }
    all.push_back(plain_fourier(z));
  }
  return all;
}

std::vector<double> random_series(std::int64_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  return random_operand(engine, {n}, DType::float64).values.numbers;
}

TEST_CASE("Spectrograms and Welch's spectra are those of a loop over segments") {
  constexpr double fs = 20.0;
  const std::vector<double> x = random_series(61, 1);
  std::size_t compared = 0;
  for (const Plan& plan : {Plan{8, 4, 8, Detrend::none}, Plan{9, 2, 12, Detrend::constant},
                           Plan{7, 6, 7, Detrend::linear}, Plan{61, 3, 64, Detrend::linear}}) {
    CAPTURE(plan.length, plan.overlap, plan.nfft);
    // Twice the power at frequencies that stand for two, over the rate and the window's squares,
    // which are 3 / 8 n of Hann's.
    const std::vector<ComplexNumbers> all = plain_segments(x, plan);
    const std::int64_t bins = plan.nfft / 2 + 1;
    const Array series = from_values(x, {61});
    const Spectrogram s = spectrogram(series, {.fs = fs,
                                               .window = "hann",
                                               .nperseg = plan.length,
                                               .noverlap = plan.overlap,
                                               .nfft = plan.nfft,
                                               .detrend = plan.detrend});
    const PowerSpectrum p = welch(series, {.fs = fs,
                                           .nperseg = plan.length,
                                           .noverlap = plan.overlap,
                                           .nfft = plan.nfft,
                                           .detrend = plan.detrend});
    REQUIRE(s.values.shape() == Shape{bins, static_cast<std::int64_t>(all.size())});
    REQUIRE(p.power.shape() == Shape{bins});
    for (std::int64_t k = 0; k < bins; ++k) {
      CHECK(std::abs(s.frequencies.item({k}) -
                     fs * static_cast<double>(k) / static_cast<double>(plan.nfft)) < 1e-12);
      double mean_power = 0.0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_alone = k == 0 || 2 * k == plan.nfft;
        const double wanted = std::norm(all[i][static_cast<std::size_t>(k)]) *
                              (is_alone ? 1.0 : 2.0) /
                              (fs * 0.375 * static_cast<double>(plan.length));
        CHECK(std::abs(s.values.item({k, static_cast<std::int64_t>(i)}) - wanted) < 1e-10);
        mean_power += wanted / static_cast<double>(all.size());
        ++compared;
      }
      CHECK(std::abs(p.power.item({k}) - mean_power) < 1e-10);
    }
    for (std::int64_t i = 0; i < s.times.size(); ++i) {
      const auto middle = static_cast<double>(i * (plan.length - plan.overlap)) +
                          0.5 * static_cast<double>(plan.length);
      CHECK(std::abs(s.times.item({i}) - middle / fs) < 1e-12);
    }
  }
  CHECK(compared > 350);
}

TEST_CASE("The power of a wave stands at its frequency, the area is the variance") {
  constexpr double fs = 128.0;
  std::vector<double> x;
  for (int t = 0; t < 4096; ++t) {
    x.push_back(3.0 * std::sin(2.0 * std::numbers::pi * 16.0 * t / fs) + 5.0);
  }
  const Array series = from_values(x, {4096});
  const PowerSpectrum power =
      welch(series, {.fs = fs, .nperseg = 256, .scaling = SpectrumScaling::spectrum});
  CHECK(std::abs(power.frequencies.item({32}) - 16.0) < 1e-12);
  CHECK(std::abs(power.power.item({32}) - 4.5) < 1e-9);  // 3² / 2
  const PowerSpectrum density = welch(series, {.fs = fs, .nperseg = 256});
  CHECK(std::abs(sum(density.power).item() * fs / 256.0 - 4.5) < 1e-9);
  // Amplitudes of stft are half those of waves.
  const Stft s = stft(series, {.fs = fs, .nperseg = 256});
  CHECK(std::abs(abs(s.values).item({32, 8}) - 1.5) < 1e-9);
}

TEST_CASE("Axes of spectra stand where those of series were") {
  std::mt19937_64 engine(2);
  const Operand x = random_operand(engine, {3, 40, 2}, DType::float32, Layout::transposed);
  const Stft s = stft(x.array, {.nperseg = 8, .axis = 1});
  CHECK(s.values.real.shape() == Shape{3, 5, 2, 11});
  CHECK(s.values.real.dtype() == DType::float32);
  CHECK(welch(x.array, {.nperseg = 8, .axis = 1}).power.shape() == Shape{3, 5, 2});
  const Array one = stft(x.array.select(2, 1)[2], {.nperseg = 8}).values.imag;
  CHECK(all_close(s.values.imag.select(2, 1)[2], one, 1e-5, 1e-6));
  const IstftOf<Array> back = istft(s.values, {.nperseg = 8, .time_axis = 3, .freq_axis = 1});
  REQUIRE(back.values.shape() == Shape{3, 2, 40});
  CHECK(all_close(back.values, x.array.swapaxes(1, 2), 1e-4, 1e-5));
  CHECK(back.times.size() == 40);
  CHECK(welch(zeros({0, 30}), {.nperseg = 8}).power.shape() == Shape{0, 5});
}

TEST_CASE("istft undoes stft for windows, steps and sides") {
  const Array x = from_values(random_series(203, 3), {203});
  for (const std::int64_t length : {1, 2, 16, 17}) {
    for (const std::int64_t overlap : {length / 2, 3 * length / 4}) {
      for (const bool onesided : {true, false}) {
        if (overlap >= length) continue;
        CAPTURE(length, overlap, onesided);
        const SpectralWindow window = length < 3 ? "boxcar" : "hann";
        const Stft s = stft(
            x, {.window = window, .nperseg = length, .noverlap = overlap, .onesided = onesided});
        const Array back =
            istft(s.values,
                  {.window = window, .nperseg = length, .noverlap = overlap, .onesided = onesided})
                .values;
        CHECK(all_close(back.slice(0, 0, 203), x, 0.0, 1e-12));
      }
    }
  }
  // Without what stands around it, the window is 0 where the series begins.
  const Stft bare = stft(x, {.nperseg = 16, .boundary = StftBoundary::none});
  LogCapture log;
  istft(bare.values, {.boundary = false});
  CHECK(log.count(LogLevel::warning, "[istft] the windows' squares add up to 0") == 1);
}

TEST_CASE("Angles along frequencies have no leaps as phases") {
  const Array x = from_values(random_series(120, 4), {120});
  const SpectrogramOptions options{.nperseg = 30, .mode = SpectrogramMode::angle};
  SpectrogramOptions smooth = options;
  smooth.mode = SpectrogramMode::phase;
  const Array angle = spectrogram(x, options).values;
  const Array phase = spectrogram(x, smooth).values;
  CHECK(max(abs(angle)).item() <= std::numbers::pi);
  CHECK(max(abs(subtract(phase.slice(0, 1), phase.slice(0, 0, -1)))).item() <=
        std::numbers::pi + 1e-9);
  CHECK(max(abs(sin(multiply(subtract(phase, angle), 0.5)))).item() < 1e-9);
}

TEST_CASE("Spectra are the same on every device") {
  const Array x = from_values(random_series(90, 5), {90}).astype(DType::float32);
  const Array wanted = welch(x, {.nperseg = 16, .detrend = Detrend::linear}).power;
  on_each_device([&] {
    const Array here = x.to(current_device());
    const Array got = welch(here, {.nperseg = 16, .detrend = Detrend::linear}).power;
    CHECK(got.device() == current_device());
    CHECK(all_close(got.to(Device::cpu()), wanted, 1e-4, 1e-6));
    const Stft s = stft(here, {.nperseg = 16});
    CHECK(all_close(istft(s.values).values.slice(0, 0, 90), here, 1e-4, 1e-5));
  });
}

TEST_CASE("Spectra refuse what they cannot take") {
  const Array x = ones({20});
  CHECK_THROWS_WITH_TEXT(stft(x, {.nperseg = 8, .noverlap = 8}), ArgumentError,
                         "[stft] expected noverlap from 0 to below nperseg = 8, got 8");
  CHECK_THROWS_WITH_TEXT(welch(x, {.nperseg = 8, .nfft = 4}), ArgumentError,
                         "[welch] expected nfft of nperseg = 8 or more, got 4");
  CHECK_THROWS_WITH_TEXT(welch(x, {.nperseg = 0}), ArgumentError, "nperseg of 1 or more, got 0");
  CHECK_THROWS_WITH_TEXT(welch(x, {.fs = 0.0}), ArgumentError, "expected fs above 0");
  CHECK_THROWS_WITH_TEXT(spectrogram(zeros({2, 0})), ShapeError, "expected a series with numbers");
  CHECK_THROWS_WITH_TEXT(welch(x, {.window = ones({30})}), ArgumentError,
                         "no longer than the series of 20, got 30");
  CHECK_THROWS_WITH_TEXT(
      stft(ones({4}),
           {.window = "boxcar", .nperseg = 4, .boundary = StftBoundary::even, .axis = 1}),
      ShapeError, "[stft]");
  CHECK_THROWS_WITH_TEXT(stft(ones({1}), {.nperseg = 1, .noverlap = 1}), ArgumentError, "noverlap");
  CHECK_THROWS_WITH_TEXT(istft(Complex{x, x}), ShapeError, "axes of frequencies and of times");
  CHECK_THROWS_WITH_TEXT(istft(Complex{ones({3, 2}), ones({3, 2})}, {.freq_axis = -1}),
                         ArgumentError, "another axis of times than of frequencies");
}

}  // namespace
}  // namespace gaia::test
