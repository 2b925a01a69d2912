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
        stream_(data_stream(seed, kKind, "components")) {
    for (const double variance : options.spectrum) deviations_.push_back(std::sqrt(variance));
    if (options.rotate) {
      basis_ = random_orthonormal(channels(), channels(), data_stream(seed, kKind, "basis"))
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
