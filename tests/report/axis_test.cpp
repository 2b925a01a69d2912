// SPDX-License-Identifier: MIT
#include "../../src/report/axis.h"

#include <cmath>

#include "../support/catch.h"
#include "tick_labels.h"

using namespace gaia::report;
using namespace gaia::test;

TEST_CASE("a scale places its ends, linear and logarithmic") {
  const Scale linear{-2.0, 6.0, false};
  CHECK(linear.position(-2.0) == 0.0);
  CHECK(linear.position(6.0) == 1.0);
  CHECK(linear.position(0.0) == 0.25);
  const Scale logarithmic{0.1, 1000.0, true};
  CHECK(logarithmic.position(0.1) == 0.0);
  CHECK(logarithmic.position(1000.0) == 1.0);
  CHECK(logarithmic.position(10.0) == Approx(0.5));
  CHECK(std::isnan(logarithmic.position(0.0)));
  CHECK(std::isnan(logarithmic.position(-1.0)));
}

TEST_CASE("ticks are round numbers, all written alike") {
  CHECK(labels(ticks_of({0.0, 1.0})) == Texts{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(ticks_of({-1.0, 1.0}, 4)) == Texts{"−1.0", "−0.5", "0", "0.5", "1.0"});
  CHECK(labels(ticks_of({0.0, 107969.0})) == Texts{"0", "50 k", "100 k"});
  CHECK(labels(ticks_of({0.0, 5e6}, 2)) == Texts{"0", "5 M"});
  CHECK(labels(ticks_of({0.0, 4e-5}, 4)) == Texts{"0", "1×10⁻⁵", "2×10⁻⁵", "3×10⁻⁵", "4×10⁻⁵"});
  CHECK(labels(ticks_of({0.001, 1000.0, true}, 8)) ==
        Texts{"10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²", "10³"});
  CHECK(labels(ticks_of({0.1, 100.0, true}, 8)) == Texts{"0.1", "1", "10", "100"});
  CHECK(labels(ticks_of({-0.5, 2.5}, 5, true)) == Texts{"0", "1", "2"});
}

TEST_CASE("ticks lie within every scale, and there are a few of them") {
  const std::vector<double> sizes = {1e-290, 1e-12, 3e-4, 0.7, 1.0, 9.99, 123.0, 4e7, 1e20, 1e290};
  for (const double size : sizes) {
    for (const double share : {0.0, -1.0, -0.3, 0.9, 0.99999}) {
      for (const int about : {2, 4, 10}) {
        const Scale scale{share * size, size, false};
        const std::vector<Tick> ticks = ticks_of(scale, about);
        INFO("from " << scale.low << " to " << scale.high << ", about " << about);
        CHECK(ticks.size() >= 2);
        CHECK(ticks.size() <= 3 * static_cast<std::size_t>(about) + 2);
        for (const Tick& tick : ticks) {
          CHECK(scale.position(tick.value) > -1e-6);
          CHECK(scale.position(tick.value) < 1.0 + 1e-6);
        }
      }
    }
  }
  for (const double decades : {0.05, 0.4, 1.2, 3.0, 30.0, 300.0}) {
    const Scale scale{2e-5, 2e-5 * std::pow(10.0, decades), true};
    const std::vector<Tick> ticks = ticks_of(scale, 6);
    INFO(decades << " decades");
    CHECK(ticks.size() >= 2);
    CHECK(ticks.size() <= 16);
    for (const Tick& tick : ticks) {
      CHECK(scale.position(tick.value) > -1e-6);
      CHECK(scale.position(tick.value) < 1.0 + 1e-6);
    }
  }
}

TEST_CASE("a range holds the finite numbers that were met") {
  Range range;
  CHECK(range.is_empty());
  for (const double value : {3.0, std::nan(""), HUGE_VAL, -1.0, 2.0}) range.add(value);
  CHECK(range.low() == -1.0);
  CHECK(range.high() == 3.0);
  const Scale padded = range.padded(0.1);
  CHECK(padded.low == Approx(-1.4));
  CHECK(padded.high == Approx(3.4));
  CHECK(range.symmetric(0.0).low == -3.0);
  CHECK(range.logarithmic(0.0).low == Approx(2.0));
  Range positive;
  positive.add(5.0);
  positive.add(7.0);
  CHECK(positive.with_zero(0.0).low == 0.0);
  CHECK(positive.with_zero(0.0).high == 7.0);
}

TEST_CASE("a scale is never without length") {
  for (const double value : {0.0, 1.0, -3.0, 1e-300, 1e299}) {
    Range range;
    range.add(value);
    for (const Scale& scale : {range.padded(), range.with_zero(), range.symmetric(0.0)}) {
      INFO(value);
      CHECK(scale.low < scale.high);
      CHECK(scale.position(value) >= 0.0);
      CHECK(scale.position(value) <= 1.0);
    }
  }
  CHECK(Range().padded().low < Range().padded().high);
  CHECK(Range().logarithmic().low < Range().logarithmic().high);
}

TEST_CASE("time is told in a unit that suits its span") {
  CHECK(TimeBase::of(1000.0, 0.0, 1.0).label == "step");
  CHECK(TimeBase::of(1000.0, 0.0, 1.0)(7.0) == 7.0);
  const TimeBase minutes = TimeBase::of(108000.0, 360.0, 32.0);
  CHECK(minutes.label == "time / min");
  CHECK(minutes(0.0) == Approx(31.0 / 360.0 / 60.0));  // when the first window is full
  CHECK(minutes(21600.0) - minutes(0.0) == Approx(1.0));
  CHECK(TimeBase::of(960.0, 360.0, 1.0).label == "time / s");
  CHECK(TimeBase::of(10.0, 1e4, 1.0).label == "time / ms");
  CHECK(TimeBase::of(1.0, 1e6, 1.0).label == "time / µs");
  CHECK(TimeBase::of(24 * 9.0, 1.0 / 3600.0, 1.0).label == "time / d");
}
