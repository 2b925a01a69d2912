// SPDX-License-Identifier: MIT
/// \file
/// What a network on a series with trials is trained and tested with, compared with loops over its
/// rows.
#include "../../../src/experiment/setup/training_data.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/apply_network.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"

using namespace gaia;

namespace {

constexpr std::int64_t kRowsOfWindow = 3;
constexpr std::int64_t kAhead = 2;

/// Row r of trial k is 100 k + r, and its square root.
std::string rows_of(const std::vector<std::int64_t>& lengths) {
  std::string rows = "a,b,run\n";
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    for (std::int64_t r = 0; r < lengths[k]; ++r) {
      const double value = 100.0 * static_cast<double>(k) + static_cast<double>(r);
      rows += std::to_string(value) + "," + std::to_string(std::sqrt(value)) + "," +
              std::to_string(k) + "\n";
    }
  }
  return rows;
}

std::string network_on(const std::string& data, const std::string& more = "") {
  return "experiment: trials\n"
         "dtype: float64\n"
         "data: {source: file, path: " +
         data + ", columns: [a, b], trials: {column: run}, window: 3" + more +
         "}\n"
         "network:\n"
         "  layers: [{type: flatten}, {type: dense, size: 1}]\n"
         "  target: {channel: 0, horizon: 2}\n"
         "  epochs: 2\n"
         "  split: 0.5\n";
}

}  // namespace

FOLDER_TEST_CASE("samples of a network lie within a trial, and so do their targets") {
  const std::vector<std::int64_t> lengths = {9, 5, 4, 12};
  const std::string data = folder.write("d.csv", rows_of(lengths));
  Experiment experiment = test::load_text(folder, network_on(data));
  // There are 2 windows in 4 rows, but no target 2 steps later.
  const SampleCounts counts = sample_counts(experiment);
  CHECK(counts.train == (9 - 4) + (5 - 4));
  CHECK(counts.test == 0 + (12 - 4));
  const TrainingData read = read_training_data(experiment);
  const auto check = [&](const Array& x, const Array& y, std::size_t first, std::size_t last) {
    const std::vector<double> samples = x.to_vector<double>();
    const std::vector<double> targets = y.to_vector<double>();
    std::size_t n = 0;
    for (std::size_t k = first; k < last; ++k) {
      for (std::int64_t t = 0; t + kRowsOfWindow - 1 + kAhead < lengths[k]; ++t, ++n) {
        INFO("trial " << k << ", step " << t);
        REQUIRE(n < targets.size());
        for (std::int64_t i = 0; i < kRowsOfWindow; ++i) {
          const double value = 100.0 * static_cast<double>(k) + static_cast<double>(t + i);
          const auto at =
              static_cast<std::size_t>((static_cast<std::int64_t>(n) * kRowsOfWindow + i) * 2);
          CHECK(samples[at] == Approx(value));
          CHECK(samples[at + 1] == Approx(std::sqrt(value)).margin(1e-6));
        }
        CHECK(targets[n] == Approx(100.0 * static_cast<double>(k) +
                                   static_cast<double>(t + kRowsOfWindow - 1 + kAhead)));
      }
    }
    CHECK(n == targets.size());
  };
  check(read.train_x, read.train_y, 0, 2);
  check(read.test_x, read.test_y, 2, 4);
  // Rows of the whole file: the last trial begins at 18.
  REQUIRE(read.test_rows.size() == 8);
  CHECK(read.test_rows.front() == 18 + kRowsOfWindow - 1);
  CHECK(read.test_rows.back() == 18 + kRowsOfWindow - 1 + 7);
  // Persistence knows the target as it is now.
  CHECK(read.baseline.answers.front() == Approx(300.0 + kRowsOfWindow - 1));
}

FOLDER_TEST_CASE(
    "a network is applied to trials, with an answer for every sample and none across trials") {
  const std::string data = folder.write("d.csv", rows_of({9, 8, 7, 12}));
  test::train_text(folder, network_on(data));
  const std::string other = folder.write("other.csv", rows_of({6, 4}));
  const NetworkApplication made =
      apply_network(folder.path("r.h5"), {.data = other, .output = folder.path("a.h5")});
  CHECK(made.samples == 4 + 2);
  CHECK(made.targets == 2 + 0);
  const hdf5::File file = hdf5::File::open(made.file);
  CHECK(file.open_dataset("test/step").read<std::int64_t>() ==
        std::vector<std::int64_t>{2, 3, 4, 5, 8, 9});
  const auto targets = file.open_dataset("test/target").read<double>();
  CHECK(targets[0] == Approx(4));
  CHECK(targets[1] == Approx(5));
  for (std::size_t i = 2; i < 6; ++i) CHECK(std::isnan(targets[i]));
  // The answers are those of the network by hand.
  const auto weights = file.open_dataset("network/layers/1/weights").read<double>();
  const auto bias = file.open_dataset("network/layers/1/bias").read<double>();
  const auto answers = file.open_dataset("test/prediction").read<double>();
  for (const auto& [sample, first] : {std::pair{0, 0.0}, std::pair{3, 3.0}, std::pair{4, 100.0}}) {
    double y = bias[0];
    for (std::size_t i = 0; i < 3; ++i) {
      const double value = first + static_cast<double>(i);
      y += weights[2 * i] * value + weights[2 * i + 1] * std::sqrt(value);
    }
    CHECK(answers[static_cast<std::size_t>(sample)] == Approx(y).epsilon(1e-6));
  }
}

FOLDER_TEST_CASE("a generator of trials makes as many samples as are asked for") {
  const auto text = [](const std::string& data) {
    return "experiment: trials\n"
           "data: {source: generator, kind: associations, pairs: 4, size: 3" +
           data +
           "}\n"
           "network:\n"
           "  layers: [{type: flatten}, {type: dense, size: 1}]\n"
           "  target: {latent: 0, horizon: 0}\n";
  };
  for (const std::int64_t steps : {7, 12, 30}) {
    for (const std::int64_t window : {1, 2, 5}) {
      INFO(steps << " samples of " << window);
      const Experiment experiment = test::load_text(
          folder,
          text(", steps: " + std::to_string(steps) + ", window: " + std::to_string(window)));
      CHECK(experiment.steps == steps);
      CHECK(experiment.trials.left_out() == 0);
    }
  }
  CHECK_THROWS_WITH_TEXT(test::load_text(folder, text(", steps: 4, window: 6")), ConfigError,
                         "data.window: a window of 6 rows does not fit into the 5 rows of a trial "
                         "of associations");
}
