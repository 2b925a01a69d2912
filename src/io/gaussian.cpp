// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../array/orthonormal.h"
#include "../array/random_arrays.h"
#include "columns.h"
#include "generator.h"
#include "generators.h"

namespace gaia {
namespace {

constexpr const char* kKind = "gaussian";

std::vector<std::string> component_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("component{}", k));
  return names;
}

class Gaussian final : public Generator {
 public:
  Gaussian(const GaussianOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(static_cast<std::int64_t>(options.spectrum.size())),
                  component_names(options.spectrum.size())),
        stream_(data_stream(seed, kKind, "components")),
        components_(options.spectrum.size()) {
    for (const double variance : options.spectrum) deviations_.push_back(std::sqrt(variance));
    if (options.rotate) {
      basis_ = random_orthonormal(channels(), channels(), data_stream(seed, kKind, "basis"))
                   .to_vector<double>();
    }
  }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      if (basis_.empty()) {
        draw(first + r, x);
      } else {
        draw(first + r, components_);
        combine(basis_, components_, x);
      }
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) draw(first + r, row_of(out, r, latents()));
  }

 private:
  void draw(std::int64_t row, std::span<double> s) const {
    fill_normals(stream_, static_cast<std::uint64_t>(row) * s.size(), s);
    for (std::size_t k = 0; k < s.size(); ++k) s[k] *= deviations_[k];
  }

  RandomStream stream_;
  std::vector<double> deviations_;
  std::vector<double> basis_;  // [component, channel]; empty for the identity
  std::vector<double> components_;
};

}  // namespace

std::unique_ptr<Series> make_gaussian(const GaussianOptions& options, std::int64_t rows,
                                      std::uint64_t seed) {
  const OptionChecks check(kKind);
  check.numbers("spectrum", options.spectrum, 0.0, kLargestOption);
  const auto channels = static_cast<std::int64_t>(options.spectrum.size());
  check.matrix("spectrum", channels, options.rotate ? channels : 1);
  check.rows(rows, channels);
  return std::make_unique<Gaussian>(options, rows, seed);
}

}  // namespace gaia
