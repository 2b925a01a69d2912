// SPDX-License-Identifier: MIT
/// \file
/// Filters compared with SciPy's (tests/reference/scipy), and with what their equations say.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/formulas/butterworth.h"
#include "../reference/scipy/filters.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

std::vector<SosSection> designed(const test::scipy::FilterCase& one) {
  return one.ripple > 0.0 ? chebyshev(one.order, one.ripple, one.pass, one.edges, one.rate)
                          : butterworth(one.order, one.pass, one.edges, one.rate);
}

std::vector<double> series() {
  std::vector<double> numbers;
  for (std::int64_t t = 0; t < test::scipy::kLength; ++t) {
    numbers.push_back(static_cast<double>((7 * t * t + 3 * t) % 32) / 8.0 - 1.5);
  }
  return numbers;
}

bool is_near(double a, double b, double least = 1.0) {
  return std::abs(a - b) <= 1e-10 * std::max(least, std::abs(b));
}

/// Gain at a frequency.
double gain_at(const std::vector<SosSection>& sections, double frequency, double rate) {
  const std::complex<double> back =
      std::polar(1.0, -2.0 * std::numbers::pi * frequency / rate);  // 1 / z
  std::complex<double> gain = 1.0;
  for (const SosSection& s : sections) {
    gain *= (s.b0 + (s.b1 + s.b2 * back) * back) / (1.0 + (s.a1 + s.a2 * back) * back);
  }
  return std::abs(gain);
}

}  // namespace

TEST_CASE("Filters have SciPy's sections, steady states and series") {
  for (const test::scipy::FilterCase& one : test::scipy::cases) {
    CAPTURE(static_cast<int>(one.pass), one.order, one.edges, one.rate, one.ripple);
    const std::vector<SosSection> sections = designed(one);
    REQUIRE(sections.size() == one.sos.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      CAPTURE(i);
      const SosSection& s = sections[i];
      const std::vector<double> ours = {s.b0, s.b1, s.b2, 1.0, s.a1, s.a2};
      // The gain of a whole filter may be tiny: the first section is compared in its own units.
      const double unit = i == 0 ? std::abs(one.sos[0][0]) : 1.0;
      for (std::size_t k = 0; k < 6; ++k) {
        CAPTURE(k, ours[k], one.sos[i][k]);
        REQUIRE(is_near(ours[k], one.sos[i][k], k < 3 ? unit : 1.0));
      }
    }
    const std::vector<double> steady = steady_state(sections);
    REQUIRE(steady.size() == one.steady.size());
    for (std::size_t i = 0; i < steady.size(); ++i) {
      CAPTURE(i, steady[i], one.steady[i]);
      REQUIRE(is_near(steady[i], one.steady[i]));
    }
    std::vector<double> filtered = series();
    SosFilter filter(sections);
    filter.settle(filtered.front());
    filter.apply(filtered);
    for (std::size_t i = 0; i < one.filtered.size(); ++i) {
      CAPTURE(i);
      REQUIRE(is_near(filtered[i * test::scipy::kEvery], one.filtered[i]));
    }
  }
}

TEST_CASE("Gains of Butterworth's filters are what their equation says") {
  // |H|² = 1 / (1 + (w / w0)^(2 n)) of warped frequencies w = tan(π f / rate).
  const double rate = 250.0;
  const auto warped = [&](double f) { return std::tan(std::numbers::pi * f / rate); };
  for (const std::int64_t order : {1, 2, 5, 8}) {
    const std::vector<double> edge = {30.0};
    const std::vector<double> edges = {8.0, 30.0};
    const auto low = butterworth(order, PassBand::low, edge, rate);
    const auto high = butterworth(order, PassBand::high, edge, rate);
    const auto band = butterworth(order, PassBand::band, edges, rate);
    const auto stop = butterworth(order, PassBand::stop, edges, rate);
    for (const double f : {3.0, 8.0, 15.0, 30.0, 60.0, 110.0}) {
      const double w = warped(f);
      const double ratio = w / warped(30.0);
      const double centre = warped(8.0) * warped(30.0);
      const double across = (w * w - centre) / (w * (warped(30.0) - warped(8.0)));
      const auto expected = [&](double x) {
        return 1.0 / std::sqrt(1.0 + std::pow(x * x, static_cast<double>(order)));
      };
      CHECK_THAT(gain_at(low, f, rate), Catch::Matchers::WithinAbs(expected(ratio), 1e-9));
      CHECK_THAT(gain_at(high, f, rate), Catch::Matchers::WithinAbs(expected(1.0 / ratio), 1e-9));
      CHECK_THAT(gain_at(band, f, rate), Catch::Matchers::WithinAbs(expected(across), 1e-9));
      CHECK_THAT(gain_at(stop, f, rate), Catch::Matchers::WithinAbs(expected(1.0 / across), 1e-9));
    }
  }
}

TEST_CASE("A filter goes on from its state, bit for bit") {
  const std::vector<double> edges = {1.0, 40.0};
  const auto sections = butterworth(4, PassBand::band, edges, 250.0);
  std::vector<double> whole = series();
  SosFilter filter(sections);
  filter.apply(whole);

  std::vector<double> cut = series();
  SosFilter first(sections);
  first.apply(std::span(cut).first(123));
  SosFilter second(sections);
  second.set_state(first.state());
  second.apply(std::span(cut).subspan(123));
  CHECK(cut == whole);

  filter.reset();
  CHECK(filter.state() == SosFilter(sections).state());
  CHECK_THROWS_AS(second.set_state(std::vector<double>(3)), ShapeError);
}

TEST_CASE("A settled filter stays where it is") {
  const std::vector<double> edge = {5.0};
  SosFilter low(butterworth(4, PassBand::low, edge, 100.0));
  low.settle(-7.25);
  for (int t = 0; t < 100; ++t)
    REQUIRE_THAT(low.step(-7.25), Catch::Matchers::WithinAbs(-7.25, 1e-10));
  SosFilter high(butterworth(4, PassBand::high, edge, 100.0));
  high.settle(1e6);
  for (int t = 0; t < 100; ++t) REQUIRE_THAT(high.step(1e6), Catch::Matchers::WithinAbs(0.0, 1e-6));
}

TEST_CASE("Filters that there are not are refused") {
  const std::vector<double> one = {50.0};
  const std::vector<double> two = {40.0, 1.0};
  CHECK_THROWS_AS(butterworth(0, PassBand::low, one, 250.0), ArgumentError);
  CHECK_THROWS_AS(butterworth(kMostFilterOrder + 1, PassBand::low, one, 250.0), ArgumentError);
  CHECK_THROWS_WITH(
      butterworth(4, PassBand::low, one, 100.0),
      Catch::Matchers::ContainsSubstring("below half the rate of 100.0, which is 50.0"));
  CHECK_THROWS_WITH(butterworth(4, PassBand::band, two, 250.0),
                    Catch::Matchers::ContainsSubstring("ascend, got 40.0 and 1.0"));
  CHECK_THROWS_WITH(butterworth(4, PassBand::stop, one, 250.0),
                    Catch::Matchers::ContainsSubstring("expected two edges, got 1"));
  CHECK_THROWS_AS(chebyshev(4, 0.0, PassBand::low, one, 250.0), ArgumentError);
}
