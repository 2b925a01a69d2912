// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "../../core/error.h"
#include "generator.h"

namespace gaia {

/// The Lorenz system,
///
///     dx/dt = sigma (y - x),   dy/dt = x (rho - z) - y,   dz/dt = x y - beta z,
///
/// from (1, 1, 1) plus 0.1 standard normal numbers; row r shows time (washout + r) dt.  Integrated
/// by the classical Runge-Kutta method of fourth order with the coarsest step that divides dt and
/// is at most 0.002.  The channels are named x, y and z.
/// \throws DataError, here or when rows are read, where the state has left the finite numbers.
/// Lorenz (1963), J. Atmos. Sci. 20, 130.
struct LorenzOptions {
  double sigma = 10.0;
  double rho = 28.0;
  double beta = 8.0 / 3.0;
  double dt = 0.025;            ///< Time from one row to the next.
  std::int64_t washout = 1000;  ///< Rows dropped at the start.
  double noise = 0.0;

  static constexpr const char* name = "lorenz";
  void keys(ConfigVisitor& v) {
    v.number({"sigma", "Prandtl number"}, sigma, kAnyNumber);
    v.number({"rho", "Rayleigh number over its critical value"}, rho, kAnyNumber);
    v.number({"beta", "geometric factor"}, beta, kAnyNumber);
    v.number({"dt", "time between two rows"}, dt, {0.0, 10.0, true});
    v.integer({"washout", "rows dropped at the start"}, washout, {0, 100000000});
    v.number({"noise", "standard deviation of white noise on every channel"}, noise, kNotNegative);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<LorenzOptions> make_lorenz;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::lorenz {

using State = std::array<double, 3>;

inline State plus(const State& a, double factor, const State& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

class System {
 public:
  System(const LorenzOptions& options, std::uint64_t seed)
      : sigma_(options.sigma), rho_(options.rho), beta_(options.beta) {
    constexpr double kLargestStep = 0.002;
    steps_ = static_cast<std::int64_t>(std::ceil(options.dt / kLargestStep));
    step_ = options.dt / static_cast<double>(steps_);
    State offset{};
    data_stream(seed, LorenzOptions::name, "start").normals(0, offset);
    state_ = plus({1.0, 1.0, 1.0}, 0.1, offset);
    for (std::int64_t row = 0; row < options.washout; ++row) advance();
  }

  void advance() {
    State next = state_;
    for (std::int64_t i = 0; i < steps_; ++i) next = step(next);
    if (!std::isfinite(next[0]) || !std::isfinite(next[1]) || !std::isfinite(next[2])) {
      throw DataError("[lorenz] the state has left the finite numbers; expected other parameters");
    }
    state_ = next;
  }

  const State& state() const { return state_; }

 private:
  State slope(const State& s) const {
    const auto [x, y, z] = s;
    return {sigma_ * (y - x), x * (rho_ - z) - y, x * y - beta_ * z};
  }

  State step(const State& s) const {
    const State k1 = slope(s);
    const State k2 = slope(plus(s, 0.5 * step_, k1));
    const State k3 = slope(plus(s, 0.5 * step_, k2));
    const State k4 = slope(plus(s, step_, k3));
    return plus(s, step_ / 6.0, plus(plus(k1, 1.0, k4), 2.0, plus(k2, 1.0, k3)));
  }

  double sigma_;
  double rho_;
  double beta_;
  std::int64_t steps_ = 1;  // from one row to the next
  double step_ = 0.0;
  State state_{};
};

class Lorenz final : public Generator {
 public:
  Lorenz(const LorenzOptions& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, {"x", "y", "z"}),
        system_(System(options, seed)),
        noise_(seed, LorenzOptions::name, options.noise) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const State& state = system_.at(first + r).state();
      const std::span<double> x = row_of(out, r, channels());
      std::copy(state.begin(), state.end(), x.begin());
      noise_.add(first + r, x);
    }
  }

 private:
  Cursor<System> system_;
  Noise noise_;
};

}  // namespace detail::lorenz

std::unique_ptr<Series> LorenzOptions::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.number("sigma", sigma, -kLargestOption, kLargestOption);
  check.number("rho", rho, -kLargestOption, kLargestOption);
  check.number("beta", beta, -kLargestOption, kLargestOption);
  check.positive("dt", dt, 10.0);
  check.integer("washout", washout, 0, OptionChecks::kMostWashout);
  check.noise(noise);
  check.rows(rows, 3);
  return std::make_unique<detail::lorenz::Lorenz>(*this, rows, seed);
}
#endif

}  // namespace gaia
