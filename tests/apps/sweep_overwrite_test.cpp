// SPDX-License-Identifier: MIT
/// \file
/// gaia sweep --overwrite: what goes on, what is skipped, and when the old result goes.
#include <filesystem>

#include "../../src/core/error.h"
#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "../support/datasets.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Two members, of which the second is the longer.
const std::string kTwo = kMinimal +
                         "output: {representations: {every: 1000}}\n"
                         "sweep:\n"
                         "  data.steps: [300, 400]\n";

/// The same of another seed, the second for minutes where `steps` says so.
std::vector<std::string> anew(const std::string& steps, std::vector<std::string> further) {
  std::vector<std::string> arguments = {
      "sweep", "e.yaml", "--seed", "5", "--set", "sweep={data.steps: [300, " + steps + "]}"};
  arguments.insert(arguments.end(), further.begin(), further.end());
  return arguments;
}

const std::string kEndlessSteps = "900000000";
const std::string kFirst = "results/minimal/member-00000.h5";
const std::string kSecond = "results/minimal/member-00001.h5";

/// A folder with results of another configuration.
void fill(const TempDir& folder) {
  folder.write("e.yaml", kTwo);
  REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q"}).code == 0);
}

std::string config_of(const TempDir& folder, const std::string& result) {
  return hdf5::File::open(folder.path(result)).text_attribute("config").value_or("");
}

/// Whether a run of this result has been laid out.
bool has_begun(const TempDir& folder, const std::string& result) {
  return Running::until([&] {
    return std::filesystem::exists(folder.path(result + ".partial")) &&
           file_text(folder.path(result + ".lock")).rfind("process ", 0) == 0;
  });
}

}  // namespace

FOLDER_TEST_CASE(
    "sweep --overwrite goes on with a member that was cut, and skips what is complete") {
  fill(folder);
  const std::string steps = "3000000";
  REQUIRE(gaia_command(folder, anew(steps, {"-q", "--output", "whole"})).code == 0);

  Finished cut;
  {
    const Running running(folder, anew(steps, {"--overwrite"}));
    REQUIRE(has_begun(folder, kSecond));
    running.signal(SIGTERM);
    cut = running.wait();
  }
  INFO(cut.err);
  REQUIRE(cut.code == 75);
  // The old result is there until the new one is complete, which it is not replaced by unasked.
  CHECK_SAYS(config_of(folder, kSecond), "steps: 400\n");
  const auto run_id = [&](const std::string& path) {
    return hdf5::File::open(folder.path(path)).text_attribute("run_id");
  };
  const auto begun = run_id(kSecond + ".partial");
  const auto first = run_id(kFirst);
  CHECK_SAYS(gaia_command(folder, anew(steps, {"--dry-run"})).out, "\n1,interrupted,");
  const Finished refused = gaia_command(folder, anew(steps, {}));
  CHECK(refused.code == 4);
  CHECK_SAYS(refused.err, "holds 1 result of another configuration");
  CHECK(gaia_command(folder, anew(steps, {"--member", "1"})).code == 4);

  const Finished done = gaia_command(folder, anew(steps, {"--overwrite"}));
  INFO(done.err);
  REQUIRE(done.code == 0);
  CHECK_SAYS(done.err, "to run   1 (1 complete already)");
  CHECK(run_id(kFirst) == first);
  CHECK(run_id(kSecond) == begun);
  CHECK(hdf5::File::open(folder.path(kSecond)).has_attribute("resumed_at"));
  CHECK(difference(datasets_of(folder.path("whole/member-00001.h5")),
                   datasets_of(folder.path(kSecond))) == "");
  CHECK_FALSE(std::filesystem::exists(folder.path(kSecond + ".partial")));
  CHECK_FALSE(std::filesystem::exists(folder.path(kSecond + ".checkpoint.0")));
}

TEST_CASE("sweep --overwrite waits for a member that another replaces, and takes it over") {
  const TempDir folder;
  const TempDir other;
  fill(folder);
  other.write("e.yaml", kTwo);
  const Running holder(folder, anew(kEndlessSteps, {"--overwrite"}));
  REQUIRE(has_begun(folder, kSecond));
  // The old result is no sign that the holder is done.
  const std::vector<std::string> same = {"--overwrite", "--output", folder.path("results/minimal")};
  std::vector<std::string> soon = same;
  soon.insert(soon.end(), {"--max-time", "4s"});
  const Finished early = gaia_command(other, anew(kEndlessSteps, soon));
  INFO(early.err);
  CHECK(early.code == 75);
  CHECK_SAYS(early.err, "1 left: the same command goes on");

  const Running waiting(other, anew(kEndlessSteps, same));
  REQUIRE(Running::until([&] {
    return file_text(other.path("stderr.txt")).find("to run   1 ") != std::string::npos;
  }));
  holder.signal(SIGTERM);
  CHECK(holder.wait().code == 75);
  CHECK(Running::until([&] {
    try {
      return hdf5::File::open(folder.path(kSecond + ".partial")).has_attribute("resumed_at");
    } catch (const DataError&) {
      return false;  // being replaced
    }
  }));
  waiting.signal(SIGTERM);
  CHECK(waiting.wait().code == 75);
}

TEST_CASE("a sweep with --overwrite tells of a member that another has replaced meanwhile") {
  const TempDir folder;
  const TempDir other;
  fill(folder);
  other.write("e.yaml", kTwo);
  const std::string steps = "20000000";
  const std::vector<std::string> same = {"--overwrite", "--progress", "lines", "--output",
                                         folder.path("results/minimal")};
  const Running one(folder, anew(steps, same));
  REQUIRE(has_begun(folder, kSecond));
  const Running two(other, anew(steps, same));
  const Finished first = one.wait();
  const Finished second = two.wait();
  INFO(first.err + second.err);
  CHECK(first.code == 0);
  CHECK(second.code == 0);
  CHECK_SAYS(second.err, "  done elsewhere  ");
  CHECK_SAYS(config_of(folder, kSecond), "steps: " + steps + "\n");
}

FOLDER_TEST_CASE("a result whose replacement failed is in no report and no table of the sweep") {
  folder.write("e.yaml", kMinimal +
                             "sweep:\n  hierarchy.levels[0].layers[0].learning_rate: "
                             "[0.00123, 0.01]\n");
  REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q"}).code == 0);
  // At the first of these rates the weights grow to infinity.
  folder.write("e.yaml", kMinimal +
                             "sweep:\n  hierarchy.levels[0].layers[0].learning_rate: "
                             "[1e6, 0.02]\n");
  REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q", "--overwrite"}).code == 1);
  REQUIRE(std::filesystem::exists(folder.path(kFirst)));  // what there was is not lost
  REQUIRE(std::filesystem::exists(folder.path(kFirst + ".partial")));

  const std::string table = file_text(folder.path("results/minimal/members.csv"));
  CHECK_SAYS(table, "\n0,failed,");
  CHECK_THAT(table, !ContainsSubstring("member-00000.h5"));
  CHECK_SAYS(table, "member-00001.h5");

  const Finished report =
      gaia_command(folder, {"report", "results/minimal", "--output", "page.html"});
  REQUIRE(report.code == 0);
  CHECK_SAYS(report.err,
             "results/minimal: 1 result is left out, since a run of another configuration or of "
             "other data has begun in its place: member-00000.h5");
  const std::string page = file_text(folder.path("page.html"));
  CHECK_SAYS(page, "has begun in its place: member-00000.h5");
  CHECK_THAT(page, !ContainsSubstring("0.00123"));

  std::filesystem::remove(folder.path(kSecond));
  const Finished none =
      gaia_command(folder, {"report", "results/minimal", "--output", "none.html"});
  CHECK(none.code == 3);
  CHECK_SAYS(none.err,
             "got one without any whose place no other run has taken; it has earlier results, "
             "which can be named: member-00000.h5");
}

FOLDER_TEST_CASE("a result of data that have changed is in no report once its new run has begun") {
  const auto rows = [](const std::string& number) {
    std::string text = "x,y\n";
    for (int i = 0; i < 50; ++i) text += number + "," + std::to_string(i % 7) + "\n";
    return text;
  };
  folder.write("d.csv", rows("0.5"));
  folder.write("e.yaml",
               "experiment: minimal\n"
               "data: {source: file, path: d.csv, normalize: none}\n"
               "hierarchy: {levels: [{layers: [{type: hebbian, size: 1, learning_rate: 1e-4}]}]}\n"
               "sweep:\n  hierarchy.levels[0].layers[0].rule: [hebbian, oja]\n");
  REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q"}).code == 0);
  folder.write("d.csv", rows("1e30"));  // with which the weights of both grow to infinity
  REQUIRE(gaia_command(folder, {"sweep", "e.yaml", "-q", "--overwrite"}).code == 1);
  REQUIRE(std::filesystem::exists(folder.path(kFirst)));
  const Finished none =
      gaia_command(folder, {"report", "results/minimal", "--output", "none.html"});
  CHECK(none.code == 3);
  CHECK_SAYS(none.err, "which can be named: member-00000.h5, member-00001.h5");
}
