// SPDX-License-Identifier: MIT
/// \file
/// gaia sweep where the data are no longer those that members have read.
#include <filesystem>

#include "../../src/io/hdf5.h"
#include "../../src/io/sha256.h"
#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A CSV file of 300 samples of three channels.
std::string table(int shift) {
  std::string text = "a,b,c\n";
  for (int t = 0; t < 300; ++t) {
    text += std::to_string((t * 7 + shift) % 11) + "," + std::to_string((t * 5 + shift) % 13) +
            "," + std::to_string(t % 3) + "\n";
  }
  return text;
}

const std::string kOfFile =
    "experiment: minimal\n"
    "data: {source: file, path: d.csv, normalize: zscore}\n" +
    kMinimal.substr(kMinimal.find("hierarchy:"));

std::string run_id(const TempDir& folder, const std::string& path) {
  return hdf5::File::open(folder.path(path)).text_attribute("run_id").value_or("");
}

}  // namespace

FOLDER_TEST_CASE("members of data that have changed since are told, not taken for complete") {
  const std::string data = folder.write("d.csv", table(0));
  folder.write("e.yaml", kOfFile + "sweep: {seeds: 2}\n");
  REQUIRE(sweep(folder, {"-q"}).code == 0);
  const std::string before = sha256_of_file(data);
  folder.write("d.csv", table(4));
  folder.write("e.yaml", kOfFile + "sweep: {seeds: 3}\n");

  const Finished refused = sweep(folder, {});
  INFO(refused.err);
  CHECK(refused.code == 4);
  CHECK_SAYS(refused.err,
             "results/minimal holds 2 results, " + member(0) +
                 " the first, of data that have changed since: d.csv has SHA-256 " +
                 sha256_of_file(data) + ", had " + before,
             "use --overwrite to run anew");
  CHECK_FALSE(std::filesystem::exists(folder.path(member(2))));
  const Finished one = sweep(folder, {"--member", "1"});
  CHECK(one.code == 4);
  CHECK_SAYS(one.err, member(1) + " is of data that have changed since: d.csv ");
  CHECK_SAYS(sweep(folder, {"--dry-run"}).out, "\n0,changed,0,", "\n2,missing,2,");
  CHECK_SAYS(gaia_command(folder, {"check", "e.yaml"}).out, "3, 0 complete;");

  // What is of the data as they are stands beside no result of others.
  CHECK(sweep(folder, {"--member", "2", "-q"}).code == 0);
  const Finished collected = sweep(folder, {"--collect"});
  CHECK(collected.code == 0);
  CHECK_SAYS(collected.out, "members  1 of 3 complete; the data of 2 have changed since\n");
  CHECK_SAYS(file_text(folder.path("results/minimal/members.csv")), "\n1,changed,1,",
             "\n2,complete,2,");

  // With --overwrite they are run anew, and only they.
  const std::string third = run_id(folder, member(2));
  CHECK(sweep(folder, {"--overwrite", "-q"}).code == 0);
  CHECK_SAYS(sweep(folder, {"--dry-run"}).out, "\n0,complete,0,", "\n1,complete,1,");
  CHECK(run_id(folder, member(2)) == third);
}

FOLDER_TEST_CASE("members that began with another run notice that it is another now") {
  folder.write("first.yaml", kMinimal);
  const std::vector<std::string> first = {"run",         "first.yaml", "-q",
                                          "--overwrite", "--output",   "first.h5"};
  REQUIRE(gaia_command(folder, first).code == 0);
  std::string text = kMinimal;
  text.insert(text.find("  levels:"), "  from: first.h5\n");
  folder.write("e.yaml", text + "sweep: {data.steps: [200, 250]}\n");
  REQUIRE(sweep(folder, {"-q"}).code == 0);
  CHECK(sweep(folder, {"-q"}).code == 0);
  REQUIRE(gaia_command(folder, first).code == 0);
  const Finished refused = sweep(folder, {});
  INFO(refused.err);
  CHECK(refused.code == 4);
  CHECK_SAYS(refused.err, "changed since: first.h5 has SHA-256 ");
}

FOLDER_TEST_CASE("a member that was cut begins anew where its data have changed, if asked for") {
  folder.write("d.csv", table(0));
  // Long enough to be cut.
  folder.write("e.yaml", kOfFile +
                             "output: {representations: {every: 1000}}\n"
                             "sweep: {hierarchy.epochs: [1000000]}\n");
  Finished cut;
  {
    const Running running(folder, {"sweep", "e.yaml"});
    REQUIRE(Running::until([&] {
      return std::filesystem::exists(folder.path(member(0) + ".partial")) &&
             file_text(folder.path(member(0) + ".lock")).rfind("process ", 0) == 0;
    }));
    running.signal(SIGTERM);
    cut = running.wait();
  }
  INFO(cut.err);
  REQUIRE(cut.code == 75);
  const std::string begun = run_id(folder, member(0) + ".partial");
  CHECK_SAYS(sweep(folder, {"--dry-run"}).out, "\n0,interrupted,");
  folder.write("d.csv", table(4));
  CHECK_SAYS(sweep(folder, {"--dry-run"}).out, "\n0,changed,");
  const Finished refused = sweep(folder, {});
  CHECK(refused.code == 4);
  CHECK_SAYS(refused.err, "of data that have changed since: d.csv ");
  CHECK(run_id(folder, member(0) + ".partial") == begun);
  const Finished anew = sweep(folder, {"--overwrite", "--max-time", "2s"});
  INFO(anew.err);
  CHECK(anew.code == 75);
  CHECK(run_id(folder, member(0) + ".partial") != begun);
}
