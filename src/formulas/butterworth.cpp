// SPDX-License-Identifier: MIT
#include "butterworth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

using Complex = std::complex<double>;

void check_order(std::int64_t order) {
  if (order < 1 || order > kMostFilterOrder) {
    fail<ArgumentError>("[butterworth] expected an order from 1 to {}, got {}", kMostFilterOrder,
                        order);
  }
}

void check_edges(PassBand pass, std::span<const double> edges) {
  const bool has_two = pass == PassBand::band || pass == PassBand::stop;
  if (edges.size() != (has_two ? 2U : 1U)) {
    fail<ArgumentError>("[butterworth] expected {}, got {} numbers",
                        has_two ? "two edges" : "one edge", edges.size());
  }
  if (has_two && !(edges[0] < edges[1])) {
    fail<ArgumentError>("[butterworth] expected two edges that ascend, got {} and {}", edges[0],
                        edges[1]);
  }
}

/// Π (-x) of all.
Complex product_of_negatives(const std::vector<Complex>& numbers) {
  Complex product = 1.0;
  for (const Complex& x : numbers) product *= -x;
  return product;
}

Complex product_of_distances(double from, const std::vector<Complex>& numbers) {
  Complex product = 1.0;
  for (const Complex& x : numbers) product *= from - x;
  return product;
}

/// Each of `numbers` becomes two: x + sqrt(x² - centre²), and then x - of all.
std::vector<Complex> both_sides(const std::vector<Complex>& numbers, double centre) {
  std::vector<Complex> sides;
  for (const double sign : {1.0, -1.0}) {
    for (const Complex& x : numbers) {
      sides.push_back(x + sign * std::sqrt(x * x - centre * centre));
    }
  }
  return sides;
}

/// s -> s / edge
void stretch_to_low(ZerosPoles& filter, double edge) {
  const auto degree = static_cast<double>(filter.poles.size() - filter.zeros.size());
  for (Complex& zero : filter.zeros) zero *= edge;
  for (Complex& pole : filter.poles) pole *= edge;
  filter.gain *= std::pow(edge, degree);
}

/// s -> edge / s
void turn_to_high(ZerosPoles& filter, double edge) {
  const std::size_t degree = filter.poles.size() - filter.zeros.size();
  filter.gain *= std::real(product_of_negatives(filter.zeros) / product_of_negatives(filter.poles));
  for (Complex& zero : filter.zeros) zero = edge / zero;
  for (Complex& pole : filter.poles) pole = edge / pole;
  filter.zeros.insert(filter.zeros.end(), degree, Complex(0.0));
}

/// s -> (s² + centre²) / (s width)
void spread_to_band(ZerosPoles& filter, double centre, double width) {
  const std::size_t degree = filter.poles.size() - filter.zeros.size();
  for (Complex& zero : filter.zeros) zero *= width / 2.0;
  for (Complex& pole : filter.poles) pole *= width / 2.0;
  filter.zeros = both_sides(filter.zeros, centre);
  filter.poles = both_sides(filter.poles, centre);
  filter.zeros.insert(filter.zeros.end(), degree, Complex(0.0));
  filter.gain *= std::pow(width, static_cast<double>(degree));
}

/// s -> s width / (s² + centre²)
void spread_to_stop(ZerosPoles& filter, double centre, double width) {
  const std::size_t degree = filter.poles.size() - filter.zeros.size();
  filter.gain *= std::real(product_of_negatives(filter.zeros) / product_of_negatives(filter.poles));
  for (Complex& zero : filter.zeros) zero = width / 2.0 / zero;
  for (Complex& pole : filter.poles) pole = width / 2.0 / pole;
  filter.zeros = both_sides(filter.zeros, centre);
  filter.poles = both_sides(filter.poles, centre);
  filter.zeros.insert(filter.zeros.end(), degree, Complex(0.0, centre));
  filter.zeros.insert(filter.zeros.end(), degree, Complex(0.0, -centre));
}

/// s = 4 (z - 1) / (z + 1)
void map_bilinearly(ZerosPoles& filter) {
  constexpr double scale = 4.0;
  const std::size_t degree = filter.poles.size() - filter.zeros.size();
  filter.gain *= std::real(product_of_distances(scale, filter.zeros) /
                           product_of_distances(scale, filter.poles));
  for (Complex& zero : filter.zeros) zero = (scale + zero) / (scale - zero);
  for (Complex& pole : filter.poles) pole = (scale + pole) / (scale - pole);
  filter.zeros.insert(filter.zeros.end(), degree, Complex(-1.0));
}

/// One of each pair of conjugates, that above the axis, in order of real parts, and then the real
/// ones.
std::vector<Complex> without_conjugates(const std::vector<Complex>& numbers) {
  constexpr double tolerance = 100.0 * std::numeric_limits<double>::epsilon();
  std::vector<Complex> pairs;
  std::vector<Complex> reals;
  for (const Complex& x : numbers) {
    if (std::abs(x.imag()) <= tolerance * std::abs(x)) {
      reals.emplace_back(x.real());
    } else if (x.imag() > 0.0) {
      pairs.push_back(x);
    }
  }
  const auto by_place = [](const Complex& a, const Complex& b) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  };
  std::sort(pairs.begin(), pairs.end(), by_place);
  std::sort(reals.begin(), reals.end(), by_place);
  pairs.insert(pairs.end(), reals.begin(), reals.end());
  return pairs;
}

bool is_real(const Complex& x) { return x.imag() == 0.0; }

std::size_t count_reals(const std::vector<Complex>& numbers) {
  return static_cast<std::size_t>(std::count_if(numbers.begin(), numbers.end(), is_real));
}

/// Takes out the first of those that fit for which `distance` is least.
template <class Fits, class Distance>
Complex take_least(std::vector<Complex>& from, const Fits& fits, const Distance& distance) {
  auto found = from.end();
  for (auto one = from.begin(); one != from.end(); ++one) {
    if (fits(*one) && (found == from.end() || distance(*one) < distance(*found))) found = one;
  }
  if (found == from.end()) throw InternalError("[second_order_sections] nothing left to pair");
  const Complex taken = *found;
  from.erase(found);
  return taken;
}

SosSection section_of(const Complex& zero1, const Complex& zero2, const Complex& pole1,
                      const Complex& pole2) {
  return {.b0 = 1.0,
          .b1 = -(zero1 + zero2).real(),
          .b2 = (zero1 * zero2).real(),
          .a1 = -(pole1 + pole2).real(),
          .a2 = (pole1 * pole2).real()};
}

}  // namespace

ZerosPoles butterworth_prototype(std::int64_t order) {
  check_order(order);
  ZerosPoles filter;
  for (std::int64_t m = -order + 1; m < order; m += 2) {
    const double angle =
        std::numbers::pi * static_cast<double>(m) / (2.0 * static_cast<double>(order));
    filter.poles.push_back(-std::polar(1.0, angle));
  }
  return filter;
}

ZerosPoles chebyshev_prototype(std::int64_t order, double ripple) {
  check_order(order);
  if (!(ripple > 0.0)) fail<ArgumentError>("[chebyshev] expected a ripple above 0, got {}", ripple);
  const double epsilon = std::sqrt(std::pow(10.0, 0.1 * ripple) - 1.0);
  const double mu = std::asinh(1.0 / epsilon) / static_cast<double>(order);
  ZerosPoles filter;
  for (std::int64_t m = -order + 1; m < order; m += 2) {
    const double angle =
        std::numbers::pi * static_cast<double>(m) / (2.0 * static_cast<double>(order));
    filter.poles.push_back(-std::sinh(Complex(mu, angle)));
  }
  filter.gain = product_of_negatives(filter.poles).real();
  if (order % 2 == 0) filter.gain /= std::sqrt(1.0 + epsilon * epsilon);
  return filter;
}

ZerosPoles analogue_filter(ZerosPoles filter, PassBand pass, std::span<const double> edges) {
  check_edges(pass, edges);
  if (!(edges[0] > 0.0)) {
    fail<ArgumentError>("[butterworth] expected edges above 0, got {}", edges[0]);
  }
  switch (pass) {
    case PassBand::low:
      stretch_to_low(filter, edges[0]);
      break;
    case PassBand::high:
      turn_to_high(filter, edges[0]);
      break;
    case PassBand::band:
      spread_to_band(filter, std::sqrt(edges[0] * edges[1]), edges[1] - edges[0]);
      break;
    case PassBand::stop:
      spread_to_stop(filter, std::sqrt(edges[0] * edges[1]), edges[1] - edges[0]);
      break;
  }
  return filter;
}

ZerosPoles digital_filter(ZerosPoles prototype, PassBand pass, std::span<const double> edges,
                          double rate) {
  for (const double edge : edges) {
    if (edge > 0.0 && edge < rate / 2.0) continue;
    fail<ArgumentError>(
        "[butterworth] expected edges above 0 and below half the rate of {}, which is {}, got {}",
        rate, rate / 2.0, edge);
  }
  check_edges(pass, edges);
  std::vector<double> warped;
  for (const double edge : edges) warped.push_back(4.0 * std::tan(std::numbers::pi * edge / rate));
  ZerosPoles filter = analogue_filter(std::move(prototype), pass, warped);
  map_bilinearly(filter);
  return filter;
}

std::vector<SosSection> second_order_sections(const ZerosPoles& filter) {
  std::vector<Complex> zeros = filter.zeros;
  std::vector<Complex> poles = filter.poles;
  std::size_t size = std::max(zeros.size(), poles.size());
  if (size == 0) return {{.b0 = filter.gain}};
  size += size % 2;
  zeros.resize(size, Complex(0.0));
  poles.resize(size, Complex(0.0));
  zeros = without_conjugates(zeros);
  poles = without_conjugates(poles);

  const auto any = [](const Complex&) { return true; };
  const auto is_complex = [](const Complex& x) { return !is_real(x); };
  const auto from_circle = [](const Complex& x) { return std::abs(1.0 - std::abs(x)); };
  std::vector<SosSection> sections(size / 2);
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    const Complex pole = take_least(poles, any, from_circle);
    const auto from_pole = [&pole](const Complex& x) { return std::abs(pole - x); };
    // A complex pole may not use up the only real zero where a real pole needs it.
    const bool leaves_real = !is_real(pole) && poles.size() + 1 == zeros.size() &&
                             count_reals(poles) == 1 && count_reals(zeros) == 1;
    const Complex partner =
        is_real(pole) ? take_least(poles, is_real, from_circle) : std::conj(pole);
    const Complex zero =
        leaves_real ? take_least(zeros, is_complex, from_pole) : take_least(zeros, any, from_pole);
    const Complex other = is_real(zero) ? take_least(zeros, is_real, from_pole) : std::conj(zero);
    *section = section_of(zero, other, pole, partner);
  }
  sections.front().b0 *= filter.gain;
  sections.front().b1 *= filter.gain;
  sections.front().b2 *= filter.gain;
  return sections;
}

std::vector<SosSection> butterworth(std::int64_t order, PassBand pass,
                                    std::span<const double> edges, double rate) {
  return second_order_sections(digital_filter(butterworth_prototype(order), pass, edges, rate));
}

std::vector<SosSection> chebyshev(std::int64_t order, double ripple, PassBand pass,
                                  std::span<const double> edges, double rate) {
  return second_order_sections(
      digital_filter(chebyshev_prototype(order, ripple), pass, edges, rate));
}

std::vector<double> steady_state(std::span<const SosSection> sections) {
  std::vector<double> state;
  double level = 1.0;  // level of the input of a section
  for (const SosSection& s : sections) {
    const double feedback = 1.0 + s.a1 + s.a2;
    if (feedback == 0.0) {
      throw ArgumentError("[steady_state] a section has a pole at 1, and so never rests");
    }
    // With y = gain: s1 = b2 - a2 y, s0 = b1 - a1 y + s1.
    const double c1 = s.b1 - s.a1 * s.b0;
    const double c2 = s.b2 - s.a2 * s.b0;
    const double first = (c1 + c2) / feedback;
    state.push_back(level * first);
    state.push_back(level * ((1.0 + s.a1) * first - c1));
    level *= (s.b0 + s.b1 + s.b2) / feedback;
  }
  return state;
}

SosFilter::SosFilter(std::vector<SosSection> sections)
    : sections_(std::move(sections)),
      steady_(steady_state(sections_)),
      state_(2 * sections_.size(), 0.0) {}

void SosFilter::settle(double x) {
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = steady_[i] * x;
}

void SosFilter::reset() { std::fill(state_.begin(), state_.end(), 0.0); }

double SosFilter::step(double x) {
  double* state = state_.data();
  for (const SosSection& s : sections_) {
    x = filter_step(s, state, x);
    state += 2;
  }
  return x;
}

void SosFilter::apply(std::span<double> numbers) {
  for (double& x : numbers) x = step(x);
}

void SosFilter::set_state(std::span<const double> state) {
  if (state.size() != state_.size()) {
    fail<ShapeError>(
        "[SosFilter::set_state] expected {} numbers, two of each of {} sections, got {}",
        state_.size(), sections_.size(), state.size());
  }
  state_.assign(state.begin(), state.end());
}

}  // namespace gaia
