// SPDX-License-Identifier: MIT
#include "../../src/report/published.h"

#include <fmt/format.h>

#include <cmath>

#include "../../src/experiment/sweep/seed_verdict.h"
#include "../../src/report/judged.h"
#include "../../src/report/report.h"
#include "../support/catch.h"
#include "../support/experiment_text.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::report;
using Catch::Matchers::WithinAbs;
using gaia::test::TempDir;

namespace {

const std::string kRowText =
    "experiment: row\n"
    "device: cpu\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, noise: 0.1, "
    "steps: 400}\n"
    "hierarchy:\n"
    "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.002}]}]\n"
    "readouts: [{name: one, target: {channel: 1, horizon: 2}, levels: [0]}]\n"
    "published:\n"
    "  paper: A & B 1999\n"
    "  where: Fig. <1>\n"
    "  says: It goes.\n"
    "  value: 0.625\n"
    "  spread: 0.01\n"
    "  differs: shorter\n"
    "  rival: {name: X, mean: 0.5, spread: 0.25}\n";

JudgedRuns judged_of(const TempDir& folder, const std::string& text, const std::string& name) {
  verdict_over_seeds(folder.write("e.yaml", text), {.output = folder.path(name)}, {.seeds = 3});
  return judged_runs(folder.path(name));
}

}  // namespace

FOLDER_TEST_CASE("a verdict has what is published, and its page and picture draw it") {
  const JudgedRuns runs = judged_of(folder, kRowText, "v.h5");
  const ReadoutOverSeeds& readout = runs.all.front().readouts.front();
  REQUIRE(readout.published);
  CHECK(readout.published->value == 0.625);
  CHECK(readout.published->spread == 0.01);
  CHECK(readout.published->reached.mean == readout.spread.mean);
  CHECK_SAYS(judged_figure(runs), "; dashed: the published figure", "ink dashed");
  const std::string page = report_page({folder.path("v.h5")});
  CHECK_SAYS(page,
             "A &amp; B 1999 (Fig. &lt;1&gt;): It goes. This differs: shorter. Measured outside: X "
             "0.5 ± 0.25.",
             "0.625 ± 0.01", "as published",
             "The thick line is the published figure, the grey band its spread.");
  // With nothing published nothing is drawn.
  const JudgedRuns plain =
      judged_of(folder, kRowText.substr(0, kRowText.find("published:")), "p.h5");
  CHECK_FALSE(plain.all.front().readouts.front().published);
  CHECK_THAT(judged_figure(plain),
             !ContainsSubstring("published") && !ContainsSubstring("ink dashed"));
  CHECK_THAT(report_page({folder.path("p.h5")}), !ContainsSubstring("published"));
}

FOLDER_TEST_CASE("a published number by which readouts are not judged has a panel of its own") {
  const JudgedRuns runs = judged_of(folder, kRowText + "  score: nrmse\n", "v.h5");
  const ReadoutOverSeeds& readout = runs.all.front().readouts.front();
  REQUIRE(readout.published);
  REQUIRE(readout.published->scores.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK_THAT(readout.published->scores[i], WithinAbs(std::sqrt(1.0 - readout.scores[i]), 1e-9));
  }
  const std::string figure = judged_figure(runs);
  CHECK_SAYS(figure, "readout one, nrmse");
  CHECK(test::times_in(figure, "ink dashed") == 1);
  CHECK_SAYS(report_page({folder.path("v.h5")}), "id=\"fig-published-0\"",
             "nrmse of one, as published");
}

FOLDER_TEST_CASE("the page of one run has the published figure beside its own") {
  test::run_text(folder, kRowText);
  const Result result(folder.path("r.h5"));
  const auto published = read_published(result);
  REQUIRE(published);
  CHECK(published->readout == "one");  // the first, where none is named
  const std::string page = report_page({folder.path("r.h5")});
  // A key, and a line at the height of the readout, which stands for the NRMSE of that R2.
  CHECK_SAYS(page, ">published</text>", "Measured outside");
}
