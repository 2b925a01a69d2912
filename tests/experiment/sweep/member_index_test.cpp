// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/member_index.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/experiment/sweep/member_state.h"
#include "../../../src/experiment/sweep/sweep.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/io/output_files.h"
#include "../../support/catch.h"
#include "../../support/temp_dir.h"
#include "../../support/text.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// The minimal experiment with a readout, over two sizes of level 1 and two seeds.
const std::string kSizes = kMinimal +
                           "readouts:\n"
                           "  - {name: now, target: {channel: 0, horizon: 1}, levels: [0]}\n"
                           "sweep:\n"
                           "  hierarchy.levels[1].layers[1].size: [2, 3]\n"
                           "  seeds: 2\n";

Sweep sweep_of(const TempDir& folder, const std::string& text) {
  return {folder.write("e.yaml", text), {.output = folder.path("out")}};
}

void run_member(const Sweep& sweep, std::int64_t member) {
  Experiment experiment = sweep.load(member);
  run_experiment(experiment);
}

}  // namespace

FOLDER_TEST_CASE("the state of a member is told by its files") {
  const Sweep sweep = sweep_of(folder, kSizes);
  const auto state = [&](std::int64_t i) { return MemberStates().of(sweep.load(i)); };
  CHECK(state(0) == MemberState::missing);
  run_member(sweep, 0);
  CHECK(state(0) == MemberState::complete);
  CHECK(state(1) == MemberState::missing);
  // The same file under another number is a result of something else.
  std::filesystem::copy(sweep.result_path(0), sweep.result_path(1));
  CHECK(state(1) == MemberState::other);
  std::filesystem::rename(sweep.result_path(1), partial_path(sweep.result_path(1)));
  CHECK(state(1) == MemberState::other);
  std::filesystem::copy(sweep.result_path(0), partial_path(sweep.result_path(2)));
  CHECK(state(2) == MemberState::other);
  std::ofstream(partial_path(sweep.result_path(3))) << "torn";
  CHECK(state(3) == MemberState::torn);
}

FOLDER_TEST_CASE("data are hashed where there is a result to compare with, each file once") {
  const auto write_data = [&](const char* first) {
    std::string text = "a,b,c\n";
    for (int t = 0; t < 100; ++t) text += (t == 0 ? first : std::to_string(t % 7)) + ",1,2\n";
    return folder.write("d.csv", text);
  };
  const std::string data = write_data("5");
  const Sweep sweep =
      sweep_of(folder, "experiment: e\ndata: {source: file, path: d.csv}\n" +
                           kMinimal.substr(kMinimal.find("hierarchy:")) + "sweep: {seeds: 3}\n");
  run_member(sweep, 0);
  run_member(sweep, 1);
  std::vector<Experiment> members;
  for (const std::int64_t i : {0, 1, 2}) members.push_back(sweep.load(i));
  MemberStates states;
  CHECK(states.of(members[0]) == MemberState::complete);
  std::filesystem::remove(data);
  CHECK(states.of(members[1]) == MemberState::complete);
  CHECK(MemberStates().of(members[2]) == MemberState::missing);
  CHECK_THROWS_WITH_TEXT(MemberStates().of(members[0]), DataError, "d.csv");
  write_data("6");
  MemberStates now;
  CHECK(now.of(members[0]) == MemberState::changed);
  CHECK_SAYS(now.first_change(), "d.csv has SHA-256 ");
  write_data("5");
  CHECK(now.of(members[1]) == MemberState::changed);
  CHECK(MemberStates().of(members[1]) == MemberState::complete);
}

FOLDER_TEST_CASE("a stored configuration without newer keys, elsewhere, is the same run") {
  ExperimentConfig config = sweep_of(folder, kSizes).load(0).config;
  std::string stored = to_yaml(config);
  const std::size_t at = stored.find("precision: full\n");
  REQUIRE(at != std::string::npos);
  stored.erase(at, 16);
  config.output.path = "elsewhere.h5";
  CHECK(is_same_run(stored, config));
  config.seed = 77;
  CHECK_FALSE(is_same_run(stored, config));
  CHECK_FALSE(is_same_run("not: [yaml", config));
}

FOLDER_TEST_CASE("the index holds settings and scores, and shows the datasets that members share") {
  const Sweep sweep = sweep_of(folder, kSizes);
  for (const std::int64_t member : {0, 1, 3}) run_member(sweep, member);
  const CollectedMembers collected = collect_members(sweep);
  std::vector<float> expected;
  double nrmse = 0.0;
  {
    // Closed again: the index could not open it.
    const hdf5::File last = hdf5::File::open(sweep.result_path(3));
    expected = last.open_dataset("levels/0/representation").read<float>();
    nrmse = *last.open_group("readouts").open_group("now").number_attribute("nrmse");
  }
  {
    const hdf5::File index = hdf5::File::open(collected.index);
    CHECK(index.integer_attribute("members") == 4);
    CHECK(index.integer_attribute("complete") == 3);
    CHECK(index.open_dataset("seed").read<std::int64_t>() == std::vector<std::int64_t>{0, 1, 0, 1});
    CHECK(index.open_dataset("size").read<std::int64_t>() == std::vector<std::int64_t>{2, 2, 3, 3});
    CHECK(index.open_dataset("size").text_attribute("long_name") ==
          "hierarchy.levels[1].layers[1].size");
    CHECK(index.open_dataset("size").scales() == std::vector<std::string>{"member"});
    const std::vector<double> scores = index.open_dataset("now_nrmse").read<double>();
    REQUIRE(scores.size() == 4);
    CHECK(std::isnan(scores[2]));
    CHECK(scores[3] == nrmse);
    // Level 0 has one size in all members, level 1 has not.
    const hdf5::Dataset seen = index.open_dataset("levels/0/representation");
    CHECK(seen.shape() == std::vector<std::int64_t>{4, 300, 2});
    CHECK(seen.scales() == std::vector<std::string>{"member", "step", "neuron"});
    std::vector<float> numbers(600);
    seen.read_rows(3, 1, numbers.data());
    CHECK(numbers == expected);
    seen.read_rows(2, 1, numbers.data());
    CHECK(std::isnan(numbers[0]));
    CHECK_FALSE(index.has_dataset("levels/1/representation"));
    CHECK(index.has_dataset("levels/1/layers/0/weights"));
  }

  CHECK_SAYS(file_text(collected.csv),
             "member,status,size,seed,now_nrmse,now_r2,wall_seconds,file,now_nrmse_best,now_nrmse_"
             "mean,now_nrmse_std,now_r2_mean,now_r2_std,reason\n");
  CHECK_SAYS(file_text(collected.csv), "\n2,missing,3,0,,,,");
  const std::string best = best_text(collected.table, sweep);
  CHECK_SAYS(best, "members  3 of 4 complete\nbest     now_nrmse ", "2      size 2\n");
  // Once more, with the one that was missing.
  run_member(sweep, 2);
  CHECK(collect_members(sweep).table.complete() == 4);
  CHECK_FALSE(std::filesystem::exists(collected.index + ".lock"));
}

namespace {

/// The fields of a column, by the names in the first line; none of them is in quotes.
std::vector<std::string> column_of(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::vector<std::string> fields;
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line + ",");
    std::vector<std::string> row;
    for (std::string word; std::getline(words, word, ',');) row.push_back(word);
    if (fields.empty()) {
      at = static_cast<std::size_t>(std::find(row.begin(), row.end(), name) - row.begin());
    }
    fields.push_back(row.at(at));
  }
  fields.erase(fields.begin());
  return fields;
}

}  // namespace

FOLDER_TEST_CASE("the table names the best member and the spread over the seeds of each setting") {
  std::string text = kSizes;
  text.replace(text.find("seeds: 2"), 8, "seeds: 3");
  const Sweep sweep = sweep_of(folder, text);
  // The second size has one seed, and so no spread.
  for (const std::int64_t member : {0, 1, 2, 4}) run_member(sweep, member);
  const CollectedMembers collected = collect_members(sweep);
  const std::string csv = file_text(collected.csv);
  const std::string best_told = best_text(collected.table, sweep);
  const std::size_t alone = best_told.find("1      size 3\n");
  REQUIRE(alone != std::string::npos);
  const std::size_t line = best_told.rfind('\n', alone) + 1;
  CHECK_SAYS(best_told.substr(line, alone - line), "  -         ");
  const auto score = [&](std::int64_t member, const char* name) {
    const hdf5::File file = hdf5::File::open(sweep.result_path(member));
    return *file.open_group("readouts").open_group("now").number_attribute(name);
  };
  for (const char* name : {"nrmse", "r2"}) {
    const double a = score(0, name);
    const double b = score(1, name);
    const double c = score(2, name);
    const double mean = (a + b + c) / 3.0;
    const double spread = std::sqrt(
        ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 2);
    REQUIRE(spread > 0.0);
    const std::vector<std::string> means = column_of(csv, std::string("now_") + name + "_mean");
    const std::vector<std::string> spreads = column_of(csv, std::string("now_") + name + "_std");
    REQUIRE(means.size() == 6);
    for (const std::size_t member : {0U, 1U, 2U}) {
      CHECK(std::stod(means[member]) == Approx(mean).epsilon(1e-12));
      CHECK(std::stod(spreads[member]) == Approx(spread).epsilon(1e-9));
    }
    CHECK(std::stod(means[4]) == score(4, name));
    CHECK((means[3].empty() && means[5].empty()));
    CHECK((spreads[3].empty() && spreads[4].empty() && spreads[5].empty()));
  }
  std::size_t best = 0;
  for (const std::size_t member : {1U, 2U, 4U}) {
    const auto nrmse = [&](std::size_t i) { return score(static_cast<std::int64_t>(i), "nrmse"); };
    if (nrmse(member) < nrmse(best)) best = member;
  }
  std::vector<std::string> expected(6, "0");
  expected[best] = "1";
  CHECK(column_of(csv, "now_nrmse_best") == expected);
  CHECK_THAT(csv, !ContainsSubstring("now_r2_best"));
}

FOLDER_TEST_CASE("networks are collected by what they reach on the test samples") {
  const Sweep sweep = sweep_of(folder,
                               "experiment: net\n"
                               "data: {source: generator, kind: sines, frequencies: [0.05], steps: "
                               "200, window: 4}\n"
                               "network: {epochs: 1, optimizer: {type: adam}, layers: [{type: "
                               "flatten}, {type: dense, size: 1}]}\n"
                               "sweep: {network.optimizer.learning_rate: [0.01, 0.1]}\n");
  run_member(sweep, 0);
  run_member(sweep, 1);
  const CollectedMembers collected = collect_members(sweep);
  const hdf5::File index = hdf5::File::open(collected.index);
  CHECK(index.open_dataset("test_nrmse").read<double>().size() == 2);
  CHECK(index.open_dataset("history/loss").shape() == std::vector<std::int64_t>{2, 1});
  CHECK_SAYS(best_text(collected.table, sweep), "best     test_nrmse ");
}

FOLDER_TEST_CASE("files of other kinds are not replaced by an index") {
  const Sweep sweep = sweep_of(folder, kSizes);
  run_member(sweep, 0);
  std::filesystem::copy(sweep.result_path(0), sweep.folder() + "/index.h5");
  CHECK_THROWS_WITH_TEXT(collect_members(sweep), OutputError, "is no index of a sweep");
  std::filesystem::remove(sweep.folder() + "/index.h5");
  std::ofstream(sweep.folder() + "/members.csv") << "my,own,table\n";
  CHECK_THROWS_WITH_TEXT(collect_members(sweep), OutputError, "is no table of a sweep");
  CHECK_SAYS(file_text(sweep.folder() + "/members.csv"), "my,own,table");
}

FOLDER_TEST_CASE("a setting that is called as a group of results has its longer name") {
  const Sweep sweep =
      sweep_of(folder, kMinimal +
                           "readouts:\n"
                           "  - {name: now, target: {channel: 0, horizon: 1}, levels: [0]}\n"
                           "sweep:\n"
                           "  readouts[0].levels: [[0], [1]]\n");
  run_member(sweep, 0);
  run_member(sweep, 1);
  const CollectedMembers collected = collect_members(sweep);
  CHECK(collected.table.settings.at(0).name == "readouts[0].levels");
  const hdf5::File index = hdf5::File::open(collected.index);
  CHECK(index.open_dataset("readouts[0].levels").text_attribute("long_name") ==
        "readouts[0].levels");
  CHECK(index.has_dataset("levels/0/representation"));
}
