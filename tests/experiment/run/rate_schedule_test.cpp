// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/rate_schedule.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/devices.h"
#include "../../support/experiment_text.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using ScheduleKind = RateSchedule::Kind;

/// Sanger's rule with a decay in a level that ticks at every step, in float64.
std::string annealed(const std::string& schedule) {
  return "experiment: annealed\n"
         "seed: 5\n"
         "device: cpu\n"
         "dtype: float64\n"
         "data: {source: generator, kind: gaussian, spectrum: [3, 1, 0.5], steps: 1000}\n"
         "hierarchy:\n"
         "  " +
         schedule +
         "\n"
         "  levels:\n"
         "    - layers: [{type: hebbian, size: 2, rule: sanger, learning_rate: 0.02, decay: "
         "0.001}]\n"
         "output: {inputs: all}\n"
         "checkpoint: {minutes: 0}\n";
}

struct Rates {
  std::vector<double> samples;  ///< [1000, 3]
  std::vector<double> initial;  ///< [2, 3]
  std::vector<double> weights;  ///< [2, 3]
};

Rates run(const TempDir& folder, const std::string& yaml) {
  run_text(folder, yaml);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const auto read = [&](const char* name) { return file.open_dataset(name).read<double>(); };
  return {read("data/samples"), read("levels/0/layers/0/weights_initial"),
          read("levels/0/layers/0/weights")};
}

/// dW = rate (y x^T - LT[y y^T] W) - decay W, sample by sample, at `factor(t)` times the rate.
template <class Factor>
std::vector<double> learn_by_hand(const Rates& series, std::int64_t steps, const Factor& factor) {
  std::vector<double> w = series.initial;
  for (std::int64_t t = 0; t < steps; ++t) {
    const double rate = 0.02 * factor(t);
    const double* x = &series.samples[static_cast<std::size_t>(3 * t)];
    double y[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) y[i] += w[3 * i + j] * x[j];
    }
    const std::vector<double> before = w;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        double left = x[j];
        for (std::size_t k = 0; k <= i; ++k) left -= y[k] * before[3 * k + j];
        w[3 * i + j] += rate * y[i] * left - 0.001 * before[3 * i + j];
      }
    }
  }
  return w;
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-9).margin(1e-12));
  }
}

}  // namespace

TEST_CASE("rates fall by a half in the half-life, and to 0 along a cosine, in stretches") {
  const RateSchedule half{ScheduleKind::half_life, 640};
  CHECK(rate_stretch(half) == 10);
  CHECK(rate_factor(half, 0) == 1.0);
  CHECK(rate_factor(half, 9) == 1.0);
  CHECK(rate_factor(half, 10) == Approx(0.98922801).epsilon(1e-7));  // 2^(-1/64)
  CHECK(rate_factor(half, 19) == rate_factor(half, 10));
  CHECK(rate_factor(half, 640) == 0.5);
  CHECK(rate_factor(half, 1920) == 0.125);

  const RateSchedule cosine{ScheduleKind::cosine_to, 6300};
  CHECK(rate_stretch(cosine) == 99);  // 6300 / 64 = 98.4
  CHECK(rate_factor(cosine, 98) == 1.0);
  CHECK(rate_factor(cosine, 99) == Approx(0.99939084).epsilon(1e-7));  // (1 + cos(pi 99/6300)) / 2
  CHECK(rate_factor(cosine, 3168) == Approx(0.49551207).epsilon(1e-7));
  CHECK(rate_factor(cosine, 6299) > 0.0);
  CHECK(rate_factor(cosine, 6300) == 0.0);
  CHECK(rate_factor(cosine, std::numeric_limits<std::int64_t>::max()) == 0.0);

  CHECK(rate_stretch({ScheduleKind::half_life, 1}) == 1);
  CHECK(rate_stretch({ScheduleKind::half_life, 64}) == 1);
  CHECK(rate_stretch({ScheduleKind::half_life, 65}) == 2);
  CHECK(rate_stretch({}) == 0);
  CHECK(rate_factor({}, 12345) == 1.0);
}

TEST_CASE("rates are a tenth after so many steps") {
  const RateSchedule schedule{ScheduleKind::tenth_after, 7};
  CHECK(rate_factor(schedule, 0) == 1.0);
  CHECK(rate_factor(schedule, 6) == 1.0);
  CHECK(rate_factor(schedule, 7) == 0.1);
  CHECK(rate_factor(schedule, std::numeric_limits<std::int64_t>::max()) == 0.1);
  HierarchyConfig hierarchy;
  hierarchy.schedule = schedule;
  CHECK(learning_end(hierarchy, 1000) == 1000);  // rates never are 0
  CHECK(learning_cut(hierarchy, 0, 400) == 7);
  CHECK(learning_cut(hierarchy, 6, 400) == 7);
  CHECK(learning_cut(hierarchy, 0, 5) == 5);
  hierarchy.freeze_after = 3;
  CHECK(learning_cut(hierarchy, 0, 400) == 3);
}

TEST_CASE("levels learn one after another, each under the schedule from its start") {
  HierarchyConfig hierarchy;
  hierarchy.levels.resize(3);
  hierarchy.layerwise = 640;
  hierarchy.schedule = {ScheduleKind::cosine_to, 640};
  CHECK(learning_end(hierarchy, 5000) == 1920);
  CHECK(learning_end(hierarchy, 1000) == 1000);
  CHECK(level_learns(hierarchy, 0, 639));
  CHECK_FALSE(level_learns(hierarchy, 0, 640));
  CHECK_FALSE(level_learns(hierarchy, 1, 639));
  CHECK(level_learns(hierarchy, 1, 640));
  CHECK(level_learns(hierarchy, 2, 1919));
  CHECK_FALSE(level_learns(hierarchy, 2, 1920));
  hierarchy.levels[1].options.learn = false;
  CHECK_FALSE(level_learns(hierarchy, 1, 640));
  CHECK(rate_of_step(hierarchy, 640) == 1.0);
  CHECK(rate_of_step(hierarchy, 970) == rate_factor(hierarchy.schedule, 330));
  CHECK(learning_cut(hierarchy, 13, 400) == 20);
  CHECK(learning_cut(hierarchy, 639, 5000) == 640);
  CHECK(learning_cut(hierarchy, 643, 5000) == 650);
  CHECK(learning_cut(hierarchy, 1920, 5000) == 5000);
  hierarchy.schedule = {};
  CHECK(learning_cut(hierarchy, 13, 5000) == 640);
  CHECK(learning_cut(hierarchy, 1300, 5000) == 1920);
  hierarchy.layerwise = std::int64_t{1} << 53;
  CHECK(learning_end(hierarchy, 5000) == 5000);
  CHECK(learning_cut(hierarchy, 13, 5000) == 5000);
}

FOLDER_TEST_CASE("a level that learns reads levels that have come to rest") {
  const auto history = [&](std::int64_t blocks) {
    run_text(folder,
             "experiment: layerwise\nseed: 5\n"
             "device: cpu\n"
             "data: {source: generator, kind: gaussian, spectrum: [3, 1, 0.5], steps: 1000}\n"
             "hierarchy:\n"
             "  layerwise: 300\n"
             "  levels:\n"
             "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.02}]\n"
             "    - layers: [{type: hebbian, size: 1, rule: oja, learning_rate: 0.02}]\n"
             "output: {weights: {every: " +
                 std::to_string(blocks) + "}}\n");
    const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
    return std::vector{
        file.open_dataset("levels/0/layers/0/history/weights").read<double>(),   // [rows, 2, 3]
        file.open_dataset("levels/1/layers/0/history/weights").read<double>()};  // [rows, 1, 2]
  };
  const auto rows = history(100);
  const auto differs = [&](std::size_t level, std::size_t row) {
    const std::size_t n = level == 0 ? 6 : 2;
    const auto at = [&](std::size_t k) {
      const auto begin = rows[level].begin() + static_cast<std::ptrdiff_t>(k * n);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n));
    };
    return at(row) != at(row + 1);
  };
  for (std::size_t row = 0; row < 10; ++row) {
    CHECK(differs(0, row) == (row < 3));
    CHECK(differs(1, row) == (row >= 3 && row < 6));
  }
  // The same within rounding whatever ends blocks.
  const auto finer = history(50);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(*(finer[1].end() - 1 - static_cast<std::ptrdiff_t>(i)) ==
          Approx(*(rows[1].end() - 1 - static_cast<std::ptrdiff_t>(i))).margin(1e-5));
  }
}

TEST_CASE("learning ends where the first of freeze_after and a cosine says, and blocks are cut") {
  HierarchyConfig hierarchy;
  CHECK(learning_end(hierarchy, 1000) == 1000);
  CHECK(learning_cut(hierarchy, 0, 400) == 400);
  hierarchy.schedule = {ScheduleKind::cosine_to, 640};
  CHECK(learning_end(hierarchy, 1000) == 640);
  CHECK(learning_end(hierarchy, 500) == 500);
  CHECK(learning_cut(hierarchy, 0, 400) == 10);
  CHECK(learning_cut(hierarchy, 13, 400) == 20);
  CHECK(learning_cut(hierarchy, 13, 17) == 17);
  CHECK(learning_cut(hierarchy, 639, 1000) == 640);
  CHECK(learning_cut(hierarchy, 640, 1000) == 1000);
  hierarchy.freeze_after = 55;
  CHECK(learning_end(hierarchy, 1000) == 55);
  CHECK(learning_cut(hierarchy, 52, 400) == 55);
  CHECK(learning_cut(hierarchy, 55, 400) == 400);
  hierarchy.learn = false;
  CHECK(learning_end(hierarchy, 1000) == 0);
  CHECK(learning_cut(hierarchy, 0, 400) == 400);
}

FOLDER_TEST_CASE("a run with a schedule learns what a loop with these rates learns") {
  const Rates half = run(folder, annealed("schedule: {half_life: 300}"));
  // Stretches of 300 / 64, rounded up: 5 steps.
  check_close(half.weights, learn_by_hand(half, 1000, [](std::int64_t t) {
                return std::pow(0.5, static_cast<double>(t / 5 * 5) / 300.0);
              }));
  const Rates cosine = run(folder, annealed("schedule: {cosine_to: 700}"));
  // 11 steps; from step 700 on not even the decay is left.
  check_close(cosine.weights, learn_by_hand(cosine, 700, [](std::int64_t t) {
                return 0.5 + 0.5 * std::cos(M_PI * static_cast<double>(t / 11 * 11) / 700.0);
              }));
  const Rates tenth = run(folder, annealed("schedule: {tenth_after: 333}"));
  check_close(tenth.weights,
              learn_by_hand(tenth, 1000, [](std::int64_t t) { return t < 333 ? 1.0 : 0.1; }));
  const Rates none = run(folder, annealed("schedule: none"));
  check_close(none.weights, learn_by_hand(none, 1000, [](std::int64_t) { return 1.0; }));
  CHECK(std::abs(none.weights[0] - half.weights[0]) > 1e-6);
}

FOLDER_TEST_CASE("steps of a schedule are counted through all epochs") {
  const std::string twice =
      replaced(annealed("schedule: {cosine_to: 700}"), "steps: 1000", "steps: 500");
  const Rates series = run(folder, replaced(twice, "  levels", "  epochs: 2\n  levels"));
  Rates doubled = series;
  doubled.samples.insert(doubled.samples.end(), series.samples.begin(), series.samples.end());
  check_close(doubled.weights, learn_by_hand(doubled, 700, [](std::int64_t t) {
                return 0.5 + 0.5 * std::cos(M_PI * static_cast<double>(t / 11 * 11) / 700.0);
              }));
}

TEST_CASE("a run with a schedule that is killed goes on to the same bytes") {
  for (const char* const schedule : {"schedule: {half_life: 900}", "schedule: {cosine_to: 530}",
                                     "schedule: {tenth_after: 225}"}) {
    INFO(schedule);
    const Cuts cuts(replaced(everything("bcm", "mean"), "freeze_after: 500", schedule));
    cuts.run_with_kills("uncut", {37, 225, 518});
    const Datasets uncut = datasets_of(cuts.result("uncut"));
    for (const char* const name : {"37", "225", "518"}) {
      INFO("killed after step " << name);
      CHECK(cuts.resume(name).status == RunStatus::complete);
      cuts.check_same(name, uncut);
    }
  }
}

TEST_CASE("a schedule does not depend on the number of threads") {
  const Cuts cuts(
      replaced(everything("oja", "ema"), "freeze_after: 500", "schedule: {half_life: 100}"));
  {
    const Threads one(1);
    cuts.run("one");
  }
  const Threads three(3);
  cuts.run("three");
  cuts.check_same("three", datasets_of(cuts.result("one")));
}
