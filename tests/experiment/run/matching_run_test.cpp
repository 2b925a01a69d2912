// SPDX-License-Identifier: MIT
/// \file
/// Latents and neurons that go together, found once more by plain loops from what the file has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::size_t kLatents = 3;
const std::string kMatched =
    "experiment: matched\nseed: 5\ndtype: float64\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 20, 60], channels: 6,\n"
    "       noise: 0.1, steps: 600, normalize: zscore}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 4, rule: sanger, learning_rate: 0.01}\n"
    "readouts:\n"
    "  - {name: found, type: matching, target: {latent: [0, 1, 2]}, levels: [0], split: 0.5}\n"
    "controls: [frozen, same_past, pca]\n"
    "checkpoint: {every: 50}\n";

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

std::vector<double> column(const std::vector<double>& values, std::size_t width, std::size_t which,
                           std::size_t first) {
  std::vector<double> found;
  for (std::size_t i = first * width + which; i < values.size(); i += width) {
    found.push_back(values[i]);
  }
  return found;
}

struct Best {
  double mean = -1.0;
  double worst = 0.0;
  std::vector<double> pair;
  std::vector<double> r;
};

/// Best of all ways to give each target a neuron of its own.
Best best_of_all(const Datasets& all, std::size_t neurons) {
  const std::vector<double>& targets = all.at("/readouts/found/target");
  const std::size_t rows = targets.size() / kLatents;
  const std::vector<double>& shown = all.at("/levels/0/representation");
  std::vector<std::vector<double>> r(kLatents);
  for (std::size_t k = 0; k < kLatents; ++k) {
    for (std::size_t i = 0; i < neurons; ++i) {
      r[k].push_back(correlation(column(targets, kLatents, k, 0),
                                 column(shown, neurons, i, shown.size() / neurons - rows)));
    }
  }
  std::vector<std::size_t> order(std::max(neurons, kLatents));
  std::iota(order.begin(), order.end(), std::size_t{0});
  Best best;
  do {
    Best one{.mean = 0.0, .worst = 1.0, .pair = {}, .r = {}};
    for (std::size_t k = 0; k < kLatents; ++k) {
      const bool has_one = order[k] < neurons;
      one.pair.push_back(has_one ? static_cast<double>(order[k]) : -1.0);
      one.r.push_back(has_one ? r[k][order[k]] : 0.0);
      one.mean += std::abs(one.r.back()) / kLatents;
      one.worst = std::min(one.worst, std::abs(one.r.back()));
    }
    if (one.mean > best.mean + 1e-12) best = one;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

void check_best(const std::string& file, std::size_t neurons) {
  const Datasets all = datasets_of(file);
  const Best best = best_of_all(all, neurons);
  CHECK(number(file, "readouts/found", "mean_correlation") == Approx(best.mean));
  CHECK(number(file, "readouts/found", "worst_correlation") == Approx(best.worst));
  CHECK(all.at("/readouts/found/pair") == best.pair);
  const std::vector<double>& r = all.at("/readouts/found/correlation");
  REQUIRE(r.size() == kLatents);
  for (std::size_t k = 0; k < kLatents; ++k) CHECK(r[k] == Approx(best.r[k]).margin(1e-12));
}

}  // namespace

TEST_CASE("latents and neurons are matched one to one by the largest sum of |r|") {
  const Cuts cuts(kMatched);
  cuts.run("learnt");
  check_best(cuts.result("learnt"), 4);
  // Its frozen control is the run that never learns.
  const Cuts still(replaced(kMatched, "hierarchy:\n", "hierarchy:\n  learn: false\n"));
  still.run("still");
  check_best(still.result("still"), 4);
  CHECK(number(cuts.result("learnt"), "readouts/found/controls/frozen", "mean_correlation") ==
        number(still.result("still"), "readouts/found", "mean_correlation"));
  for (const std::string control : {"same_past", "pca"}) {
    const double reached =
        number(cuts.result("learnt"), "readouts/found/controls/" + control, "mean_correlation");
    CHECK(reached > 0.0);
    CHECK(reached <= 1.0);
  }
  const hdf5::File file = hdf5::File::open(cuts.result("learnt"));
  const std::string verdict =
      file.open_group("readouts/found").text_attribute("verdict").value_or("");
  CHECK_SAYS(verdict, "mean |r|");
}

TEST_CASE("targets that find no neuron count as 0, which is told") {
  const Cuts cuts(replaced(kMatched, "size: 4", "size: 2"));
  const HierarchySummary summary = cuts.run("few");
  check_best(cuts.result("few"), 2);
  CHECK(number(cuts.result("few"), "readouts/found", "worst_correlation") == 0.0);
  CHECK_SAYS(summary.text(),
             "it reads 2 numbers for 3 targets, so 1 of them stays without one and counts as 0");
}

TEST_CASE("a matching comes to the same bytes wherever the run was killed") {
  const Cuts cuts(kMatched);
  cuts.check_goes_on_after({50, 300, 450});
}

TEST_CASE("matchings are of numbers") {
  const Cuts cuts(replaced(kMatched, "latent: [0, 1, 2]", "label: true"));
  CHECK_SAYS(complaint_of<ConfigError>([&] { cuts.load("wrong"); }), "readouts[0].target",
             "matching is of numbers");
}
