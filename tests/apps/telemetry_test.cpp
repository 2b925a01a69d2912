// SPDX-License-Identifier: MIT
/// \file
/// --telemetry and --metrics of gaia run, resume, sweep and search.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../support/catch.h"
#include "../support/datasets.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const std::string& path) {
  std::istringstream text(file_text(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

/// How many lines there are of each event.
std::map<std::string, int> events_of(const std::vector<Json>& lines) {
  std::map<std::string, int> events;
  for (const Json& line : lines) ++events[line["event"].get<std::string>()];
  return events;
}

}  // namespace

FOLDER_TEST_CASE("a run tells of itself, and its results are those of one that does not") {
  REQUIRE(gaia::test::run(folder, {"-q", "--output", "quiet.h5"}).code == 0);
  REQUIRE(
      gaia::test::run(folder, {"-q", "--output", "told.h5", "--telemetry", "t.jsonl", "--metrics",
                               "m/gaia.prom", "--set", "runtime.telemetry.seconds=0", "--set",
                               "runtime.telemetry.file=unused.jsonl"})
          .code == 0);
  CHECK(difference(datasets_of(folder.path("quiet.h5")), datasets_of(folder.path("told.h5"))) ==
        "");
  const std::vector<Json> lines = lines_of(folder.path("t.jsonl"));
  CHECK_FALSE(std::filesystem::exists(folder.path("unused.jsonl")));
  REQUIRE(lines.size() >= 3);
  CHECK(lines.front()["event"] == "begin");
  CHECK(lines[1]["event"] == "progress");
  CHECK(lines.back()["event"] == "end");
  CHECK(lines.back()["status"] == "complete");
  CHECK(lines.back()["step"] == 300);
  CHECK(lines.back()["steps"] == 300);
  CHECK(lines.back()["file"] == "told.h5");
  CHECK(lines.back()["device"] == "cpu");
  CHECK_SAYS(file_text(folder.path("m/gaia.prom")),
             "gaia_steps_total{experiment=\"minimal\",kind=\"hierarchy\",file=\"told.h5\",device="
             "\"cpu\"} 300.0\n");
  // Once more: the lines are added, the metrics replaced.
  REQUIRE(gaia::test::run(folder, {"-q", "--output", "again.h5", "--telemetry", "t.jsonl",
                                   "--metrics", "m/gaia.prom"})
              .code == 0);
  CHECK(events_of(lines_of(folder.path("t.jsonl")))["begin"] == 2);
  CHECK(file_text(folder.path("m/gaia.prom")).find("told.h5") == std::string::npos);
}

FOLDER_TEST_CASE("a run that fails says why, and one that is refused has touched nothing") {
  const Finished diverged = gaia::test::run(
      folder, {"-q", "--output", "r.h5", "--telemetry", "t.jsonl", "--set",
               "hierarchy.levels[0].layers[0].rule=hebbian", "--set",
               "hierarchy.levels[0].layers[0].learning_rate=10", "--set", "data.steps=3000"});
  CHECK(diverged.code == 8);
  const Json last = lines_of(folder.path("t.jsonl")).back();
  CHECK(last["status"] == "failed");
  CHECK(last["errors"] == 1);
  CHECK_FALSE(last["error"].get<std::string>().empty());
  folder.write("notes.txt", "mine\n");
  for (const char* option : {"--telemetry", "--metrics"}) {
    const Finished refused =
        gaia::test::run(folder, {"-q", "--output", "other.h5", option, "notes.txt"});
    CHECK(refused.code == 4);
    CHECK_SAYS(refused.err, "notes.txt is there and holds no");
    CHECK_FALSE(std::filesystem::exists(folder.path("other.h5")));
  }
  CHECK(file_text(folder.path("notes.txt")) == "mine\n");
}

FOLDER_TEST_CASE("a run that goes on tells of itself too") {
  folder.write("e.yaml", kMinimal);
  CHECK(gaia_command(folder, {"run", "e.yaml", "-q", "--output", "r.h5", "--max-time", "0.000001s"})
            .code == 75);
  REQUIRE(gaia_command(folder, {"resume", "r.h5", "-q", "--telemetry", "t.jsonl"}).code == 0);
  CHECK(lines_of(folder.path("t.jsonl")).back()["status"] == "complete");
  // `runtime` is no part of what a run is of: another one goes on all the same.
  CHECK(gaia_command(folder, {"run", "e.yaml", "-q", "--output", "s.h5", "--max-time", "0.000001s"})
            .code == 75);
  folder.write("e.yaml", kMinimal + "runtime: {threads: 1, telemetry: {file: u.jsonl}}\n");
  REQUIRE(gaia_command(folder, {"resume", "s.h5", "-q"}).code == 0);
  CHECK(lines_of(folder.path("u.jsonl")).back()["status"] == "complete");
}

FOLDER_TEST_CASE("a sweep tells of its members, and they of themselves") {
  folder.write("e.yaml", kMinimal +
                             "runtime: {threads: 1, telemetry: {metrics: gaia.prom}}\n"
                             "sweep:\n"
                             "  hierarchy.levels[0].layers[0].learning_rate: [0.01, 0.02]\n");
  REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q", "--output", "s", "--jobs", "2",
                                "--telemetry", "t.jsonl"})
              .code == 0);
  const std::vector<Json> lines = lines_of(folder.path("t.jsonl"));
  std::map<std::string, int> of_members;
  int ended = 0;
  for (const Json& line : lines) {
    if (line.contains("folder")) {
      ended += line["event"] == "member" ? 1 : 0;
      if (line["event"] == "member") CHECK(line["status"] == "complete");
    } else if (line["event"] == "end") {
      ++of_members[line["member"].get<std::string>()];
    }
  }
  CHECK(ended == 2);
  CHECK(of_members == std::map<std::string, int>{{"0", 1}, {"1", 1}});
  CHECK(lines.back()["event"] == "end");
  CHECK(lines.back()["members"]["ended"] == 2);
  CHECK(lines.back()["errors"] == 0);
  CHECK_SAYS(file_text(folder.path("gaia.prom")), "gaia_members_ended_total{folder=\"s\"} 2.0\n");
  // Another `runtime` makes no other members.
  REQUIRE(
      gaia_command(folder, {"sweep", "e.yaml", "-q", "--output", "s", "--set", "runtime.threads=2"})
          .code == 0);
}

FOLDER_TEST_CASE("a search tells of its members through all generations") {
  folder.write("e.yaml",
               kMinimal +
                   "readouts:\n"
                   "  - {name: now, target: {channel: 0, horizon: 1}, levels: [0, 1],\n"
                   "     split: {train: 0.5, validation: 0.25, test: 0.25}}\n"
                   "search:\n  parameters:\n"
                   "    hierarchy.levels[0].layers[0].learning_rate: {log_range: [1.0e-4, 0.1]}\n"
                   "  objective: {readout: now, score: nrmse}\n"
                   "  population: 4\n  generations: 2\n  seeds: 1\n");
  REQUIRE(gaia_command(folder, {"search", "e.yaml", "-q", "--output", "s", "--jobs", "2",
                                "--telemetry", "t.jsonl", "--metrics", "gaia.prom"})
              .code == 0);
  std::vector<Json> own;
  for (const Json& line : lines_of(folder.path("t.jsonl"))) {
    if (line.contains("folder")) own.push_back(line);
  }
  auto events = events_of(own);
  CHECK(events["begin"] == 1);
  CHECK(events["end"] == 1);
  CHECK(events["member"] >= 9);  // the file's own values, and two generations of four
  CHECK(own.back()["members"]["ended"] == events["member"]);
  CHECK_SAYS(file_text(folder.path("gaia.prom")), "gaia_run_is_alive{folder=\"s\"} 0.0\n");
}
