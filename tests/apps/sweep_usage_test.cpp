// SPDX-License-Identifier: MIT
/// \file
/// gaia sweep where something is amiss: options that exclude each other, folders that are not
/// there, members that cannot be read.
#include <filesystem>

#include "../support/catch.h"
#include "minimal_run.h"

using namespace gaia::test;

namespace {

const std::string kThree = kMinimal + "sweep: {seeds: 3}\n";

}  // namespace

FOLDER_TEST_CASE("options of a sweep that would have no say beside another are wrong usage") {
  folder.write("e.yaml", kThree);
  const std::vector<std::vector<std::string>> pairs = {
      {"--slurm", "--collect"},     {"--slurm", "--dry-run"},      {"--collect", "--dry-run"},
      {"--collect", "--jobs=2"},    {"--collect", "--overwrite"},  {"--dry-run", "--jobs=2"},
      {"--dry-run", "--overwrite"}, {"--member=1", "--jobs=2"},    {"--slurm", "--threads=2"},
      {"--slurm", "--max-time=1h"}, {"--collect", "--max-time=1h"}};
  for (const auto& pair : pairs) {
    const Finished done = sweep(folder, pair);
    INFO(done.err);
    CHECK(done.code == 2);
    for (const std::string& option : pair) {
      CHECK_SAYS(done.err, option.substr(0, option.find('=')));
    }
    CHECK_SAYS(done.err, " excludes ");
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("results")));
}

FOLDER_TEST_CASE("collecting from a folder that is not there names it and makes nothing") {
  folder.write("e.yaml", kThree);
  const Finished done = sweep(folder, {"--collect", "--output", "typo"});
  CHECK(done.code == 2);
  CHECK_SAYS(done.err, "typo: no such folder");
  CHECK_FALSE(std::filesystem::exists(folder.path("typo")));
}

FOLDER_TEST_CASE("a member that cannot be read is told as that, and run anew on request") {
  folder.write("e.yaml", kThree);
  REQUIRE(sweep(folder, {"-q"}).code == 0);
  std::filesystem::resize_file(folder.path(member(1)), 30000);
  folder.write(member(2), "no results");
  for (const auto& [number, arguments] :
       std::vector<std::pair<int, std::vector<std::string>>>{{1, {}}, {2, {"--member", "2"}}}) {
    const Finished refused = sweep(folder, arguments);
    CHECK(refused.code == 4);
    CHECK_SAYS(refused.err, member(number) + " cannot be read",
               "Use --overwrite to run the member anew");
    CHECK_THAT(refused.err, !ContainsSubstring("another configuration"));
  }
  REQUIRE(sweep(folder, {"--collect"}).code == 0);
  CHECK_SAYS(file_text(folder.path("results/minimal/members.csv")), "\n1,damaged,1,",
             "\n2,damaged,2,");
  CHECK(sweep(folder, {"--overwrite", "-q"}).code == 0);
  CHECK_SAYS(sweep(folder, {"--dry-run"}).out, "\n2,complete,2,");
}
