// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "generator.h"
#include "generators.h"

namespace gaia {
namespace {

constexpr const char* kKind = "mackey_glass";
constexpr double kHistory = 1.2;  // x before time 0

/// Steps of the integration from one row to the next: see MackeyGlassOptions.
std::int64_t steps_per_row(const MackeyGlassOptions& options) {
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
      : Generator(rows, {"x"}), process_(Process(options)), noise_(seed, kKind, options.noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const std::span<double> x = row_of(out, r, channels());
      x[0] = process_.at(first + r).x();
      noise_.add(first + r, x);
    }
  }

 private:
  Cursor<Process> process_;
  Noise noise_;
};

}  // namespace

std::unique_ptr<Series> make_mackey_glass(const MackeyGlassOptions& options, std::int64_t rows,
                                          std::uint64_t seed) {
  const OptionChecks check(kKind);
  check.positive("tau", options.tau, 1e4);
  check.number("beta", options.beta, -kLargestOption, kLargestOption);
  check.number("gamma", options.gamma, -kLargestOption, kLargestOption);
  check.positive("n", options.n, kLargestOption);
  check.positive("dt", options.dt, 1e3);
  // Bounds on the work for a row and on the memory for the past.
  constexpr double kLargestRatio = 1e5;
  if (options.dt > kLargestRatio * options.tau || options.tau > kLargestRatio * options.dt) {
    check.fail("dt", fmt::format("a number from tau / {0:.0f} to {0:.0f} tau", kLargestRatio),
               fmt::format("{}, tau being {}", options.dt, options.tau));
  }
  check.integer("washout", options.washout, 0, OptionChecks::kMostWashout);
  check.noise(options.noise);
  check.rows(rows, 1);
  return std::make_unique<MackeyGlass>(options, rows, seed);
}

}  // namespace gaia
