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
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

FOLDER_TEST_CASE(
    "a member whose process cannot be started harms no other, and is begun when one has ended") {
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

FOLDER_TEST_CASE("a member that another has run since members were chosen is not begun") {
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

FOLDER_TEST_CASE(
    "members that run together end as their files tell, and others are run by themselves") {
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
  // Each call is noted in a file: by itself 2 succeeds, and 3 fails.
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

FOLDER_TEST_CASE("members of one structure are run together in this process, and others are left") {
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

namespace {

/// A sweep of so many members, and a script that stands in for `gaia sweep`: it is told a member's
/// number.
struct Scripted {
  explicit Scripted(std::int64_t members, const std::string& lines)
      : sweep(folder.write("e.yaml", gaia::test::kMinimal +
                                         "sweep:\n  seeds: " + std::to_string(members) + "\n"),
              {.output = folder.path("out")}) {
    const std::string script =
        folder.write("run.sh", "n=$1\nhere=" + folder.path("") + "\n" + lines);
    options.command = {"/bin/sh", script};
    for (std::int64_t i = 0; i < members; ++i) all.push_back(i);
  }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file(folder.path(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TempDir folder;
  Sweep sweep;
  MemberRunOptions options;
  std::vector<std::int64_t> all;
};

/// Dies, as where memory runs out, if two others are there.
const std::string kTwoAtATime =
    "mkdir $here/one 2>/dev/null && is=one || mkdir $here/two 2>/dev/null && is=${is:-two} || "
    "kill -9 $$\n";

}  // namespace

TEST_CASE("no more members run at a time than memory has room for") {
  // Two have room, by what is foretold of them and a quarter more.
  Scripted two(3, kTwoAtATime + "sleep 0.05\nrmdir $here/$is\n");
  two.options.jobs = 3;
  two.options.needs = [](std::int64_t) { return Needs{.memory_bytes = 900e6}; };
  two.options.memory_bytes = 2.9 * 1.25e9;
  for (const MemberResult& result : run_members(two.sweep, two.all, two.options)) {
    CHECK(result.outcome == MemberOutcome::done);
  }
  // Each takes a little more than half of what there is.
  Scripted one(2, "mkdir $here/here || kill -9 $$\nsleep 0.02\nrmdir $here/here\n");
  one.options.jobs = 2;
  one.options.needs = two.options.needs;
  one.options.memory_bytes = 1.9 * 1.25e9;
  for (const MemberResult& result : run_members(one.sweep, {0, 1}, one.options)) {
    CHECK(result.outcome == MemberOutcome::done);
  }
}

TEST_CASE("what members take that have ended decides how many run at a time from then on") {
  // Nearly nothing is foretold, but each takes 60 MB of 150: after the first only two have room.
  Scripted more(5, kTwoAtATime +
                       "head -c 60000000 /dev/zero | tail -c 60000000 > /dev/null\n"
                       "rmdir $here/$is\n");
  more.options.jobs = 1;
  more.options.most_jobs = 5;
  more.options.memory_bytes = 150e6;
  more.options.needs = [](std::int64_t) { return Needs{.memory_bytes = 1e6}; };
  for (const MemberResult& result : run_members(more.sweep, more.all, more.options)) {
    CHECK(result.outcome == MemberOutcome::done);
  }
  // Much is foretold, and little taken: after the first all run at a time, each waiting for all.
  Scripted less(4,
                "[ $n = 0 ] && exit 0\ntouch $here/here$n\n"
                "while [ ! -e $here/here1 -o ! -e $here/here2 -o ! -e $here/here3 ]; do\n"
                "sleep 0.01; done\n");
  less.options.jobs = 1;
  less.options.most_jobs = 3;
  less.options.memory_bytes = 1e9;
  less.options.needs = [](std::int64_t) { return Needs{.memory_bytes = 700e6}; };
  for (const MemberResult& result : run_members(less.sweep, less.all, less.options)) {
    CHECK(result.outcome == MemberOutcome::done);
  }
}

TEST_CASE("a member that died is tried again by itself, as often as is asked for") {
  const LogCapture log;
  // 0 is killed once, 1 runs out of memory twice, 2 ends with an error, 3 is killed each time.
  Scripted some(5,
                "echo $n >> $here/calls\ntimes=$(grep -c $n $here/calls)\n"
                "case $n$times in 01|3*) kill -9 $$;; 11|12) exit 5;; 2*) exit 1;; esac\n"
                "exit 0\n");
  some.options.retries = 2;
  some.options.jobs = 2;
  const std::vector<MemberResult> results = run_members(some.sweep, some.all, some.options);
  const auto is = [&](std::size_t i, MemberOutcome outcome, int code, std::int64_t retries) {
    return results[i].outcome == outcome && results[i].code == code &&
           results[i].retries == retries;
  };
  CHECK(is(0, MemberOutcome::done, 0, 1));
  CHECK(is(1, MemberOutcome::done, 0, 2));
  CHECK(is(2, MemberOutcome::failed, 1, 0));
  CHECK(is(3, MemberOutcome::failed, 137, 2));
  CHECK(is(4, MemberOutcome::done, 0, 0));
  CHECK(some.lines_of("calls").size() == 10);
  REQUIRE(log.lines.size() == 5);
  CHECK(log.count(LogLevel::warning, "it is tried again, 2 of 2 times") == 2);
  some.options.retries = 0;
  CHECK(run_members(some.sweep, {3}, some.options)[0].retries == 0);
}

TEST_CASE("where much is left, members with the most work begin first") {
  Scripted some(5, "[ $n -gt 1 ] || sleep 0.05\n");
  some.options.jobs = 2;
  // The first member that ends predicts about 1e5 s for the rest.
  const std::vector<double> work = {1.0, 1.0, 1e6, 3e6, 2e6};
  some.options.needs = [&](std::int64_t member) {
    return Needs{.operations = work[static_cast<std::size_t>(member)]};
  };
  std::vector<std::int64_t> begun;
  some.options.arguments = [&](const std::vector<std::int64_t>& members) {
    begun.push_back(members.front());
    return std::vector<std::string>();
  };
  double left = 0.0;
  some.options.on_progress = [&](const MemberProgress& progress) {
    left = std::max(left, progress.seconds_left);
  };
  run_members(some.sweep, some.all, some.options);
  CHECK(begun == std::vector<std::int64_t>{0, 1, 3, 4, 2});
  CHECK(left > 60.0);
}
