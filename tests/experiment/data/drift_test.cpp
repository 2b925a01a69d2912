// SPDX-License-Identifier: MIT
// Every kind of drift, recomputed by plain loops.
#include "../../../src/experiment/data/drift.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <set>

#include "../../../src/io/file_series.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"

using namespace gaia;

namespace {

const std::vector<std::string> kNames = {"a", "b", "c", "d", "e", "f", "g"};
constexpr std::size_t kWidth = 7;
constexpr std::int64_t kDriftSteps = 60;

/// Channel c of step t before it drifts.
double plain(std::int64_t t, std::size_t c) {
  return std::sin(static_cast<double>(t) * 0.3 + static_cast<double>(c)) + 0.1;
}

/// All steps from `first` on, changed in pieces of `piece` steps.
std::vector<double> drifted(const Drift& drift, std::int64_t first, std::int64_t piece) {
  std::vector<double> all;
  for (std::int64_t begin = first; begin < kDriftSteps; begin += piece) {
    std::vector<std::int64_t> steps;
    std::vector<double> rows;
    for (std::int64_t t = begin; t < std::min(begin + piece, kDriftSteps); ++t) {
      steps.push_back(t);
      for (std::size_t c = 0; c < kWidth; ++c) rows.push_back(plain(t, c));
    }
    drift.change(steps, rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

double at(const std::vector<double>& all, std::int64_t t, std::size_t c) {
  return all[static_cast<std::size_t>(t) * kWidth + c];
}

double share(std::int64_t t, std::int64_t from, std::int64_t to) {
  return std::clamp(static_cast<double>(t - from) / static_cast<double>(to - from), 0.0, 1.0);
}

void check_refused(const DriftConfig& config, const std::string& key, const std::string& text) {
  const DataKeyError error =
      gaia::test::thrown_by<DataKeyError>([&] { Drift(config, kNames, 1, 2); });
  CHECK(error.key == key);
  CHECK_SAYS(error.what(), text);
}

}  // namespace

TEST_CASE("wires are swapped at their steps, and none is where it was in the end") {
  const DriftConfig config{.kind = SwapDrift{}, .from = 10, .to = 40};
  const Drift drift(config, kNames, 5, 0);
  const DriftRecord& record = drift.record();
  REQUIRE(record.a.size() == 6);
  const RandomStream swaps = RandomStream::named(5, "data/drift/0/swaps");
  for (std::int64_t k = 0; k < 6; ++k) {
    const auto i = static_cast<std::size_t>(k);
    CHECK(record.step[i] == 10 + k * 30 / 6);
    CHECK(record.a[i] == 6 - k);
    CHECK(record.b[i] == swaps.integer(static_cast<std::uint64_t>(k), 6 - k));
  }
  const std::vector<double> all = drifted(drift, 0, 7);
  std::vector<std::size_t> wire(kWidth);
  std::iota(wire.begin(), wire.end(), std::size_t{0});
  for (std::int64_t t = 0; t < kDriftSteps; ++t) {
    for (std::size_t k = 0; k < 6; ++k) {
      if (record.step[k] == t) {
        std::swap(wire[static_cast<std::size_t>(record.a[k])],
                  wire[static_cast<std::size_t>(record.b[k])]);
      }
    }
    for (std::size_t c = 0; c < kWidth; ++c) CHECK(at(all, t, c) == plain(t, wire[c]));
  }
  for (std::size_t c = 0; c < kWidth; ++c) CHECK(wire[c] != c);
  const auto wires = [&](std::int64_t step) {
    return swapped_wires(record.step, record.a, record.b, kWidth, step);
  };
  CHECK(wires(kDriftSteps) == std::vector<std::int64_t>(wire.begin(), wire.end()));
  CHECK(wires(10)[6] == 6);
  CHECK(wires(11)[6] != 6);
}

TEST_CASE("a share of the channels that are listed is swapped, by seed") {
  const DriftConfig config{
      .kind = SwapDrift{{.channels = {"b", "3", "f", "g"}, .share = 0.7}}, .from = 0, .to = 9};
  std::set<std::set<std::int64_t>> chosen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Drift drift(config, kNames, seed, 1);
    std::set<std::int64_t> used(drift.record().a.begin(), drift.record().a.end());
    used.insert(drift.record().b.begin(), drift.record().b.end());
    CHECK(used.size() == 3);  // of 2.8
    for (const std::int64_t c : used) CHECK((c == 1 || c == 3 || c == 5 || c == 6));
    chosen.insert(used);
  }
  CHECK(chosen.size() == 4);
}

TEST_CASE("pairs of channels turn") {
  const DriftConfig config{
      .kind = TurnDrift{.axes = {"a", "c", "d", "b"}, .angle = 120.0}, .from = 5, .to = 45};
  const std::vector<double> all = drifted(Drift(config, kNames, 5, 0), 0, 11);
  for (std::int64_t t = 0; t < kDriftSteps; ++t) {
    const double angle = 120.0 * share(t, 5, 45) * std::numbers::pi / 180.0;
    const auto turned = [&](std::size_t first, std::size_t second) {
      const double x = plain(t, first);
      const double y = plain(t, second);
      CHECK(std::abs(at(all, t, first) - (std::cos(angle) * x - std::sin(angle) * y)) < 1e-14);
      CHECK(std::abs(at(all, t, second) - (std::sin(angle) * x + std::cos(angle) * y)) < 1e-14);
    };
    turned(0, 2);
    turned(3, 1);
    for (const std::size_t c : {4U, 5U, 6U}) CHECK(at(all, t, c) == plain(t, c));
  }
}

TEST_CASE("gains and offsets move, noise grows, and channels are lost") {
  const DriftChannels some{.channels = {"b", "g"}, .share = 1.0};
  std::vector<double> normal(2);
  RandomStream::named(8, "data/drift/3/values").normals(0, normal);
  const std::vector<std::size_t> own = {1, 6};
  const auto expect = [&](const DriftConfig& config,
                          const std::function<double(std::int64_t, std::size_t, double)>& formula) {
    const Drift drift(config, kNames, 8, 3);
    const std::vector<double> all = drifted(drift, 0, 13);
    const std::vector<double> later = drifted(drift, 23, 5);
    for (std::int64_t t = 0; t < kDriftSteps; ++t) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        const auto place = std::find(own.begin(), own.end(), c);
        const double x = plain(t, c);
        const double expected =
            place == own.end() ? x : formula(t, static_cast<std::size_t>(place - own.begin()), x);
        CHECK(std::abs(at(all, t, c) - expected) < 1e-14);
        if (t >= 23) CHECK(at(later, t - 23, c) == at(all, t, c));  // wherever it begins
      }
    }
  };
  expect({.kind = GainDrift{some, 0.4}, .from = 10, .to = 30},
         [&](std::int64_t t, std::size_t i, double x) {
           return x * (1.0 + share(t, 10, 30) * 0.4 * normal[i]);
         });
  expect({.kind = OffsetDrift{some, 0.4}, .from = 10, .to = 30},
         [&](std::int64_t t, std::size_t i, double x) {
           return x + share(t, 10, 30) * 0.4 * normal[i];
         });
  const RandomStream noise = RandomStream::named(8, "data/drift/3/noise");
  expect({.kind = NoiseDrift{some, 0.4}, .from = 10, .to = 30},
         [&](std::int64_t t, std::size_t i, double x) {
           double z = 0.0;
           noise.normals(2 * static_cast<std::uint64_t>(t) + i, {&z, 1});
           return x + share(t, 10, 30) * 0.4 * z;
         });
  const DriftConfig lose{.kind = LoseDrift{some}, .from = 10, .to = 30};
  const DriftRecord record = Drift(lose, kNames, 8, 3).record();
  CHECK(record.step == std::vector<std::int64_t>{10, 20});
  CHECK(std::set<std::int64_t>(record.channel.begin(), record.channel.end()) ==
        std::set<std::int64_t>{1, 6});
  expect(lose, [&](std::int64_t t, std::size_t i, double x) {
    const bool is_first = record.channel[0] == static_cast<std::int64_t>(own[i]);
    return t >= (is_first ? 10 : 20) ? 0.0 : x;
  });
}

TEST_CASE("all at once where a drift ends at the step at which it begins") {
  const Drift swap({.kind = SwapDrift{}, .from = 20, .to = 20}, kNames, 1, 0);
  for (const std::int64_t step : swap.record().step) CHECK(step == 20);
  const Drift turn({.kind = TurnDrift{.axes = {"a", "b"}, .angle = 180.0}, .from = 20, .to = 20},
                   kNames, 1, 0);
  const std::vector<double> all = drifted(turn, 0, 60);
  CHECK(at(all, 19, 0) == plain(19, 0));
  CHECK(std::abs(at(all, 20, 0) + plain(20, 0)) < 1e-14);
}

TEST_CASE("a drift of channels that there are not, or of too few, is refused by its key") {
  check_refused({.kind = SwapDrift{{.share = 0.15}}, .to = 9}, "drift[2].share",
                "expected two channels or more to swap, got 1");
  check_refused({.kind = LoseDrift{{.share = 0.01}}, .to = 9}, "drift[2].share",
                "0.01 of 7 channels is none");
  check_refused({.kind = GainDrift{{.channels = {"a", "z"}}}, .to = 9}, "drift[2].channels", "z");
  check_refused({.kind = TurnDrift{.axes = {"a", "b", "c"}}, .to = 9}, "drift[2].axes",
                "expected pairs of channels, got 3 channels");
  check_refused({.kind = TurnDrift{.axes = {"a", "a"}}, .to = 9}, "drift[2].axes", "a");
}
