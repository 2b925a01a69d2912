// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/seed_verdict.h"

#include <cmath>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

const std::string kText =
    "experiment: seeds\nseed: 4\n"
    "device: cpu\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, noise: 0.1, "
    "steps: 400}\n"
    "hierarchy:\n"
    "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.002}]}]\n"
    "readouts:\n"
    "  - {name: one, target: {channel: 1, horizon: 2}, levels: [0]}\n"
    "  - {name: two, target: {latent: 1, mean_over: 4}, levels: [0]}\n";

/// Scores of a run and of something else, by seed.
ReadoutOverSeeds compared(const std::vector<double>& scores, const std::vector<double>& frozen) {
  ReadoutOverSeeds readout{.name = "a", .target = "channel 0", .measure = "R2", .scores = scores};
  readout.others.push_back(
      {.name = "frozen", .title = "frozen weights", .is_control = true, .scores = frozen});
  readout.compare();
  return readout;
}

}  // namespace

FOLDER_TEST_CASE("a verdict over seeds has the scores of the runs with these seeds") {
  const std::string file = folder.write("e.yaml", kText);
  std::vector<std::int64_t> told;
  const SeedVerdict verdict = verdict_over_seeds(
      file, {.set = {"controls=[frozen, same_past]"}, .output = folder.path("v.h5")},
      {.seeds = 3, .on_progress = [&](const SeedProgress& one) { told.push_back(one.seed); }});
  CHECK(told == std::vector<std::int64_t>{4, 5, 6});
  REQUIRE(verdict.readouts.size() == 2);
  CHECK_FALSE(verdict.has_fixed_data);
  CHECK(verdict.diverged.empty());
  const hdf5::File stored = hdf5::File::open(folder.path("v.h5"));
  CHECK(stored.open_dataset("seed").read<std::int64_t>() == std::vector<std::int64_t>{4, 5, 6});
  for (std::size_t i = 0; i < 3; ++i) {
    Experiment experiment =
        load_experiment(file, {.seed = std::to_string(4 + i), .output = folder.path("r.h5")});
    const HierarchySummary run = run_hierarchy(experiment, {.overwrite = true});
    for (std::size_t r = 0; r < 2; ++r) {
      const ReadoutOverSeeds& readout = verdict.readouts[r];
      CHECK(readout.scores[i] == run.readouts[r].score.r2);
      REQUIRE(readout.others[0].name == "frozen");
      CHECK(readout.others[0].scores[i] == run.readouts[r].controls[0].score.r2);
      CHECK(readout.others[1].scores[i] == run.readouts[r].controls[1].score.r2);
      CHECK(readout.others[2].scores[i] == run.readouts[r].score.baseline_r2);
      const hdf5::Group group = stored.open_group("readouts/" + readout.name);
      CHECK(group.open_dataset("score").read<double>()[i] == readout.scores[i]);
      CHECK(group.open_group("controls/same_past").open_dataset("score").read<double>()[i] ==
            readout.others[1].scores[i]);
      CHECK(group.open_group("controls/same_past").text_attribute("title") ==
            "ridge on the same past");
    }
  }
  CHECK(verdict.readouts[0].others.size() == 4);
  CHECK(verdict.readouts[1].others.size() == 3);  // at horizon 0 the mean is the baseline
  CHECK(stored.text_attribute("config").value().find("experiment: seeds") != std::string::npos);
  CHECK(stored.open_group("readouts/one").text_attribute("verdict") == verdict.readouts[0].verdict);
  const std::string table = verdict_table(verdict);
  CHECK_SAYS(table, "readout one of channel 1, seeds 4 to 6: R2", "ridge on the same past",
             "learning pays cannot be told from 3 seeds");
  // Nor is another way called better or as good by so few.
  CHECK_SAYS(verdict.readouts[0].verdict, "; whether the readout is better than ",
             ") cannot be told from 3 seeds");
  // Nothing is left of the runs themselves.
  CHECK_FALSE(std::filesystem::exists(folder.path("v.h5.runs")));
  CHECK_THROWS_AS(verdict_over_seeds(file, {.output = folder.path("v.h5")}, {.seeds = 2}),
                  OutputError);
}

FOLDER_TEST_CASE("runs that diverge are counted, and data from a file are told") {
  std::string rows;
  for (int t = 0; t < 200; ++t) {
    rows += std::to_string(50.0 * std::sin(0.3 * t)) + "," + std::to_string(t % 9) + "\n";
  }
  folder.write("d.csv", rows);
  const std::string file = folder.write(
      "e.yaml",
      "experiment: wild\ndevice: cpu\ndata: {source: file, path: d.csv}\nhierarchy:\n"
      "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.9}]}]\n"
      "readouts: [{name: one, target: {channel: 0, horizon: 1}, levels: [0]}]\n"
      "output: {path: out/wild.h5}\n");
  const SeedVerdict verdict =
      verdict_over_seeds(file, {.output = folder.path("v.h5")}, {.seeds = 2});
  CHECK(verdict.has_fixed_data);
  CHECK(verdict.diverged == std::vector<std::int64_t>{0, 1});
  // Reason, level, layer, step and way out are reported where people look.
  REQUIRE(verdict.reasons.size() == 2);
  for (const std::string& reason : verdict.reasons) {
    CHECK_SAYS(reason, "NaN or Inf in the ", "level 0, layer 0 (hebbian [2, 2]) at step ",
               "oja at learning_rate 0.9");
  }
  CHECK_THAT(verdict.readouts[0].verdict,
             StartsWith("has no score: all 2 runs diverged, that of seed 0 by NaN or Inf in the "));
  CHECK(std::isnan(verdict.readouts[0].scores[1]));
  CHECK_SAYS(verdict_table(verdict), "2 of 2 runs diverged",
             "The data are the same for every seed");
  CHECK_SAYS(verdict_table(verdict), "\n  seed 1  NaN or Inf in the ");
  const hdf5::File stored = hdf5::File::open(folder.path("v.h5"));
  CHECK(stored.integer_attribute("diverged") == 2);
  CHECK_THAT(stored.texts_attribute("diverged_reasons").value()[1],
             StartsWith("seed 1: NaN or Inf in the "));
}

TEST_CASE("means, deviations and pairs are those of the definitions") {
  const double nan = std::nan("");
  const ReadoutOverSeeds readout = compared({0.5, 0.6, 0.7, 0.4, nan}, {0.4, 0.6, 0.5, 0.5, 0.9});
  CHECK(readout.spread.count == 4);
  CHECK(readout.spread.mean == Approx(0.55));
  CHECK(readout.spread.deviation == Approx(std::sqrt(0.05 / 3.0)));
  const ComparedScores& frozen = readout.others[0];
  CHECK(frozen.spread.mean == Approx(0.58));
  CHECK(frozen.ahead == 2);
  CHECK(frozen.behind == 1);
  CHECK(frozen.difference.count == 4);
  CHECK(frozen.difference.mean == Approx(0.05));
  CHECK(frozen.difference.deviation ==
        Approx(std::sqrt((0.0025 + 0.0025 + 0.0225 + 0.0225) / 3.0)));
  CHECK(frozen.sign_test_p == 1.0);
}

TEST_CASE("a verdict over seeds says gain, loss, or that none is shown") {
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> mixed;
  for (int i = 0; i < 10; ++i) {
    low.push_back(0.3 + 0.001 * i);
    high.push_back(0.4 + 0.002 * i);
    mixed.push_back(i % 2 == 0 ? 0.2 : 0.4);
  }
  CHECK(compared(high, low).verdict ==
        "learning gains 0.1 over frozen weights (R2 0.409 against 0.304, ahead in 10 of 10 seeds, "
        "sign "
        "test p 0.002)");
  CHECK_SAYS(
      compared(low, high).verdict,
      "learning loses 0.1 to frozen weights (R2 0.304 against 0.409, ahead in 0 of 10 seeds");
  // Returns may be large.
  std::vector<double> small_returns;
  std::vector<double> returns;
  for (int i = 0; i < 10; ++i) {
    small_returns.push_back(-1461.0 - i);
    returns.push_back(-1361.3 - i);
  }
  CHECK_SAYS(compared(returns, small_returns).verdict,
             "learning gains 100 over frozen weights (R2 -1366 against -1466, ");
  CHECK_SAYS(compared(low, mixed).verdict, "learning does not pay");
  CHECK_SAYS(compared(low, low).verdict, "learning does not pay");
}

FOLDER_TEST_CASE("what has no readouts has no verdict") {
  const std::string none = folder.write("e.yaml", kText.substr(0, kText.find("readouts:")));
  CHECK_THROWS_WITH(verdict_over_seeds(none, {}, {}), ContainsSubstring("has no readouts"));
  const std::string some = folder.write("f.yaml", kText);
  CHECK_THROWS_WITH(verdict_over_seeds(some, {}, {.seeds = 1}), ContainsSubstring("at least 2"));
}

FOLDER_TEST_CASE("what diverges with some seeds is said beside what the others show") {
  // One weight, of either sign by the seed; negative ones have no such power.
  const std::string file = folder.write(
      "e.yaml",
      "experiment: half\ndevice: cpu\n"
      "data: {source: generator, kind: ornstein_uhlenbeck, tau: [20], channels: 1, steps: 300}\n"
      "hierarchy:\n  levels:\n    - layers:\n        - type: hebbian\n          size: 1\n"
      "          init: normal\n"
      "          rule: {equations: \"dw = 0.001*w^0.02\"}\n"
      "readouts: [{name: one, target: {channel: 0, horizon: 1}, levels: [0]}]\n");
  const SeedVerdict verdict =
      verdict_over_seeds(file, {.output = folder.path("v.h5")}, {.seeds = 8});
  REQUIRE(verdict.diverged.size() > 0);
  REQUIRE(verdict.diverged.size() < 8);
  CHECK_THAT(verdict.readouts[0].verdict, EndsWith("; " + std::to_string(verdict.diverged.size()) +
                                                   " of 8 runs diverged and count nowhere"));
  CHECK_THAT(
      verdict.reasons[0],
      ContainsSubstring("weights of level 0, layer 0 (hebbian [1, 1]) at step 0; ") &&
          ContainsSubstring("hierarchy.levels[0].layers[0].rule.equations: the rule raises w "
                            "to the power 0.02, which negative weights do not allow; ") &&
          ContainsSubstring("bounds: {low: 0, high: 1}") && !ContainsSubstring("learning_rate"));
}

FOLDER_TEST_CASE("a target without a score is said to be why there is none with any seed") {
  std::string rows;
  for (int t = 0; t < 100; ++t) rows += std::to_string(std::sin(0.3 * t)) + ",5\n";
  folder.write("d.csv", rows);
  const std::string file = folder.write(
      "e.yaml",
      "experiment: flat\ndevice: cpu\ndata: {source: file, path: d.csv}\nhierarchy:\n"
      "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]}]\n"
      "readouts: [{name: one, target: {channel: 1, horizon: 1}, levels: [0]}]\n");
  const SeedVerdict verdict =
      verdict_over_seeds(file, {.output = folder.path("v.h5")}, {.seeds = 2});
  CHECK(verdict.readouts[0].verdict == "has no score with any seed: the target is constant");
}
