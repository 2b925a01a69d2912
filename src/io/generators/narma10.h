// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <iomanip>
#include <memory>
#include <sstream>

#include "../../core/error.h"
#include "generator.h"

namespace gaia {

/// The tenth-order nonlinear autoregressive moving average driven by u ~ U(0, 0.5):
///
///     y(t+1) = 0.3 y(t) + 0.05 y(t) sum_{i=0..9} y(t-i) + 1.5 u(t-9) u(t) + 0.1,
///
/// with u = y = 0 before the first step; row r shows u and y of step washout + r.  The channels are
/// named u and y.  Inputs can drive y to infinity, which happens about once in 200 000 steps.  So,
/// where `bounded`, a u(t) that would make y(t+1) exceed 1.2 is drawn again from those that do not;
/// from y <= 1.2 there always is one.
/// \throws DataError, here or when rows are read, where y has left [0, 10], which it does not if
/// bounded.
/// Atiya & Parlos (2000), IEEE Trans. Neural Networks 11, 697.
struct Narma10Options {
  std::int64_t washout = 200;  ///< Rows dropped at the start.
  bool bounded = true;

  static constexpr const char* name = "narma10";
  void keys(ConfigVisitor& v) {
    v.flag({"bounded", "whether inputs that would drive y to infinity are drawn anew"}, bounded);
    v.integer({"washout", "rows dropped at the start"}, washout, {0, 100000000});
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};
inline constexpr MakeSeries<Narma10Options> make_narma10;

#ifdef GAIA_GENERATOR_BODIES  // see generators.cpp
namespace detail::narma10 {

/// u and y of the last ten steps.
class Process {
 public:
  Process(const Narma10Options& options, std::uint64_t seed)
      : input_(data_stream(seed, Narma10Options::name, "input")),
        again_(data_stream(seed, Narma10Options::name, "again")),
        seed_(seed),
        bounded_(options.bounded) {
    take_input();
    for (std::int64_t row = 0; row < options.washout; ++row) advance();
  }

  void advance() {
    const double y = decay() + 1.5 * u_[ago(9)] * u_[ago(0)];
    constexpr double kBound = 10.0;
    if (y > kBound) {
      std::ostringstream message;
      message << "[narma10] step " << step_ + 1 << ": y = " << std::setprecision(4) << y
              << " has left [0, " << kBound
              << "]; this input drives it to infinity, use another seed than " << seed_;
      throw DataError(message.str());
    }
    ++step_;
    y_[ago(0)] = y;
    take_input();
  }

  double u() const { return u_[ago(0)]; }
  double y() const { return y_[ago(0)]; }

 private:
  /// The place of the value of that many steps ago, 0 to 9.
  std::size_t ago(std::uint64_t steps) const { return (step_ + 10 - steps) % 10; }

  /// What y becomes if u is 0.
  double decay() const {
    double sum = 0.0;
    for (std::uint64_t i = 0; i < 10; ++i) sum += y_[ago(i)];
    return 0.3 * y() + 0.05 * y() * sum + 0.1;
  }

  void take_input() {
    double& u = u_[ago(0)];
    input_.uniforms(step_, {&u, 1});
    u *= 0.5;
    if (!bounded_) return;
    // decay() is at most 0.3 h + 0.5 h^2 + 0.1 < h = 1.2, so there always is such a u.
    constexpr double kHighest = 1.2;
    const double room = kHighest - decay();
    const double factor = 1.5 * u_[ago(9)];
    if (factor * u <= room) return;
    again_.uniforms(step_, {&u, 1});
    u *= room / factor;
  }

  RandomStream input_;
  RandomStream again_;
  std::uint64_t seed_;
  bool bounded_;
  std::uint64_t step_ = 0;  // since the start, washout included
  std::array<double, 10> u_{};
  std::array<double, 10> y_{};
};

class Narma10 final : public Generator {
 public:
  Narma10(const Narma10Options& options, std::int64_t rows, std::uint64_t seed)
      : Generator(rows, {"u", "y"}), process_(Process(options, seed)) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    for (std::int64_t r = 0; r < count; ++r) {
      const Process& process = process_.at(first + r);
      const std::span<double> x = row_of(out, r, channels());
      x[0] = process.u();
      x[1] = process.y();
    }
  }

 private:
  Cursor<Process> process_;
};

}  // namespace detail::narma10

std::unique_ptr<Series> Narma10Options::make(std::int64_t rows, std::uint64_t seed) const {
  const OptionChecks check(name);
  check.integer("washout", washout, 0, OptionChecks::kMostWashout);
  check.rows(rows, 2);
  return std::make_unique<detail::narma10::Narma10>(*this, rows, seed);
}
#endif

}  // namespace gaia
