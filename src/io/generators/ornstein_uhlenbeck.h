// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../array/orthonormal.h"
#include "../../array/random_arrays.h"
#include "../columns.h"
#include "generator.h"
#include "mixture.h"

namespace gaia {

/// Independent Ornstein-Uhlenbeck processes u [K], mixed into channels:
///
///     u_k(t+1) = e^(-1/tau_k) u_k(t) + sqrt(1 - e^(-2/tau_k)) xi_k(t+1),   x = M u + noise,
///
/// xi standard normal.  u_k is stationary from row 0 on, with variance 1 and autocorrelation
/// e^(-lag/tau_k).  M [channels, K] has orthonormal columns, drawn uniformly.  Channels are named
/// 0, 1, ..., latents u0, u1, ...  Uhlenbeck & Ornstein (1930), Phys. Rev. 36, 823; sampled exactly
/// as in Gillespie (1996), Phys. Rev. E 54, 2084.
struct OrnsteinUhlenbeckOptions {
  std::vector<double> tau = {};  ///< Correlation times [K], steps.
  std::int64_t channels = 1;     ///< At least K.
  double noise = 0.0;

  static constexpr const char* name = "ornstein_uhlenbeck";
  void keys(ConfigVisitor& v) {
    v.numbers({"tau", "correlation time of each latent process, in steps", true}, tau, kPositive);
    v.integer(
        {"channels", "channels into which the latents are mixed, at least one for each", true},
        channels, {1, 100000});
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<OrnsteinUhlenbeckOptions> make_ornstein_uhlenbeck;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::ornstein_uhlenbeck {

/// The latents u, row by row.
class Latents {
 public:
  Latents(std::span<const double> tau, RandomStream stream)
      : stream_(stream), u_(tau.size()), xi_(tau.size()) {
    for (const double t : tau) {
      keep_.push_back(std::exp(-1.0 / t));
      kick_.push_back(std::sqrt(-std::expm1(-2.0 / t)));
    }
    fill_normals(stream_, 0, u_);
  }

  void advance() {
    ++row_;
    fill_normals(stream_, row_ * u_.size(), xi_);
    for (std::size_t k = 0; k < u_.size(); ++k) u_[k] = keep_[k] * u_[k] + kick_[k] * xi_[k];
  }

  std::span<const double> values() const { return u_; }

 private:
  RandomStream stream_;
  std::vector<double> keep_;
  std::vector<double> kick_;
  std::vector<double> u_;
  std::vector<double> xi_;
  std::uint64_t row_ = 0;
};

inline std::vector<std::string> latent_names_of(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back("u" + std::to_string(k));
  return names;
}

}  // namespace detail::ornstein_uhlenbeck

std::unique_ptr<Series> OrnsteinUhlenbeckOptions::make(std::int64_t rows,
                                                       std::uint64_t seed) const {
  const OptionChecks check(name);
  if (tau.empty()) check.fail("tau", "at least one number", "none");
  for (std::size_t k = 0; k < tau.size(); ++k) {
    check.positive("tau[" + std::to_string(k) + "]", tau[k], kLargestOption);
  }
  const auto latents = static_cast<std::int64_t>(tau.size());
  if (channels < latents) {
    check.fail("channels", "at least " + std::to_string(latents) + ", one for each tau",
               std::to_string(channels));
  }
  check.matrix("channels", channels, latents);
  check.noise(noise);
  check.rows(rows, channels);
  std::vector<double> mixing =
      random_orthonormal(latents, channels, data_stream(seed, name, "mixing")).to_vector<double>();
  detail::ornstein_uhlenbeck::Latents process(tau, data_stream(seed, name, "latents"));
  return std::make_unique<Mixture<detail::ornstein_uhlenbeck::Latents>>(
      rows, channels, detail::ornstein_uhlenbeck::latent_names_of(tau.size()), std::move(mixing),
      std::move(process), Noise(seed, name, noise));
}
#endif

}  // namespace gaia
