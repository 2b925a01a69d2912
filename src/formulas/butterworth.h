// SPDX-License-Identifier: MIT
/// \file
/// Recursive filters of series: Butterworth's and Chebyshev's, as sections of second order.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// One section of second order: y = (b0 + b1 / z + b2 / z²) / (1 + a1 / z + a2 / z²) x.
struct SosSection {
  double b0 = 1.0;
  double b1 = 0.0;
  double b2 = 0.0;
  double a1 = 0.0;
  double a2 = 0.0;

  friend bool operator==(const SosSection&, const SosSection&) = default;
};

/// Which frequencies a filter lets pass.
enum class PassBand {
  low,   ///< Those below an edge.
  high,  ///< Those above it.
  band,  ///< Those between two edges.
  stop,  ///< Those outside them.
};

/// Zeros, poles and gain of a filter.
struct ZerosPoles {
  std::vector<std::complex<double>> zeros;
  std::vector<std::complex<double>> poles;
  double gain = 1.0;
};

/// Greatest order of a filter; one of a band has twice as many poles.
inline constexpr std::int64_t kMostFilterOrder = 24;

/// The prototypes: analogue low-passes of edge 1 rad/s.
/// Butterworth's (1930), flat where it passes: poles -exp(i π m / (2 n)), m = -n + 1, -n + 3, ...
ZerosPoles butterworth_prototype(std::int64_t order);
/// Chebyshev's of the first kind, which falls more steeply and ripples by `ripple` dB where it
/// passes: poles -sinh(asinh(1 / sqrt(10^(ripple / 10) - 1)) / n + i π m / (2 n)).
ZerosPoles chebyshev_prototype(std::int64_t order, double ripple);

/// The analogue filter of a prototype, with edges in rad/s: one of PassBand::low and high, else
/// two, ascending.  \throws ArgumentError for another number of edges, or edges that do not ascend
/// from above 0.
ZerosPoles analogue_filter(ZerosPoles prototype, PassBand pass, std::span<const double> edges);

/// The digital filter of a prototype, by the bilinear transform with edges that are where they are
/// asked for: s = 4 (z - 1) / (z + 1) of edges 4 tan(π f / rate).
/// `edges`: one of PassBand::low and high, else two, ascending, in the unit of `rate`.
/// \throws ArgumentError for edges that are not between 0 and half the rate, and an order outside
/// 1 to kMostFilterOrder.
ZerosPoles digital_filter(ZerosPoles prototype, PassBand pass, std::span<const double> edges,
                          double rate);

/// Sections of a digital filter: the poles nearest to the unit circle come last, each pair with the
/// zeros nearest to it; the gain is in the first section.
std::vector<SosSection> second_order_sections(const ZerosPoles& filter);

/// Butterworth's filter as sections: (order + 1) / 2 of them, of a band or a stop `order`.
std::vector<SosSection> butterworth(std::int64_t order, PassBand pass,
                                    std::span<const double> edges, double rate);
/// Chebyshev's of the first kind.
std::vector<SosSection> chebyshev(std::int64_t order, double ripple, PassBand pass,
                                  std::span<const double> edges, double rate);

/// State of sections at which an input that is 1 for ever gives an output that stays the same: two
/// numbers of each section.  \throws ArgumentError for a section with a pole at 1.
std::vector<double> steady_state(std::span<const SosSection> sections);

/// The next number of one section: y = b0 x + s0; s0 = b1 x - a1 y + s1; s1 = b2 x - a2 y.
inline double filter_step(const SosSection& s, double* state, double x) {
  const double y = s.b0 * x + state[0];
  state[0] = s.b1 * x - s.a1 * y + state[1];
  state[1] = s.b2 * x - s.a2 * y;
  return y;
}

/// Filters one series: y = b0 x + s0; s0 = b1 x - a1 y + s1; s1 = b2 x - a2 y in each section, one
/// behind the other (the transposed direct form II).  Of the same numbers the same bytes, however
/// they are cut.
class SosFilter {
 public:
  SosFilter() = default;
  /// Begins with zeros.
  explicit SosFilter(std::vector<SosSection> sections);

  const std::vector<SosSection>& sections() const { return sections_; }
  /// Begins as if `x` had come for ever.
  void settle(double x);
  void reset();
  /// The next number.
  double step(double x);
  /// Numbers in place.
  void apply(std::span<double> numbers);

  /// What is carried on, [sections, 2].
  const std::vector<double>& state() const { return state_; }
  /// \throws ShapeError for another number of values.
  void set_state(std::span<const double> state);

 private:
  std::vector<SosSection> sections_;
  std::vector<double> steady_;
  std::vector<double> state_;
};

}  // namespace gaia
