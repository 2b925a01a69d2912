// SPDX-License-Identifier: MIT
#include "../../src/learning/auto_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"

using namespace gaia;

namespace {

using Rates = std::vector<double>;

/// |x|^2 of samples [streams, ticks, inputs].
std::vector<double> squares(const Array& samples) {
  const std::vector<double> values = samples.to(Device::cpu()).to_vector<double>();
  const auto width = static_cast<std::size_t>(samples.shape(2));
  std::vector<double> all(values.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) all[i / width] += values[i] * values[i];
  return all;
}

/// The formula of docs/plasticity.md, tick by tick; `course` 0: no end is known.
Rates by_hand(const std::vector<double>& square, double limit, std::int64_t course) {
  Rates rates;
  double sum = 0.0;
  double count = 0.0;
  double rate = 0.0;
  for (std::int64_t n = 0; n < std::ssize(square); ++n) {
    const double here = square[static_cast<std::size_t>(n)];
    if ((course == 0 || n < course) && here > 0.0) {
      sum += here;
      count += 1.0;
    }
    std::int64_t stretch = 1;
    while (32 * stretch <= n) stretch *= 2;
    const bool begins = n % stretch == 0 || rate == 0.0;
    if ((begins && (course == 0 || n < course)) || n == course) {
      const double divisor =
          1.0 + (course == 0 ? static_cast<double>(n) / 300.0
                             : 100.0 * static_cast<double>(n) / static_cast<double>(course));
      rate = count == 0.0 ? 0.0 : 0.1 * limit / (sum / count) / divisor;
    }
    rates.push_back(here > 0.0 ? std::min(rate, 0.25 * limit / here) : rate);
  }
  return rates;
}

Rates spread(const std::vector<AutoRate::Stretch>& stretches) {
  Rates rates;
  for (const AutoRate::Stretch& one : stretches) {
    REQUIRE(one.first == std::ssize(rates));
    REQUIRE(one.end > one.first);
    rates.insert(rates.end(), static_cast<std::size_t>(one.end - one.first), one.rate);
  }
  return rates;
}

void check_close(const Rates& found, const Rates& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    REQUIRE(found[i] == Approx(expected[i]).epsilon(1e-9));
  }
}

/// Samples of noise, every 97th ten times as long, after ten of zeros.
Array samples(std::int64_t ticks, DType dtype = DType::float64) {
  Array x = random_normal({1, ticks, 5}, 0.0, 1.5, dtype, {4, 1});
  for (std::int64_t i = 0; i < ticks; i += 97) {
    x.slice(1, i, i + 1).assign(x.slice(1, i, i + 1) * 10.0);
  }
  x.slice(1, 0, 10).fill(0.0);
  return x;
}

}  // namespace

TEST_CASE("an automatic rate is that of its formula, with an end and without") {
  const Array x = samples(3000);
  for (const std::int64_t course : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2000},
                                    std::int64_t{3000}, std::int64_t{9000}}) {
    INFO("course " << course);
    AutoRate rate(2.0);
    rate.begin({.ticks = course});
    const Rates expected = by_hand(squares(x), 2.0, course);
    check_close(spread(rate.read(x, 1.0)), expected);
    CHECK(rate.ticks() == 3000);
    // In pieces of any length it is the same, bit for bit.
    AutoRate pieces(2.0);
    pieces.begin({.ticks = course});
    Rates again;
    for (std::int64_t first = 0, length = 1; first < 3000;
         first += length, length = length % 61 + 7) {
      const Rates part =
          spread(pieces.read(x.slice(1, first, std::min<std::int64_t>(3000, first + length)), 1.0));
      again.insert(again.end(), part.begin(), part.end());
    }
    AutoRate whole(2.0);
    whole.begin({.ticks = course});
    CHECK(again == spread(whole.read(x, 1.0)));
    CHECK(pieces.state().to_vector<double>() == whole.state().to_vector<double>());
  }
}

TEST_CASE("its rates come in stretches, and no step of a sample is above a quarter of the limit") {
  const Array x = samples(20000);
  AutoRate rate(1.0);
  rate.begin({.ticks = 20000});
  const std::vector<AutoRate::Stretch> stretches = rate.read(x, 1.0);
  // 16 while the number of ticks doubles, the single ones before, and those around long samples.
  CHECK(stretches.size() < 16 * 12 + 32 + 2 * 207);
  const std::vector<double> square = squares(x);
  for (const AutoRate::Stretch& one : stretches) {
    for (std::int64_t i = one.first; i < one.end; ++i) {
      REQUIRE(one.rate * square[static_cast<std::size_t>(i)] <= 0.25 * (1.0 + 1e-12));
    }
  }
  CHECK(rate.rate() == Approx(0.1 / rate.mean_square() / 101.0).epsilon(1e-12));
  CHECK(rate.largest_square() == *std::ranges::max_element(square));
}

TEST_CASE("after its course nothing is measured, and a long sample is held all the same") {
  AutoRate rate(1.0);
  rate.begin({.ticks = 100});
  const Array x = samples(100);
  rate.read(x, 1.0);
  const double stays = rate.rate();
  const double mean = rate.mean_square();
  const Array huge = ones({1, 50, 5}, DType::float64) * 1e6;
  const Rates held = spread(rate.read(huge, 1.0));
  for (const double one : held) CHECK(one == Approx(0.25 / 5e12).epsilon(1e-12));
  CHECK(rate.rate() == stays);
  CHECK(rate.mean_square() == mean);
  const Rates after = spread(rate.read(ones({1, 50, 5}, DType::float64), 1.0));
  for (const double one : after) CHECK(one == stays);
}

TEST_CASE("a schedule multiplies a rate that does not fall, and not the quarter of the limit") {
  AutoRate rate(1.0);
  rate.begin({.ticks = 1000, .falls = false});
  const Array x = ones({1, 1000, 4}, DType::float64);
  CHECK(spread(rate.read(x, 1.0)) == Rates(1000, 0.025));
  CHECK(spread(rate.read(x, 0.5)) == Rates(1000, 0.0125));
  CHECK(spread(rate.read(x, 100.0)) == Rates(1000, 0.0625));
  CHECK(rate.rate() == 0.025);
  CHECK(rate.last_rate() == 2.5);
  const std::vector<AutoRate::Change> changes = rate.take_changes();
  REQUIRE(changes.size() == 3);
  CHECK(changes[1].tick == 1000);
  CHECK(changes[1].rate == 0.0125);
  CHECK(rate.take_changes().empty());
}

TEST_CASE("a rate that is given stays, and a long sample is held") {
  AutoRate rate(1.0);
  rate.begin({.ticks = 10, .given = 0.01});
  const Array x = ones({1, 40, 4}, DType::float64);
  CHECK(rate.rate() == 0.01);
  CHECK(spread(rate.read(x, 1.0)) == Rates(40, 0.01));
  CHECK(spread(rate.read(x * 100.0, 1.0)) == Rates(40, 0.25 / 40000.0));
  CHECK(rate.rate() == 0.01);
}

TEST_CASE("of a batch the mean of |x|^2 counts, and the longest is held") {
  Array x = ones({2, 8, 2}, DType::float64);
  x.slice(0, 1, 2).fill(3.0);  // |x|^2 is 2 and 18
  AutoRate rate(1.0);
  rate.begin({.ticks = 8, .falls = false});
  CHECK(spread(rate.read(x, 1.0)) == Rates(8, 0.01));
  CHECK(rate.mean_square() == 10.0);
  CHECK(rate.largest_square() == 18.0);
  CHECK(spread(rate.read(x, 10.0)) == Rates(8, 0.25 / 18.0));
}

TEST_CASE("zeros have no rate, and what is not finite leaves the measure alone") {
  AutoRate rate(1.0);
  CHECK(spread(rate.read(zeros({1, 1000, 2}, DType::float64), 1.0)) == Rates(1000, 0.0));
  CHECK(rate.rate() == 0.0);
  CHECK(rate.take_changes().empty());
  // The first input begins a stretch, in the middle of one that is long.
  CHECK(spread(rate.read(ones({1, 1, 2}, DType::float64), 1.0)) ==
        Rates{0.05 / (1.0 + 1000.0 / 300.0)});
  const double mean = rate.mean_square();
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Array x = ones({1, 1, 2}, DType::float64);
    x.fill(wrong);
    rate.read(x, 1.0);
    CHECK(rate.mean_square() == mean);
  }
}

TEST_CASE("an automatic rate is the same on every device within rounding") {
  const Rates expected = by_hand(squares(samples(700, DType::float32)), 1.0, 500);
  test::on_each_device([&] {
    AutoRate rate(1.0);
    rate.begin({.ticks = 500});
    const Array here = samples(700, DType::float32).to(current_device());
    Rates found;
    for (const std::int64_t first : {0, 300}) {
      const Rates part = spread(rate.read(here.slice(1, first, first == 0 ? 300 : 700), 1.0));
      found.insert(found.end(), part.begin(), part.end());
    }
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i] == Approx(expected[i]).epsilon(1e-5));
    }
  });
}

TEST_CASE("what an automatic rate is told is checked") {
  CHECK_THROWS_AS(AutoRate(0.0), ArgumentError);
  CHECK_THROWS_AS(AutoRate(std::nan("")), ArgumentError);
  AutoRate rate(1.0);
  CHECK_THROWS_AS(rate.begin({.ticks = -1}), ArgumentError);
  CHECK_THROWS_AS(rate.begin({.given = -0.5}), ArgumentError);
  // A copy goes on by itself.
  rate.read(ones({1, 3, 2}, DType::float64), 1.0);
  AutoRate copy = rate;
  copy.read(ones({1, 3, 2}, DType::float64), 1.0);
  CHECK(rate.ticks() == 3);
  CHECK(copy.ticks() == 6);
}
