// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/reproduction.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using Catch::Matchers::StartsWith;
using Catch::Matchers::WithinAbs;

namespace {

/// A row whose paper has `published` of the readout `one`.
std::string row_text(const std::string& published) {
  return "experiment: row\n"
         "device: cpu\n"
         "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, noise: "
         "0.1, steps: 400}\n"
         "hierarchy:\n"
         "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.002}]}]\n"
         "readouts:\n"
         "  - {name: other, target: {latent: 1}, levels: [0]}\n"
         "  - {name: one, target: {channel: 1, horizon: 2}, levels: [0]}\n"
         "published:\n"
         "  paper: A 1999\n"
         "  where: Fig. 1\n"
         "  says: it goes\n"
         "  readout: one\n"
         "  seeds: {first: 11, count: 3}\n"
         "  short: {data.steps: 200, controls: [frozen]}\n" +
         published;
}

/// What would have been reported with these scores.
Reproduction told(const std::vector<double>& scores, const std::vector<double>& frozen,
                  const PublishedConfig& published, const std::string& measure = "R2") {
  Reproduction again{.row = "row", .table = "table.csv", .published = published, .verdict = {}};
  ReadoutOverSeeds readout{.name = "one", .target = "x", .measure = measure, .scores = scores};
  readout.others.push_back(
      {.name = "frozen", .title = "frozen weights", .is_control = true, .scores = frozen});
  readout.published =
      PublishedScores{.value = published.value, .spread = published.spread, .scores = scores};
  readout.compare();
  again.verdict.first_seed = 11;
  again.verdict.seeds = std::ssize(scores);
  again.verdict.readouts.push_back(std::move(readout));
  return again;
}

PublishedConfig value_of(double value, std::optional<double> spread = {}) {
  PublishedConfig published;
  published.is_there = true;
  published.value = value;
  published.spread = spread;
  return published;
}

}  // namespace

FOLDER_TEST_CASE("a row runs over the seeds that it reports, and is compared with its table") {
  const std::string file = folder.write("row.yaml", row_text("  value: 0.5\n  spread: 2\n"));
  const Reproduction none = reproduce(file, {.output = folder.path("v.h5")});
  CHECK(none.verdict.first_seed == 11);
  CHECK(none.verdict.seeds == 3);
  REQUIRE(none.readout() != nullptr);
  CHECK(none.readout()->name == "one");
  std::vector<double> expected;
  for (const char* seed : {"11", "12", "13"}) {
    Experiment experiment = load_experiment(file, {.seed = seed, .output = folder.path("r.h5")});
    expected.push_back(run_hierarchy(experiment, {.overwrite = true}).readouts[1].score.r2);
  }
  CHECK(none.readout()->published->scores == expected);
  CHECK_FALSE(none.line);
  CHECK(none.agrees());
  CHECK(none.standing() == Reproduction::Standing::within);
  CHECK_THAT(none.text(),
             ContainsSubstring("paper      A 1999, Fig. 1\nclaim      it goes\n") &&
                 ContainsSubstring("R2 of readout one over seeds 11 to 13\n") &&
                 StartsWith("comes out  yes: ") &&
                 ContainsSubstring("before     not compared: no line of this row in "));
  const hdf5::File stored = hdf5::File::open(folder.path("v.h5"));
  CHECK(stored.open_group("published").text_attribute("paper") == "A 1999");
  CHECK(stored.open_group("published").number_attribute("value") == 0.5);

  const double mean = none.readout()->published->reached.mean;
  for (const bool is_near : {true, false}) {
    folder.write("table.csv", "row,readout,measure,ours,ours_sd\n\"other, row\",one,R2,0,0\n" +
                                  fmt::format("row,one,R2,{:.6g},{:.6g}\n",
                                              mean + (is_near ? 0.009 : 0.011), 0.01));
    const Reproduction again =
        reproduce(file, {.output = folder.path("v.h5"), .how = {.overwrite = true}});
    REQUIRE(again.line);
    CHECK(again.agrees() == is_near);
    CHECK_SAYS(again.text(), is_near ? "; this mean lies within that spread"
                                     : "; this mean does NOT lie within that spread");
  }
  // Fewer of its seeds, and the short form, which is compared with nothing.
  const Reproduction two =
      reproduce(file, {.seeds = 2, .output = folder.path("v.h5"), .how = {.overwrite = true}});
  CHECK(two.verdict.seeds == 2);
  CHECK(two.readout()->scores[1] == expected[1]);
  const Reproduction quick = reproduce(file, {.is_short = true, .output = folder.path("s.h5")});
  CHECK(quick.verdict.seeds == 2);
  CHECK(quick.readout()->scores[0] != expected[0]);
  CHECK(quick.agrees());
  CHECK_SAYS(quick.text(), "short form its figures say nothing\nrow");
}

FOLDER_TEST_CASE("what a row says about itself is the comment at its top") {
  const std::string file =
      folder.write("row.yaml", "# It goes.\n#\n#   Data: none.\nseed: 1  # no more\n# nor this\n");
  CHECK(head_of_row(file) == "It goes.\n\nData: none.\n");
  CHECK_THROWS_AS(head_of_row(folder.path("none.yaml")), DataError);
}

FOLDER_TEST_CASE("seeds that differ by rounding alone have no spread") {
  const std::string file = folder.write("row.yaml", row_text("  value: 0.5\n  spread: 1e-17\n"));
  CHECK_SAYS(reproduce(file, {.output = folder.path("v.h5")}).text(), "published  0.5 ± 0\n");
}

FOLDER_TEST_CASE("another number of the readout is told where the paper has that") {
  const std::string file =
      folder.write("row.yaml", row_text("  score: nrmse\n  value: 0.1\n  expect: misses\n"));
  const Reproduction again = reproduce(file, {.output = folder.path("v.h5")});
  REQUIRE(again.readout() != nullptr);
  const PublishedScores& published = *again.readout()->published;
  REQUIRE(published.scores.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK_THAT(published.scores[i], WithinAbs(std::sqrt(1.0 - again.readout()->scores[i]), 1e-9));
  }
  CHECK(again.measure() == "nrmse");
  CHECK(again.standing() == Reproduction::Standing::worse);  // a smaller one would be better
  CHECK(again.is_as_expected());
  const hdf5::File stored = hdf5::File::open(folder.path("v.h5"));
  CHECK(stored.open_dataset("readouts/one/published_score").read<double>() == published.scores);
}

TEST_CASE("what comes out is within, better or worse, by the spread or one point") {
  using Standing = Reproduction::Standing;
  const std::vector<double> scores = {0.79, 0.80, 0.81};
  const std::vector<double> frozen = {0.5, 0.5, 0.5};
  CHECK(told(scores, frozen, value_of(0.809)).standing() == Standing::within);
  CHECK(told(scores, frozen, value_of(0.811)).standing() == Standing::worse);
  CHECK(told(scores, frozen, value_of(0.811, 0.02)).standing() == Standing::within);
  CHECK(told(scores, frozen, value_of(0.811, 0.001)).standing() == Standing::worse);
  CHECK(told(scores, frozen, value_of(0.809)).outcome() ==
        "yes: 0.009 below the published figure, within one point");
  CHECK(told(scores, frozen, value_of(0.811, 0.02)).outcome() ==
        "yes: 0.011 below the published figure, within its spread");
  CHECK(told(scores, frozen, value_of(0.811)).outcome() == "no: 0.011 below the published figure");
  CHECK(told(scores, frozen, value_of(0.789)).outcome() ==
        "yes: better than published, 0.011 above");
  CHECK(told(scores, frozen, value_of(0.789)).standing() == Standing::better);
  CHECK(told(scores, frozen, value_of(0.789)).is_as_expected());
  CHECK_FALSE(told(scores, frozen, value_of(0.82)).is_as_expected());
  // A point of what has no end is a hundredth, and of errors too, where less is better.
  CHECK(told({31.0, 32.0}, {8.0, 8.0}, value_of(31.8), "kurtosis").standing() == Standing::within);
  CHECK(told({31.0, 32.0}, {8.0, 8.0}, value_of(31.9), "kurtosis").standing() == Standing::worse);
  CHECK(told({0.2, 0.2}, {0.5, 0.5}, value_of(0.1), "quantisation error").standing() ==
        Standing::worse);
  CHECK(told({0.2, 0.2}, {0.5, 0.5}, value_of(0.21), "quantisation error").standing() ==
        Standing::better);
  CHECK(told({kNoScore, kNoScore}, frozen, value_of(0.1)).standing() == Standing::not_told);
  CHECK_FALSE(told({kNoScore, kNoScore}, frozen, value_of(0.1)).agrees());
}

TEST_CASE(
    "a row that expects to be ahead is so in every seed, of frozen weights and of its rival") {
  PublishedConfig ahead;
  ahead.is_there = true;
  ahead.expect = PublishedConfig::Expect::ahead;
  const std::vector<double> frozen = {0.5, 0.5, 0.5};
  CHECK(told({0.6, 0.7, 0.51}, frozen, ahead).is_as_expected());
  CHECK_FALSE(told({0.6, 0.7, 0.5}, frozen, ahead).is_as_expected());
  ahead.rival = {.is_there = true, .name = "FastICA", .mean = 0.55};
  CHECK(told({0.6, 0.7, 0.56}, frozen, ahead).is_as_expected());
  const Reproduction behind = told({0.6, 0.7, 0.54}, frozen, ahead);
  CHECK_FALSE(behind.is_as_expected());
  CHECK_SAYS(behind.text(), "frozen weights 0.5 ± 0, ahead of it in 3 of 3",
             "FastICA 0.55, ahead of it in 2 of 3",
             "no: not ahead in every seed; the row expects `ahead`");
}

FOLDER_TEST_CASE("rows are found by name, as files, in the folder and around a program") {
  std::filesystem::create_directories(folder.path("share/gaia/experiments/gallery"));
  std::filesystem::create_directories(folder.path("bin"));
  folder.write("share/gaia/experiments/gallery/some_row.yaml", row_text("  value: 1\n"));
  const std::string program = folder.path("bin/gaia");
  CHECK(std::filesystem::equivalent(find_row("some_row", program),
                                    folder.path("share/gaia/experiments/gallery/some_row.yaml")));
  const std::string own = folder.write("own.yaml", row_text("  value: 1\n"));
  CHECK(find_row(own, program) == own);
  CHECK_THROWS_WITH(find_row("some_rew", program),
                    ContainsSubstring("some_rew: no such file, and no row of the gallery (did you "
                                      "mean 'some_row'?)"));
  CHECK_THROWS_AS(reproduce(folder.write("e.yaml",
                                         "experiment: e\ndata: {source: generator, kind: "
                                         "gaussian, spectrum: [1], steps: 9}\nhierarchy: "
                                         "{levels: [{layers: [{type: reactive, size: 1}]}]}\n"),
                            {}),
                  ConfigError);
  CHECK_THROWS_WITH(reproduce(own, {.data = folder.path("")}),
                    ContainsSubstring("the row makes its data itself"));
}

FOLDER_TEST_CASE("a row reads files of the same names in the folder that is given") {
  std::string csv = "a,b,c\n";
  for (int i = 0; i < 300; ++i) {
    csv +=
        fmt::format("{:.4f},{:.4f},{:.4f}\n", std::sin(0.1 * i), std::cos(0.07 * i), std::sin(i));
  }
  folder.write("given.csv", csv);
  std::string text = row_text("  value: 0.5\n  expect: misses\n");
  text.replace(text.find("data: {"), text.find("hierarchy:") - text.find("data: {"),
               "data: {source: file, path: far/away/given.csv}\n");
  text.replace(text.find("latent"), 6, "channel");
  text.replace(text.find("data.steps: 200"), 15, "data.steps: 100");
  const std::string file = folder.write("row.yaml", text);
  CHECK_THROWS_WITH(
      reproduce(file, {.output = folder.path("v.h5")}),
      ContainsSubstring("reads far/away/given.csv, which is not there; --data FOLDER"));
  const Reproduction again =
      reproduce(file, {.data = folder.path("."), .is_short = true, .output = folder.path("v.h5")});
  CHECK(again.verdict.readouts.size() == 2);
}
