// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "../../array/random_arrays.h"
#include "../columns.h"
#include "generator.h"
#include "mixture.h"

namespace gaia {

/// Independent sources s [K] that are loud and silent by turns, like voices, mixed into channels:
///
///     a_k(t+1) = 2 r cos(f_k) a_k(t) - r^2 a_k(t-1) + c_k xi_k(t+1),      r = 0.98,
///     b_k(t+1) = 0.999 b_k(t) + sqrt(1 - 0.999^2) eta_k(t+1),
///     s_k = a_k exp(1.2 b_k) / exp(1.44),                                 x = M s + noise,
///
/// xi and eta standard normal.  a_k is noise in a narrow band around f_k = 2 pi (0.01 + 0.03 k),
/// c_k such that its variance is 1.  Both a and b start from their stationary distribution, so that
/// s_k has variance 1, E[exp(2.4 b)] being exp(2.88), and far heavier tails than a normal
/// distribution.  The entries of M [channels, K] are standard normal.  Channels are named 0, 1,
/// ..., the latents s voice0, voice1, ...
struct VoicesOptions {
  std::int64_t sources = 8;   ///< K, 1 to kMostSources.
  std::int64_t channels = 8;  ///< At least K.
  double noise = 0.0;

  /// Sources whose bands lie below half a cycle per step, with room above.
  static constexpr std::int64_t kMostSources = 16;

  static constexpr const char* name = "voices";
  void keys(ConfigVisitor& v) {
    v.integer({"sources", "voices, each in a narrow band of frequencies of its own"}, sources,
              {1, kMostSources});
    v.integer({"channels", "channels into which the voices are mixed, at least one for each"},
              channels, {1, 100000});
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<VoicesOptions> make_voices;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::voices {

/// The voices s, row by row.
class Latents {
 public:
  Latents(std::size_t sources, std::uint64_t seed)
      : band_stream_(data_stream(seed, VoicesOptions::name, "bands")),
        loudness_stream_(data_stream(seed, VoicesOptions::name, "loudness")),
        a_(sources),
        before_(sources),
        b_(sources),
        s_(sources),
        normals_(sources) {
    fill_normals(band_stream_, 0, a_);
    fill_normals(loudness_stream_, 0, b_);
    fill_normals(data_stream(seed, VoicesOptions::name, "before"), 0, before_);
    for (std::size_t k = 0; k < sources; ++k) {
      const double f = 2.0 * std::numbers::pi * (0.01 + 0.03 * static_cast<double>(k));
      turn_.push_back(2.0 * kRadius * std::cos(f));
      // Correlation of a(t) and a(t-1), and what is left of the variance of 1 for the kicks.
      const double correlation = turn_[k] / (1.0 + kRadius * kRadius);
      const double free = (1.0 - correlation) * (1.0 + correlation);
      kick_.push_back(std::sqrt((1.0 - power(kRadius, 4.0)) * free));
      before_[k] = correlation * a_[k] + std::sqrt(free) * before_[k];
    }
    sound();
  }

  void advance() {
    ++row_;
    fill_normals(band_stream_, row_ * s_.size(), normals_);
    for (std::size_t k = 0; k < s_.size(); ++k) {
      const double next =
          turn_[k] * a_[k] - kRadius * kRadius * before_[k] + kick_[k] * normals_[k];
      before_[k] = a_[k];
      a_[k] = next;
    }
    fill_normals(loudness_stream_, row_ * s_.size(), normals_);
    const double kick = std::sqrt(1.0 - kKeep * kKeep);
    for (std::size_t k = 0; k < s_.size(); ++k) b_[k] = kKeep * b_[k] + kick * normals_[k];
    sound();
  }

  std::span<const double> values() const { return s_; }

 private:
  static constexpr double kRadius = 0.98;
  static constexpr double kKeep = 0.999;
  static constexpr double kSwing = 1.2;

  void sound() {
    // The deviation of exp(swing b) a is exp(swing^2).
    for (std::size_t k = 0; k < s_.size(); ++k) {
      s_[k] = a_[k] * std::exp(kSwing * b_[k] - kSwing * kSwing);
    }
  }

  RandomStream band_stream_;
  RandomStream loudness_stream_;
  std::vector<double> turn_;
  std::vector<double> kick_;
  std::vector<double> a_;
  std::vector<double> before_;  // a, one row ago
  std::vector<double> b_;
  std::vector<double> s_;
  std::vector<double> normals_;
  std::uint64_t row_ = 0;
};

inline std::vector<std::string> names_of_voices(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < count; ++k) names.push_back("voice" + std::to_string(k));
  return names;
}

}  // namespace detail::voices

std::unique_ptr<Series> VoicesOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  if (sources < 1 || sources > kMostSources) {
    check.fail("sources",
               "an integer from 1 to " + std::to_string(kMostSources) +
                   ", whose bands lie below half a cycle per step",
               std::to_string(sources));
  }
  if (channels < sources) {
    check.fail("channels", "at least " + std::to_string(sources) + ", one for each source",
               std::to_string(channels));
  }
  check.matrix("channels", channels, sources);
  check.noise(noise);
  check.rows(rows, channels);
  std::vector<double> mixing(static_cast<std::size_t>(sources * channels));
  fill_normals(data_stream(seed, name, "mixing"), 0, mixing);
  detail::voices::Latents latents(static_cast<std::size_t>(sources), seed);
  return std::make_unique<Mixture<detail::voices::Latents>>(
      rows, channels, detail::voices::names_of_voices(sources), std::move(mixing),
      std::move(latents), Noise(seed, name, noise));
}
#endif

}  // namespace gaia
