// SPDX-License-Identifier: MIT
/// \file
/// Runs in which levels hear levels above: what their files hold, and what goes on from these.
#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/estimate.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::string hearing(const std::string& top_down, const std::string& activation = "linear",
                    const std::string& dtype = "float64") {
  return "experiment: hearing\n"
         "seed: 8\n"
         "dtype: " +
         dtype +
         "\n"
         "data: {source: generator, kind: context_values, targets: [wanted], channels: 8,\n"
         "       dwell: 30, steps: 600}\n"
         "hierarchy:\n  freeze_after: 500\n  levels:\n"
         "    - layers: [{type: hebbian, size: 4, rule: oja_subspace, learning_rate: 0.003,\n"
         "                activation: " +
         activation + ",\n                top_down: " + top_down +
         "}]\n"
         "    - temporal_resolution: 4\n      pooling: mean\n"
         "      layers: [{type: hebbian, size: 3, rule: sanger, learning_rate: 0.02}]\n"
         "readouts: [{name: a, target: {column: wanted}, levels: [0], split: 0.7}]\n"
         "controls: none\n"
         "output: {inputs: all, weights: {every: 100}}\n";
}

const std::string kGain = "{from: 1, target: wanted, delay: 2, learning_rate: 0.01}";

std::vector<double> dataset(const std::string& file, const std::string& path) {
  return hdf5::File::open(file).open_dataset(path).read<double>();
}

std::string begins_from(const std::string& yaml, const std::string& file) {
  return replaced(yaml, "hierarchy:\n", "hierarchy:\n  from: " + file + "\n");
}

}  // namespace

TEST_CASE("a results file holds what comes from above") {
  const Cuts cuts(hearing(kGain));
  cuts.run("run");
  const hdf5::File file = hdf5::File::open(cuts.result("run"));
  const hdf5::Group group = file.open_group("levels/0/top_down");
  CHECK(group.integer_attribute("from") == 1);
  CHECK(group.text_attribute("as") == "gain");
  CHECK(group.integer_attribute("delay") == 2);
  CHECK(group.text_attribute("bias") == "true");
  CHECK(group.text_attribute("rule") == "delta");
  CHECK(group.number_attribute("learning_rate") == 0.01);
  CHECK(group.text_attribute("target") == "wanted");
  CHECK(file.open_dataset("levels/0/top_down/weights").shape() == std::vector<std::int64_t>{4, 4});
  CHECK(dataset(cuts.result("run"), "levels/0/top_down/weights_initial") ==
        std::vector<double>(16, 0.0));
  const std::vector<double> v = dataset(cuts.result("run"), "levels/0/top_down/weights");
  CHECK(std::any_of(v.begin(), v.end(), [](double value) { return std::abs(value) > 0.01; }));
  for (const std::string name : {"m", "M"}) {
    const hdf5::Dataset memory = file.open_dataset("levels/0/top_down/memory/" + name);
    CHECK(memory.shape() == std::vector<std::int64_t>{4});
    CHECK(memory.number_attribute("initial") == 1.0);
  }
  // After 0, 100 ... 600 steps, of which the last two are those where nothing learns any more.
  const std::vector<double> history =
      dataset(cuts.result("run"), "levels/0/top_down/history/weights");
  REQUIRE(history.size() == 7 * 16);
  CHECK(std::equal(v.begin(), v.end(), history.end() - 16));
  CHECK(std::equal(history.end() - 32, history.end() - 16, history.end() - 16));
  CHECK_FALSE(hdf5::File::open(cuts.result("run")).has_group("levels/1/top_down"));
}

TEST_CASE("runs whose levels hear others go on bit for bit after a cut") {
  for (const std::string dtype : {"float32", "float64"}) {
    INFO(dtype);
    Cuts(hearing(kGain, "linear", dtype) + "checkpoint: {every: 50}\n")
        .check_goes_on_after({50, 150, 550});
  }
  const auto check = [](const std::string& top_down, const std::string& activation) {
    INFO(top_down);
    Cuts(hearing(top_down, activation) + "checkpoint: {every: 50}\n")
        .check_goes_on_after({150, 450});
  };
  check("{from: 1, as: bias, delay: 3}", "tanh");
  check("{from: 1, as: prior, bias: false}", "softmax");
  check("{from: 1, random: true}", "linear");
}

FOLDER_TEST_CASE(
    "a run begins with the maps of an earlier one, and apply hears what it has learnt") {
  const auto run = [&](const std::string& yaml, const std::string& name) {
    run_text(folder, yaml, {}, name);
    return folder.path(name);
  };
  const std::string first = run(hearing(kGain), "first.h5");
  const std::string next = run(begins_from(hearing(kGain), "first.h5"), "next.h5");
  for (const std::string name : {"weights", "memory/m", "memory/M"}) {
    INFO(name);
    CHECK(dataset(next, "levels/0/top_down/" + name + "_initial") ==
          dataset(first, "levels/0/top_down/" + name));
  }
  CHECK(dataset(next, "levels/0/top_down/weights") != dataset(first, "levels/0/top_down/weights"));
  // A run that had no map, or one of another sort.
  const std::string silent = run(hearing("none"), "silent.h5");
  CHECK(dataset(run(begins_from(hearing(kGain), "silent.h5"), "new.h5"),
                "levels/0/top_down/weights_initial") == std::vector<double>(16, 0.0));
  const auto refused = [&](const std::string& top_down, const std::string& why) {
    INFO(top_down);
    CHECK_THROWS_WITH(load_text(folder, begins_from(hearing(top_down), "first.h5")),
                      ContainsSubstring(why));
  };
  refused("{from: 1, as: bias}", "top_down.as: expected gain, as that of");
  refused("{from: 1, random: true}", "top_down.random: expected false, as that of");
  refused("{from: 1, target: wanted, bias: false}", "its weights are [4, 3], those of");
}

FOLDER_TEST_CASE("gaia check says which levels hear which, and at what pace") {
  const auto talks = [&](const std::string& yaml) {
    return estimate_run(load_text(folder, yaml), false).talks;
  };
  const std::vector<TalkEstimate> gain = talks(hearing(kGain));
  REQUIRE(gain.size() == 1);
  CHECK(gain.front().layer == "hierarchy.levels[0].layers[0]");
  CHECK(gain.front().in_blocks);
  CHECK_SAYS(gain.front().text(),
             "hears level 1 as gain, its map by delta; in blocks, about 40 000");
  const std::vector<TalkEstimate> bias = talks(hearing("{from: 1, as: bias}", "tanh"));
  REQUIRE(bias.size() == 1);
  CHECK_FALSE(bias.front().in_blocks);
  CHECK_SAYS(bias.front().text(), "tick by tick, since td needs the drive");
  const std::string text =
      replaced(replaced(hearing(kGain), "rule: oja_subspace, learning_rate: 0.003",
                        "rule: {equations: 'y = z*(1 + td)\n\n                dw = 0.01*plain*(x - "
                        "plain*w)'}"),
               "                activation: linear,\n", "");
  const std::vector<TalkEstimate> own = talks(text);
  REQUIRE(own.size() == 1);
  CHECK_FALSE(own.front().in_blocks);
  CHECK_SAYS(own.front().text(), "its own text reads td: about 3 800");
  CHECK(talks(hearing("none")).empty());
}
