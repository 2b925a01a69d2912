// SPDX-License-Identifier: MIT
/// \file
/// Experiments whose levels filter by nonlinear models or by particles: cut and resumed, on any
/// threads, and what is wrong with them, reported where it stands.
#include <string>

#include "../../../src/experiment/run/estimate.h"
#include "../../support/complaint.h"
#include "../../support/replaced.h"
#include "../applied_series.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

// Four trials of 100 rows, so that 200 lies where one begins.
const std::string kNonlinear =
    "experiment: nonlinear\nseed: 5\n"
    "data: {source: file, path: data.csv, columns: [a, b], trials: {column: run}, "
    "normalize: zscore}\n"
    "hierarchy:\n  levels:\n    - layers:\n        - type: extended_kalman\n"
    "          state: |\n"
    "            x = x + v\n"
    "            v = keep*v - sin(x)/10\n"
    "          observation: |\n"
    "            p = x\n"
    "            q = cos(x) + t/1000\n"
    "          parameters: {keep: 0.9}\n"
    "          adapt: R\n"
    "          covariance: true\n"
    "    - temporal_resolution: 2\n      pooling: mean\n      layers:\n"
    "        - {type: unscented_kalman, state: y = tanh(y), observation: z = y*y/2 + y,\n"
    "           observes: [1], kappa: 1.5}\n"
    "    - temporal_resolution: 4\n      layers:\n"
    "        - {type: particle, state: 'u = u/2 + 25*u/(1 + u*u) + 8*cos(1.2*t)',\n"
    "           observation: w = u*u/20, Q: 10, P0: 5, particles: 300}\n"
    "    - temporal_resolution: 4\n      layers:\n"
    "        - {type: particle, model: velocity, particles: 200, resample_below: 1}\n"
    "readouts:\n"
    "  - {name: ahead, target: {channel: 0, horizon: 1}, levels: [0, 3], split: 0.5}\n"
    "output: {inputs: all}\n"
    "checkpoint: {every: 37}\n";

struct Runs : Cuts {
  explicit Runs(const std::string& text) : Cuts(text) {
    std::string data = "a,b,run\n";
    for (std::int64_t t = 0; const std::vector<double>& row : rows(kRows)) {
      data +=
          number_text(row[0]) + "," + number_text(row[1]) + "," + std::to_string(t / 100) + "\n";
      ++t;
    }
    folder().write("data.csv", data);
  }
};

std::string complaint(const std::string& now, const std::string& instead) {
  const Runs other(replaced(kNonlinear, now, instead));
  return complaint_of<ConfigError>([&] { other.load("r"); });
}

}  // namespace

TEST_CASE("nonlinear filters and particles go on bit for bit where the run was cut") {
  const Runs cuts(kNonlinear);
  cuts.check_goes_on_after({37, 111, 200, 370});
  cuts.check_same_on_any_threads();
}

TEST_CASE("a check tells sizes of nonlinear filters, which follow from their texts") {
  const Runs cuts(kNonlinear);
  const std::vector<FilterEstimate> filters = estimate_run(cuts.load("r"), false).filters;
  REQUIRE(filters.size() == 4);
  CHECK(filters[0].text() ==
        "extended_kalman adapting R, 2 states of 2 numbers observed; noise Q 0.01, R 1, which "
        "adapts");
  CHECK(filters[1].text() == "unscented_kalman, 1 state of 1 number observed; noise Q 0.01, R 1");
  CHECK(filters[2].text() ==
        "particle with 300 particles, 1 state of 1 number observed; noise Q 10, R 1");
  CHECK(filters[3].text() ==
        "particle velocity with 200 particles, 2 states of 1 number observed; noise Q 0.01, R 1");
}

TEST_CASE("layers of particles draw numbers of their own, trial after trial") {
  const Runs cuts(replaced(kNonlinear,
                           "{type: particle, model: velocity, particles: 200, "
                           "resample_below: 1}",
                           "{type: particle, model: level, particles: 200}"));
  cuts.run("r");
  const Datasets found = datasets_of(cuts.result("r"));
  const std::vector<double>& means = found.at("/levels/3/representation");
  // Trials of 100 steps have 25 ticks of a level that ticks at every fourth.
  REQUIRE(means.size() == 4 * 25);
  CHECK(means[0] != means[25]);
}

TEST_CASE("what is wrong with a text is told at its key, with line and column") {
  CHECK_SAYS(complaint("v = keep*v - sin(x)/10", "v = kept*v - sin(x)/10"),
             ":10:17: hierarchy.levels[0].layers[0].state: unknown name 'kept'");
  CHECK_SAYS(complaint("q = cos(x) + t/1000", "q = cos(w) + t/1000"),
             ":13:21: hierarchy.levels[0].layers[0].observation: unknown name 'w'");
  CHECK_SAYS(complaint("{keep: 0.9}", "{keep: 0.9, other: 1}"), "parameters.other", "neither");
  CHECK_SAYS(complaint("kappa: 1.5", "adapt: R"),
             "layers[0].adapt: has no place here: unscented_kalman takes its noise as it is given");
  CHECK_SAYS(complaint("resample_below: 1", "adapt: Q"), "has no place here");
  CHECK_SAYS(complaint("resample_below: 1", "smooth: true"), "smoother");
  CHECK_SAYS(complaint("model: velocity", "model: velocity, state: x = x"),
             "exactly one of the keys model, state");
  CHECK_SAYS(complaint("resample_below: 1", "resample_below: 1.5"), "resample_below");
  CHECK_SAYS(complaint("resample_below: 1", "R: 0"), "R");
  // Two numbers are observed, where the layer reads two and its text shows one.
  CHECK_SAYS(complaint("            q = cos(x) + t/1000\n", ""), "observes 1 numbers");
}
