// SPDX-License-Identifier: MIT
/// \file
/// Tests that nothing scored has been learnt from before: parts of a series, folds, epochs.
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/core/random.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../../support/long_tests.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Rows of white noise; those that `changed` names are others.
std::vector<std::vector<double>> noise(std::size_t rows, std::size_t columns,
                                       const char* stream = "rows") {
  const RandomStream random = RandomStream::named(11, stream);
  std::vector<double> values(rows * columns);
  random.normals(0, values);
  std::vector<std::vector<double>> made;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * columns);
    made.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
  }
  return made;
}

/// With names c0, c1 ... and, as the last column, one called y.
std::string csv_of(const std::vector<std::vector<double>>& rows) {
  std::string text;
  const std::size_t last = rows.front().size() - 1;
  for (std::size_t c = 0; c < last; ++c) text += "c" + std::to_string(c) + ",";
  text += "y\n";
  for (const std::vector<double>& row : rows) {
    for (std::size_t c = 0; c <= last; ++c) {
      text += std::to_string(row[c]) + (c == last ? "\n" : ",");
    }
  }
  return text;
}

struct Ran {
  HierarchySummary summary;
  Datasets datasets;
};

Ran run(const TempDir& folder, const std::string& text) {
  const HierarchySummary summary = run_text(folder, text, {"device=cpu"});
  return {summary, datasets_of(folder.path("r.h5"))};
}

}  // namespace

FOLDER_TEST_CASE("folds of noise do not foresee the mean of the next hundred values") {
  // Level 1 shows the same for a hundred steps, over which the target hardly changes: who has
  // learnt from the steps beside a fold knows its targets.
  folder.write("d.csv", csv_of(noise(4100, 2)));
  const Ran ran = run(folder,
                      "experiment: e\n"
                      "data: {source: file, path: d.csv, columns: [c0], targets: [y]}\n"
                      "hierarchy:\n  levels:\n"
                      "    - layers: [{type: reactive, size: 1}]\n"
                      "    - {temporal_resolution: 100, pooling: concat, layers: [{type: reactive, "
                      "size: 60, activation: tanh}]}\n"
                      "readouts:\n"
                      "  - {name: r, target: {column: y, horizon: 100, mean_over: 100},\n"
                      "     levels: [0, 1], folds: 80, ridge: 0.01}\n"
                      "controls: none\n");
  const ReadoutSummary& readout = ran.summary.readouts.front();
  CHECK(readout.score.tested == 4000);
  CHECK(readout.score.r2 < 0.05);
  CHECK(readout.purge == 1 + 99 + 99 + 100);
  CHECK(readout.purged == 2 * readout.purge);
}

FOLDER_TEST_CASE("in the epochs before the last nothing that is scored is learnt from") {
  // A neuron of 300 inputs learns any 400 numbers by heart, if it sees them often enough.
  folder.write("d.csv", csv_of(noise(400, 301)));
  const Ran ran = run(folder,
                      "experiment: e\n"
                      "data: {source: file, path: d.csv, targets: [y]}\n"
                      "hierarchy:\n  epochs: 100\n  levels:\n    - layers:\n"
                      "        - type: hebbian\n          size: 1\n          rule:\n"
                      "            equations: dw = rate * (target - y) * x\n"
                      "            parameters: {rate: 0.002}\n"
                      "            signals: {target: y}\n"
                      "readouts:\n"
                      "  - {name: r, target: {column: y}, levels: [0], split: 0.6}\n");
  CHECK(ran.summary.readouts.front().score.r2 < 0.05);
  CHECK(ran.summary.steps_done == 40000);
}

TEST_CASE("a change of what comes later changes no prediction before") {
  // Predictions are of the last epoch, in which learning goes on through the test part as well.
  constexpr std::size_t kRows = 300;
  using Rows = std::vector<std::size_t>;
  // The first of these rows are those that the second tick of the test part has not seen.
  const std::vector<std::pair<std::string, Rows>> cases = {
      {"split: 0.5", {150, 185, 280}},
      {"split: {train: 0.4, validation: 0.2, test: 0.4}", {179, 220, 280}}};
  for (const auto& [parts, laters] : cases) {
    for (const std::size_t later : laters) {
      INFO(parts << ", rows from " << later << " on");
      const TempDir folder;
      const std::string text =
          "experiment: e\n"
          "data: {source: file, path: d.csv, window: 3, targets: [y]}\n"
          "hierarchy:\n  epochs: 3\n  levels:\n    - layers:\n        - type: hebbian\n"
          "          size: 1\n          rule:\n"
          "            equations: dw = rate * (target - y) * x\n"
          "            parameters: {rate: 0.01}\n"
          "            signals: {target: y}\n"
          "    - temporal_resolution: 4\n      pooling: mean\n"
          "      layers: [{type: hebbian, size: 1, rule: oja, learning_rate: 0.01}]\n"
          "readouts:\n"
          "  - {name: r, target: {column: y, horizon: 6}, levels: [0, 1], " +
          parts +
          "}\n"
          "  - {name: s, target: {channel: 0, horizon: 2}, levels: [1], split: 0.55}\n"
          "controls: [frozen, same_past, pca, reservoir, window]\n";
      std::vector<std::vector<double>> rows = noise(kRows, 4);
      folder.write("d.csv", csv_of(rows));
      const Ran before = run(folder, text);
      const std::vector<std::vector<double>> others = noise(kRows, 4, "others");
      for (std::size_t row = later; row < kRows; ++row) rows[row] = others[row];
      folder.write("d.csv", csv_of(rows));
      const Ran after = run(folder, text);
      std::size_t compared = 0;
      for (const std::string name : {"r", "s"}) {
        const auto& steps = before.datasets.at("/readouts/" + name + "/step");
        const auto& was = before.datasets.at("/readouts/" + name + "/prediction");
        const auto& is = after.datasets.at("/readouts/" + name + "/prediction");
        REQUIRE(was.size() == is.size());
        for (std::size_t i = 0; i < was.size() && steps[i] + 2.0 < static_cast<double>(later);
             ++i) {
          CHECK(was[i] == is[i]);
          ++compared;
        }
        CHECK(was.back() != is.back());
      }
      CHECK(compared > 0);
      CHECK(before.datasets.at("/readouts/r/weights") == after.datasets.at("/readouts/r/weights"));
    }
  }
}

FOLDER_TEST_CASE("what a fold is scored by reaches nothing that it is predicted from") {
  // Targets are read by nobody else: where those change that the ticks of a fold have, and all that
  // these share a step with, the fold's predictions stay as they are, bit for bit.
  const std::string text =
      "experiment: e\n"
      "data: {source: file, path: d.csv, targets: [y]}\n"
      "hierarchy:\n  epochs: 2\n  levels:\n"
      "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]\n"
      "    - temporal_resolution: 3\n      pooling: mean\n"
      "      layers: [{type: hebbian, size: 1, rule: oja, learning_rate: 0.01}]\n"
      "readouts:\n"
      "  - {name: r, target: {column: y, horizon: 8, mean_over: 12}, levels: [0, 1], folds: 5}\n";
  std::vector<std::vector<double>> rows = noise(208, 3);
  folder.write("d.csv", csv_of(rows));
  const Ran before = run(folder, text);
  const std::vector<double>& was = before.datasets.at("/readouts/r/prediction");
  REQUIRE(was.size() == 200);
  for (const std::size_t fold : {0U, 2U, 4U}) {
    INFO("fold " << fold);
    std::vector<std::vector<double>> changed = rows;
    // Targets are means over the steps t - 3 to t + 8.
    const std::size_t begin = 40 * fold;
    for (std::size_t row = begin < 3 ? 0 : begin - 3; row < begin + 40 + 8; ++row) {
      changed[row][2] += 5.0;
    }
    folder.write("d.csv", csv_of(changed));
    const std::vector<double> is = run(folder, text).datasets.at("/readouts/r/prediction");
    for (std::size_t tick = 0; tick < 200; ++tick) {
      if (tick / 40 == fold) CHECK(was[tick] == is[tick]);
    }
    CHECK(was != is);
  }
}

FOLDER_TEST_CASE("folds in several epochs beside a rule that learns by signals are refused") {
  folder.write("d.csv", csv_of(noise(60, 3)));
  const auto text = [](const std::string& epochs, const std::string& rule, const char* parts) {
    return "experiment: e\n"
           "data: {source: file, path: d.csv, targets: [y]}\n"
           "hierarchy:\n"
           "  epochs: " +
           epochs +
           "\n"
           "  levels:\n"
           "    - layers: [{type: hebbian, size: 1, " +
           rule +
           "}]\n"
           "readouts:\n"
           "  - {name: r, target: {column: y}, levels: [0], " +
           parts + "}\n";
  };
  const std::string by_signals =
      "rule: {equations: 'dw = rate * (target - y) * x', parameters: {rate: 0.01}, "
      "signals: {target: y}}";
  const auto load = [&](const std::string& yaml) { return load_text(folder, yaml); };
  CHECK_THROWS_WITH_TEXT(load(text("2", by_signals, "folds: 3")), ConfigError,
                         "hierarchy.epochs: expected 1 beside readout 'r' with folds, got 2");
  CHECK_THROWS_WITH_TEXT(load(text("2", by_signals, "folds: 3")), ConfigError,
                         "write split in place of folds");
  CHECK_NOTHROW(load(text("1", by_signals, "folds: 3")));
  CHECK_NOTHROW(load(text("2", by_signals, "split: 0.6")));
  CHECK_NOTHROW(load(text("2", "rule: oja, learning_rate: 0.01", "folds: 3")));
}

FOLDER_TEST_CASE("a purge that leaves too little says so, and the way out") {
  folder.write("d.csv", csv_of(noise(60, 3)));
  const auto load = [&](const std::string& readout) {
    return load_text(folder,
                     "experiment: e\n"
                     "data: {source: file, path: d.csv, targets: [y]}\n"
                     "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n"
                     "readouts: [{name: r, target: {column: y, horizon: 8}, levels: [0], " +
                         readout + "}]\n");
  };
  CHECK_THROWS_WITH_TEXT(load("split: 0.2"), ConfigError,
                         "60 steps, 8 ahead, give 0 ticks to train on and 42 to predict");
  CHECK_THROWS_WITH_TEXT(load("split: 0.2"), ConfigError,
                         "10 ticks are left out (purge) since they lie within 10 steps");
  CHECK_THROWS_WITH_TEXT(load("folds: 2, embargo: 40"), ConfigError, "a smaller embargo");
  CHECK_NOTHROW(load("split: 0.3"));
}

FOLDER_TEST_CASE("the verdict says what has read the rows that are scored") {
  folder.write("d.csv", csv_of(noise(200, 3)));
  const auto verdict = [&](const std::string& learning, const std::string& parts) {
    run(folder,
        "experiment: e\n"
        "data: {source: file, path: d.csv, targets: [y]}\n"
        "hierarchy:\n"
        "  learn: " +
            learning +
            "\n"
            "  levels:\n"
            "    - layers: [{type: hebbian, size: 1, rule: oja, learning_rate: 0.01}]\n"
            "readouts:\n"
            "  - {name: r, target: {column: y}, levels: [0], " +
            parts +
            "}\n"
            "  - {name: s, target: {channel: 1, horizon: 1}, levels: [0], " +
            parts + "}\n");
    const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
    return *file.text_attribute("verdict") + "\n" +
           *file.open_group("readouts").open_group("r").text_attribute("verdict");
  };
  const std::string words = "; the levels' own learning has read all rows, those of each fold too";
  CHECK_SAYS(verdict("true", "folds: 4"), words);
  CHECK(verdict("true", "folds: 4").ends_with(words));
  CHECK_THAT(verdict("false", "folds: 4"), !ContainsSubstring("all rows"));
  CHECK_THAT(verdict("true", "split: 0.5"), !ContainsSubstring("all rows"));
}

namespace {

/// Two sittings of eight people, of which each has a face that a channel of noise shows, and a
/// number that nothing tells.
std::string of_people() {
  const std::vector<std::vector<double>> faces = noise(8, 9, "faces");
  const std::vector<std::vector<double>> rows = noise(16 * 20, 8);
  std::string text = "run,person,c0,c1,c2,c3,c4,c5,c6,c7,y\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t person = row / 20 % 8;
    text += std::to_string(row / 20) + "," + std::to_string(person);
    for (std::size_t c = 0; c < 8; ++c) {
      text += "," + std::to_string(faces[person][c] + 0.1 * rows[row][c]);
    }
    text += "," + std::to_string(faces[person][8]) + "\n";
  }
  return text;
}

std::string people(const std::string& path, const std::string& data, const std::string& hierarchy,
                   const std::string& readouts) {
  return "experiment: e\n"
         "data: {source: file, path: " +
         path + ", targets: [y], " + data +
         "}\n"
         "hierarchy:\n" +
         hierarchy +
         "  levels:\n"
         "    - layers: [{type: hebbian, size: 8, rule: oja_subspace, learning_rate: 0.001}]\n"
         "    - temporal_resolution: 3\n      pooling: mean\n"
         "      layers: [{type: hebbian, size: 3, rule: oja_subspace, learning_rate: 0.001}]\n"
         "readouts:\n" +
         readouts;
}

}  // namespace

FOLDER_TEST_CASE("what is known of a person counts for nothing where people are groups") {
  const std::string path = folder.write("d.csv", of_people());
  const auto r2 = [&](const std::string& data, const char* parts) {
    return run(folder, people(path, "columns: [c0, c1, c2, c3, c4, c5, c6, c7], " + data, "",
                              std::string("  - {name: r, target: {column: y}, levels: [0], ridge: "
                                          "0.01, ") +
                                  parts + "}\n"))
        .summary.readouts.front()
        .score.r2;
  };
  const std::string runs = "trials: {column: run}";
  CHECK(r2(runs, "split: 0.5") > 0.9);
  CHECK(r2(runs + ", groups: person", "split: 0.5") < 0.2);
  CHECK(r2(runs, "folds: 4") > 0.9);
  CHECK(r2(runs + ", groups: person", "folds: 4") < 0.2);
}

FOLDER_TEST_CASE("groups that come back are predicted in the order of the rows") {
  const std::string path = folder.write("d.csv", of_people());
  const Ran ran =
      run(folder, people(path, "trials: {column: run}, groups: person", "",
                         "  - {name: r, target: {column: y}, levels: [0], split: 0.25}\n"
                         "  - {name: s, target: {column: y}, levels: [0], folds: 4}\n"));
  // All but the first two, in both sittings; in folds all.
  std::vector<double> expected;
  for (double step = 0; step < 320; ++step) {
    if (std::fmod(step, 160.0) >= 40.0) expected.push_back(step);
  }
  CHECK(ran.datasets.at("/readouts/r/step") == expected);
  REQUIRE(ran.datasets.at("/readouts/s/step").size() == 320);
  CHECK(ran.datasets.at("/readouts/s/step").back() == 319.0);
  CHECK(ran.summary.readouts[0].purged == 0);  // each sitting is a trial of its own
}

FOLDER_TEST_CASE("killed at any step a run over groups that come back goes on to the same bytes") {
  const std::string path = folder.write("d.csv", of_people());
  const Cuts cuts(people(path, "window: 2, groups: person", "  epochs: 2\n",
                         "  - {name: r, target: {column: y, horizon: 1}, levels: [0, 1], split: "
                         "{train: 0.5, validation: 0.25, test: 0.25}}\n"
                         "  - {name: s, target: {column: y}, levels: [1], folds: 3, embargo: 2}\n"
                         "controls: [frozen, same_past, pca, reservoir, window]\n") +
                  "output: {inputs: all}\ncheckpoint: {every: 37}\n");
  // Within the first epoch, where a group begins and ends, and while rows wait for the training.
  cuts.check_goes_on_after(few_or_many<std::set<std::int64_t>>(
      {74, 185, 370, 518}, {37, 74, 148, 185, 296, 333, 370, 444, 481, 518, 592}));
}

FOLDER_TEST_CASE("what learns in the order of the rows needs groups that do not come back") {
  const std::string path = folder.write("d.csv", of_people());
  const auto load = [&](const std::string& data, const std::string& readouts) {
    return load_text(folder, people(path, data, "", readouts));
  };
  const std::string online =
      "  - {name: r, type: online, target: {column: y}, levels: [0], split: 0.5}\n";
  CHECK_THROWS_WITH_TEXT(load("groups: person", online), ConfigError,
                         "readouts[0]: type online learns in the order of the rows, but a group "
                         "that is trained on comes back");
  CHECK_NOTHROW(load("groups: run", online));
  CHECK_THROWS_WITH_TEXT(
      load("trials: {length: 40}, groups: run",
           "  - {name: r, target: {column: y, per: trial}, levels: [0], split: 0.5}\n"),
      ConfigError, "needs trials of one group each");
  const std::string ridge = "  - {name: r, target: {column: y}, levels: [0], split: 0.5}\n";
  const Experiment warned = load("trials: {column: person}", ridge);
  REQUIRE(warned.warnings.size() == 1);
  CHECK(warned.warnings.front() ==
        "data.trials: '0' of column 'person' comes back in row 160 after others, so that rows of "
        "it may be both trained on and tested with; `groups: person` in data keeps them on one "
        "side");
  CHECK(load("trials: {column: person}, groups: person", ridge).warnings.empty());
  CHECK(load("trials: {column: run}", ridge).warnings.empty());
}
