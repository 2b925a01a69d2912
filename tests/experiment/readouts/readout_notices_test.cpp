// SPDX-License-Identifier: MIT
/// \file
/// What passes in silence otherwise is said of a readout: classes that one part alone has, weights
/// that are all 0, controls without a score.
#include "../../../src/experiment/readouts/readout_notices.h"

#include <cmath>

#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"

using namespace gaia;

namespace {

using Texts = std::vector<std::string>;

ReadoutSolution solution_of(std::vector<double> weights, std::vector<double> shares) {
  return {.weights = std::move(weights), .intercepts = {}, .target_means = std::move(shares)};
}

}  // namespace

TEST_CASE("classes that one part alone has are named") {
  ReadoutScore score{.task = ReadoutTask::classes};
  score.confusion = {3, 1, 0, 0,  //
                     0, 0, 0, 0,  //
                     2, 0, 0, 0,  //
                     0, 1, 0, 0};
  const Texts names = {"rest", "left", "right", "both"};
  CHECK(notices_of(solution_of({1.0}, {0.6, 0.4, 0.0, 0.0}), names, score, {}) ==
        Texts{"classes right, both never occur in the training part, so none of 3 test samples can "
              "be told right; another split or folds may have all classes in both parts",
              "class left never occurs in the test part, so the score says nothing of it"});
  CHECK(notices_of(solution_of({1.0}, {0.5, 0.0, 0.3, 0.2}), names, score, {}).empty());
  CHECK(notices_of(std::nullopt, names, score, {}).empty());
}

TEST_CASE("a readout whose weights are all 0, and a control without a score, are told") {
  const ReadoutScore score{.tested = 5, .nrmse = 1.0, .r2 = 0.0};
  CHECK(notices_of(solution_of({0.0, 0.0}, {1.0}), {}, score, {}).size() == 1);
  CHECK(notices_of(solution_of({0.0, 1e-300}, {1.0}), {}, score, {}).empty());
  ControlScore control;
  control.control = "frozen";
  control.score.undefined = "its predictions are not finite";
  CHECK(notices_of(solution_of({1.0}, {1.0}), {}, score, {control}) ==
        Texts{"its control frozen weights has no score: its predictions are not finite"});
  // If the readout has none itself, that has been said.
  ReadoutScore none = score;
  none.undefined = "the target is constant";
  CHECK(notices_of(solution_of({1.0}, {1.0}), {}, none, {control}).empty());
}

FOLDER_TEST_CASE(
    "what is noticed of a readout is at the end of its run, in the file and in the report") {
  std::string rows = "v,label\n";
  for (int t = 0; t < 300; ++t) {
    const char* const label = t >= 250 ? "late" : t % 2 == 0 ? "a" : "b";
    rows += std::to_string(std::sin(0.3 * t)) + "," + label + "\n";
  }
  folder.write("d.csv", rows);
  const std::string text =
      "experiment: e\ndevice: cpu\n"
      "data: {source: file, path: d.csv, columns: [v], labels: label}\n"
      "hierarchy:\n"
      "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]}]\n"
      "readouts: [{name: which, type: logistic, target: {label: true}, levels: [0], split: 0.7}]\n";
  const HierarchySummary summary = test::run_text(folder, text);
  const std::string sentence =
      "class late never occurs in the training part, so none of 50 test samples can be told right";
  CHECK_SAYS(summary.text(), "warning  readout which: " + sentence);
  const auto noticed =
      hdf5::File::open(folder.path("r.h5")).open_group("readouts/which").texts_attribute("noticed");
  REQUIRE(noticed);
  CHECK_SAYS(noticed->front(), sentence);
  CHECK_SAYS(report_page({folder.path("r.h5")}), "Readout which: " + sentence);
}
