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

namespace gaia {

/// Two fast values of which a slow context decides which one is wanted; a cue says the context,
/// far too weakly for one step, among slow distractors:
///
///     x(t) = A a(t) u + B b(t) v + cue (q(t) h + 1.5 sum_k d_k(t) p_k) + noise,
///     wanted(t) = A a(t) where c(t) = 1, else B b(t),
///
/// A, B the `deviations`, a and b standard normal, independent from row to row; u, v, h, p_1 ...
/// p_K [channels] orthonormal, drawn uniformly.  c is 1 or -1, either with probability 1/2 in row
/// 0, and changes with probability 1 / dwell from one row to the next.  d_k is an
/// Ornstein-Uhlenbeck process of variance 1, d(t+1) = k d(t) + sqrt(1 - k^2) xi(t+1), k = exp(-1 /
/// dwell), from its stationary distribution.  q = c; with `unrelated` q is another process like c,
/// which says nothing of it. Channels are named 0, 1, ... and, the last one, `wanted`; the latents
/// are `context`, c, and `first` and `second`, A a and B b.
struct ContextValuesOptions {
  std::int64_t channels = 24;                   ///< Without `wanted`; at least 3 + distractors.
  std::vector<double> deviations = {2.2, 1.8};  ///< A, B.
  double cue = 0.3;
  std::int64_t distractors = 3;  ///< K.
  double dwell = 150.0;          ///< Rows, on average; at least 1.
  bool unrelated = false;
  double noise = 0.5;

  static constexpr const char* name = "context_values";
  void keys(ConfigVisitor& v) {
    v.integer(
        {"channels", "channels beside the wanted value, at least 3 and one for each distractor"},
        channels, {3, 100000});
    v.numbers({"deviations", "standard deviations of the two values"}, deviations, kNotNegative);
    v.number({"cue", "strength of what tells the context, and of its distractors"}, cue,
             kNotNegative);
    v.integer({"distractors", "slow processes beside the cue"}, distractors, {0, 99997});
    v.number({"dwell", "rows from one change of the context to the next, on average"}, dwell,
             {1.0, 1e9});
    v.flag({"unrelated", "whether the cue is that of another context, which decides nothing"},
           unrelated);
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<ContextValuesOptions> make_context_values;

/// Patterns of which a slow context tells apart those that look alike:
///
///     x(t) = M_k(t) + noise,      k(t) = patterns c(t) + j(t),
///
/// j uniform on 0 ... patterns - 1, independent from row to row; c is 0 or 1, either with
/// probability 1/2 in row 0, and changes with probability 1 / dwell from one row to the next.  The
/// patterns M_0
/// ... M_(2 patterns - 1) [channels] have length `length`.  Those of context 0 point in uniform
/// directions, and so do those of context 1 but the first `alike`: M_(patterns + i) = length g /
/// |g|, g = M_i + difference * eta, eta standard normal.  Channels are named 0, 1, ..., the latent
/// is `context`, c, and the label of a row is the index k of its pattern.
struct ContextPatternsOptions {
  std::int64_t channels = 16;
  std::int64_t patterns = 4;  ///< In either context.
  std::int64_t alike = 2;     ///< At most as many.
  double difference = 0.15;
  double length = 4.0;
  double dwell = 200.0;  ///< Rows, on average; at least 1.
  double noise = 1.0;

  static constexpr const char* name = "context_patterns";
  void keys(ConfigVisitor& v) {
    v.integer({"channels", "length of a pattern"}, channels, {1, 100000});
    v.integer({"patterns", "patterns of either context"}, patterns, {1, 5000});
    v.integer({"alike", "patterns of one context that have one like them in the other"}, alike,
              {0, 5000});
    v.number(
        {"difference", "standard deviation, channel by channel, of what tells two of them apart"},
        difference, kNotNegative);
    v.number({"length", "length of all patterns, as vectors"}, length, kPositive);
    v.number({"dwell", "rows from one change of the context to the next, on average"}, dwell,
             {1.0, 1e9});
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<ContextPatternsOptions> make_context_patterns;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::context {

/// A state, 0 or 1, that changes now and then.
class Switch {
 public:
  Switch(RandomStream stream, double dwell) : stream_(std::move(stream)), chance_(1.0 / dwell) {
    is_one_ = draw(0) < 0.5;
  }

  void advance() {
    if (draw(++row_) < chance_) is_one_ = !is_one_;
  }
  bool is_one() const { return is_one_; }

 private:
  double draw(std::uint64_t row) const {
    double u = 0.0;
    stream_.uniforms(row, {&u, 1});
    return u;
  }

  RandomStream stream_;
  double chance_;
  bool is_one_ = false;
  std::uint64_t row_ = 0;
};

/// What is slow in context_values.
class SlowParts {
 public:
  SlowParts(const ContextValuesOptions& options, std::uint64_t seed)
      : context_(data_stream(seed, ContextValuesOptions::name, "context"), options.dwell),
        other_(data_stream(seed, ContextValuesOptions::name, "unrelated"), options.dwell),
        is_unrelated_(options.unrelated),
        stream_(data_stream(seed, ContextValuesOptions::name, "distractors")),
        keep_(std::exp(-1.0 / options.dwell)),
        distractors_(static_cast<std::size_t>(options.distractors)),
        normals_(distractors_.size()) {
    fill_normals(stream_, 0, distractors_);
  }

  void advance() {
    ++row_;
    context_.advance();
    if (is_unrelated_) other_.advance();
    fill_normals(stream_, row_ * distractors_.size(), normals_);
    const double kick = std::sqrt(1.0 - keep_ * keep_);
    for (std::size_t k = 0; k < distractors_.size(); ++k) {
      distractors_[k] = keep_ * distractors_[k] + kick * normals_[k];
    }
  }

  double context() const { return context_.is_one() ? 1.0 : -1.0; }
  double cue() const { return is_unrelated_ ? (other_.is_one() ? 1.0 : -1.0) : context(); }
  std::span<const double> distractors() const { return distractors_; }

 private:
  Switch context_;
  Switch other_;
  bool is_unrelated_;
  RandomStream stream_;
  double keep_;
  std::vector<double> distractors_;
  std::vector<double> normals_;
  std::uint64_t row_ = 0;
};

inline std::vector<std::string> names_with_wanted(std::int64_t channels) {
  std::vector<std::string> names = numbered_names(channels);
  names.emplace_back("wanted");
  return names;
}

class ContextValues final : public Generator {
 public:
  ContextValues(const ContextValuesOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, names_with_wanted(options.channels), {"context", "first", "second"}),
        options_(options),
        shown_(SlowParts(options, seed)),
        told_(shown_),
        values_(data_stream(seed, ContextValuesOptions::name, "values")),
        vectors_(random_orthonormal(3 + options.distractors, options.channels,
                                    data_stream(seed, ContextValuesOptions::name, "vectors"))
                     .to_vector<double>()),
        noise_(seed, ContextValuesOptions::name, options.noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    std::vector<double> weights(static_cast<std::size_t>(3 + options_.distractors));
    for (std::int64_t r = 0; r < count; ++r) {
      const SlowParts& slow = shown_.at(first + r);
      const auto [a, b] = values_at(first + r);
      weights[0] = a;
      weights[1] = b;
      weights[2] = options_.cue * slow.cue();
      for (std::size_t k = 0; k < slow.distractors().size(); ++k) {
        weights[3 + k] = options_.cue * 1.5 * slow.distractors()[k];
      }
      const std::span<double> row = row_of(out, r, channels());
      const std::span<double> x = row.first(row.size() - 1);
      combine(vectors_, weights, 1, x);
      noise_.add(first + r, x);
      row.back() = slow.context() > 0.0 ? a : b;
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      const auto [a, b] = values_at(first + r);
      const std::span<double> row = row_of(out, r, latents());
      row[0] = told_.at(first + r).context();
      row[1] = a;
      row[2] = b;
    }
  }

 private:
  std::pair<double, double> values_at(std::int64_t row) const {
    double drawn[2];
    fill_normals(values_, 2 * static_cast<std::uint64_t>(row), drawn);
    return {options_.deviations[0] * drawn[0], options_.deviations[1] * drawn[1]};
  }

  ContextValuesOptions options_;
  // Channels and latents are read in turn, so each has a cursor of its own.
  Cursor<SlowParts> shown_;
  Cursor<SlowParts> told_;
  RandomStream values_;
  std::vector<double> vectors_;  // [3 + distractors, channels]
  Noise noise_;
};

inline std::vector<double> drawn_patterns(const ContextPatternsOptions& options,
                                          std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(options.channels);
  const auto of_one = static_cast<std::size_t>(options.patterns);
  std::vector<double> patterns(2 * of_one * width);
  fill_normals(data_stream(seed, ContextPatternsOptions::name, "patterns"), 0, patterns);
  const auto pattern = [&](std::size_t k) {
    return std::span<double>(patterns).subspan(k * width, width);
  };
  const auto scale = [&](std::span<double> one) {
    double square = 0.0;
    for (const double value : one) square += value * value;
    for (double& value : one) value *= options.length / std::sqrt(square);
  };
  for (std::size_t k = 0; k < of_one; ++k) scale(pattern(k));
  for (std::size_t k = 0; k < of_one; ++k) {
    if (k < static_cast<std::size_t>(options.alike)) {
      for (std::size_t j = 0; j < width; ++j) {
        pattern(of_one + k)[j] = pattern(k)[j] + options.difference * pattern(of_one + k)[j];
      }
    }
    scale(pattern(of_one + k));
  }
  return patterns;
}

class ContextPatterns final : public Generator {
 public:
  ContextPatterns(const ContextPatternsOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, numbered_names(options.channels), {"context"}),
        patterns_of_one_(options.patterns),
        shown_(Switch(data_stream(seed, ContextPatternsOptions::name, "context"), options.dwell)),
        told_(shown_),
        choice_(data_stream(seed, ContextPatternsOptions::name, "choice")),
        patterns_(drawn_patterns(options, seed)),
        classes_(numbered_names(2 * options.patterns)),
        noise_(seed, ContextPatternsOptions::name, options.noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      const auto shown = static_cast<std::size_t>(pattern_at(first + r, shown_));
      std::copy_n(patterns_.data() + shown * x.size(), x.size(), x.data());
      noise_.add(first + r, x);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      out[static_cast<std::size_t>(r)] = told_.at(first + r).is_one() ? 1.0 : 0.0;
    }
  }

  std::vector<SideColumn> side_columns() const override {
    return {{SideColumn::Role::latent, "context"}, {SideColumn::Role::label, "label"}};
  }

  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    read(first, count, out);
    std::vector<double> contexts;
    std::vector<std::int64_t> labels;
    for (std::int64_t r = 0; r < count; ++r) {
      labels.push_back(pattern_at(first + r, told_));
      contexts.push_back(labels.back() >= patterns_of_one_ ? 1.0 : 0.0);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == 0) side[i] = contexts;
      if (wanted[i] == 1) side[i] = labels;
    }
  }

  const std::vector<std::string>& classes() const override { return classes_; }

 private:
  /// Index of the pattern at a row.
  std::int64_t pattern_at(std::int64_t row, Cursor<Switch>& context) const {
    const std::int64_t before = context.at(row).is_one() ? patterns_of_one_ : 0;
    return before + choice_.integer(static_cast<std::uint64_t>(row), patterns_of_one_);
  }

  std::int64_t patterns_of_one_;
  // Channels and what stands beside them are read in turn, so each has a cursor of its own.
  Cursor<Switch> shown_;
  Cursor<Switch> told_;
  RandomStream choice_;
  std::vector<double> patterns_;  // [2 patterns, channels]
  std::vector<std::string> classes_;
  Noise noise_;
};

}  // namespace detail::context

std::unique_ptr<Series> ContextValuesOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.numbers("deviations", deviations, 0.0, kLargestOption);
  check.length("deviations", deviations.size(), 2, "the values");
  check.number("cue", cue, 0.0, kLargestOption);
  check.integer("distractors", distractors, 0, OptionChecks::kMostChannels);
  check.number("dwell", dwell, 1.0, 1e9);
  if (channels < 3 + distractors) {
    check.fail("channels",
               "at least " + std::to_string(3 + distractors) +
                   ", two for the values, one for the cue and one for each distractor",
               std::to_string(channels));
  }
  check.matrix("channels", channels, 3 + distractors);
  check.noise(noise);
  check.rows(rows, channels + 1);
  return std::make_unique<detail::context::ContextValues>(*this, rows, seed);
}

std::unique_ptr<Series> ContextPatternsOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.integer("patterns", patterns, 1, 5000);
  check.integer("alike", alike, 0, patterns);
  check.number("difference", difference, 0.0, kLargestOption);
  check.positive("length", length, kLargestOption);
  check.number("dwell", dwell, 1.0, 1e9);
  check.matrix("channels", channels, 2 * patterns);
  check.noise(noise);
  check.rows(rows, channels);
  return std::make_unique<detail::context::ContextPatterns>(*this, rows, seed);
}
#endif

}  // namespace gaia
