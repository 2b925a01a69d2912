// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/member_run.h"

#include <chrono>

#include "../../../src/experiment/run/run.h"
#include "../../../src/experiment/sweep/sweep.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"

using namespace gaia;
using gaia::test::TempDir;

TEST_CASE(
    "a member whose process cannot be started harms no other, and is begun when one has ended") {
  const TempDir folder;
  const Sweep sweep(
      folder.write("e.yaml", gaia::test::kMinimal + "sweep:\n  data.steps: [300, 400]\n"),
      {.output = folder.path("out")});
  MemberRunOptions options;
  options.jobs = 2;
  options.command = {"/bin/sh", "-c", "sleep 0.3; exit 0"};
  // More than the system takes for one text of the environment.
  options.environments = {{}, {{"GAIA_TOO_LONG", std::string(1 << 18, 'x')}}};
  const std::vector<MemberResult> results = run_members(sweep, {0, 1}, options);
  REQUIRE(results.size() == 2);
  for (const MemberResult& result : results) CHECK(result.outcome == MemberOutcome::done);

  options.command = {"/no/such/program"};
  CHECK_THROWS_WITH_TEXT(run_members(sweep, {0, 1}, options), Error, "cannot be started");
}

TEST_CASE("a member that another has run since members were chosen is not begun") {
  const TempDir folder;
  const Sweep sweep(
      folder.write("e.yaml", gaia::test::kMinimal + "sweep:\n  data.steps: [300, 400]\n"),
      {.output = folder.path("out")});
  MemberRunOptions options;
  options.command = {"/bin/sh", "-c", "exit 9"};
  Experiment elsewhere = sweep.load(1);
  run_experiment(elsewhere);
  const std::vector<MemberResult> results = run_members(sweep, {0, 1}, options);
  CHECK(results[0].outcome == MemberOutcome::failed);
  CHECK(results[1].outcome == MemberOutcome::elsewhere);
  // One that was there before is left to its process, and not looked at here.
  options.chosen += std::chrono::minutes(1);
  CHECK(run_members(sweep, {1}, options)[0].outcome == MemberOutcome::failed);
}
