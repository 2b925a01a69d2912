// SPDX-License-Identifier: MIT
#include "../../../src/experiment/readouts/readout_ticks.h"

#include <set>
#include <vector>

#include "../../support/catch.h"

using namespace gaia;

namespace {

/// Levels of these resolutions under a window.
ExperimentConfig levels_of(const std::vector<std::int64_t>& resolutions, std::int64_t window = 1) {
  ExperimentConfig config;
  config.data.window = window;
  auto& levels = config.kind.get_if<HierarchyConfig>()->levels;
  for (const std::int64_t resolution : resolutions) {
    levels.push_back({.temporal_resolution = resolution, .layers = {}});
  }
  return config;
}

ReadoutConfig reading(const std::vector<std::int64_t>& levels, std::int64_t horizon) {
  ReadoutConfig readout;
  readout.levels = levels;
  readout.target.horizon = horizon;
  return readout;
}

/// One row of groups a step, of so many trials of equal length.
Trials with_groups(const std::vector<std::int64_t>& groups, std::int64_t trials = 1) {
  const auto rows = static_cast<std::int64_t>(groups.size());
  std::vector<std::int64_t> trial_starts;
  for (std::int64_t k = 0; k < trials; ++k) trial_starts.push_back(k * rows / trials);
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ids;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t group = groups[static_cast<std::size_t>(row)];
    if (!ids.empty() && ids.back() == group) continue;
    starts.push_back(row);
    ids.push_back(group);
  }
  Trials made(trial_starts, rows, 1);
  made.set_groups(starts, ids, 1);
  return made;
}

/// So many rows of each of these groups, one after the other.
std::vector<std::int64_t> runs(std::int64_t rows, const std::vector<std::int64_t>& groups) {
  std::vector<std::int64_t> all;
  for (const std::int64_t group : groups) {
    all.insert(all.end(), static_cast<std::size_t>(rows), group);
  }
  return all;
}

}  // namespace

TEST_CASE("a purge reaches over window, resolutions, horizon and embargo") {
  CHECK(purge_of(reading({0}, 0), levels_of({1})) == 1 + 1);
  CHECK(purge_of(reading({0}, 5), levels_of({1}, 4)) == 4 + 1 + 5);
  CHECK(purge_of(reading({0}, 5), levels_of({1, 4}, 4)) == 4 + 1 + 5);  // level 1 is not read
  // What level 1 shows has come through level 0.
  CHECK(purge_of(reading({1}, 5), levels_of({2, 4}, 4)) == 4 + 2 + 4 + 5);
  ReadoutConfig kept_away = reading({0}, 5);
  kept_away.embargo = 30;
  CHECK(purge_of(kept_away, levels_of({1})) == 1 + 1 + 5 + 30);
}

TEST_CASE("what is held and what a target is the mean of count as far as they reach") {
  // Read at every step, level 1 shows for three steps more what it computed from the last four.
  CHECK(purge_of(reading({0, 1}, 0), levels_of({1, 4})) == 1 + (4 - 1) + (4 - 1));
  // At step 6 level 1 pools the steps 4 to 6, and level 0 shows at 4 what it pooled from -4 to 0.
  CHECK(purge_of(reading({1}, 0), levels_of({5, 3})) == 1 + (3 - 1) + (5 - 1) + (5 - 1));
  ReadoutConfig mean = reading({0}, 2);
  mean.target.mean_over = 50;  // 48 of them before the tick
  CHECK(purge_of(mean, levels_of({1})) == 48 + 2);
  mean.target.change = true;  // and the mean of the last 50 is what it is a change from
  CHECK(purge_of(mean, levels_of({1})) == 50 + 2);
}

TEST_CASE("pictures stand each for itself, and what learns online learns of nothing ahead") {
  ExperimentConfig pictures = levels_of({1});
  pictures.data.source = ImagesConfig();
  CHECK(purge_of(reading({0}, 0), pictures) == 0);
  ReadoutConfig online = reading({0}, 7);
  online.kind = *ReadoutKind::list().find("online");
  CHECK(purge_of(online, levels_of({1})) == 0);
  ReadoutConfig stored = reading({0}, 7);
  stored.learn = false;
  CHECK(purge_of(stored, levels_of({1})) == 0);
}

TEST_CASE("of a split the ticks before the next part are purged") {
  ReadoutConfig readout = reading({0}, 5);
  readout.split = {.share = {}, .is_map = true, .train = 0.5, .validation = 0.2, .test = 0.3};
  readout.skip = 0.1;
  const ReadoutTicks ticks(readout, Trials::one(105, 1), {.spacing = 1, .purge = 7});
  CHECK(ticks.all() == 100);
  CHECK(ticks.training() == Stretches{{10, 43}});
  CHECK(ticks.validation() == Stretches{{50, 63}});
  CHECK(ticks.test() == Stretches{{70, 100}});
  CHECK(ticks.purged() == 14);
  CHECK(ticks.training_end() == 43);
  CHECK(ticks.first_scored() == 50);
  CHECK(!ticks.is_mixed());
  CHECK(ticks.training_steps() == Stretches{{0, 43}});
}

TEST_CASE("a purge is counted in steps, whatever the spacing of the ticks") {
  ReadoutConfig readout = reading({0}, 0);
  readout.split.share = 0.5;
  const Trials trials = Trials::one(100, 1);  // ticks at 0, 4 ... 96
  for (const auto& [purge, trained] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 12}, {4, 11}, {7, 11}, {8, 10}}) {
    const ReadoutTicks ticks(readout, trials, {.spacing = 4, .purge = purge});
    CHECK(ticks.training() == Stretches{{0, trained}});
    CHECK(ticks.test() == Stretches{{12, 25}});
    CHECK(ticks.training_steps() == Stretches{{0, 4 * (trained - 1) + 1}});
  }
}

TEST_CASE("each fold is kept apart from what it is predicted by on both sides") {
  ReadoutConfig readout = reading({0}, 0);
  readout.folds = 5;
  const ReadoutTicks ticks(readout, Trials::one(100, 1), {.spacing = 1, .purge = 6});
  CHECK(ticks.fold(0).test == Stretches{{0, 20}});
  CHECK(ticks.fold(0).training == Stretches{{26, 100}});
  CHECK(ticks.fold(2).test == Stretches{{40, 60}});
  CHECK(ticks.fold(2).training == Stretches{{0, 34}, {66, 100}});
  CHECK(ticks.fold(4).training == Stretches{{0, 74}});
  CHECK(ticks.purged() == 12);
}

TEST_CASE("nothing is purged across the border of two trials") {
  ReadoutConfig readout = reading({0}, 0);
  readout.folds = 2;
  const std::vector<std::int64_t> starts = {0, 30, 60, 90};
  const ReadoutTicks ticks(readout, Trials(starts, 120, 1), {.spacing = 1, .purge = 6});
  CHECK(ticks.fold(0).test == Stretches{{0, 60}});
  CHECK(ticks.fold(0).training == Stretches{{60, 120}});
  CHECK(ticks.purged() == 0);
}

TEST_CASE("groups are dealt out in order of first appearance, and come back on their side") {
  // Two of four groups are trained on, the second of which comes back at the end.
  const Trials trials = with_groups(runs(10, {7, 3, 9, 5, 3}), 5);
  REQUIRE(trials.group_count() == 4);
  ReadoutConfig readout = reading({0}, 0);
  readout.split.share = 0.5;
  const ReadoutTicks ticks(readout, trials, {.spacing = 1, .purge = 4});
  CHECK(ticks.training() == Stretches{{0, 20}, {40, 50}});
  CHECK(ticks.test() == Stretches{{20, 40}});
  CHECK(ticks.is_mixed());
  CHECK(ticks.training_end() == 50);
  CHECK(ticks.training_steps() == Stretches{{0, 20}, {40, 50}});

  readout.split = {};
  readout.folds = 2;
  const ReadoutTicks folds(readout, trials, {.spacing = 1, .purge = 4});
  CHECK(folds.fold(0).test == Stretches{{0, 20}, {40, 50}});
  CHECK(folds.fold(0).training == Stretches{{20, 40}});
  CHECK(folds.fold(1).test == Stretches{{20, 40}});
  CHECK(folds.fold(1).training == Stretches{{0, 20}, {40, 50}});
}

TEST_CASE("where groups meet within a trial both sides are kept apart") {
  const Trials trials = with_groups(runs(10, {0, 1, 0, 1, 2}));
  ReadoutConfig readout = reading({0}, 3);
  readout.split.share = 0.34;  // one of three
  const ReadoutTicks ticks(readout, trials, {.spacing = 1, .purge = 4});
  CHECK(ticks.training() == Stretches{{0, 6}, {24, 26}});
  CHECK(ticks.test() == Stretches{{10, 20}, {30, 47}});  // the last three have no target
  CHECK(ticks.purged() == 4 + 4 + 4);
  CHECK(ticks.training_steps() == Stretches{{0, 6}, {24, 26}});
}

TEST_CASE("however folds, groups and trials lie, no tick is close to one of another part") {
  // By the definition, tick by tick.
  const std::vector<std::int64_t> groups = runs(7, {4, 1, 4, 2, 0, 1, 3, 3, 2, 5, 0, 6});
  for (const std::int64_t trial_count : {1, 3}) {
    for (const std::int64_t spacing : {1, 3}) {
      const Trials trials = with_groups(groups, trial_count);
      ReadoutConfig readout = reading({0}, 2);
      readout.folds = 3;
      constexpr std::int64_t purge = 5;
      const ReadoutTicks ticks(readout, trials, {.spacing = spacing, .purge = purge});
      std::vector<std::int64_t> steps;
      for (const Trial& trial : trials.all()) {
        for (std::int64_t t = 0; t + 2 < trial.steps; t += spacing) {
          steps.push_back(trial.first_step + t);
        }
      }
      REQUIRE(std::ssize(steps) == ticks.all());
      // 4, 1 | 2, 0 | 3, 5, 6
      const std::vector<std::set<std::int64_t>> folds = {{4, 1}, {2, 0}, {3, 5, 6}};
      for (std::int64_t k = 0; k < 3; ++k) {
        const ReadoutTicks::Fold fold = ticks.fold(k);
        const auto is_tested = [&](std::int64_t n) {
          const auto row = static_cast<std::size_t>(steps[static_cast<std::size_t>(n)]);
          return folds[static_cast<std::size_t>(k)].count(groups[row]) > 0;
        };
        for (std::int64_t n = 0; n < ticks.all(); ++n) {
          bool is_close = false;
          for (std::int64_t m = 0; m < ticks.all(); ++m) {
            const std::int64_t a = steps[static_cast<std::size_t>(n)];
            const std::int64_t b = steps[static_cast<std::size_t>(m)];
            is_close = is_close || (is_tested(m) && std::abs(a - b) <= purge &&
                                    trials.index_at(a) == trials.index_at(b));
          }
          CHECK(contains(fold.test, n) == is_tested(n));
          CHECK(contains(fold.training, n) == !is_close);
        }
      }
    }
  }
}
