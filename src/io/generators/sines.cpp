// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>

#include "../columns.h"
#include "generator.h"
#include "generators.h"

namespace gaia {
namespace {

constexpr const char* kKind = "sines";

/// f t without its whole part; exact where the product has more digits than a double, so that a
/// long series keeps its phase.
double turns(double frequency, std::int64_t t) {
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
        noise_(seed, kKind, options.noise) {
    if (amplitudes_.empty()) amplitudes_.assign(frequencies_.size(), 1.0);
    data_stream(seed, kKind, "phases").uniforms(0, phases_);
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

}  // namespace

std::unique_ptr<Series> make_sines(const SinesOptions& options, std::int64_t rows,
                                   std::uint64_t seed) {
  const OptionChecks check(kKind);
  check.numbers("frequencies", options.frequencies, 0.0, 0.5);
  if (!options.amplitudes.empty()) {
    check.length("amplitudes", options.amplitudes.size(), options.frequencies.size(),
                 "frequencies");
    check.numbers("amplitudes", options.amplitudes, -kLargestOption, kLargestOption);
  }
  check.matrix("channels", options.channels, static_cast<std::int64_t>(options.frequencies.size()));
  check.noise(options.noise);
  check.rows(rows, options.channels);
  return std::make_unique<Sines>(options, rows, seed);
}

}  // namespace gaia
