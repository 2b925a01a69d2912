// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../columns.h"
#include "generator.h"

namespace gaia {

/// Pictures of size x size pixels with bars: at each step each of the size horizontal and size
/// vertical lines of the picture is there with probability p, independently of the others and of
/// other steps; a pixel is 1 where a bar lies, 0 elsewhere, and no more where two of them cross.
/// Channels are named 0, 1, ..., row by row; the latents bar0, bar1, ... are 1 where a bar is
/// there, rows before columns.  Földiák (1990), Biol. Cybern. 64, 165-170.
struct BarsOptions {
  std::int64_t size = 8;       ///< Pixels along each side.
  double probability = 0.125;  ///< Probability of each bar at a step.

  static constexpr const char* name = "bars";
  void keys(ConfigVisitor& v) {
    v.integer({"size", "pixels along each side of the picture"}, size, {1, 256});
    v.number({"probability", "probability of each bar at a step"}, probability, {0.0, 1.0});
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<BarsOptions> make_bars;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::bars {

inline std::vector<std::string> bar_names(std::int64_t size) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < 2 * size; ++k) names.push_back("bar" + std::to_string(k));
  return names;
}

class Bars final : public Generator {
 public:
  Bars(const BarsOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(options.size * options.size), bar_names(options.size)),
        options_(options),
        stream_(data_stream(seed, BarsOptions::name, "bars")),
        shown_(static_cast<std::size_t>(2 * options.size)) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    const auto size = static_cast<std::size_t>(options_.size);
    for (std::int64_t r = 0; r < count; ++r) {
      draw(first + r, shown_);
      const std::span<double> x = row_of(out, r, channels());
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = std::max(shown_[i / size], shown_[size + i % size]);
      }
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) draw(first + r, row_of(out, r, latents()));
  }

 private:
  void draw(std::int64_t row, std::span<double> bars) const {
    stream_.uniforms(static_cast<std::uint64_t>(row) * bars.size(), bars);
    for (double& bar : bars) bar = bar < options_.probability ? 1.0 : 0.0;
  }

  BarsOptions options_;
  RandomStream stream_;
  std::vector<double> shown_;
};

}  // namespace detail::bars

std::unique_ptr<Series> BarsOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.integer("size", size, 1, 256);
  if (!(probability >= 0.0 && probability <= 1.0)) {
    check.fail("probability", "a number from 0 to 1", std::to_string(probability));
  }
  check.rows(rows, size * size);
  return std::make_unique<detail::bars::Bars>(*this, rows, seed);
}
#endif

}  // namespace gaia
