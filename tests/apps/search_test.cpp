// SPDX-License-Identifier: MIT
/// \file
/// gaia search: jobs and shards, being killed and going on, what it says.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../support/catch.h"
#include "../support/datasets.h"
#include "minimal_run.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::string kReadout = kMinimal +
                             "readouts:\n"
                             "  - {name: now, target: {channel: 0, horizon: 1}, levels: [0, 1],\n"
                             "     split: {train: 0.5, validation: 0.25, test: 0.25}}\n";
const std::string kRates =
    "search:\n  parameters:\n"
    "    hierarchy.levels[0].layers[0].learning_rate: {log_range: [1.0e-4, 0.1]}\n"
    "    hierarchy.levels[1].layers[1].learning_rate: {log_range: [1.0e-5, 0.01]}\n"
    "  objective: {readout: now, score: nrmse}\n";
const std::string kSearch = kReadout + kRates +
                            "  population: 4\n"
                            "  generations: 2\n"
                            "  seeds: 2\n";
constexpr int kMembers = (1 + 8 + 8) * 2;

Finished search(const TempDir& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"search", "e.yaml"});
  return gaia_command(folder, arguments);
}

std::string member(const TempDir& folder, const std::string& output, int number) {
  return folder.path(output + "/member-" + std::string(number < 10 ? "0000" : "000") +
                     std::to_string(number) + ".h5");
}

/// Whether two folders hold the same candidates, the same numbers and the same best.
void check_same_search(const TempDir& folder, const std::string& a, const std::string& b) {
  for (int i = 0; i < kMembers; ++i) {
    INFO("member " << i);
    REQUIRE(std::filesystem::exists(member(folder, b, i)));
    CHECK(difference(datasets_of(member(folder, a, i)), datasets_of(member(folder, b, i))) == "");
  }
  CHECK(file_text(folder.path(a + "/history.csv")) == file_text(folder.path(b + "/history.csv")));
  const auto best = [&](const std::string& output) {
    std::string text = file_text(folder.path(output + "/best.yaml"));
    const std::size_t at = text.find("path: " + output);
    REQUIRE(at != std::string::npos);
    return text.replace(at, 6 + output.size(), "path: ");
  };
  CHECK(best(a) == best(b));
}

}  // namespace

FOLDER_TEST_CASE("a search tells what it found beside the file's own values and random search") {
  folder.write("e.yaml", kSearch);
  const Finished done = search(folder, {});
  INFO(done.err);
  REQUIRE(done.code == 0);
  CHECK_SAYS(done.err, "8 candidates by CMA-ES over ",
             "small validation nrmse of readout now, mean of 2 seeds",
             "generation   1  9 candidates in all  best ",
             "at random  17 candidates in all  best ");
  for (const char* line : {"own              0  ", "random ", "found ", "What was found is ",
                           "ended    all evaluations are done\n", "best.yaml\n"}) {
    CHECK_SAYS(done.out, line);
  }
  const hdf5::File file = hdf5::File::open(member(folder, "results/minimal", 3));
  CHECK(file.integer_attribute("seed") == 1);
  CHECK(file.open_group("sweep").integer_attribute("member") == 3);
  CHECK_SAYS(*file.text_attribute("command_line"), "--member 2,3,4,5,6,7,8,9 --values=");

  // What it found runs as it stands; the folder has a report.
  REQUIRE(gaia_command(folder, {"run", "results/minimal/best.yaml", "-q"}).code == 0);
  CHECK(std::filesystem::exists(folder.path("results/minimal/best.h5")));
  REQUIRE(gaia_command(folder, {"report", "results/minimal", "--output", "r.html"}).code == 0);
  CHECK_SAYS(file_text(folder.path("r.html")), "id=\"fig-convergence\"");
  // Members are compared by what they are chosen by, which is not the test part.
  CHECK_SAYS(file_text(folder.path("r.html")), "median validation ");

  // Once more: nothing is run again.
  const auto written = std::filesystem::last_write_time(member(folder, "results/minimal", 3));
  const Finished again = search(folder, {"-q"});
  CHECK(again.code == 0);
  CHECK_SAYS(again.out, "files    results/minimal/best.yaml");
  CHECK(again.err.empty());
  CHECK(std::filesystem::last_write_time(member(folder, "results/minimal", 3)) == written);

  // Another section is another search, whose members are not replaced unasked.
  const Finished other = search(folder, {"--set", "search.population=5"});
  CHECK(other.code == 4);
  CHECK_SAYS(other.err, "of another configuration");
  CHECK(search(folder, {"--set", "search.population=5", "--overwrite", "-q"}).code == 0);
}

FOLDER_TEST_CASE("candidates are the same however they are dealt, and after being killed") {
  folder.write("e.yaml", kSearch);
  {
    const Running first(folder, {"search", "e.yaml", "--output", "shards", "--shard", "0/2", "-q"});
    const Running second(folder,
                         {"search", "e.yaml", "--output", "shards", "--shard", "1/2", "-q"});
    CHECK(first.wait().code == 0);
    CHECK(second.wait().code == 0);
  }
  for (const auto& [number, jobs] : {std::pair(SIGKILL, "1"), std::pair(SIGTERM, "4")}) {
    const std::string output = "cut" + std::to_string(number);
    const Running running(folder, {"search", "e.yaml", "--output", output, "-q", "--jobs", jobs});
    Running::until([&] { return std::filesystem::exists(member(folder, output, 6)); });
    running.signal(number);
    const int code = running.wait().code;
    CHECK((number == SIGKILL ? code == 128 + SIGKILL : code == 75));
    CHECK_FALSE(std::filesystem::exists(folder.path(output + "/history.csv")));
    REQUIRE(search(folder, {"--output", output, "-q", "--jobs", jobs}).code == 0);
    check_same_search(folder, "shards", output);
  }
}

FOLDER_TEST_CASE("gaia check tells what a search will need, and finds ranges that reach too far") {
  folder.write("e.yaml", kSearch);
  const Finished checked = gaia_command(folder, {"check", "e.yaml"});
  INFO(checked.err);
  REQUIRE(checked.code == 0);
  CHECK_SAYS(checked.out, "runs     about 34, 2 seeds for each candidate");
  const auto json = nlohmann::json::parse(gaia_command(folder, {"check", "e.yaml", "--json"}).out);
  CHECK(json[0]["runs"] == kMembers);
  CHECK(json[0]["searched"].size() == 2);

  const std::vector<std::string> bad = {
      "--set",
      "search.parameters={\"hierarchy.levels[0].layers[0].size\": {range: [0, 3], "
      "integer: true}}"};
  for (const char* verb : {"check", "search"}) {
    std::vector<std::string> words = {verb, "e.yaml"};
    words.insert(words.end(), bad.begin(), bad.end());
    const Finished done = gaia_command(folder, words);
    CHECK(done.code == 2);
    CHECK_SAYS(done.err, "hierarchy.levels[0].layers[0].size: expected an");
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("results")));
  CHECK_SAYS(search(folder, {"--slurm", "--jobs", "2"}).out, "#SBATCH --array=0-7\n");
  CHECK(search(folder, {"--values", "1,2"}).code == 2);
  CHECK(search(folder, {"--slurm", "--shard", "0/2"}).code == 2);
}

FOLDER_TEST_CASE("a search stops at a member that fails for another reason than divergence") {
  folder.write("e.yaml", kSearch);
  // A folder where a result should go.
  std::filesystem::create_directories(member(folder, "results/minimal", 4));
  const Finished done = search(folder, {});
  CHECK(done.code != 0);
  CHECK(done.code != 75);
  CHECK_FALSE(std::filesystem::exists(folder.path("results/minimal/history.csv")));
  std::filesystem::remove(member(folder, "results/minimal", 4));
  CHECK(search(folder, {"-q"}).code == 0);
}

FOLDER_TEST_CASE("halving comes to the same for any number of jobs, and after a kill") {
  folder.write("e.yaml", kReadout + kRates +
                             "  method: random\n  evaluations: 8\n  seeds: 2\n"
                             "  halving: {factor: 2, rungs: 3}\n");
  REQUIRE(search(folder, {"--output", "one", "--jobs", "1", "-q"}).code == 0);
  REQUIRE(search(folder, {"--output", "three", "--jobs", "3", "-q"}).code == 0);
  {
    const Running running(folder, {"search", "e.yaml", "--output", "killed", "--jobs", "2", "-q"});
    Running::until([&] { return std::filesystem::exists(member(folder, "killed", 19)); });
    running.signal(SIGKILL);
    CHECK(running.wait().code == 128 + SIGKILL);
  }
  REQUIRE(search(folder, {"--output", "killed", "--jobs", "2", "-q"}).code == 0);
  const std::string history = file_text(folder.path("one/history.csv"));
  CHECK(std::count(history.begin(), history.end(), '\n') == 1 + 1 + 8 + 4 + 2);
  CHECK(file_text(folder.path("three/history.csv")) == history);
  CHECK(file_text(folder.path("killed/history.csv")) == history);
  for (int i = 0; i < (1 + 8 + 4 + 2) * 2; ++i) {
    INFO("member " << i);
    CHECK(difference(datasets_of(member(folder, "one", i)),
                     datasets_of(member(folder, "three", i))) == "");
  }
  const Finished wrong =
      search(folder, {"--output", "one", "--member", "2", "--values", "0.01,0.001", "--rung", "9"});
  CHECK(wrong.code == 2);
  CHECK_SAYS(wrong.err, "--rung: expected a rung of search.halving, got 9");
}

FOLDER_TEST_CASE("a front comes to the same for any number of jobs") {
  folder.write("e.yaml",
               kReadout +
                   "search:\n  parameters:\n"
                   "    hierarchy.levels[0].layers[0].learning_rate: {log_range: [1.0e-4, 0.1]}\n"
                   "    hierarchy.levels[0].layers[0].size: {range: [1, 4], integer: true}\n"
                   "  objectives: [{readout: now, score: nrmse}, weights]\n"
                   "  reference: [2, 100]\n"
                   "  population: 4\n  generations: 2\n  seeds: 1\n  held_out_seeds: 2\n");
  // What is read now is told the better the more neurons there are.
  const std::string now = "readouts[0].target.horizon=0";
  const Finished one = search(folder, {"--set", now, "--output", "one", "--jobs", "1"});
  const Finished two = search(folder, {"--set", now, "--output", "two", "--jobs", "2"});
  INFO(one.err);
  REQUIRE(one.code == 0);
  REQUIRE(two.code == 0);
  CHECK_SAYS(one.err, "8 candidates by MO-CMA-ES over ",
             "small validation nrmse of readout now, small weights, mean of 1",
             " on the front, hypervolume ");
  CHECK_SAYS(one.out, "\nfront    candidate  now_nrmse ", ", of as many at random ",
             "one/best-weights.yaml\n");
  CHECK(one.out.substr(0, one.out.find("files")) == two.out.substr(0, two.out.find("files")));
  CHECK(file_text(folder.path("one/history.csv")) == file_text(folder.path("two/history.csv")));
  for (int i = 0; i < 1 + 8 + 8 + 3 * 2; ++i) {
    INFO("member " << i);
    CHECK(difference(datasets_of(member(folder, "one", i)),
                     datasets_of(member(folder, "two", i))) == "");
  }
  REQUIRE(gaia_command(folder, {"run", "one/best-weights.yaml", "-q"}).code == 0);
  CHECK(std::filesystem::exists(folder.path("one/best-weights.h5")));
}
