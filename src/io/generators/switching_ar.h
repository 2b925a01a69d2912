// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../array/random_arrays.h"
#include "../../core/error.h"
#include "../columns.h"
#include "generator.h"

namespace gaia {

/// An autoregressive process whose coefficients switch between regimes:
///
///     s(t+1) = sum_i a_(r,i) s(t+1-i) + deviation_r xi(t+1),   r = r(t+1),   x = s + noise,
///
/// i = 1 ... p_r, xi standard normal.  The regime r is each one with the same probability in the
/// first row and changes with probability 1 / dwell from one row to the next, to each of the others
/// alike (Lindgren, 1978, Scand. J. Statist. 5, 81; Hamilton, 1989, Econometrica 57, 357).  s is 0
/// before its first row.  The channel is named x; the latents are `state`, s, and `regime`, from 0.
/// \throws DataError, here or when rows are read, where s is no longer finite: a regime that grows
/// lasted too long.
struct SwitchingArOptions {
  std::vector<std::vector<double>> coefficients = {};  ///< a_r [p_r] of each regime.
  std::vector<double> deviations = {};                 ///< One for each regime; empty: all 1.
  double dwell = 200.0;                                ///< Rows, on average; at least 1.
  std::int64_t washout = 200;                          ///< Rows dropped at the start.
  double noise = 0.0;

  static constexpr const char* name = "switching_ar";
  void keys(ConfigVisitor& v) {
    v.matrix(
        {"coefficients",
         "for each regime a list: the factors of the last value, of the one before, ...", true},
        coefficients);
    v.numbers({"deviations", "standard deviation of what drives each regime; default all 1"},
              deviations, kNotNegative);
    v.number({"dwell", "rows from one change of the regime to the next, on average"}, dwell,
             {1.0, 1e9});
    v.integer({"washout", "rows dropped at the start"}, washout, {0, 100000000});
    v.number({"noise", "standard deviation of white noise on the channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<SwitchingArOptions> make_switching_ar;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::switching_ar {

/// The last values of s, and the regime.
class Process {
 public:
  Process(const SwitchingArOptions& options, std::uint64_t seed)
      : coefficients_(options.coefficients),
        deviations_(options.deviations),
        chance_(1.0 / options.dwell),
        drive_(data_stream(seed, SwitchingArOptions::name, "drive")),
        changes_(data_stream(seed, SwitchingArOptions::name, "changes")),
        regimes_(data_stream(seed, SwitchingArOptions::name, "regimes")) {
    std::size_t longest = 1;
    for (const auto& a : coefficients_) longest = std::max(longest, a.size());
    if (deviations_.empty()) deviations_.assign(coefficients_.size(), 1.0);
    last_.assign(longest, 0.0);
    regime_ = regimes_.integer(0, std::ssize(coefficients_));
    take_value();
    for (std::int64_t row = 0; row < options.washout; ++row) advance();
  }

  void advance() {
    ++row_;
    const std::int64_t others = std::ssize(coefficients_) - 1;
    double u = 0.0;
    changes_.uniforms(row_, {&u, 1});
    if (others > 0 && u < chance_) {
      const std::int64_t next = regimes_.integer(row_, others);
      regime_ = next + (next >= regime_ ? 1 : 0);
    }
    take_value();
  }

  double value() const { return last_[row_ % last_.size()]; }
  std::int64_t regime() const { return regime_; }

 private:
  void take_value() {
    const auto r = static_cast<std::size_t>(regime_);
    double xi = 0.0;
    fill_normals(drive_, row_, {&xi, 1});
    double sum = 0.0;
    const std::size_t length = last_.size();
    for (std::size_t i = 0; i < coefficients_[r].size(); ++i) {
      sum += coefficients_[r][i] * last_[(row_ + length - 1 - i) % length];
    }
    const double value = sum + deviations_[r] * xi;
    if (!std::isfinite(value)) {
      throw DataError("[switching_ar] row " + std::to_string(row_) + " of regime " +
                      std::to_string(regime_) +
                      " is no longer finite; its coefficients are those of a process that grows");
    }
    last_[row_ % length] = value;
  }

  std::vector<std::vector<double>> coefficients_;
  std::vector<double> deviations_;
  double chance_;
  RandomStream drive_;
  RandomStream changes_;
  RandomStream regimes_;
  std::uint64_t row_ = 0;  // since the start, washout included
  std::int64_t regime_ = 0;
  std::vector<double> last_;  // last values, that of row t at t modulo its length
};

class SwitchingAr final : public Generator {
 public:
  SwitchingAr(const SwitchingArOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, {"x"}, {"state", "regime"}),
        shown_(Process(options, seed)),
        told_(shown_),
        noise_(seed, SwitchingArOptions::name, options.noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      x[0] = shown_.at(first + r).value();
      noise_.add(first + r, x);
    }
  }

  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), latents());
    for (std::int64_t r = 0; r < count; ++r) {
      const Process& process = told_.at(first + r);
      const std::span<double> values = row_of(out, r, latents());
      values[0] = process.value();
      values[1] = static_cast<double>(process.regime());
    }
  }

 private:
  // Channels and latents are read in turn, so each has a cursor of its own.
  Cursor<Process> shown_;
  Cursor<Process> told_;
  Noise noise_;
};

}  // namespace detail::switching_ar

std::unique_ptr<Series> SwitchingArOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  constexpr std::size_t most = 1000;
  if (coefficients.empty() || coefficients.size() > most) {
    check.fail("coefficients", "1 to 1000 regimes, a list of numbers each",
               std::to_string(coefficients.size()));
  }
  for (std::size_t r = 0; r < coefficients.size(); ++r) {
    const std::string key = "coefficients[" + std::to_string(r) + "]";
    if (coefficients[r].size() > most) {
      check.fail(key, "at most 1000 numbers", std::to_string(coefficients[r].size()));
    }
    check.numbers(key, coefficients[r], -kLargestOption, kLargestOption);
  }
  if (!deviations.empty()) {
    check.length("deviations", deviations.size(), coefficients.size(), "the regimes");
    check.numbers("deviations", deviations, 0.0, kLargestOption);
  }
  check.number("dwell", dwell, 1.0, 1e9);
  check.integer("washout", washout, 0, OptionChecks::kMostWashout);
  check.noise(noise);
  check.rows(rows, 2);
  return std::make_unique<detail::switching_ar::SwitchingAr>(*this, rows, seed);
}
#endif

}  // namespace gaia
