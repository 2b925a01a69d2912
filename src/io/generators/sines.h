// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "../columns.h"
#include "generator.h"

namespace gaia {

/// Sums of sine waves:
///
///     x_c(t) = sum_k a_k sin(2 pi f_k t + phi_kc) + noise,
///
/// phi = 0 in channel 0 and uniform in [0, 2 pi) in further ones.  Channels are named 0, 1, ...
struct SinesOptions {
  std::vector<double> frequencies = {};  ///< f [K], cycles per step, 0 to 0.5 (two rows a period).
  std::vector<double> amplitudes = {};   ///< a [K]; empty: all 1.
  std::int64_t channels = 1;
  double noise = 0.0;

  static constexpr const char* name = "sines";
  void keys(ConfigVisitor& v) {
    v.numbers({"frequencies", "cycles per step, one for each sine", true}, frequencies, {0.0, 0.5});
    v.numbers({"amplitudes", "one for each sine; default all 1"}, amplitudes, kAnyNumber);
    v.integer({"channels", "number of channels; from the second on, sines have random phases"},
              channels, {1, 100000});
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<SinesOptions> make_sines;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::sines {

/// f t without its whole part; exact where the product has more digits than a double, so that a
/// long series keeps its phase.
inline double turns(double frequency, std::int64_t t) {
  const auto time = static_cast<double>(t);
  const double product = frequency * time;
  const double rest = std::fma(frequency, time, -product);
  return (product - std::floor(product)) + rest;
}

class Sines final : public Generator {
 public:
  Sines(const SinesOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(options.channels)),
        frequencies_(options.frequencies),
        amplitudes_(options.amplitudes),
        phases_(frequencies_.size() * static_cast<std::size_t>(options.channels)),
        noise_(seed, SinesOptions::name, options.noise) {
    if (amplitudes_.empty()) amplitudes_.assign(frequencies_.size(), 1.0);
    data_stream(seed, SinesOptions::name, "phases").uniforms(0, phases_);
    for (double& phase : phases_) phase *= 2.0 * std::numbers::pi;
    for (std::size_t k = 0; k < frequencies_.size(); ++k) phases_[k] = 0.0;
  }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      show(first + r, x);
      noise_.add(first + r, x);
    }
  }

 private:
  void show(std::int64_t t, std::span<double> x) const {
    std::fill(x.begin(), x.end(), 0.0);
    const std::size_t count = frequencies_.size();
    for (std::size_t k = 0; k < count; ++k) {
      const double angle = 2.0 * std::numbers::pi * turns(frequencies_[k], t);
      for (std::size_t c = 0; c < x.size(); ++c) {
        x[c] += amplitudes_[k] * std::sin(angle + phases_[c * count + k]);
      }
    }
  }

  std::vector<double> frequencies_;
  std::vector<double> amplitudes_;
  std::vector<double> phases_;  // [channels, K]
  Noise noise_;
};

}  // namespace detail::sines

std::unique_ptr<Series> SinesOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.numbers("frequencies", frequencies, 0.0, 0.5);
  if (!amplitudes.empty()) {
    check.length("amplitudes", amplitudes.size(), frequencies.size(), "frequencies");
    check.numbers("amplitudes", amplitudes, -kLargestOption, kLargestOption);
  }
  check.matrix("channels", channels, static_cast<std::int64_t>(frequencies.size()));
  check.noise(noise);
  check.rows(rows, channels);
  return std::make_unique<detail::sines::Sines>(*this, rows, seed);
}
#endif

}  // namespace gaia
