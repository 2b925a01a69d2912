// SPDX-License-Identifier: MIT
/// \file
/// Controls of connections between levels, compared with runs that have them for their own.
#include "../../../src/experiment/readouts/control.h"
#include "../../../src/experiment/readouts/verdict.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A level that hears one above it, over 1 200 steps of which 900 are for learning and training.
const std::string kTalks =
    "experiment: talks\nseed: 5\ndtype: float64\n"
    "data: {source: generator, kind: context_values, targets: [wanted], channels: 8, dwell: 30,\n"
    "       steps: 1200}\n"
    "hierarchy:\n"
    "  schedule: {cosine_to: 900}\n"
    "  levels:\n"
    "    - layers: [{type: hebbian, size: 4, rule: sanger, learning_rate: 0.005,\n"
    "                top_down: {from: 1, target: wanted, learning_rate: 0.01}}]\n"
    "    - temporal_resolution: 4\n      pooling: mean\n"
    "      layers: [{type: hebbian, size: 3, rule: sanger, learning_rate: 0.02}]\n"
    "readouts:\n"
    "  - {name: a, target: {column: wanted}, levels: [0, 1], skip: 0.2, split: 0.75}\n"
    "controls: [silent, random_map]\n";

const std::string kHears =
    ",\n                top_down: {from: 1, target: wanted, learning_rate: 0.01}";

/// Whether readout a has a control, as "readouts/a/controls/silent".
bool has(const std::string& result, const std::string& control) {
  const std::string controls = "readouts/a/controls";
  const hdf5::File file = hdf5::File::open(result);
  return file.open_group("readouts/a").has_group("controls") &&
         file.open_group(controls).has_group(control.substr(controls.size() + 1));
}

std::string verdict_of_file(const std::string& file) {
  return hdf5::File::open(file).open_group("readouts/a").text_attribute("verdict").value_or("");
}

}  // namespace

TEST_CASE("the silent control reaches what the same run reaches without what comes from above") {
  for (const std::string epochs : {"1", "2"}) {
    INFO(epochs << " epochs");
    const std::string talks =
        replaced(kTalks, "  levels:\n", "  epochs: " + epochs + "\n  levels:\n");
    const Cuts cuts(talks);
    cuts.run("talks");
    const Cuts silent(replaced(talks, kHears, ""));
    silent.run("silent");
    const double r2 = number(silent.result("silent"), "readouts/a", "r2");
    CHECK(number(cuts.result("talks"), "readouts/a/controls/silent", "r2") ==
          Approx(r2).epsilon(1e-12));
    CHECK(number(cuts.result("talks"), "readouts/a", "r2") != Approx(r2).epsilon(1e-3));
    // There are no such controls if nobody talks.
    CHECK_FALSE(has(silent.result("silent"), "readouts/a/controls/silent"));
    CHECK_FALSE(has(silent.result("silent"), "readouts/a/controls/random_map"));
  }
}

TEST_CASE("the random_map control reaches what the same run reaches with random: true") {
  for (const std::string epochs : {"1", "2"}) {
    INFO(epochs << " epochs");
    const std::string talks =
        replaced(kTalks, "  levels:\n", "  epochs: " + epochs + "\n  levels:\n");
    const Cuts cuts(talks);
    cuts.run("talks");
    const Cuts random(replaced(talks, "{from: 1, target: wanted, learning_rate: 0.01}",
                               "{from: 1, random: true}"));
    random.run("random");
    const std::string control = "readouts/a/controls/random_map";
    CHECK(number(cuts.result("talks"), control, "r2") ==
          Approx(number(random.result("random"), "readouts/a", "r2")).epsilon(1e-12));
    // What is random itself is not compared with itself, but with silence.
    CHECK_FALSE(has(random.result("random"), control));
    CHECK(has(random.result("random"), "readouts/a/controls/silent"));
  }
}

TEST_CASE("frozen levels hear nothing from maps that begin at 0") {
  const Cuts cuts(replaced(kTalks, "[silent, random_map]", "[frozen]"));
  cuts.run("talks");
  const Cuts silent(replaced(replaced(kTalks, kHears, ""), "[silent, random_map]", "[frozen]"));
  silent.run("silent");
  CHECK(number(cuts.result("talks"), "readouts/a/controls/frozen", "r2") ==
        Approx(number(silent.result("silent"), "readouts/a/controls/frozen", "r2")).epsilon(1e-12));
}

TEST_CASE("controls of levels that talk are run where a level hears another") {
  const std::string unsaid = replaced(kTalks, "controls: [silent, random_map]\n", "");
  using Names = std::vector<std::string>;
  const TempDir folder;
  const auto controls = [&](const std::string& yaml) {
    return load_text(folder, yaml).config.controls;
  };
  CHECK(controls(unsaid) == Names{"frozen", "silent", "random_map", "same_past"});
  CHECK(controls(replaced(unsaid, kHears, "")) == Names{"frozen", "same_past"});
}

TEST_CASE("controls of levels that talk go on bit for bit after a cut") {
  const Cuts cuts(kTalks + "checkpoint: {every: 50}\n");
  cuts.check_goes_on_after({150, 450, 950});
}

TEST_CASE("the verdict says what learning to talk is worth") {
  const Cuts cuts(kTalks);
  cuts.run("talks");
  CHECK_SAYS(verdict_of_file(cuts.result("talks")), "learning");
  const Score talks{"", 0.5, 0.75};
  const Score silent{kSilentLevels, 0.7, 0.51};
  const Score random{kRandomMap, 0.8, 0.36};
  const Score frozen{kFrozenWeights, 0.9, 0.19};
  const Verdict gains = verdict_of(talks, {frozen, random, silent});
  CHECK(gains.learning == Verdict::Learning::gains);
  CHECK_SAYS(gains.text, "learning gains 0.24 over the same levels, silent (R2 0.75 against 0.51)");
  const Verdict loses = verdict_of(silent, {frozen, {kRandomMap, 0.5, 0.75}});
  CHECK(loses.learning == Verdict::Learning::loses);
  CHECK_SAYS(loses.text, "learning loses: the same levels with a random map between them");
}
