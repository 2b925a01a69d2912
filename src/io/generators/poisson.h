// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "../columns.h"
#include "generator.h"

namespace gaia {

/// Spike trains: at each step channel c is 1 with probability
///
///     p_c(t) = r_c (1 + d_c drive(t)),   drive(t) = sin(2 pi t / period),
///
/// else 0, independently of other channels and steps where the drive is known.  Without depths d
/// these are Bernoulli processes, which for small rates are Poisson processes in steps; with them
/// channels are correlated through the drive, two of them by d_c d_k r_c r_k / 2 on average over a
/// period, and a negative depth makes a channel fall silent as others wake.  Channels are named 0,
/// 1, ...; the latent "drive" is there where depths are.  Inhomogeneous Poisson processes: Cox
/// (1955), J. R. Stat. Soc. B 17, 129.
struct PoissonOptions {
  std::vector<double> rates = {};   ///< r [channels], spikes per step, 0 to 1.
  std::vector<double> depths = {};  ///< d [channels], -1 to 1; empty: no drive.
  double period = 100.0;            ///< Period of the drive, in steps.

  static constexpr const char* name = "poisson";
  void keys(ConfigVisitor& v) {
    v.numbers({"rates", "spikes per step of each channel", true}, rates, {0.0, 1.0});
    v.numbers({"depths", "how far the drive moves the rate of each channel; default not at all"},
              depths, {-1.0, 1.0});
    v.number({"period", "steps after which the drive repeats"}, period, kPositive);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<PoissonOptions> make_poisson;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::poisson {

class Poisson final : public Generator {
 public:
  Poisson(const PoissonOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(static_cast<std::int64_t>(options.rates.size())),
                  options.depths.empty() ? std::vector<std::string>{}
                                         : std::vector<std::string>{"drive"}),
        options_(options),
        stream_(data_stream(seed, PoissonOptions::name, "spikes")) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    const std::size_t width = options_.rates.size();
    stream_.uniforms(static_cast<std::uint64_t>(first) * width, out);
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      const double now = options_.depths.empty() ? 0.0 : drive(first + r);
      for (std::size_t c = 0; c < width; ++c) {
        const double depth = options_.depths.empty() ? 0.0 : options_.depths[c];
        // u is in [0, 1): a probability of 1 is always a spike, one of 0 never.
        x[c] = x[c] < options_.rates[c] * (1.0 + depth * now) ? 1.0 : 0.0;
      }
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) out[static_cast<std::size_t>(r)] = drive(first + r);
  }

 private:
  double drive(std::int64_t t) const {
    // fmod is exact, so that a long series keeps its phase.
    const double turns = std::fmod(static_cast<double>(t), options_.period) / options_.period;
    return std::sin(2.0 * std::numbers::pi * turns);
  }

  PoissonOptions options_;
  RandomStream stream_;
};

}  // namespace detail::poisson

std::unique_ptr<Series> PoissonOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.numbers("rates", rates, 0.0, 1.0);
  check.matrix("rates", static_cast<std::int64_t>(rates.size()), 1);
  if (!depths.empty()) {
    check.length("depths", depths.size(), rates.size(), "the rates");
    check.numbers("depths", depths, -1.0, 1.0);
    for (std::size_t c = 0; c < rates.size(); ++c) {
      const double most = rates[c] * (1.0 + std::abs(depths[c]));
      if (most > 1.0) {
        const std::string at = "[" + std::to_string(c) + "]";
        check.fail("depths" + at,
                   "rates" + at + " times 1 + the depth to be a probability, at most 1",
                   OptionChecks::text(most));
      }
    }
  }
  check.positive("period", period, kLargestOption);
  check.rows(rows, static_cast<std::int64_t>(rates.size()));
  return std::make_unique<detail::poisson::Poisson>(*this, rows, seed);
}
#endif

}  // namespace gaia
