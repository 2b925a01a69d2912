// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../array/orthonormal.h"
#include "../../array/random_arrays.h"
#include "../columns.h"
#include "generator.h"
#include "generators.h"

namespace gaia {
namespace {

constexpr const char* kKind = "ornstein_uhlenbeck";

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

std::vector<std::string> latent_names_of(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("u{}", k));
  return names;
}

class OrnsteinUhlenbeck final : public Generator {
 public:
  OrnsteinUhlenbeck(const OrnsteinUhlenbeckOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(options.channels), latent_names_of(options.tau.size())),
        mixing_(random_orthonormal(latents(), options.channels, data_stream(seed, kKind, "mixing"))
                    .to_vector<double>()),
        shown_(Latents(options.tau, data_stream(seed, kKind, "latents"))),
        told_(shown_),
        noise_(seed, kKind, options.noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      combine(mixing_, shown_.at(first + r).values(), 1, x);
      noise_.add(first + r, x);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<const double> u = told_.at(first + r).values();
      std::copy(u.begin(), u.end(), row_of(out, r, latents()).begin());
    }
  }

 private:
  std::vector<double> mixing_;  // [K, channels]
  // Channels and latents are read in turn, so each has a cursor of its own.
  Cursor<Latents> shown_;
  Cursor<Latents> told_;
  Noise noise_;
};

}  // namespace

std::unique_ptr<Series> make_ornstein_uhlenbeck(const OrnsteinUhlenbeckOptions& options,
                                                std::int64_t rows, std::uint64_t seed) {
  const OptionChecks check(kKind);
  if (options.tau.empty()) check.fail("tau", "at least one number", "none");
  for (std::size_t k = 0; k < options.tau.size(); ++k) {
    check.positive(fmt::format("tau[{}]", k), options.tau[k], kLargestOption);
  }
  const auto latents = static_cast<std::int64_t>(options.tau.size());
  if (options.channels < latents) {
    check.fail("channels", fmt::format("at least {}, one for each tau", latents),
               fmt::format("{}", options.channels));
  }
  check.matrix("channels", options.channels, latents);
  check.noise(options.noise);
  check.rows(rows, options.channels);
  return std::make_unique<OrnsteinUhlenbeck>(options, rows, seed);
}

}  // namespace gaia
