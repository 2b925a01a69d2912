// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../array/orthonormal.h"
#include "../columns.h"
#include "generator.h"

namespace gaia {

/// At each step one of n patterns, independently of the steps before, pattern k with probability
/// p_k, plus noise.  Either `count` orthonormal ones, the first columns of an orthogonal matrix
/// that is drawn uniformly; or those written out in `patterns`.  Channels are named 0, 1, ...; the
/// latent "pattern" is the index of the one shown.
struct PatternsOptions {
  std::int64_t count = 0;                          ///< 0 where patterns are written out.
  std::int64_t channels = 0;                       ///< At least `count`; 0: as many as needed.
  std::vector<std::vector<double>> patterns = {};  ///< [n, channels]; empty where `count` is given.
  std::vector<double> probabilities = {};          ///< p [n], any positive scale; empty: equal.
  bool rotate = true;  ///< Without, orthonormal pattern k is a one in channel k.
  double noise = 0.0;

  static constexpr const char* name = "patterns";
  void keys(ConfigVisitor& v) {
    v.integer({"count", "number of orthonormal patterns, where none are written out"}, count,
              {0, 100000});
    v.integer({"channels", "length of these patterns, at least `count`; default `count`"}, channels,
              {0, 100000});
    if (channels == 0) channels = count;  // The resolved configuration says what runs.
    v.matrix({"patterns", "patterns written out, one list each"}, patterns);
    v.numbers({"probabilities", "how often each is shown; default equally"}, probabilities,
              kPositive);
    v.flag({"rotate", "whether orthonormal patterns are rotated, else each is one channel"},
           rotate);
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<PatternsOptions> make_patterns;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::patterns {

/// The options with every default filled in and checked.
struct Resolved {
  std::int64_t channels = 0;
  std::vector<double> patterns;    // [n, channels]
  std::vector<double> thresholds;  // p_0, p_0 + p_1, ..., 1
};

inline void write_out(const OptionChecks& check, const PatternsOptions& options,
                      Resolved& resolved) {
  if (options.count != 0)
    check.fail("count", "none beside patterns", std::to_string(options.count));
  const std::size_t length = options.patterns.front().size();
  resolved.channels = static_cast<std::int64_t>(length);
  if (options.channels != 0 && options.channels != resolved.channels) {
    check.fail("channels", std::to_string(length) + ", the length of the patterns",
               std::to_string(options.channels));
  }
  check.matrix("patterns", resolved.channels, static_cast<std::int64_t>(options.patterns.size()));
  for (std::size_t k = 0; k < options.patterns.size(); ++k) {
    const std::vector<double>& pattern = options.patterns[k];
    const std::string key = "patterns[" + std::to_string(k) + "]";
    if (pattern.size() != length) {
      check.fail(key, std::to_string(length) + " numbers, as in patterns[0]",
                 std::to_string(pattern.size()));
    }
    check.numbers(key, pattern, -kLargestOption, kLargestOption);
    resolved.patterns.insert(resolved.patterns.end(), pattern.begin(), pattern.end());
  }
}

inline void draw(const OptionChecks& check, const PatternsOptions& options, std::uint64_t seed,
                 Resolved& resolved) {
  check.integer("count", options.count, 1, OptionChecks::kMostChannels);
  resolved.channels = options.channels == 0 ? options.count : options.channels;
  if (resolved.channels < options.count) {
    check.fail("channels", "at least " + std::to_string(options.count) + ", the number of patterns",
               std::to_string(options.channels));
  }
  check.matrix("channels", resolved.channels, options.count);
  if (options.rotate) {
    resolved.patterns = random_orthonormal(options.count, resolved.channels,
                                           data_stream(seed, PatternsOptions::name, "patterns"))
                            .to_vector<double>();
    return;
  }
  resolved.patterns.assign(static_cast<std::size_t>(options.count * resolved.channels), 0.0);
  for (std::int64_t k = 0; k < options.count; ++k) {
    resolved.patterns[static_cast<std::size_t>(k * resolved.channels + k)] = 1.0;
  }
}

inline Resolved resolve(const OptionChecks& check, const PatternsOptions& options,
                        std::uint64_t seed) {
  Resolved resolved;
  if (options.patterns.empty()) {
    draw(check, options, seed, resolved);
  } else {
    write_out(check, options, resolved);
  }
  const auto count = resolved.patterns.size() / static_cast<std::size_t>(resolved.channels);
  std::vector<double> shares = options.probabilities;
  if (shares.empty()) shares.assign(count, 1.0);
  check.length("probabilities", shares.size(), count, "the patterns");
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    check.positive("probabilities[" + std::to_string(k) + "]", shares[k], 1e100);
    sum += shares[k];
    resolved.thresholds.push_back(sum);
  }
  for (double& threshold : resolved.thresholds) threshold /= sum;
  return resolved;
}

class Patterns final : public Generator {
 public:
  Patterns(Resolved resolved, double noise, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(resolved.channels), {"pattern"}),
        patterns_(std::move(resolved.patterns)),
        thresholds_(std::move(resolved.thresholds)),
        choice_(data_stream(seed, PatternsOptions::name, "choice")),
        noise_(seed, PatternsOptions::name, noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      std::copy_n(patterns_.data() + shown(first + r) * x.size(), x.size(), x.data());
      noise_.add(first + r, x);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      out[static_cast<std::size_t>(r)] = static_cast<double>(shown(first + r));
    }
  }

 private:
  /// Index of the pattern at a row.
  std::size_t shown(std::int64_t row) const {
    double u = 0.0;
    choice_.uniforms(static_cast<std::uint64_t>(row), {&u, 1});
    // The last threshold is 1, above every u.
    const auto found = std::upper_bound(thresholds_.begin(), thresholds_.end(), u);
    return static_cast<std::size_t>(found - thresholds_.begin());
  }

  std::vector<double> patterns_;
  std::vector<double> thresholds_;
  RandomStream choice_;
  Noise noise_;
};

}  // namespace detail::patterns

std::unique_ptr<Series> PatternsOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.noise(noise);
  detail::patterns::Resolved resolved = detail::patterns::resolve(check, *this, seed);
  check.rows(rows, resolved.channels);
  return std::make_unique<detail::patterns::Patterns>(std::move(resolved), noise, rows, seed);
}
#endif

}  // namespace gaia
