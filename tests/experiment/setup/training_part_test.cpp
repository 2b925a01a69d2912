// SPDX-License-Identifier: MIT
#include "../../../src/experiment/setup/training_part.h"

#include <string>

#include "../../../src/experiment/setup/load.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

/// Levels of resolutions 1 and 4.
const std::string kLevels =
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]\n"
    "    - {temporal_resolution: 4, pooling: mean, layers: [{type: reactive, size: 2}]}\n";

/// Training part of white noise with so many steps.
TrainingPart of_noise(const std::string& steps, const std::string& readouts,
                      const std::string& more = "") {
  return training_part(load_experiment_text(
      "experiment: e\ndata: {source: generator, kind: gaussian, spectrum: [1], steps: " + steps +
          more + "}\n" + kLevels + readouts,
      "e.yaml"));
}

std::string readout(const std::string& keys, const std::string& name = "r") {
  return "  - {name: " + name + ", target: {channel: 0, horizon: 2}, " + keys + "}\n";
}

/// Five trials of 20 rows.
TrainingPart of_trials(const std::string& readouts, const std::string& data = "") {
  const TempDir folder;
  std::string csv = "trial,x\n";
  for (int row = 0; row < 100; ++row) {
    csv += std::to_string(row / 20) + "," + std::to_string(row * row % 17) + "\n";
  }
  folder.write("d.csv", csv);
  return training_part(load_experiment(folder.write(
      "e.yaml", "experiment: e\ndata: {source: file, path: d.csv, trials: {column: trial}" + data +
                    "}\n" + kLevels + readouts)));
}

}  // namespace

TEST_CASE("without a readout that is trained on a part, all steps may be learnt from") {
  for (const std::string& readouts :
       {std::string(), "readouts:\n" + readout("levels: [0], folds: 5")}) {
    const TrainingPart part = of_noise("100", readouts, ", window: 3");
    CHECK(part.is_whole());
    CHECK(part.steps() == Stretches{{0, 100}});
    CHECK(part.rows() == Stretches{{0, 102}});
    CHECK(part.end_step() == 100);
    CHECK(part.has_step(99));
  }
}

TEST_CASE("what learns online has what it skips before it is scored") {
  CHECK(of_noise("100", "readouts:\n" + readout("type: online, levels: [0]")).steps().empty());
  CHECK(of_noise("100", "readouts:\n" + readout("type: online, levels: [0]")).end_step() == 0);
  // 98 ticks have a target: ticks 0 to 8 are skipped.
  CHECK(of_noise("100", "readouts:\n" + readout("type: online, levels: [0], skip: 0.1")).steps() ==
        Stretches{{0, 9}});
}

TEST_CASE("of several trials the training part is that of whole trials") {
  const TrainingPart part =
      of_trials("readouts:\n" + readout("levels: [0, 1], split: 0.6"), ", window: 3");
  CHECK(!part.is_whole());
  CHECK(part.steps() == Stretches{{0, 54}});  // 18 samples a trial
  CHECK(part.rows() == Stretches{{0, 60}});
  CHECK(part.end_step() == 54);
  CHECK(part.has_step(53));
  CHECK(!part.has_step(54));
  CHECK(of_trials("readouts:\n  - {name: r, target: {channel: 0, per: trial}, levels: [0], "
                  "split: 0.6}\n")
            .steps() == Stretches{{0, 60}});
}

TEST_CASE("of several readouts the training part is the earliest") {
  CHECK(of_trials("readouts:\n" + readout("levels: [0], split: 0.6") +
                  readout("levels: [0], split: {train: 0.4, validation: 0.2, test: 0.4}", "s") +
                  readout("levels: [0], folds: 2", "t"))
            .steps() == Stretches{{0, 40}});
}
