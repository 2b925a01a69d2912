// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/member_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/sweep/members_together.h"
#include "../../../src/experiment/sweep/sweep.h"
#include "../../../src/io/diverged.h"
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
  run_hierarchy(elsewhere);
  const std::vector<MemberResult> results = run_members(sweep, {0, 1}, options);
  CHECK(results[0].outcome == MemberOutcome::failed);
  CHECK(results[1].outcome == MemberOutcome::elsewhere);
  // One that was there before is left to its process, and not looked at here.
  options.chosen += std::chrono::minutes(1);
  CHECK(run_members(sweep, {1}, options)[0].outcome == MemberOutcome::failed);
}

TEST_CASE("members that run together end as their files tell, and others are run by themselves") {
  const TempDir folder;
  const Sweep sweep(
      folder.write("e.yaml", gaia::test::kMinimal +
                                 "sweep:\n  hierarchy.levels[0].layers[0].learning_rate: "
                                 "[0.01, 0.02, 0.03, 0.04, 0.05]\n"),
      {.output = folder.path("out")});
  // What a process of several leaves: 0 is complete, 1 has diverged, 2 and 3 are not there.
  const std::string made = folder.path("made");
  Experiment complete = sweep.load(0);
  const std::string result = complete.config.output.path;
  run_hierarchy(complete);
  std::filesystem::rename(result, made);
  const std::string partial = sweep.result_path(1) + ".partial";
  const std::string mark = folder.path("diverged");
  std::filesystem::copy(made, mark);
  mark_as_diverged(mark, "NaN");
  // Each call is told in a file: by itself 2 succeeds, and 3 fails.
  const std::string calls = folder.path("calls");
  const std::string script = folder.write(
      "run.sh", "echo \"$@\" >> " + calls + "\ncase $1 in *,*) cp " + made + " " + result +
                    "; cp " + mark + " " + partial + "; exit 9;; 3) exit 5;; esac\n");
  MemberRunOptions options;
  options.command = {"/bin/sh", script};
  options.arguments = [](const std::vector<std::int64_t>& members) {
    return std::vector<std::string>{"of" + std::to_string(members.size())};
  };
  options.together = 4;
  const std::vector<MemberResult> results = run_members(sweep, {0, 1, 2, 3, 4}, options);
  CHECK(results[0].outcome == MemberOutcome::done);
  CHECK(results[1].outcome == MemberOutcome::failed);
  CHECK(results[1].code == options.diverged_code);
  CHECK(results[2].outcome == MemberOutcome::done);
  CHECK(results[3].outcome == MemberOutcome::failed);
  CHECK(results[3].code == 5);
  CHECK(results[4].outcome == MemberOutcome::done);
  std::ifstream file(calls);
  std::vector<std::string> told;
  for (std::string line; std::getline(file, line);) told.push_back(line);
  std::sort(told.begin(), told.end());
  CHECK(told == std::vector<std::string>{"0,1,2,3 of4", "2 of1", "3 of1", "4 of1"});
  options.together = 0;
  CHECK_THROWS_WITH_TEXT(run_members(sweep, {0}, options), ArgumentError,
                         "together: expected at least 1, got 0");
}

TEST_CASE("members of one structure are run together in this process, and others are left") {
  const TempDir folder;
  const Sweep sweep(
      folder.write("e.yaml", gaia::test::kMinimal +
                                 "sweep:\n  hierarchy.levels[0].layers[0].learning_rate: "
                                 "[0.01, 0.02, 0.03]\n"),
      {.output = folder.path("out")});
  Experiment before = sweep.load(1);
  run_hierarchy(before);
  const std::vector<MemberRun> runs = run_members_together(sweep, {0, 1, 2}, {});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].member == 0);
  CHECK(runs[1].member == 2);
  for (const MemberRun& run : runs) {
    REQUIRE(run.outcome.summary);
    CHECK(run.outcome.summary->file == sweep.result_path(run.member));
  }
}
