// SPDX-License-Identifier: MIT
/// \file
/// A run that diverges tells the first step at which something was not finite, which plain loops
/// find, and a way out that fits its rule.
#include <cmath>

#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/diverged.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/io/output_files.h"
#include "../../../src/learning/weight_domain.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/experiment_text.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

/// A run of one channel of these values under a rule, whose answers show nothing of its weights.
DivergedError diverges(const TempDir& folder, const std::vector<double>& values,
                       const std::string& equations) {
  std::string csv;
  for (const double value : values) csv += std::to_string(value) + "\n";
  folder.write("d.csv", csv);
  const std::string yaml =
      "experiment: e\ndevice: cpu\ndtype: float64\n"
      "data: {source: file, path: d.csv, normalize: none}\nhierarchy:\n"
      "  levels:\n    - layers:\n        - type: hebbian\n          size: 1\n"
      "          init: normal\n"
      "          rule: {equations: \"" +
      equations + "\"}\n";
  Experiment experiment = test::load_text(folder, yaml);
  try {
    run_hierarchy(experiment, {.overwrite = true});
  } catch (const DivergedError& error) {
    return error;
  }
  FAIL("it did not diverge");
  return {"", 0, 0, 0};
}

}  // namespace

FOLDER_TEST_CASE(
    "weights that are NaN from some step on are told at that step, not at the block's end") {
  // w + 1 falls by 3 x at every step and is raised to a power, which below 0 is NaN.
  const std::vector<double> x(200, 0.003);
  const DivergedError error = diverges(folder, x, "y = xx\\ndw = (w + 1)^0.02*0 - 3*x");
  const std::string partial = partial_path(folder.path("r.h5"));
  double w = hdf5::File::open(partial)
                 .open_group("levels/0/layers/0")
                 .open_dataset("weights_initial")
                 .read<double>()
                 .front();
  std::int64_t bad = 0;
  for (; !std::isnan(std::pow(w + 1.0, 0.02)); ++bad) w -= 3.0 * x[static_cast<std::size_t>(bad)];
  REQUIRE(bad > 50);
  REQUIRE(bad < 199);
  CHECK(error.step == bad);
  CHECK(error.level == 0);
  CHECK(error.layer == 0);
  CHECK_SAYS(error.what(),
             "weights of level 0, layer 0 (hebbian [1, 1]) at step " + std::to_string(bad) + "; ");
  // The same stands in the file, which has what it diverged to.
  CHECK(why_failed(partial) == error.what());
  CHECK(std::isnan(hdf5::File::open(partial)
                       .open_group("levels/0/layers/0")
                       .open_dataset("weights")
                       .read<double>()
                       .front()));
}

FOLDER_TEST_CASE("of later trials the step is counted in the trial, and through all") {
  // Infinite in the second trial, whose step 3 reads the number that is too large.
  std::vector<double> x(40, 1.0);
  x[23] = 1e30;
  std::string csv = "v,trial\n";
  for (std::size_t t = 0; t < x.size(); ++t) {
    csv += std::to_string(x[t]) + "," + (t < 20 ? "0" : "1") + "\n";
  }
  folder.write("t.csv", csv);
  const std::string yaml =
      "experiment: e\ndevice: cpu\n"
      "data: {source: file, path: t.csv, columns: [v], trials: {column: trial}, normalize: none}\n"
      "hierarchy:\n  levels:\n    - layers:\n"
      "        - {type: hebbian, size: 1, rule: {equations: \"y = sign(xx)\\ndw = x^2*x\"}}\n";
  Experiment experiment = test::load_text(folder, yaml);
  const DivergedError error =
      gaia::test::thrown_by<DivergedError>([&] { run_hierarchy(experiment); });
  CHECK(error.step == 3);
  CHECK_SAYS(error.what(), "at step 3; ", "through all trials and epochs that is step 23");
}

TEST_CASE("rules that negative weights do not allow say so before they run") {
  const auto need = [](const std::string& equations,
                       std::vector<std::pair<std::string, double>> parameters = {}) {
    return needs_positive_weights(EquationRule(equations, {.parameters = std::move(parameters)}), 3,
                                  2);
  };
  CHECK(need("dw = 0.1*w^0.02*x") == "raises w to the power 0.02");
  CHECK(need("dw = 0.1*x - w^mu", {{"mu", 1.5}}) == "raises w to the power 1.5");
  CHECK(need("dw = 0.1*x - w^mu", {{"mu", 2.0}}).empty());
  CHECK(need("dw = y*log(w)") == "takes the logarithm of w");
  CHECK(need("dw = y*x/sqrt(w)") == "takes the square root of w");
  CHECK(need("dw = 0.1*w^y") == "raises w to a power that changes");
  // Who chooses has thought of it; absolute values and whole powers are always numbers.
  CHECK(need("dw = where(w > 0, w^0.02, 0)").empty());
  CHECK(need("dw = abs(w)^0.02*x").empty());
  CHECK(need("dw = max(w, 0)^0.02*x").empty());
  CHECK(need("dw = 0.1*y*(x - y*w)").empty());

  const TempDir folder;
  const auto warnings = [&](const std::string& keys) {
    const std::string yaml =
        "experiment: e\ndevice: cpu\n"
        "data: {source: generator, kind: ornstein_uhlenbeck, tau: [20], channels: 1, steps: 50}\n"
        "hierarchy:\n  levels:\n    - layers:\n"
        "        - {type: hebbian, size: 1, rule: {equations: \"dw = 0.001*w^0.02\"}" +
        keys + "}\n";
    std::string all;
    for (const std::string& one : test::load_text(folder, yaml).warnings) {
      all += one + "\n";
    }
    return all;
  };
  CHECK_SAYS(warnings(""),
             "hierarchy.levels[0].layers[0]: rule.equations: the rule raises w to the power 0.02, "
             "which negative weights do not allow, and init: he begins with such; begin with init: "
             "uniform within bounds");
  CHECK_SAYS(warnings(", init: uniform, bounds: {low: -1, high: 1}"),
             "init: uniform begins with such");
  CHECK(warnings(", init: uniform, bounds: {low: 0, high: 1}").empty());
  CHECK(warnings(", learn: false").empty());
}
