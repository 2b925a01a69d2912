// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/voices.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/statistics.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

constexpr double kRadiusOfBand = 0.98;

double frequency_of(std::size_t voice) {
  return 2.0 * 3.14159265358979323846 * (0.01 + 0.03 * static_cast<double>(voice));
}

/// Correlation of the band of a voice with itself one row before.
double lag_one_of(std::size_t voice) {
  return 2.0 * kRadiusOfBand * std::cos(frequency_of(voice)) /
         (1.0 + kRadiusOfBand * kRadiusOfBand);
}

std::vector<double> voices_normals(std::uint64_t seed, const char* purpose, std::size_t count) {
  std::vector<double> out(count);
  RandomStream::named(seed, std::string("data/voices/") + purpose).normals(0, out);
  return out;
}

/// b of every row, [rows, voices].
std::vector<double> loudness_of(std::uint64_t seed, std::size_t rows, std::size_t voices) {
  std::vector<double> b = voices_normals(seed, "loudness", rows * voices);
  for (std::size_t i = voices; i < b.size(); ++i) {
    b[i] = 0.999 * b[i - voices] + std::sqrt(1.0 - 0.999 * 0.999) * b[i];
  }
  return b;
}

/// Mean of a(t) a(t - lag).
double lagged(const std::vector<double>& a, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t t = lag; t < a.size(); ++t) sum += a[t] * a[t - lag];
  return sum / static_cast<double>(a.size() - lag);
}

TEST_CASE("voices are what their equations make of the random numbers") {
  constexpr std::size_t kRows = 3000;
  constexpr std::size_t kVoices = 3;
  constexpr std::size_t kMicrophones = 5;
  constexpr std::uint64_t kSeed = 11;
  const auto series = make_voices({.sources = 3, .channels = 5, .noise = 0.2}, 3000, kSeed);
  const std::vector<double> s = read_all_latents(*series);
  const std::vector<double> x = read_all(*series);

  const std::vector<double> xi = voices_normals(kSeed, "bands", kRows * kVoices);
  const std::vector<double> before = voices_normals(kSeed, "before", kVoices);
  const std::vector<double> b = loudness_of(kSeed, kRows, kVoices);
  std::vector<double> expected(kRows * kVoices);
  for (std::size_t k = 0; k < kVoices; ++k) {
    const double r2 = kRadiusOfBand * kRadiusOfBand;
    const double turn = 2.0 * kRadiusOfBand * std::cos(frequency_of(k));
    // Variance of an autoregressive process of second order that is kicked by standard normals.
    const double variance = (1.0 + r2) / ((1.0 - r2) * ((1.0 + r2) * (1.0 + r2) - turn * turn));
    double now = xi[k] * std::sqrt(variance);
    double last = lag_one_of(k) * now +
                  std::sqrt(1.0 - lag_one_of(k) * lag_one_of(k)) * std::sqrt(variance) * before[k];
    for (std::size_t t = 0; t < kRows; ++t) {
      if (t > 0) {
        const double next = turn * now - r2 * last + xi[t * kVoices + k];
        last = now;
        now = next;
      }
      expected[t * kVoices + k] = now / std::sqrt(variance) * std::exp(1.2 * b[t * kVoices + k]) /
                                  std::sqrt(std::exp(2.88));
    }
  }
  const std::vector<double> mixing = voices_normals(kSeed, "mixing", kVoices * kMicrophones);
  const std::vector<double> noise = voices_normals(kSeed, "noise", kRows * kMicrophones);
  double largest = 0.0;
  double of_voices = 0.0;
  for (std::size_t t = 0; t < kRows; ++t) {
    for (std::size_t k = 0; k < kVoices; ++k) {
      of_voices = std::max(of_voices, std::abs(s[t * kVoices + k] - expected[t * kVoices + k]));
    }
    for (std::size_t c = 0; c < kMicrophones; ++c) {
      double sum = 0.2 * noise[t * kMicrophones + c];
      for (std::size_t k = 0; k < kVoices; ++k) {
        sum += mixing[k * kMicrophones + c] * expected[t * kVoices + k];
      }
      largest = std::max(largest, std::abs(x[t * kMicrophones + c] - sum));
    }
  }
  CHECK(of_voices < 1e-9);
  CHECK(largest < 1e-9);
}

TEST_CASE("voices are the same in any blocks and from any row") {
  const VoicesOptions options{.sources = 2, .channels = 4, .noise = 0.1};
  check_any_cut([&] { return make_voices(options, 150, 5); });
  const std::vector<double> whole = read_all(*make_voices(options, 5000, 5));
  const auto series = make_voices(options, 5000, 5);
  for (const std::int64_t first : {4000, 17, 4999, 0}) {
    const std::vector<double> row = read_rows(*series, first, 1);
    CHECK(std::equal(row.begin(), row.end(), whole.begin() + first * 4));
  }
}

TEST_CASE("voices without their loudness are narrow bands of variance 1") {
  constexpr std::size_t kRows = 200000;
  constexpr std::size_t kVoices = 16;
  const auto series = make_voices({.sources = 16, .channels = 16}, 200000, 2);
  const std::vector<double> s = read_all_latents(*series);
  const std::vector<double> b = loudness_of(2, kRows, kVoices);
  for (std::size_t k = 0; k < kVoices; ++k) {
    INFO("voice " << k);
    std::vector<double> a = column(s, kVoices, k);
    for (std::size_t t = 0; t < kRows; ++t) a[t] /= std::exp(1.2 * b[t * kVoices + k] - 1.44);
    // Over 20 seeds of each band standard deviations were at most 0.022, 0.0003 and 0.0010.
    CHECK(lagged(a, 0) == Approx(1.0).margin(0.11));
    const double one = lag_one_of(k);
    CHECK(lagged(a, 1) / lagged(a, 0) == Approx(one).margin(0.002));
    CHECK(lagged(a, 2) / lagged(a, 0) ==
          Approx(2.0 * kRadiusOfBand * std::cos(frequency_of(k)) * one -
                 kRadiusOfBand * kRadiusOfBand)
              .margin(0.006));
  }
}

TEST_CASE("voices have variance 1 and heavy tails from their first row") {
  // The variance of what has such tails cannot be measured, but its logarithm can: with a and b
  // standard normal, log s^2 = log a^2 + 2.4 b - 2.88 has mean -1.270 - 2.88, variance 4.93 + 5.76.
  std::vector<double> first;
  std::vector<double> second;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const std::vector<double> s =
        read_all_latents(*make_voices({.sources = 1, .channels = 1}, 2, seed));
    first.push_back(std::log(s[0] * s[0]));
    second.push_back(std::log(s[1] * s[1]));
  }
  for (const auto& logarithms : {first, second}) {
    const test::Moments moments(logarithms);
    CHECK(moments.mean == Approx(-4.150).margin(0.26));    // standard error 0.052
    CHECK(moments.variance == Approx(10.69).margin(1.6));  // standard error 0.29
  }
}

TEST_CASE("voices are mixed by a matrix that is not orthonormal") {
  // Channels of one voice are that voice times a normal number each.
  std::vector<double> entries;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto series = make_voices({.sources = 1, .channels = 100}, 1, seed);
    const std::vector<double> s = read_all_latents(*series);
    for (const double x : read_all(*series)) entries.push_back(x / s[0]);
  }
  CHECK(test::kolmogorov_smirnov(entries, test::normal_cdf) < 1.95);
}

TEST_CASE("voices refuse options that make no series") {
  CHECK_THROWS_WITH(
      make_voices({.sources = 17, .channels = 17}, 3, 0),
      "[voices] sources: expected an integer from 1 to 16, whose bands lie below half "
      "a cycle per step, got 17");
  CHECK_THROWS_WITH_TEXT(make_voices({.sources = 0}, 3, 0), ArgumentError,
                         "[voices] sources: expected an integer from 1 to 16");
  CHECK_THROWS_WITH(make_voices({.sources = 8, .channels = 7}, 3, 0),
                    "[voices] channels: expected at least 8, one for each source, got 7");
  CHECK_THROWS_WITH(make_voices({.channels = 1000000}, 3, 0),
                    "[voices] channels: expected an integer from 1 to 100000, got 1000000");
  CHECK_THROWS_WITH(make_voices({.noise = -0.5}, 3, 0),
                    "[voices] noise: expected a number of at least 0, got -0.5");
}

}  // namespace
}  // namespace gaia
