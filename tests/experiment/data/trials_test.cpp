// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/trials.h"

#include <vector>

#include "../../../src/experiment/readouts/readout_ticks.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

const std::vector<std::int64_t> kStarts = {0, 10, 12, 30};

}  // namespace

TEST_CASE("a trial of R rows gives R - window + 1 samples, and steps go on counting") {
  const Trials trials(kStarts, 45, 4);
  CHECK(trials.all() == std::vector<Trial>{{0, 10, 0, 7}, {12, 18, 7, 15}, {30, 15, 22, 12}});
  CHECK(trials.left_out() == 1);  // two rows are no window of four
  CHECK(trials.steps() == 34);
  CHECK(trials.rows() == 45);
  CHECK(trials.longest() == trials.all()[1]);
  CHECK(trials.all()[1].newest_row(7, 4) == 15);
  CHECK(trials.all()[1].newest_row(9, 4) == 17);
}

TEST_CASE("a limit of steps cuts the last trial that is read") {
  CHECK(Trials(kStarts, 45, 4, 20).all() == std::vector<Trial>{{0, 10, 0, 7}, {12, 16, 7, 13}});
  CHECK(Trials(kStarts, 45, 4, 7).all() == std::vector<Trial>{{0, 10, 0, 7}});
  CHECK(Trials(kStarts, 45, 4, 34).rows() == 45);
}

TEST_CASE("every step belongs to one trial") {
  const Trials trials(kStarts, 45, 4);
  CHECK(trials.index_at(0) == 0);
  CHECK(trials.index_at(6) == 0);
  CHECK(trials.index_at(7) == 1);
  CHECK(trials.index_at(21) == 1);
  CHECK(trials.index_at(22) == 2);
  CHECK(trials.index_at(33) == 2);
}

TEST_CASE("levels tick anew in each trial: T steps give ceil(T / r) ticks") {
  const Trials trials(kStarts, 45, 4);
  CHECK(trials.ticks_within(34, 5) == 2 + 3 + 3);
  CHECK(trials.ticks_within(7, 5) == 2);
  CHECK(trials.ticks_within(8, 5) == 3);
  CHECK(trials.ticks_within(12, 5) == 3);
  CHECK(trials.ticks_within(13, 5) == 4);
  CHECK(trials.ticks_within(0, 5) == 0);
}

TEST_CASE("of several trials the parts of a split end between trials") {
  std::vector<std::int64_t> starts;
  for (std::int64_t k = 0; k < 10; ++k) starts.push_back(k * 20);
  const Trials trials(starts, 200, 1);
  ReadoutConfig config;
  config.target.horizon = 3;
  config.split = {.share = {}, .is_map = true, .train = 0.6, .validation = 0.2, .test = 0.2};
  config.skip = 0.1;
  config.folds = 3;
  // However far a purge reaches, it ends with the trial.
  const ReadoutTicks ticks(config, trials, {.spacing = 4, .purge = 1000});
  CHECK(ticks.all() == 50);  // steps 0, 4 ... 16 of each trial: 17 of 20 have a target
  CHECK(ticks.training() == Stretches{{5, 30}});
  CHECK(ticks.validation() == Stretches{{30, 40}});
  CHECK(ticks.test() == Stretches{{40, 50}});
  CHECK(ticks.purged() == 0);
  CHECK(ticks.of_folds() == Stretches{{5, 50}});
  CHECK(ticks.fold(0).test == Stretches{{5, 20}});  // of nine trials
  CHECK(ticks.fold(0).training == Stretches{{20, 50}});
  CHECK(ticks.fold(1).test == Stretches{{20, 35}});
  CHECK(ticks.fold(1).training == Stretches{{5, 20}, {35, 50}});
  CHECK(ticks.fold(2).test == Stretches{{35, 50}});
}

TEST_CASE("with one prediction a trial there is one tick in each") {
  const Trials trials(kStarts, 45, 4);
  ReadoutConfig config;
  config.target.per_trial = true;
  config.split.share = 0.5;
  const ReadoutTicks ticks(config, trials, {.spacing = 2, .purge = 100});
  CHECK(ticks.begins() == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(ticks.training() == Stretches{{0, 1}});
  CHECK(ticks.test() == Stretches{{1, 3}});
}
