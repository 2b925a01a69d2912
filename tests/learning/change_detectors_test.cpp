// SPDX-License-Identifier: MIT
#include "../../src/learning/change_detectors.h"

#include <cmath>
#include <functional>
#include <limits>

#include "../../src/core/error.h"
#include "../support/catch.h"
#ifdef ALL_OF_RIVER
#include ALL_OF_RIVER
#else
#include "../reference/river/change.h"
#endif

using namespace gaia;
namespace river = gaia::test::river;

namespace {

/// The numbers of tests/reference/river/make.py.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }
  double bell() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += next();
    return sum;
  }

 private:
  std::uint64_t state_;
};

/// Its series.
std::vector<double> series_of(std::size_t number) {
  using Value = std::function<double(std::size_t, Uniform&)>;
  constexpr double levels[] = {0.0, 0.25, 0.75, -0.5, -0.5, 1.5, 1.0, 0.0};
  const std::vector<std::pair<std::size_t, Value>> all = {
      {2000, [](std::size_t, Uniform& u) { return u.next(); }},
      {3000, [](std::size_t, Uniform& u) { return u.bell(); }},
      {1500, [](std::size_t t, Uniform& u) { return 0.25 * u.bell() + (t >= 700 ? 1.0 : 0.0); }},
      {2000, [](std::size_t t,
                Uniform& u) { return 0.25 * u.bell() + 0.001953125 * static_cast<double>(t); }},
      {2500,
       [](std::size_t t, Uniform& u) { return u.next() < (t < 1000 ? 0.125 : 0.375) ? 1.0 : 0.0; }},
      {4000, [&](std::size_t t, Uniform& u) { return 0.5 * u.bell() + levels[t / 500]; }},
      {1200, [](std::size_t t, Uniform& u) { return u.bell() * (t < 600 ? 1.0 : 4.0); }},
      {20, [](std::size_t, Uniform& u) { return u.next(); }},
      {300, [](std::size_t, Uniform&) { return 3.0; }},
  };
  Uniform uniform(1000 + number);
  std::vector<double> series;
  for (std::size_t t = 0; t < all[number].first; ++t) {
    series.push_back(all[number].second(t, uniform));
  }
  return series;
}

const std::vector<PageHinkleyOptions> kPageHinkley = {
    {},
    {.min_instances = 10, .delta = 0.01, .threshold = 5.0, .alpha = 0.99},
    {.threshold = 8.0, .alpha = 1.0, .mode = ChangeMode::up},
    {.threshold = 8.0, .mode = ChangeMode::down}};
const std::vector<AdwinOptions> kAdwin = {
    {},
    {.delta = 0.1, .clock = 1, .max_buckets = 3, .min_window_length = 2, .grace_period = 5},
    {.delta = 0.01, .clock = 8, .max_buckets = 8, .min_window_length = 10, .grace_period = 50}};

bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-10 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Lets a detector read a series, and compares; what it knows is a vector of what the file has.
template <class Detector, class Known>
void compare_with_river(const river::Case& one, Detector detector, const Known& known) {
  CAPTURE(one.series, one.settings);
  const std::vector<double> series = series_of(one.series);
  std::vector<std::int64_t> changes;
  auto row = one.rows.begin();
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < series.size(); ++t) {
    if (detector.update(series[t])) changes.push_back(static_cast<std::int64_t>(t));
    if (row == one.rows.end() || (*row)[0] != static_cast<double>(t)) continue;
    const std::vector<double> here = known(detector);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!is_near(here[i], (*row)[i + 1])) ++wrong;
    }
    ++row;
  }
  CHECK(row == one.rows.end());
  CHECK(changes == one.changes);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the test of Page and Hinkley tells what river's tells", "[change]") {
  std::size_t changes = 0;
  for (const river::Case& one : river::page_hinkley) {
    compare_with_river(one, PageHinkley(kPageHinkley[one.settings]),
                       [](const PageHinkley& detector) {
                         std::vector<double> known = detector.state();
                         known.pop_back();
                         return known;
                       });
    changes += one.changes.size();
  }
  CHECK(changes > 20);
}

TEST_CASE("ADWIN tells what river's tells", "[change]") {
  std::size_t changes = 0;
  for (const river::Case& one : river::adwin) {
    compare_with_river(one, Adwin(kAdwin[one.settings]), [](const Adwin& detector) {
      const auto width = static_cast<double>(detector.width());
      return std::vector<double>{width, detector.estimation(), detector.variance() * width};
    });
    changes += one.changes.size();
  }
  CHECK(changes > 20);
}

TEST_CASE("the test of Page and Hinkley is its formula", "[change]") {
  const PageHinkleyOptions options{
      .min_instances = 4, .delta = 0.1, .threshold = 2.0, .alpha = 0.9, .mode = ChangeMode::both};
  PageHinkley detector(options);
  CHECK(detector.statistic() == 0.0);
  const std::vector<double> x = {1.0, 0.5, 1.5, 1.0, 3.0, 3.5, 0.0, 0.25};
  std::vector<bool> told;
  std::size_t begin = 0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    // All of it from the start, in two loops.
    double up = 0.0;
    double down = 0.0;
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (std::size_t k = begin; k <= t; ++k) {
      double sum = 0.0;
      for (std::size_t i = begin; i <= k; ++i) sum += x[i];
      const double mean = sum / static_cast<double>(k - begin + 1);
      up = 0.9 * up + x[k] - mean - 0.1;
      down = 0.9 * down + x[k] - mean + 0.1;
      least = std::min(least, up);
      most = std::max(most, down);
    }
    const double statistic = std::max(up - least, most - down);
    const bool expected = t - begin + 1 >= 4 && statistic > 2.0;
    CAPTURE(t);
    CHECK(detector.update(x[t]) == expected);
    CHECK(detector.statistic() == Approx(statistic).margin(1e-12));
    CHECK(detector.width() == static_cast<std::int64_t>(t - begin + 1));
    told.push_back(expected);
    if (expected) begin = t + 1;
  }
  CHECK(told == std::vector<bool>{false, false, false, false, false, true, false, false});
}

TEST_CASE("ADWIN without merging is its formula over all cuts", "[change]") {
  const AdwinOptions options{
      .delta = 0.05, .clock = 1, .max_buckets = 1000, .min_window_length = 3, .grace_period = 8};
  Adwin detector(options);
  Uniform uniform(4);
  std::vector<double> window;
  int changes = 0;
  bool restarts = false;
  for (int t = 0; t < 300; ++t) {
    const double x = uniform.next() * 0.5 + (t % 100 < 50 ? 0.0 : 0.5);
    if (restarts) window.clear();
    window.push_back(x);
    bool found = false;
    for (bool cut = window.size() > 8; cut;) {
      cut = false;
      const auto W = static_cast<double>(window.size());
      double mean = 0.0;
      for (const double one : window) mean += one / W;
      double variance = 0.0;
      for (const double one : window) variance += (one - mean) * (one - mean) / W;
      for (std::size_t n0 = 3; n0 + 3 <= window.size() && !cut; ++n0) {
        const auto n1 = static_cast<double>(window.size() - n0);
        double older = 0.0;
        double newer = 0.0;
        for (std::size_t i = 0; i < window.size(); ++i) (i < n0 ? older : newer) += window[i];
        const double apart = std::abs(older / static_cast<double>(n0) - newer / n1);
        const double m = 1.0 / (1.0 / (static_cast<double>(n0) - 2.0) + 1.0 / (n1 - 2.0));
        const double L = std::log(2.0 * std::log(W) / 0.05);
        cut = apart > std::sqrt(2.0 / m * variance * L) + 2.0 / (3.0 * m) * L;
      }
      if (cut) {
        found = true;
        window.erase(window.begin());
      }
    }
    CAPTURE(t);
    REQUIRE(detector.update(x) == found);
    CHECK((detector.statistic() > 1.0) == found);
    CHECK(detector.width() == std::ssize(window));
    restarts = found;
    changes += found ? 1 : 0;
  }
  CHECK(changes >= 3);
}

TEST_CASE("detectors of changes go on from their state", "[change]") {
  const std::vector<double> series = series_of(5);
  const auto check = [&](const auto& made) {
    auto whole = made;
    auto first = made;
    auto second = made;
    int changes = 0;
    for (std::size_t t = 0; t < series.size(); ++t) {
      if (t == 1777) second.set_state(first.state());
      auto& part = t < 1777 ? first : second;
      const bool changed = whole.update(series[t]);
      changes += changed ? 1 : 0;
      REQUIRE(part.update(series[t]) == changed);
      REQUIRE(part.statistic() == whole.statistic());
      REQUIRE(part.estimation() == whole.estimation());
    }
    CHECK(whole.state() == second.state());
    CHECK(changes > 0);
    CHECK_THROWS_AS(second.set_state({}), ShapeError);
    std::vector<double> longer = whole.state();
    longer.push_back(1.0);
    CHECK_THROWS_AS(second.set_state(longer), ShapeError);
  };
  check(PageHinkley(kPageHinkley[1]));
  check(Adwin());
  check(Adwin({.delta = 0.1, .max_buckets = 1}));
}

TEST_CASE("detectors of changes take no state that none of them has", "[change]") {
  Adwin adwin({.clock = 4});
  for (int t = 0; t < 40; ++t) adwin.update(t % 3);
  PageHinkley sums;
  for (int t = 0; t < 40; ++t) sums.update(t % 3);
  const auto refuses = [](auto detector, std::size_t place, double number) {
    const std::vector<double> before = detector.state();
    std::vector<double> state = before;
    state[place] = number;
    CHECK_THROWS_AS(detector.set_state(state), ShapeError);
    CHECK(detector.state() == before);
  };
  for (const double number : {std::nan(""), -1.0, 2.5, 1e300}) {
    refuses(sums, 0, number);
    for (const std::size_t place : {0U, 1U, 6U}) refuses(adwin, place, number);
  }
  refuses(adwin, 1, 41.0);  // more numbers than its buckets have
  // The largest size has a bucket.
  CHECK_THROWS_AS(adwin.set_state(std::vector<double>{1, 1, 0, 0, 0, 0, 2, 1, 0, 0, 0}),
                  ShapeError);
  CHECK_NOTHROW(adwin.set_state(std::vector<double>{1, 1, 0, 0, 0, 0, 1, 1, 0, 0}));
}

TEST_CASE("detectors of changes refuse what they cannot use", "[change]") {
  CHECK_THROWS_AS(PageHinkley({.min_instances = 0}), ArgumentError);
  CHECK_THROWS_AS(PageHinkley({.delta = -0.1}), ArgumentError);
  CHECK_THROWS_AS(PageHinkley({.threshold = 0.0}), ArgumentError);
  CHECK_THROWS_AS(PageHinkley({.alpha = 0.0}), ArgumentError);
  CHECK_THROWS_AS(PageHinkley({.alpha = 1.5}), ArgumentError);
  CHECK_THROWS_AS(Adwin({.delta = 0.0}), ArgumentError);
  CHECK_THROWS_AS(Adwin({.delta = 1.0}), ArgumentError);
  CHECK_THROWS_AS(Adwin({.clock = 0}), ArgumentError);
  CHECK_THROWS_AS(Adwin({.max_buckets = 0}), ArgumentError);
  CHECK_THROWS_AS(Adwin({.min_window_length = 0}), ArgumentError);
  CHECK_THROWS_AS(Adwin({.grace_period = -1}), ArgumentError);
  CHECK_THROWS_AS(PageHinkley().update(std::nan("")), ArgumentError);
  CHECK_THROWS_AS(Adwin().update(std::numeric_limits<double>::infinity()), ArgumentError);
  CHECK(change_mode_from_name("down") == ChangeMode::down);
  CHECK_THROWS_AS(change_mode_from_name("sideways"), ArgumentError);
  for (const std::string& name : change_mode_names()) {
    CHECK(to_string(change_mode_from_name(name)) == name);
  }
}
