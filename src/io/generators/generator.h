// SPDX-License-Identifier: MIT
/// \file
/// Time series that are computed (test signals, stochastic processes, chaotic systems, patterns):
/// what a generator is to an experiment, and what generators have in common.
///
/// The numbers of a series are a function of the options, the seed and the index of the row alone:
/// not of how many rows there are or how they are cut into blocks.  Random numbers come from
/// streams named "data/<kind>/<purpose>".  Time is in steps, from one row to the next, where
/// nothing else is said; `noise` is the standard deviation of Gaussian noise, white in time and
/// independent between channels, that is added to what is shown and never fed back.
///
/// Processes that can only be followed step by step (ornstein_uhlenbeck, mackey_glass, lorenz,
/// narma10, voices) start over when rows far before the last ones are read again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../core/kinds.h"
#include "../../core/random.h"
#include "../series.h"

namespace gaia {

/// A generator as an experiment asks for it: options with `name`, keys(ConfigVisitor&),
/// make(rows, seed) and, where it makes trials, trial_rows().  The list is in generators.cpp.
class GeneratorKind : public KindBase<GeneratorKind> {
 public:
  /// A Series of `rows` rows.  \throws ArgumentError "[kind] key: expected ..., got ..." for
  /// options that make none.
  virtual std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const = 0;

  /// Rows of each trial, where the series has trials; 0: it is of one piece.
  virtual std::int64_t trial_rows() const = 0;

  template <class Options>
  class Of;
  static KindList<GeneratorKind>& list();
};

template <class Options>
class GeneratorKind::Of final : public KindOf<GeneratorKind, Options> {
 public:
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const override {
    return this->options.make(rows, seed);
  }
  std::int64_t trial_rows() const override {
    if constexpr (requires { this->options.trial_rows(); }) return this->options.trial_rows();
    return 0;
  }
};

/// make_sines and its like: the Series that these options make.
template <class Options>
struct MakeSeries {
  std::unique_ptr<Series> operator()(const Options& options, std::int64_t rows,
                                     std::uint64_t seed) const {
    return options.make(rows, seed);
  }
};

/// A Series that is computed.
class Generator : public Series {
 public:
  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return channel_names_; }
  const std::vector<std::string>& latent_names() const override { return latent_names_; }

 protected:
  Generator(std::int64_t rows, std::vector<std::string> channel_names,
            std::vector<std::string> latent_names = {})
      : rows_(rows),
        channel_names_(std::move(channel_names)),
        latent_names_(std::move(latent_names)) {}

 private:
  std::int64_t rows_;
  std::vector<std::string> channel_names_;
  std::vector<std::string> latent_names_;
};

/// Row r of an [n, width] block.
inline std::span<double> row_of(std::span<double> block, std::int64_t r, std::int64_t width) {
  return block.subspan(static_cast<std::size_t>(r * width), static_cast<std::size_t>(width));
}

/// x [rows, n] = weights [rows, k] times vectors [k, n].
void combine(std::span<const double> vectors, std::span<const double> weights, std::int64_t rows,
             std::span<double> x);

/// The stream "data/<kind>/<purpose>" of a seed.
RandomStream data_stream(std::uint64_t seed, const char* kind, const char* purpose);

/// Gaussian noise on what is shown; the numbers of row t are t * width ... of its stream.
class Noise {
 public:
  Noise(std::uint64_t seed, const char* kind, double deviation)
      : stream_(data_stream(seed, kind, "noise")), deviation_(deviation) {}

  /// x += deviation * xi(row).
  void add(std::int64_t row, std::span<double> x);

 private:
  RandomStream stream_;
  double deviation_;
  std::vector<double> xi_;
};

/// Follows a process that can only go from one row to the next.  A Process is copyable, stands at
/// row 0 when it is passed on, and has advance(), which may throw.
template <class Process>
class Cursor {
 public:
  explicit Cursor(Process start) : start_(std::move(start)), now_(start_) {}

  /// The process at a row; going back goes on from a row before it that was kept, or starts over.
  const Process& at(std::int64_t row) {
    if (row < row_) go_back(row);
    try {
      for (; row_ < row; ++row_) {
        if (row_ % kRowsApart == 0) keep();
        now_.advance();
      }
    } catch (...) {
      kept_.clear();
      go_back(0);
      throw;
    }
    return now_;
  }

 private:
  // Blocks of rows are read more than once, by who whitens or delays them, say.
  static constexpr std::int64_t kRowsApart = 1024;
  static constexpr std::size_t kMostKept = 20;

  void keep() {
    if (!kept_.empty() && kept_.back().first == row_) return;
    if (kept_.size() == kMostKept) kept_.pop_front();
    kept_.emplace_back(row_, now_);
  }

  void go_back(std::int64_t row) {
    while (!kept_.empty() && kept_.back().first > row) kept_.pop_back();
    row_ = kept_.empty() ? 0 : kept_.back().first;
    now_ = kept_.empty() ? start_ : kept_.back().second;
  }

  Process start_;
  Process now_;
  std::int64_t row_ = 0;
  std::deque<std::pair<std::int64_t, Process>>
      kept_;  // rows in ascending order, and the process there
};

/// Throws ArgumentError "[kind] key: expected ..., got ..." for what a generator does not take.
class OptionChecks {
 public:
  static constexpr std::int64_t kMostChannels = 100000;
  static constexpr std::int64_t kMostWashout = 1000000000;
  /// Most elements of a matrix: 128 MiB, some seconds to orthogonalise.
  static constexpr std::int64_t kMostElements = std::int64_t{1} << 24;

  explicit OptionChecks(const char* kind) : kind_(kind) {}

  /// A number as the messages have it.
  static std::string text(double value);

  [[noreturn]] void fail(const std::string& key, const std::string& expected,
                         const std::string& got) const;

  /// Finite and in [least, most].
  void number(const std::string& key, double value, double least, double most) const;
  /// Above 0 and at most `most`.
  void positive(const std::string& key, double value, double most) const;
  void integer(const std::string& key, std::int64_t value, std::int64_t least,
               std::int64_t most) const;
  /// At least one number, each in [least, most].
  void numbers(const std::string& key, std::span<const double> values, double least,
               double most) const;
  /// Checks that a list has as many numbers as `count`.
  void length(const std::string& key, std::size_t got, std::size_t count, const char* of) const;
  /// 1 to kMostChannels, and room for `count` vectors of that length.
  void matrix(const std::string& key, std::int64_t channels, std::int64_t count) const;
  void noise(double deviation) const;
  /// At least one row, and all numbers of `rows` rows, `width` a row, have an index in 64 bits.
  void rows(std::int64_t rows, std::int64_t width) const;

 private:
  const char* kind_;
};

constexpr double kLargestOption = 1e300;

/// base^exponent; for small whole exponents by multiplication, which rounds alike everywhere.
double power(double base, double exponent);

}  // namespace gaia
