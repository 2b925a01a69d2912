// SPDX-License-Identifier: MIT
/// \file
/// Statistics of neurons and weights, found once more by plain loops from what the file has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../src/core/error.h"
#include "../../reference/rows.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::size_t kNeurons = 2;
constexpr std::size_t kInputs = 3;
constexpr std::size_t kRows = 600;
constexpr std::size_t kTrained = 300;
const std::string kMeasured =
    "experiment: measured\nseed: 5\ndtype: float64\n"
    "data: {source: generator, kind: patterns, patterns: [[2, 1, 0], [0, 1, 2], [1, 0, 3]],\n"
    "       rotate: false, noise: 0.3, steps: 600}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 2, rule: sanger, learning_rate: 0.002}\n"
    "readouts:\n"
    "  - {name: tails, type: statistic, of: kurtosis, levels: [0], split: 0.5}\n"
    "  - {name: sparse, type: statistic, of: sparseness, levels: [0], split: 0.5}\n"
    "  - {name: picky, type: statistic, of: selectivity, over: pattern, levels: [0], split: 0.5}\n"
    "  - {name: near, type: statistic, of: quantisation, levels: [0], split: 0.5}\n"
    "  - {name: axes, type: statistic, of: components, levels: [0], split: 0.5}\n"
    "  - {name: span, type: statistic, of: components, subspace: true, levels: [0], split: 0.5}\n"
    "  - {name: apart, type: statistic, of: weights, expected: [0.5, 0.2], places: [1, 3],\n"
    "     levels: [0], split: 0.5}\n"
    "  - {name: chi, type: statistic, of: weights, expected: [1, 0, 0, 0, 1, 0],\n"
    "     deviation: [1, 2, 1, 1, 0.5, 1], levels: [0], split: 0.5}\n"
    "  - {name: pattern, target: {latent: pattern}, levels: [0], split: 0.5}\n"
    "controls: [frozen, same_past, pca]\n"
    "output: {inputs: all}\n"
    "checkpoint: {every: 50}\n";

using Matrix = gaia::test::Rows;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The first two principal components of rows, by powers of their covariance.
Matrix components_of(const Matrix& rows) {
  std::vector<double> mean(kInputs);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < kInputs; ++i) {
      mean[i] += row[i] / static_cast<double>(rows.size());
    }
  }
  Matrix covariance(kInputs, std::vector<double>(kInputs));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < kInputs; ++i) {
      for (std::size_t j = 0; j < kInputs; ++j) {
        covariance[i][j] += (row[i] - mean[i]) * (row[j] - mean[j]);
      }
    }
  }
  Matrix found;
  for (std::size_t k = 0; k < kNeurons; ++k) {
    std::vector<double> v = {0.7, 0.5, -0.3};
    for (int pass = 0; pass < 20000; ++pass) {
      std::vector<double> next(kInputs);
      for (std::size_t i = 0; i < kInputs; ++i) next[i] = dot(covariance[i], v);
      for (const auto& other : found) {
        const double share = dot(next, other);
        for (std::size_t i = 0; i < kInputs; ++i) next[i] -= share * other[i];
      }
      const double length = std::sqrt(dot(next, next));
      for (std::size_t i = 0; i < kInputs; ++i) v[i] = next[i] / length;
    }
    found.push_back(v);
  }
  return found;
}

double kurtosis_of(const Matrix& rows, std::size_t neuron) {
  const auto n = static_cast<double>(rows.size());
  double mean = 0.0;
  double second = 0.0;
  double fourth = 0.0;
  for (const auto& row : rows) mean += row[neuron] / n;
  for (const auto& row : rows) {
    second += std::pow(row[neuron] - mean, 2) / n;
    fourth += std::pow(row[neuron] - mean, 4) / n;
  }
  return fourth / (second * second) - 3.0;
}

double sparseness_of(const Matrix& rows, std::size_t neuron) {
  const auto n = static_cast<double>(rows.size());
  double sum = 0.0;
  double squares = 0.0;
  for (const auto& row : rows) {
    sum += std::abs(row[neuron]);
    squares += row[neuron] * row[neuron];
  }
  return (1.0 - sum / n * (sum / n) / (squares / n)) / (1.0 - 1.0 / n);
}

double selectivity_of(const Matrix& rows, const std::vector<double>& patterns, std::size_t neuron) {
  std::vector<double> sums(3);
  std::vector<double> counts(3);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto pattern = static_cast<std::size_t>(patterns[t]);
    sums[pattern] += rows[t][neuron];
    counts[pattern] += 1.0;
  }
  double most = 0.0;
  double mean = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double answer = std::max(0.0, sums[k] / counts[k]);
    most = std::max(most, answer);
    mean += answer / 3.0;
  }
  return most > 0.0 ? 1.0 - mean / most : 0.0;
}

/// The largest angle between the span of two rows and that of two components in three channels:
/// that of their normals.
double angle_of(const Matrix& weights, const Matrix& components) {
  const auto normal = [](const Matrix& rows) {
    const auto& a = rows[0];
    const auto& b = rows[1];
    std::vector<double> cross = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                 a[0] * b[1] - a[1] * b[0]};
    const double length = std::sqrt(dot(cross, cross));
    for (double& one : cross) one /= length;
    return cross;
  };
  return std::acos(std::abs(dot(normal(weights), normal(components))));
}

double mean_of_neurons(const auto& of) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kNeurons; ++i) sum += of(i) / static_cast<double>(kNeurons);
  return sum;
}

void check_statistics(const std::string& path) {
  const Datasets all = datasets_of(path);
  Matrix shown = rows_of(all.at("/levels/0/representation"), kNeurons);
  Matrix read = rows_of(all.at("/data/samples"), kInputs);
  REQUIRE(shown.size() == kRows);
  REQUIRE(read.size() == kRows);
  // Ticks beside the test part are left out.
  read.resize(kTrained - static_cast<std::size_t>(number(path, "readouts/axes", "purged")));
  const Matrix components = components_of(read);
  shown.erase(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(kTrained));
  const std::vector<double>& patterns = all.at("/readouts/pattern/target");
  REQUIRE(patterns.size() == kRows - kTrained);
  const std::vector<double>& stored = all.at("/levels/0/layers/0/weights");
  const std::vector<double> last(stored.end() - kNeurons * kInputs, stored.end());
  const Matrix weights = rows_of(last, kInputs);

  CHECK(number(path, "readouts/tails", "kurtosis") == Approx(mean_of_neurons([&](std::size_t i) {
                                                        return kurtosis_of(shown, i);
                                                      })).epsilon(1e-10));
  CHECK(all.at("/readouts/tails/of_each")[1] == Approx(kurtosis_of(shown, 1)).epsilon(1e-10));
  CHECK(number(path, "readouts/sparse", "sparseness") == Approx(mean_of_neurons([&](std::size_t i) {
                                                           return sparseness_of(shown, i);
                                                         })).epsilon(1e-10));
  CHECK(number(path, "readouts/picky", "selectivity") == Approx(mean_of_neurons([&](std::size_t i) {
                                                           return selectivity_of(shown, patterns,
                                                                                 i);
                                                         })).epsilon(1e-10));
  CHECK(number(path, "readouts/axes", "cosine") ==
        Approx(mean_of_neurons([&](std::size_t i) {
          return std::abs(dot(weights[i], components[i])) / std::sqrt(dot(weights[i], weights[i]));
        })).epsilon(1e-10));
  CHECK(number(path, "readouts/span", "largest_angle") ==
        Approx(angle_of(weights, components)).epsilon(1e-6));
  const double rms = std::sqrt((std::pow(last[1] - 0.5, 2) + std::pow(last[3] - 0.2, 2)) / 2.0);
  CHECK(number(path, "readouts/apart", "rms_error") == Approx(rms).epsilon(1e-10));
  const std::vector<double> expected = {1, 0, 0, 0, 1, 0};
  const std::vector<double> deviation = {1, 2, 1, 1, 0.5, 1};
  double chi = 0.0;
  for (std::size_t k = 0; k < 6; ++k) chi += std::pow((last[k] - expected[k]) / deviation[k], 2);
  CHECK(number(path, "readouts/chi", "chi_square") == Approx(chi / 6.0).epsilon(1e-10));
}

/// The mean squared distance of the second half of the samples from the nearest of final weights.
double distance_of(const std::string& path) {
  const Datasets all = datasets_of(path);
  const Matrix read = rows_of(all.at("/data/samples"), kInputs);
  const std::vector<double>& stored = all.at("/levels/0/layers/0/weights");
  const Matrix weights =
      rows_of(std::vector<double>(stored.end() - kNeurons * kInputs, stored.end()), kInputs);
  double sum = 0.0;
  for (std::size_t t = kTrained; t < kRows; ++t) {
    double least = 1e9;
    for (const auto& w : weights) {
      double distance = 0.0;
      for (std::size_t i = 0; i < kInputs; ++i) distance += std::pow(read[t][i] - w[i], 2);
      least = std::min(least, distance);
    }
    sum += least / static_cast<double>(kRows - kTrained);
  }
  return sum;
}

}  // namespace

TEST_CASE(
    "statistics are those of what the file has, and the frozen control's those of no learning") {
  const Cuts cuts(kMeasured);
  const HierarchySummary summary = cuts.run("learnt");
  check_statistics(cuts.result("learnt"));
  const Cuts still(replaced(kMeasured, "hierarchy:\n", "hierarchy:\n  learn: false\n"));
  still.run("still");
  check_statistics(still.result("still"));
  CHECK(number(still.result("still"), "readouts/near", "quantisation_error") ==
        Approx(distance_of(still.result("still"))).epsilon(1e-10));
  for (const auto& [name, score] :
       {std::pair("tails", "kurtosis"), std::pair("sparse", "sparseness"),
        std::pair("picky", "selectivity"), std::pair("near", "quantisation_error"),
        std::pair("axes", "cosine"), std::pair("span", "largest_angle"),
        std::pair("apart", "rms_error"), std::pair("chi", "chi_square")}) {
    INFO(name);
    const std::string group = std::string("readouts/") + name;
    CHECK(number(cuts.result("learnt"), group + "/controls/frozen", score) ==
          number(still.result("still"), group, score));
  }
  const hdf5::File file = hdf5::File::open(cuts.result("learnt"));
  CHECK(file.open_group("readouts/tails/controls").has_group("pca"));
  CHECK_FALSE(file.open_group("readouts/axes/controls").has_group("pca"));
  CHECK_SAYS(file.open_group("readouts/axes").text_attribute("verdict").value_or(""), "learning",
             "|cosine|");
  CHECK_SAYS(summary.text(), "kurtosis");
}

TEST_CASE("quantisation is by the weights that no row of the block has changed") {
  const Cuts cuts(replaced(kMeasured, "hierarchy:\n", "hierarchy:\n  freeze_after: 300\n"));
  cuts.run("frozen");
  CHECK(number(cuts.result("frozen"), "readouts/near", "quantisation_error") ==
        Approx(distance_of(cuts.result("frozen"))).epsilon(1e-10));
}

TEST_CASE("statistics come to the same bytes wherever the run was killed") {
  const Cuts cuts(kMeasured);
  cuts.check_goes_on_after({50, 300, 450});
}

TEST_CASE("weights of a statistic are those at the end of its part, whatever comes behind") {
  const std::string cut = "split: {train: 0.5, validation: 0.2, test: 0.1}";
  const std::string ends =
      replaced(replaced(kMeasured, "places: [1, 3],\n     levels: [0], split: 0.5",
                        "places: [1, 3],\n     levels: [0], " + cut),
               "checkpoint: {every: 50}\n", "");
  const Cuts whole(ends);
  whole.run("whole");
  // The validation part ends two ticks before the test part.
  for (const auto& [prefix, steps] : {std::pair("", "480"), std::pair("validation_", "418")}) {
    const Cuts shorter(replaced(replaced(kMeasured, "checkpoint: {every: 50}\n", ""), "steps: 600",
                                std::string("steps: ") + steps));
    shorter.run("shorter");
    CHECK(number(whole.result("whole"), "readouts/apart", std::string(prefix) + "rms_error") ==
          Approx(number(shorter.result("shorter"), "readouts/apart", "rms_error")).epsilon(1e-12));
  }
}

TEST_CASE("statistics that do not fit are errors with their way out") {
  const auto complaint = [](const std::string& from, const std::string& to) {
    const Cuts cuts(replaced(kMeasured, from, to));
    return complaint_of<ConfigError>([&] { cuts.load("wrong"); });
  };
  CHECK_SAYS(complaint("over: pattern", "over: patern"), "readouts[2].over: there is no latent",
             "did you mean 'pattern'?");
  CHECK_SAYS(complaint("over: pattern, ", ""), "readouts[2].of: selectivity is over classes");
  CHECK_SAYS(complaint("of: kurtosis,", "of: kurtosis, target: {channel: 0},"),
             "readouts[0].target: has no place here");
  CHECK_SAYS(complaint("of: kurtosis", "of: curtosis"), "did you mean 'kurtosis'?");
  CHECK_SAYS(
      complaint("size: 2", "size: 4"), "readouts[4].of: level 0 has 4 neurons and reads 3 numbers",
      "readouts[7].expected: level 0 has 12 weights, 4 neurons of 3, got 6; say by `places`");
  CHECK_SAYS(complaint("places: [1, 3]", "places: [1, 6]"),
             "readouts[6].places: there is no weight 6; known: 0 to 5");
  CHECK_SAYS(complaint("expected: [0.5, 0.2], places: [1, 3],\n     ", ""),
             "readouts[6].expected: missing: a list of the 6 weights");
  CHECK_SAYS(complaint("deviation: [1, 2, ", "deviation: [2, "),
             "readouts[7].deviation: expected as many as expected has, 6, got 5");
  CHECK_SAYS(complaint("{type: hebbian, size: 2, rule: sanger, learning_rate: 0.002}",
                       "{type: kalman, model: level}"),
             "readouts[3].of");
}
