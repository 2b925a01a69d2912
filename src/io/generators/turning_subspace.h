// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "../../array/orthonormal.h"
#include "../../array/random_arrays.h"
#include "../columns.h"
#include "generator.h"

namespace gaia {

/// Independent samples in a subspace of k dimensions that turns into an orthogonal one:
///
///     x(t) = sum_k s_k(t) (cos q(t) a_k + sin q(t) b_k) + noise,   s_k(t) ~ N(0, spectrum_k),
///
/// q = angle * p, p = 0 up to row `from`, 1 from row `to` on and (t - from) / (to - from) between.
/// a_1 ... a_k, b_1 ... b_k [channels] are orthonormal, drawn uniformly.  At 90 degrees nothing of
/// the first subspace is left.  Channels are named 0, 1, ..., the latents s component0,
/// component1, ...
struct TurningSubspaceOptions {
  std::vector<double> spectrum = {2.0, 1.6, 1.3, 1.0};  ///< Variances [k], not negative.
  std::int64_t channels = 64;                           ///< At least 2 k.
  double angle = 90.0;                                  ///< Degrees.
  std::int64_t from = 0;                                ///< Rows.
  std::int64_t to = 0;
  double noise = 0.1;

  static constexpr const char* name = "turning_subspace";
  void keys(ConfigVisitor& v) {
    v.numbers({"spectrum", "variance of each latent, one for each dimension of the subspace"},
              spectrum, kNotNegative);
    v.integer({"channels", "channels, at least two for each dimension"}, channels, {2, 100000});
    v.number({"angle", "degrees by which the subspace has turned in the end"}, angle, {-1e6, 1e6});
    v.integer({"from", "row at which it begins to turn"}, from, {0, std::int64_t{1} << 48});
    v.integer({"to", "row at which it has turned", true}, to, {0, std::int64_t{1} << 48});
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<TurningSubspaceOptions> make_turning_subspace;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::turning_subspace {

inline std::vector<std::string> names_of_components(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back("component" + std::to_string(k));
  return names;
}

class TurningSubspace final : public Generator {
 public:
  TurningSubspace(const TurningSubspaceOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(options.channels),
                  names_of_components(options.spectrum.size())),
        options_(options),
        stream_(data_stream(seed, TurningSubspaceOptions::name, "components")),
        bases_(random_orthonormal(2 * latents(), options.channels,
                                  data_stream(seed, TurningSubspaceOptions::name, "bases"))
                   .to_vector<double>()),
        noise_(seed, TurningSubspaceOptions::name, options.noise) {
    for (const double variance : options.spectrum) deviations_.push_back(std::sqrt(variance));
  }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    const std::size_t width = deviations_.size();
    std::vector<double> s(width);
    std::vector<double> both(2 * width);  // weights of the first basis, then of the second
    for (std::int64_t r = 0; r < count; ++r) {
      draw(first + r, s);
      const double angle = angle_at(first + r);
      for (std::size_t k = 0; k < width; ++k) {
        both[k] = std::cos(angle) * s[k];
        both[width + k] = std::sin(angle) * s[k];
      }
      const std::span<double> x = row_of(out, r, channels());
      combine(bases_, both, 1, x);
      noise_.add(first + r, x);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    draw(first, out);
  }

 private:
  double angle_at(std::int64_t row) const {
    const double end = options_.angle * (std::numbers::pi / 180.0);
    if (row >= options_.to) return end;
    if (row <= options_.from) return 0.0;
    return end * (static_cast<double>(row - options_.from) /
                  static_cast<double>(options_.to - options_.from));
  }

  /// The latents of rows from `row` on.
  void draw(std::int64_t row, std::span<double> s) const {
    const std::size_t width = deviations_.size();
    fill_normals(stream_, static_cast<std::uint64_t>(row) * width, s);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] *= deviations_[i % width];
  }

  TurningSubspaceOptions options_;
  RandomStream stream_;
  std::vector<double> deviations_;
  std::vector<double> bases_;  // [2 k, channel]
  Noise noise_;
};

}  // namespace detail::turning_subspace

std::unique_ptr<Series> TurningSubspaceOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.numbers("spectrum", spectrum, 0.0, kLargestOption);
  const auto dimensions = static_cast<std::int64_t>(spectrum.size());
  if (channels < 2 * dimensions) {
    check.fail("channels",
               "at least " + std::to_string(2 * dimensions) +
                   ", two for each of the dimensions of spectrum",
               std::to_string(channels));
  }
  if (to < from) {
    check.fail("to", "a row that is not before from, " + std::to_string(from), std::to_string(to));
  }
  check.matrix("channels", channels, 2 * dimensions);
  check.noise(noise);
  check.rows(rows, channels);
  return std::make_unique<detail::turning_subspace::TurningSubspace>(*this, rows, seed);
}
#endif

}  // namespace gaia
