// SPDX-License-Identifier: MIT
#include "../../../src/experiment/setup/chosen_ticks.h"

#include <algorithm>
#include <set>

#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kRows = 400;
constexpr std::int64_t kTrained = 238;  // behind the last step for training

/// A series that says of its first `shown` rows that they are those of its first `period` rows,
/// shown again and again.
class ShownAgain final : public Series {
 public:
  ShownAgain(std::unique_ptr<Series> within, std::int64_t period, std::int64_t shown)
      : within_(std::move(within)), period_(period), shown_(shown) {}
  std::int64_t source_row(std::int64_t row) const override {
    return row < shown_ ? row % period_ : row;
  }
  std::int64_t rows() const override { return within_->rows(); }
  const std::vector<std::string>& channel_names() const override {
    return within_->channel_names();
  }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    within_->read(first, count, out);
  }
  std::vector<SideColumn> side_columns() const override { return within_->side_columns(); }
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    within_->read_with_side(first, count, out, wanted, side);
  }
  const std::vector<std::string>& classes() const override { return within_->classes(); }

 private:
  std::unique_ptr<Series> within_;
  std::int64_t period_;
  std::int64_t shown_;
};

/// A run over data that show their first 150 rows twice, with what was wrong.
struct Run {
  TempDir folder;
  std::vector<std::string> problems = {};

  Experiment load(const std::string& readout, std::int64_t shown) {
    std::string rows = "a,b,kind\n";
    for (std::int64_t i = 0; i < kRows; ++i) {
      rows += std::to_string(0.01 * static_cast<double>(i * i * 37 % 101)) + "," +
              std::to_string(0.01 * static_cast<double>(i * 53 % 89)) + "," +
              (i % 5 == 4   ? ""
               : i % 3 == 0 ? "p"
                            : "q") +
              "\n";
    }
    folder.write("rows.csv", rows);
    Experiment one =
        load_text(folder,
                  "experiment: again\ndtype: float64\n"
                  "data: {source: file, path: rows.csv, columns: [a, b], labels: kind}\n"
                  "hierarchy:\n  levels:\n    - layers:\n"
                  "        - {type: hebbian, size: 5, rule: oja, learning_rate: 0.001}\n"
                  "readouts:\n  - {name: r, target: {label: true}, levels: [0], split: 0.6, " +
                      readout + "}\ncontrols: [same_past]\n");
    one.series = std::make_unique<ShownAgain>(std::move(one.series), 150, shown);
    choose_ticks(one, [&](const std::string& key, const std::string& message) {
      problems.push_back(key + ": " + message);
    });
    return one;
  }

  Datasets of(const std::string& readout, std::int64_t shown = 300) {
    Experiment one = load(readout, shown);
    REQUIRE(problems.empty());
    run_hierarchy(one, {.overwrite = true});
    return datasets_of(folder.path("r.h5"));
  }
};

}  // namespace

TEST_CASE(
    "rows that were shown before the first readout was trained are predicted and not scored") {
  Run run;
  const Datasets all = run.of("type: logistic, scored: unseen");
  const std::vector<double>& steps = all.at("/readouts/r/step");
  const std::vector<double>& scored = all.at("/readouts/r/scored");
  const std::vector<double>& said = all.at("/readouts/r/prediction");
  const std::vector<double>& truth = all.at("/readouts/r/target");
  REQUIRE(steps.size() == 160);
  double right = 0.0;
  double tested = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool counts = steps[i] >= 300 && truth[i] >= 0;
    CHECK(scored[i] == (counts ? 1.0 : 0.0));
    CHECK(said[i] >= 0.0);
    if (!counts) continue;
    tested += 1.0;
    if (said[i] == truth[i]) right += 1.0;
  }
  const hdf5::File file = hdf5::File::open(run.folder.path("r.h5"));
  CHECK(file.open_group("readouts/r").number_attribute("accuracy").value() ==
        Approx(right / tested));
  CHECK(tested == 80);

  Run nothing;
  nothing.load("type: logistic, scored: unseen", kRows);
  REQUIRE(nothing.problems.size() == 1);
  CHECK_SAYS(nothing.problems[0], "readouts[0].scored", "nothing unseen is left to score");
}

TEST_CASE("a row that is shown twice is drawn once, and asked for once") {
  Run run;
  // Every fifth of the first 150 rows has no class.
  const Datasets drawn = run.of("type: logistic, labels: {count: 120}");
  const std::vector<double>& labelled = drawn.at("/readouts/r/labelled_step");
  CHECK(labelled.size() == 120);
  CHECK(*std::max_element(labelled.begin(), labelled.end()) < 150);
  const Datasets named = run.of("type: naming, by: ask");
  const std::vector<double>& asked = named.at("/readouts/r/asked_step");
  CHECK(std::set<double>(asked.begin(), asked.end()).size() == 5);
  for (const double step : asked) CHECK((step >= 0 && step < 150));
  CHECK_FALSE(named.contains("/readouts/r/labelled_step"));

  Run more;
  more.load("type: logistic, labels: {count: 121}", 300);
  REQUIRE(more.problems.size() == 1);
  CHECK_SAYS(more.problems[0], "expected at most the 120 ticks");
}

TEST_CASE("labels are drawn without repetition, each tick as likely as any other") {
  // Over many seeds every tick whose class is known is drawn about as often.
  std::vector<int> drawn(static_cast<std::size_t>(kTrained));
  Run run;
  Experiment one = run.load("type: logistic, labels: {count: 19}", 0);
  constexpr int kSeeds = 300;
  for (int seed = 0; seed < kSeeds; ++seed) {
    one.config.seed = seed;
    choose_ticks(one, [](const std::string&, const std::string&) { FAIL("a problem"); });
    const std::vector<std::int64_t>& ticks = one.config.readouts[0].labelled->ticks;
    REQUIRE(std::set<std::int64_t>(ticks.begin(), ticks.end()).size() == 19);
    CHECK(std::is_sorted(ticks.begin(), ticks.end()));
    for (const std::int64_t tick : ticks) ++drawn[static_cast<std::size_t>(tick)];
  }
  // 191 ticks have a class: 300 · 19 / 191 = 29.8 times each, deviation 5.2.
  for (std::int64_t tick = 0; tick < kTrained; ++tick) {
    const int times = drawn[static_cast<std::size_t>(tick)];
    if (tick % 5 == 4) {
      CHECK(times == 0);
    } else {
      CHECK((times > 6 && times < 54));
    }
  }
}
