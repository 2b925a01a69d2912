// SPDX-License-Identifier: MIT
#include "../../../src/experiment/setup/first_samples.h"

#include <set>

#include "../../../src/core/random.h"
#include "../../reference/rows.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kText =
    "experiment: first\nseed: 5\n"
    "data: {source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 400, normalize: "
    "zscore}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 7, rule: online_k_means, init: samples}\n"
    "readouts:\n"
    "  - {name: next, target: {channel: 0, horizon: 1}, levels: [0], split: 0.3}\n"
    "output: {inputs: all}\n";

using Row = std::vector<double>;

Datasets results(const std::string& text, const std::string& name = "r") {
  const Cuts cuts(text);
  cuts.run(name);
  return datasets_of(cuts.result(name));
}

const std::string kLayer = "/levels/0/layers/0/";

}  // namespace

TEST_CASE("a layer begins with different samples of the training part, drawn by the seed") {
  const Datasets made = results(kText);
  const std::vector<Row> samples = rows_of(made.at("/data/samples"), 3);
  const std::vector<Row> begun = rows_of(made.at(kLayer + "weights_initial"), 3);
  REQUIRE(begun.size() == 7);
  std::set<std::ptrdiff_t> steps;
  for (const Row& row : begun) {
    steps.insert(std::find(samples.begin(), samples.end(), row) - samples.begin());
  }
  CHECK(steps.size() == 7);
  CHECK(*steps.rbegin() < 116);  // where the readout's training part ends
  CHECK(*steps.rbegin() > 30);
  CHECK(same_bits(made.at(kLayer + "weights_initial"),
                  results(kText).at(kLayer + "weights_initial")));
  CHECK_FALSE(
      same_bits(made.at(kLayer + "weights_initial"),
                results(replaced(kText, "seed: 5", "seed: 6")).at(kLayer + "weights_initial")));
}

TEST_CASE("a layer that ticks seldom begins with what it reads at its ticks") {
  const Datasets made = results(replaced(kText, "    - layers:",
                                         "    - temporal_resolution: 4\n      pooling: mean\n"
                                         "      layers:"));
  const std::vector<Row> samples = rows_of(made.at("/data/samples"), 3);
  std::set<std::size_t> ticks;
  for (const Row& row : rows_of(made.at(kLayer + "weights_initial"), 3)) {
    for (std::size_t t = 0; t < 120; t += 4) {
      Row mean(3, 0.0);
      const std::size_t first = t < 3 ? 0 : t - 3;
      for (std::size_t s = first; s <= t; ++s) {
        for (std::size_t j = 0; j < 3; ++j) {
          mean[j] += samples[s][j] / static_cast<double>(t - first + 1);
        }
      }
      double apart = 0.0;
      for (std::size_t j = 0; j < 3; ++j) apart = std::max(apart, std::abs(mean[j] - row[j]));
      if (apart < 1e-6) ticks.insert(t);
    }
  }
  CHECK(ticks.size() == 7);
}

TEST_CASE("the frozen control begins with the same samples") {
  const auto score = [](const std::string& text, const std::string& path) {
    const Cuts cuts(text);
    cuts.run("r");
    return gaia::test::scores_of(cuts.result("r")).at(path);
  };
  const std::string still = replaced(kText, "hierarchy:\n", "hierarchy:\n  learn: false\n");
  CHECK(score(kText, "/readouts/next/controls/frozen@r2") == score(still, "/readouts/next@r2"));
}

TEST_CASE("a run that begins with samples and is killed goes on to the same bytes") {
  const std::string text = everything("oja", "mean");
  Cuts(replaced(text, "size: 5,", "size: 5, init: samples,")).check_goes_on_after({90, 407});
}

TEST_CASE("what an earlier run has learnt stands in place of samples") {
  const Cuts first(kText);
  first.run("first");
  const Datasets made = results(
      replaced(kText, "hierarchy:\n", "hierarchy:\n  from: " + first.result("first") + "\n"));
  CHECK(same_bits(made.at(kLayer + "weights_initial"),
                  datasets_of(first.result("first")).at(kLayer + "weights")));
}

FOLDER_TEST_CASE("what comes after the training part changes no first weight") {
  const auto begun = [&](const char* name, double after) {
    std::vector<double> numbers(2 * 400);
    RandomStream::named(3, "rows").normals(0, numbers);
    std::string rows = "a,b\n";
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      const double scale = i / 2 < 125 ? 1.0 : after;
      rows += std::to_string(scale * numbers[i]) + "," + std::to_string(numbers[i + 1]) + "\n";
    }
    const std::string text =
        replaced(kText, "source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 400",
                 "source: file, path: " + folder.write(name, rows));
    return results(text).at(kLayer + "weights_initial");
  };
  CHECK(same_bits(begun("one.csv", 1.0), begun("other.csv", -5.0)));
}

FOLDER_TEST_CASE("samples that come again are taken once") {
  std::string rows = "a,b\n";
  for (int i = 0; i < 300; ++i)
    rows += std::to_string(i % 5) + "," + std::to_string(-(i % 5)) + "\n";
  const std::string path = folder.write("rows.csv", rows);
  std::string text = replaced(kText,
                              "{source: generator, kind: gaussian, spectrum: [2, 1, 0.5], "
                              "steps: 400, normalize: zscore}",
                              "{source: file, path: " + path + "}");
  const Datasets made = results(replaced(text, "size: 7", "size: 5"));
  std::set<double> found;
  for (const Row& row : rows_of(made.at(kLayer + "weights_initial"), 2)) {
    CHECK(row[1] == -row[0]);
    found.insert(row[0]);
  }
  CHECK(found == std::set<double>{0, 1, 2, 3, 4});
  CHECK_SAYS(complaint_of<DataError>([&] { results(text); }),
             "hierarchy.levels[0].layers[0].init: samples: expected 7 different rows of the "
             "training part, one for each neuron, got 5 of 86 ticks");
}

TEST_CASE("samples that are not known before a run are refused") {
  const auto complaint = [](const std::string& text) {
    return complaint_of<ConfigError>([&] { Cuts(text).load("r"); });
  };
  CHECK_SAYS(complaint(replaced(kText, "size: 7,", "size: 700,")),
             "hierarchy.levels[0].layers[0].init: samples: the training part has 116 ticks, fewer "
             "than the 700 neurons");
  const std::string above =
      "        - {type: reactive, size: 4}\n        - {type: hebbian, size: 7,";
  CHECK_SAYS(complaint(replaced(kText, "        - {type: hebbian, size: 7,", above)),
             "hierarchy.levels[0].layers[1].init: samples are rows of what a layer reads, and what "
             "lies above other layers");
  CHECK_SAYS(complaint(replaced(kText, "type: hebbian, size: 7, rule: online_k_means",
                                "type: reactive, size: 7")),
             "unknown init 'samples'; known: he");
}
