// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../array/orthonormal.h"
#include "../../array/random_arrays.h"
#include "../columns.h"
#include "generator.h"

namespace gaia {

/// Independent samples of N(0, Q diag(spectrum) Q^T), x = Q s with s_k ~ N(0, spectrum_k), Q [d, d]
/// an orthogonal matrix, drawn uniformly.  Channels are named 0, 1, ..., the latents s are named
/// component0, component1, ...
struct GaussianOptions {
  std::vector<double> spectrum = {};  ///< Eigenvalues of the covariance [d], not negative.
  bool rotate = true;                 ///< Without, Q is the identity.

  static constexpr const char* name = "gaussian";
  void keys(ConfigVisitor& v) {
    v.numbers({"spectrum", "eigenvalues of the covariance, one for each channel", true}, spectrum,
              kNotNegative);
    v.flag({"rotate", "whether the eigenvectors are a random basis, else the channels"}, rotate);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<GaussianOptions> make_gaussian;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::gaussian {

inline std::vector<std::string> component_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back("component" + std::to_string(k));
  return names;
}

class Gaussian final : public Generator {
 public:
  Gaussian(const GaussianOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(static_cast<std::int64_t>(options.spectrum.size())),
                  component_names(options.spectrum.size())),
        stream_(data_stream(seed, GaussianOptions::name, "components")) {
    for (const double variance : options.spectrum) deviations_.push_back(std::sqrt(variance));
    if (options.rotate) {
      basis_ = random_orthonormal(channels(), channels(),
                                  data_stream(seed, GaussianOptions::name, "basis"))
                   .to_vector<double>();
    }
  }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    if (basis_.empty()) return draw(first, out);
    constexpr std::int64_t most = 64;  // rows whose components are held
    for (std::int64_t done = 0; done < count; done += most) {
      const std::int64_t rows = std::min(most, count - done);
      const auto numbers = static_cast<std::size_t>(rows * channels());
      components_.resize(numbers);
      draw(first + done, components_);
      combine(basis_, components_, rows,
              out.subspan(static_cast<std::size_t>(done * channels()), numbers));
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    draw(first, out);
  }

 private:
  /// The components of rows from `row` on.
  void draw(std::int64_t row, std::span<double> s) const {
    const std::size_t width = deviations_.size();
    fill_normals(stream_, static_cast<std::uint64_t>(row) * width, s);
    for (std::size_t at = 0; at < s.size(); at += width) {
      for (std::size_t k = 0; k < width; ++k) s[at + k] *= deviations_[k];
    }
  }

  RandomStream stream_;
  std::vector<double> deviations_;
  std::vector<double> basis_;       // [component, channel]; empty for the identity
  std::vector<double> components_;  // [row, component]
};

}  // namespace detail::gaussian

std::unique_ptr<Series> GaussianOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.numbers("spectrum", spectrum, 0.0, kLargestOption);
  const auto channels = static_cast<std::int64_t>(spectrum.size());
  check.matrix("spectrum", channels, rotate ? channels : 1);
  check.rows(rows, channels);
  return std::make_unique<detail::gaussian::Gaussian>(*this, rows, seed);
}
#endif

}  // namespace gaia
