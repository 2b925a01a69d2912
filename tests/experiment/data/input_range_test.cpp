// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/input_range.h"

#include <cmath>
#include <limits>
#include <random>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/long_tests.h"

using namespace gaia;
using gaia::test::few_or_many;

namespace {

/// x_t = phi x_(t-1) + e_t, of variance 1.
class AR1 {
 public:
  AR1(double phi, std::uint64_t seed) : phi_(phi), random_(seed), x_(normal_(random_)) {}
  double next() {
    x_ = phi_ * x_ + std::sqrt(1.0 - phi_ * phi_) * normal_(random_);
    return x_;
  }

 private:
  double phi_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double x_;
};

/// Step at which one channel is reported to have left its moments; -1: never.
template <class Value>
std::int64_t told_at(std::int64_t steps, const Value& value) {
  InputRange range({"flow"});
  for (std::int64_t step = 0; step < steps; ++step) {
    const double z = value(step);
    const std::vector<InputLeft> left = range.read(step, {&z, 1});
    if (!left.empty()) return left.front().step;
  }
  return -1;
}

}  // namespace

TEST_CASE("stationary inputs stay in the range of their moments", "[input_range]") {
  const double phi = GENERATE(0.0, 0.5, 0.9, 0.99, 0.999);
  CAPTURE(phi);
  const int runs = few_or_many(40, 400);
  int alarms = 0;
  for (int run = 0; run < runs; ++run) {
    AR1 series(phi, static_cast<std::uint64_t>(1000 * phi) * 7919U + static_cast<unsigned>(run));
    alarms += told_at(20000, [&](std::int64_t) { return series.next(); }) >= 0 ? 1 : 0;
  }
  // The bound is one in a hundred; it is wide, so that usually there is none at all.
  CHECK(alarms <= runs / 100);
}

TEST_CASE("moments of a training part serve as well as true ones", "[input_range]") {
  const double phi = GENERATE(0.0, 0.9, 0.99);
  CAPTURE(phi);
  const int runs = few_or_many(40, 400);
  int alarms = 0;
  for (int run = 0; run < runs; ++run) {
    AR1 series(phi, 31U + static_cast<unsigned>(run));
    const int trained = 10000;
    double sum = 0.0;
    double squares = 0.0;
    for (int t = 0; t < trained; ++t) {
      const double x = series.next();
      sum += x;
      squares += x * x;
    }
    const double mean = sum / trained;
    const double deviation = std::sqrt(squares / trained - mean * mean);
    const auto next = [&](std::int64_t) { return (series.next() - mean) / deviation; };
    alarms += told_at(10000, next) >= 0 ? 1 : 0;
  }
  CHECK(alarms <= runs / 100);
}

TEST_CASE("inputs that leave their moments are told once, soon and with numbers", "[input_range]") {
  const double phi = GENERATE(0.0, 0.9);
  CAPTURE(phi);
  AR1 series(phi, 5);
  SECTION("a step") {
    const auto value = [&](std::int64_t step) { return series.next() + (step < 6400 ? 0.0 : 6.0); };
    CHECK(told_at(20000, value) == 6400);
  }
  SECTION("a growing spread") {
    const auto value = [&](std::int64_t step) { return series.next() * (step < 6400 ? 1.0 : 8.0); };
    const std::int64_t told = told_at(20000, value);
    CHECK(told >= 6400);
    CHECK(told <= 6400 + 5 * InputRange::kBlock);
  }
  SECTION("a ramp") {
    const auto value = [&](std::int64_t step) {
      return series.next() + 0.001 * static_cast<double>(step);
    };
    const std::int64_t told = told_at(20000, value);
    CHECK(told >= 1500);
    CHECK(told <= 7000);
  }
  SECTION("a channel that is stuck") {
    const auto value = [&](std::int64_t step) { return step < 6400 ? series.next() : 12.0; };
    CHECK(told_at(20000, value) == 6400);
  }
  SECTION("one channel of two, and only once") {
    InputRange range({"flow", "pressure"});
    std::vector<InputLeft> all;
    for (std::int64_t step = 0; step < 5000; ++step) {
      const std::vector<double> row = {series.next(), step < 640 ? 0.0 : -7.5};
      for (const InputLeft& one : range.read(step, row)) all.push_back(one);
    }
    REQUIRE(all.size() == 1);
    CHECK(all.front().channel == 1);
    CHECK(all.front().step == 640);
    CHECK(all.front().mean == -7.5);
    CHECK(all.front().distance == 7.5);
    CHECK(range.text(all.front()).starts_with("channel pressure: from step 640 on"));
    CHECK(range.text(all.front()).find("7.5 standard deviations") != std::string::npos);
  }
}

TEST_CASE("one value alone, values that are missing and trials are no reason", "[input_range]") {
  AR1 series(0.0, 9);
  CHECK(told_at(5000, [&](std::int64_t step) { return step == 2000 ? 1e300 : series.next(); }) ==
        -1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(told_at(5000, [&](std::int64_t step) { return step % 3 == 0 ? nan : series.next(); }) ==
        -1);
  // Over the border of trials there is no difference.
  InputRange range({"a"});
  InputRange with_trial({"a"});
  for (std::int64_t step = 0; step < 30; ++step) {
    const double z = step < 10 ? 1.0 : -1.0;
    range.read(step, {&z, 1});
    if (step == 10) with_trial.begin_trial();
    with_trial.read(step, {&z, 1});
  }
  CHECK(range.state()[6] == 4.0);
  CHECK(range.state()[7] == 29.0);
  CHECK(with_trial.state()[6] == 0.0);
  CHECK(with_trial.state()[7] == 28.0);
}

TEST_CASE("a range of least and largest value is six deviations wide", "[input_range]") {
  InputRange range({"a"}, true);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const std::int64_t inner = 1600 * InputRange::kBlock;
  std::vector<InputLeft> left;
  for (std::int64_t step = 0; step < inner + 128; ++step) {
    const double value = uniform(random) + (step < inner ? 0.0 : 2.0);
    for (const InputLeft& one : range.read(step, {&value, 1})) left.push_back(one);
  }
  REQUIRE(left.size() == 1);
  CHECK(left.front().step == inner);
  CHECK(left.front().distance > 6.0 * 1.5);
}

TEST_CASE("the limit of a range is its formula", "[input_range]") {
  // Alternating signs: mean of z^2 is 16, of changes 64, so r is 0.
  InputRange range({"a", "b"});
  std::vector<InputLeft> left;
  for (std::int64_t step = 0; step < 192; ++step) {
    const double z = step < 128 ? (step % 2 == 0 ? 1.0 : -1.0) : (step % 2 == 0 ? 4.0 : -4.0);
    for (const InputLeft& one : range.read(step, std::vector<double>{z, 0.0})) left.push_back(one);
  }
  REQUIRE(left.size() == 1);
  CHECK(left.front().step == 128);
  CHECK(left.front().mean == 0.0);
  const double x = std::log(2.0 * 3.0 * 4.0 / 0.01);
  const double limit = 1.0 + 2.0 * std::sqrt(x / 64.0) + 2.0 * x / 64.0;
  CHECK(left.front().limit == std::max(3.0, std::sqrt(limit)));

  // One value over and over: r is 1, and the block counts as one value.
  InputRange stuck({"a"});
  left.clear();
  for (std::int64_t step = 0; step < 64; ++step) {
    const double z = 5.0;
    for (const InputLeft& one : stuck.read(step, {&z, 1})) left.push_back(one);
  }
  REQUIRE(left.size() == 1);
  const double first = std::log(1.0 * 1.0 * 2.0 / 0.01);
  CHECK(left.front().limit == std::sqrt(1.0 + 2.0 * std::sqrt(first) + 2.0 * first));
}

TEST_CASE("the range of inputs goes on from its state", "[input_range]") {
  AR1 series(0.5, 77);
  std::vector<double> values;
  for (int t = 0; t < 1000; ++t) values.push_back(series.next() + (t < 600 ? 0.0 : 7.0));
  InputRange whole({"a"});
  InputRange first({"a"});
  InputRange second({"a"});
  for (std::int64_t step = 0; step < 1000; ++step) {
    const double& z = values[static_cast<std::size_t>(step)];
    if (step == 333) second.set_state(first.state());
    InputRange& part = step < 333 ? first : second;
    CHECK(whole.read(step, {&z, 1}).size() == part.read(step, {&z, 1}).size());
    CHECK(whole.state() == part.state());
  }
  CHECK(whole.state().back() == 1.0);
  CHECK_THROWS_AS(second.set_state({}), ShapeError);
  CHECK_THROWS_AS(second.read(0, std::vector<double>{1.0, 2.0}), ShapeError);
}
