// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../../core/error.h"
#include "generator.h"

namespace gaia {

/// The Mackey-Glass equation with delay,
///
///     dx/dt = beta x(t - tau) / (1 + x(t - tau)^n) - gamma x,   x(t) = 1.2 for t <= 0;
///
/// row r shows x((washout + r) dt), with `squash` tanh(x - squash) of it (Jaeger & Haas 2004,
/// Science 304, 78, with 1).  Chaotic with the defaults.  Only the noise depends on the seed.
/// Integrated by the classical Runge-Kutta method of fourth order with a step that divides dt, is
/// at most 0.1 and at most tau, and divides tau too where one up to four times as fine does;
/// between steps the past is a cubic through values and slopes.  The channel is named x.
/// \throws DataError, here or when rows are read, where x has left the finite numbers.
/// Mackey & Glass (1977), Science 197, 287.
struct MackeyGlassOptions {
  double tau = 17.0;  ///< Delay, units of time.
  double beta = 0.2;
  double gamma = 0.1;
  double n = 10.0;
  double dt = 1.0;              ///< Time from one row to the next.
  std::int64_t washout = 1000;  ///< Rows dropped at the start.
  double noise = 0.0;
  std::optional<double> squash = {};

  static constexpr const char* name = "mackey_glass";
  void keys(ConfigVisitor& v) {
    v.number({"tau", "delay, in units of time"}, tau, {0.0, 1e4, true});
    v.number({"beta", "production rate"}, beta, kAnyNumber);
    v.number({"gamma", "decay rate"}, gamma, kAnyNumber);
    v.number({"n", "exponent"}, n, kPositive);
    v.number({"dt", "time between two rows"}, dt, {0.0, 1e3, true});
    v.integer({"washout", "rows dropped at the start"}, washout, {0, 100000000});
    v.number({"noise", "standard deviation of white noise on every row"}, noise, kNotNegative);
    v.optional({"squash", "rows are tanh(x - squash) in place of x, before the noise"}, squash,
               kAnyNumber);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<MackeyGlassOptions> make_mackey_glass;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::mackey_glass {

constexpr double kHistory = 1.2;  // x before time 0

/// Steps of the integration from one row to the next: see MackeyGlassOptions.
inline std::int64_t steps_per_row(const MackeyGlassOptions& options) {
  constexpr double kLargestStep = 0.1;
  const auto coarsest =
      static_cast<std::int64_t>(std::ceil(options.dt / std::min(kLargestStep, options.tau)));
  for (std::int64_t steps = coarsest; steps <= 4 * coarsest; ++steps) {
    const double delay = options.tau * static_cast<double>(steps) / options.dt;
    if (std::abs(delay - std::round(delay)) <= 1e-9 * delay) return steps;
  }
  return coarsest;
}

class Process {
 public:
  explicit Process(const MackeyGlassOptions& options)
      : beta_(options.beta),
        gamma_(options.gamma),
        n_(options.n),
        steps_(steps_per_row(options)),
        step_(options.dt / static_cast<double>(steps_)) {
    // tau = (whole_ - part_) steps, 0 <= part_ < 1.
    double delay = options.tau * static_cast<double>(steps_) / options.dt;
    if (std::abs(delay - std::round(delay)) <= 1e-9 * delay) delay = std::round(delay);
    whole_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(delay)));
    part_ = std::max(0.0, static_cast<double>(whole_) - delay);
    past_.resize(static_cast<std::size_t>(whole_) + 1);
    node(0).x = kHistory;
    for (std::int64_t row = 0; row < options.washout; ++row) advance();
  }

  void advance() {
    for (std::int64_t i = 0; i < steps_; ++i) integrate();
    if (!std::isfinite(x())) {
      throw DataError("[mackey_glass] x has left the finite numbers; expected other parameters");
    }
  }

  double x() const { return past_[index(now_)].x; }

 private:
  /// x at the end of a step, and its slope there.
  struct Node {
    double x = 0.0;
    double slope = 0.0;
  };

  std::size_t index(std::int64_t i) const { return static_cast<std::size_t>(i) % past_.size(); }
  Node& node(std::int64_t i) { return past_[index(i)]; }

  /// x(t - tau) at t = (now_ + fraction) steps, by the cubic through values and slopes around it.
  double delayed(double fraction) const {
    const double offset = fraction + part_;
    const auto carry = static_cast<std::int64_t>(offset);
    const std::int64_t i = now_ - whole_ + carry;
    const double s = offset - static_cast<double>(carry);
    if (i < 0) return kHistory;
    const Node& a = past_[index(i)];
    if (s == 0.0) return a.x;
    const Node& b = past_[index(i + 1)];
    const double r = 1.0 - s;
    return r * r * (1.0 + 2.0 * s) * a.x + s * s * (1.0 + 2.0 * r) * b.x +
           s * r * step_ * (r * a.slope - s * b.slope);
  }

  double slope(double x, double past) const {
    return beta_ * past / (1.0 + power(past, n_)) - gamma_ * x;
  }

  /// One step of the classical Runge-Kutta method.
  void integrate() {
    const double x = node(now_).x;
    const double k1 = slope(x, delayed(0.0));
    node(now_).slope = k1;
    const double middle = delayed(0.5);
    const double k2 = slope(x + 0.5 * step_ * k1, middle);
    const double k3 = slope(x + 0.5 * step_ * k2, middle);
    const double k4 = slope(x + step_ * k3, delayed(1.0));
    ++now_;
    node(now_).x = x + step_ / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
  }

  double beta_;
  double gamma_;
  double n_;
  std::int64_t steps_;
  double step_;
  std::int64_t whole_ = 1;
  double part_ = 0.0;
  std::vector<Node> past_;  // ring of the nodes that a delay can reach
  std::int64_t now_ = 0;    // index of the last node
};

class MackeyGlass final : public Generator {
 public:
  MackeyGlass(const MackeyGlassOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, {"x"}),
        process_(Process(options)),
        noise_(seed, MackeyGlassOptions::name, options.noise),
        squash_(options.squash) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      x[0] = process_.at(first + r).x();
      if (squash_) x[0] = std::tanh(x[0] - *squash_);
      noise_.add(first + r, x);
    }
  }

 private:
  Cursor<Process> process_;
  Noise noise_;
  std::optional<double> squash_;
};

}  // namespace detail::mackey_glass

std::unique_ptr<Series> MackeyGlassOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.positive("tau", tau, 1e4);
  check.number("beta", beta, -kLargestOption, kLargestOption);
  check.number("gamma", gamma, -kLargestOption, kLargestOption);
  check.positive("n", n, kLargestOption);
  check.positive("dt", dt, 1e3);
  // Bounds on the work for a row and on the memory for the past.
  constexpr double kLargestRatio = 1e5;
  if (dt > kLargestRatio * tau || tau > kLargestRatio * dt) {
    check.fail("dt", "a number from tau / 100000 to 100000 tau",
               OptionChecks::text(dt) + ", tau being " + OptionChecks::text(tau));
  }
  check.integer("washout", washout, 0, OptionChecks::kMostWashout);
  check.noise(noise);
  if (squash) check.number("squash", *squash, -kLargestOption, kLargestOption);
  check.rows(rows, 1);
  return std::make_unique<detail::mackey_glass::MackeyGlass>(*this, rows, seed);
}
#endif

}  // namespace gaia
