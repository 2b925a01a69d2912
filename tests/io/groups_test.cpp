// SPDX-License-Identifier: MIT
/// \file
/// What rows belong together (data.groups), and trials that come back, by every reader.
#include <memory>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/io/csv.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/hdf5_series.h"
#include "../../src/io/joined_series.h"
#include "../../src/io/memory_series.h"
#include "../../src/io/npy.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"
#include "write_npy.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;
using Values = std::vector<double>;

const SideOptions kGrouped{.group = "g"};

void check(const Series& series, const Numbers& starts, const Numbers& ids, const Names& names) {
  CHECK(series.groups().starts() == starts);
  CHECK(series.groups().ids() == ids);
  CHECK(series.groups().names() == names);
  CHECK(series.channel_names() == Names{"x"});
}

}  // namespace

FOLDER_TEST_CASE("groups of a CSV file are texts or numbers, and no channel") {
  const auto open = [&](const std::string& cells) {
    std::string text = "x,g\n";
    int row = 0;
    for (const char cell : cells) {
      text +=
          std::to_string(row++) + "," + (cell == '-' ? std::string() : std::string(1, cell)) + "\n";
    }
    return open_csv(folder.write("d.csv", text), {.side = kGrouped});
  };
  check(*open("bbaab"), {0, 2, 4}, {0, 1, 0}, {"b", "a"});
  check(*open("77"), {0}, {0}, {"7"});
  CHECK_THROWS_WITH_TEXT(open("bb-a"), DataError,
                         "d.csv:4:2: expected what tells groups apart in column 'g' (data.groups), "
                         "got a missing value");
  // Integers look so if pandas writes them where some of the column were missing.
  check(*open_csv(folder.write("d.csv", "x,g\n1,1\n2,1.0\n3,2.5\n"), {.side = kGrouped}), {0, 2},
        {0, 1}, {"1", "2.5"});
  // A column may tell trials and groups apart at once, and labels too.
  const auto all = open_csv(folder.path("d.csv"), {.side = {.trial = "g", .group = "g"}});
  CHECK(all->groups().starts() == Numbers{0, 2});
  CHECK(all->trial_starts() == Numbers{0, 1, 2});
  CHECK_THROWS_AS(open_csv(folder.path("d.csv"), {.side = {.time = "g", .group = "g"}}),
                  DataKeyError);
  CHECK_THROWS_WITH_TEXT(open_csv(folder.path("d.csv"), {.columns = {"x", "g"}, .side = kGrouped}),
                         DataKeyError, "(data.groups)");
  CHECK_THROWS_AS(open_csv(folder.path("d.csv"), {.side = {.group = "h"}}), DataKeyError);
}

FOLDER_TEST_CASE("groups of arrays stand in a column, or beside them for each row or trial") {
  using test::npy;
  const std::string table =
      folder.write("d.npy", npy<double>("<f8", "(4, 2)", {1, 5, 2, 5, 3, 7, 4, 5}));
  const auto in_column = open_npy(table, {.side = {.group = "1"}});
  CHECK(in_column->groups().starts() == Numbers{0, 2, 3});
  CHECK(in_column->groups().ids() == Numbers{0, 1, 0});
  // Whole numbers of 64 bits are told apart where doubles are not.
  const std::string whole = folder.write(
      "w.npy", npy<std::int64_t>("<i8", "(3, 2)",
                                 {1, 9007199254740992, 2, 9007199254740993, 3, 9007199254740992}));
  const auto exact = open_npy(whole, {.side = {.group = "1"}});
  CHECK(exact->groups().names() == Names{"9007199254740992", "9007199254740993"});
  CHECK(exact->groups().ids() == Numbers{0, 1, 0});

  const std::string trials =
      folder.write("t.npy", npy<double>("<f8", "(3, 2, 1)", {1, 2, 3, 4, 5, 6}));
  const ArrayAxes axes{.trials = {{0, 1, 2}}};
  const auto beside = [&](const Numbers& groups) {
    const std::string file = folder.write(
        "g.npy", npy<std::int64_t>("<i8", "(" + std::to_string(groups.size()) + ",)", groups));
    return open_npy(trials, {.side = {.group = "g.npy"}, .group_file = file, .axes = axes});
  };
  CHECK(beside({4, 4, 2})->groups().starts() == Numbers{0, 4});
  CHECK(beside({4, 4, 2})->groups().names() == Names{"4", "2"});
  CHECK(beside({4, 4, 4, 4, 4, 2})->groups().starts() == Numbers{0, 5});
  CHECK(beside({4, 4, 2})->paths() == Names{trials, folder.path("g.npy")});
  CHECK_THROWS_WITH_TEXT(beside({4, 4}), DataError,
                         "expected a group for each of the 6 rows or 3 trials, got 2");
}

FOLDER_TEST_CASE("groups of an HDF5 file are a dataset beside the table") {
  const std::string path = folder.path("d.h5");
  {
    hdf5::File file = hdf5::File::create(path);
    hdf5::Dataset x = file.create_dataset("x", {.type = hdf5::Type::float64, .shape = {4}});
    x.write<double>(std::vector<double>{1, 2, 3, 4});
    hdf5::Dataset g = file.create_dataset("g", {.type = hdf5::Type::int32, .shape = {4}});
    g.write<std::int32_t>(std::vector<std::int32_t>{3, 1, 1, 3});
    file.close();
  }
  const auto series = open_hdf5(path, {.side = kGrouped});
  CHECK(series->groups().starts() == Numbers{0, 1, 3});
  CHECK(series->groups().ids() == Numbers{0, 1, 0});
  CHECK(series->groups().names() == Names{"3", "1"});
  CHECK(series->channels() == 1);
}

TEST_CASE("groups of rows in memory are a column of numbers or of texts") {
  MemoryRows rows{.table = from_values(Values{1, 4, 2, 4, 3, 5}, {3, 2})};
  rows.columns = {"x", "g"};
  check(*open_memory(std::make_shared<MemoryRows>(rows), {.side = kGrouped}), {0, 2}, {0, 1},
        {"4", "5"});
  MemoryRows texts{.table = from_values(Values{1, 2, 3}, {3, 1})};
  texts.columns = {"x"};
  texts.texts = {{"g", {"anna", "bob", "anna"}}};
  check(*open_memory(std::make_shared<MemoryRows>(texts), {.side = kGrouped}), {0, 1, 2}, {0, 1, 0},
        {"anna", "bob"});
  texts.texts = {{"g", {"anna", "", "anna"}}};
  CHECK_THROWS_WITH_TEXT(open_memory(std::make_shared<MemoryRows>(texts), {.side = kGrouped}),
                         DataError, "expected what tells groups apart in row 1");
}

FOLDER_TEST_CASE("a group is the same in every file of a series") {
  const Names paths = {folder.write("a.csv", "x,g\n1,u\n2,v\n"),
                       folder.write("b.csv", "x,g\n3,v\n4,u\n5,w\n")};
  const auto open = [&](const SideOptions& side) {
    return open_files(paths, {.side = side}, open_csv);
  };
  check(*open(kGrouped), {0, 1, 3, 4}, {0, 1, 0, 2}, {"u", "v", "w"});
  // Trials are counted anew in every file: those of two files are not taken for one.
  CHECK(!open({.trial = "g"})->returning_trial());
}

FOLDER_TEST_CASE("trials that come back are known by their names") {
  const auto csv =
      open_csv(folder.write("d.csv", "x,t\n1,u\n2,v\n3,v\n4,u\n5,v\n"), {.side = {.trial = "t"}});
  REQUIRE(csv->returning_trial());
  CHECK(csv->returning_trial()->name == "u");
  CHECK(csv->returning_trial()->row == 3);
  CHECK(!open_csv(folder.write("e.csv", "x,t\n1,u\n2,v\n"), {.side = {.trial = "t"}})
             ->returning_trial());
  MemoryRows rows{.table = from_values(Values{1, 0, 2, 1, 3, 0, 4, 1}, {4, 2})};
  rows.columns = {"x", "t"};
  const auto memory = open_memory(std::make_shared<MemoryRows>(rows), {.side = {.trial = "t"}});
  REQUIRE(memory->returning_trial());
  CHECK(memory->returning_trial()->name == "0");
  CHECK(memory->returning_trial()->row == 2);
}

}  // namespace gaia
