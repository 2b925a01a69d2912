// SPDX-License-Identifier: MIT
/// \file
/// Integers of 64 bits that tell rows, trials and classes apart, in every kind of data: those
/// beyond 2^53 are not the double next to them.
#include "../../src/io/whole_numbers.h"

#include <hdf5.h>

#include <limits>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/io/csv.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/hdf5_series.h"
#include "../../src/io/joined_series.h"
#include "../../src/io/memory_series.h"
#include "../../src/io/npy.h"
#include "../support/catch.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "side_values.h"
#include "write_npy.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Codes = std::vector<std::int64_t>;
using Values = std::vector<double>;
using namespace test;

constexpr std::int64_t kBig = std::int64_t{1} << 53;  // kBig + 1 is no double
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// Six rows of channel, trial, label, time: three trials of two rows whose ids are neighbours.
const Codes kTable = {1, kBig,     -kBig - 1, kBig - 1,  //
                      2, kBig,     -kBig,     kBig,      //
                      3, kBig + 1, -kBig - 1, kBig + 1,  //
                      4, kBig + 1, 7,         kBig + 2,  //
                      5, kBig + 2, -kBig,     kBig + 3,  //
                      6, kBig + 2, 7,         kBig + 4};

const SideOptions kSides = {.time = "3", .labels = "2", .trial = "1"};

void check_table(FileSeries& series) {
  CHECK(read_all(series) == Values{1, 2, 3, 4, 5, 6});
  CHECK(series.trial_starts() == Codes{0, 2, 4});
  CHECK(series.classes() == Names{"-9007199254740993", "-9007199254740992", "7"});
  CHECK(side_of<std::int64_t>(series, 1) == Codes{0, 1, 0, 2, 1, 2});
  CHECK(side_of<std::int64_t>(series, 1, 2, 3) == Codes{0, 2, 1});
  const Codes times = {kBig - 1, kBig, kBig + 1, kBig + 2, kBig + 3, kBig + 4};
  CHECK(side_of<std::int64_t>(series, 0) == times);
  CHECK(side_of<std::int64_t>(series, 0, 0, 1) == Codes{kBig - 1});
  CHECK(series.side_columns().front().counts);
  CHECK(std::get<Codes>(series.take_times().value()) == times);
}

std::string npy_of(const std::string& type, const Codes& table, const char* fortran = "False") {
  return test::npy(type, "(" + std::to_string(table.size() / 4) + ", 4)", table, fortran);
}

/// By columns.
Codes turned(const Codes& table) {
  Codes made;
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t i = column; i < table.size(); i += 4) made.push_back(table[i]);
  }
  return made;
}

FOLDER_TEST_CASE("NPY columns of int64 keep ids, classes and times beyond 2^53, in either order") {
  const test::LogCapture log;
  check_table(*open_npy(folder.write("c.npy", npy_of("<i8", kTable)), {.side = kSides}));
  check_table(
      *open_npy(folder.write("f.npy", npy_of("<i8", turned(kTable), "True")), {.side = kSides}));
  check_table(*open_npy(folder.write("t.npy", test::npy("<i8", "(4, 6)", turned(kTable))),
                        {.side = kSides, .axes = {.transpose = true}}));
  CHECK(log.count(LogLevel::warning, "") == 0);  // nothing is rounded
}

FOLDER_TEST_CASE("groups and trials are called by their integers") {
  const auto series = open_npy(folder.write("g.npy", npy_of("<i8", kTable)),
                               {.columns = {"0"}, .side = {.group = "1"}});
  CHECK(series->groups().names() ==
        Names{"9007199254740992", "9007199254740993", "9007199254740994"});
  CHECK(series->groups().starts() == Codes{0, 2, 4});
}

FOLDER_TEST_CASE("NPY columns of uint64 keep ids and classes up to 2^64 - 1") {
  const std::vector<std::uint64_t> table = {1, ~0ULL - 1, ~0ULL, 2, ~0ULL, 3, 4, ~0ULL, ~0ULL - 1};
  const std::string path = folder.write("u.npy", test::npy("<u8", "(3, 3)", table));
  const auto series = open_npy(path, {.side = {.labels = "2", .trial = "1"}});
  CHECK(series->trial_starts() == Codes{0, 1});
  CHECK(series->classes() == Names{"3", "18446744073709551614", "18446744073709551615"});
  CHECK_THROWS_WITH(open_npy(path, {.side = {.time = "1"}}),
                    ContainsSubstring("row 0: expected a time below 2^63 in column '1' "
                                      "(data.time), got 18446744073709551614"));
}

FOLDER_TEST_CASE("HDF5 columns and datasets beside them keep ids, classes and times beyond 2^53") {
  const std::string path = folder.path("x.h5");
  {
    hdf5::File file = hdf5::File::create(path);
    const auto put = [&](const char* name, const std::vector<std::int64_t>& shape,
                         const Codes& values) {
      file.create_dataset(name, {.type = hdf5::Type::int64, .shape = shape})
          .write(std::span<const std::int64_t>(values));
    };
    put("table", {6, 4}, kTable);
    const Codes columns = turned(kTable);
    const auto column = [&](int i) {
      return Codes(columns.begin() + 6 * i, columns.begin() + 6 * (i + 1));
    };
    put("x", {6}, column(0));
    put("trial", {6}, column(1));
    put("label", {6}, column(2));
    put("when", {6}, column(3));
    file.close();
  }
  check_table(*open_hdf5(path, {.dataset = "table", .side = kSides}));
  check_table(*open_hdf5(
      path, {.dataset = "x", .side = {.time = "when", .labels = "label", .trial = "trial"}}));
}

/// A dataset [3, 2] of uint64 with a fill value that may be neighbour to others.
std::string unsigned_file(const test::TempDir& folder, const std::vector<std::uint64_t>& values,
                          std::uint64_t fill) {
  const std::string path = folder.path(std::to_string(fill) + ".h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t shape[] = {3, 2};
  const hid_t space = H5Screate_simple(2, shape, nullptr);
  const hid_t data =
      H5Dcreate2(file, "x", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const hid_t attribute =
      H5Acreate2(data, "_FillValue", H5T_STD_U64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_UINT64, &fill);
  H5Aclose(attribute);
  H5Sclose(scalar);
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
  return path;
}

FOLDER_TEST_CASE(
    "a fill value of HDF5 is not the number next to it, and what 63 bits lack is refused") {
  const auto big = static_cast<std::uint64_t>(kBig);
  const auto labels = open_hdf5(unsigned_file(folder, {1, big, 2, big + 1, 3, big}, big + 1),
                                {.side = {.labels = "1"}});
  CHECK(labels->classes() == Names{"9007199254740992"});
  CHECK(side_of<std::int64_t>(*labels, 0) == Codes{0, -1, 0});
  CHECK_THROWS_WITH(
      open_hdf5(unsigned_file(folder, {1, ~0ULL, 2, ~0ULL - 1, 3, 0}, 5), {.side = {.trial = "1"}}),
      ContainsSubstring("row 0: expected a whole number below 2^63 - 1 in column '1', got one "
                        "beyond"));
}

FOLDER_TEST_CASE("CSV times that count beyond 2^53 stay what they are, among others they do not") {
  std::string text = "x,trial,label,when\n";
  for (std::size_t i = 0; i < kTable.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      text += std::to_string(kTable[i + k]) + (k == 3 ? "\n" : ",");
    }
  }
  const SideOptions sides = {.time = "when", .labels = "label", .trial = "trial"};
  check_table(*open_csv(folder.write("a.csv", text), {.side = sides}));
  const auto other =
      open_csv(folder.write("b.csv", "x,t\n1,0.5\n2,9007199254740992\n3,9007199254740994\n"),
               {.side = {.time = "t"}});
  CHECK(side_of<double>(*other, 0) == Values{0.5, 0x1p53, 0x1p53 + 2});
  CHECK_THROWS_WITH(open_csv(folder.write("c.csv", "x,t\n1,9007199254740993\n2,1e300\n"),
                             {.side = {.time = "t"}}),
                    ContainsSubstring("c.csv:3:2: expected a whole number of at most 63 bits"));
}

TEST_CASE("rows in memory hand over the integers that their table has rounded") {
  MemoryRows rows{.table = from_values(Values(kTable.begin(), kTable.end()), {6, 4})};
  const Codes columns = turned(kTable);
  for (std::size_t column = 1; column < 4; ++column) {
    const auto from = columns.begin() + static_cast<std::ptrdiff_t>(6 * column);
    rows.wide.push_back({column, Wide::signed64, Codes(from, from + 6)});
  }
  const auto shared = std::make_shared<const MemoryRows>(rows);
  check_table(*open_memory(shared, {.side = kSides}));
  MemoryRows times = rows;
  times.times = rows.wide.back().values;
  times.times_count = true;
  times.times_name = "index";
  const auto series =
      open_memory(std::make_shared<const MemoryRows>(times), {.columns = {"0"}, .side = {}});
  CHECK(side_of<std::int64_t>(*series, 0) == rows.wide.back().values);
  CHECK(series->side_columns().front().counts);
  // Another number that the same double stands for is another hash.
  rows.wide[0].values[2] = kBig;
  CHECK(open_memory(std::make_shared<const MemoryRows>(rows), {.columns = {"0"}})->sha256() !=
        open_memory(shared, {.columns = {"0"}})->sha256());
  rows.wide[0].values.pop_back();
  CHECK_THROWS_WITH(
      open_memory(std::make_shared<const MemoryRows>(rows)),
      ContainsSubstring("expected integers for each of 6 rows of one of 4 columns, got 5"));
}

TEST_CASE("texts of rows in memory tell trials apart too") {
  MemoryRows rows{.table = from_values(Values{1, 2, 3, 4}, {4, 1})};
  rows.texts = {{"who", {"b", "b", "a", "b"}}};
  const test::LogCapture log;
  const auto series = open_memory(std::make_shared<const MemoryRows>(rows),
                                  {.side = {.labels = "who", .trial = "who"}});
  CHECK(series->trial_starts() == Codes{0, 2, 3});
  CHECK(side_of<std::int64_t>(*series, 0) == Codes{1, 1, 0, 1});
  CHECK(log.count(LogLevel::warning, "left out") == 0);
  rows.texts[0].second[2].clear();
  CHECK_THROWS_WITH(
      open_memory(std::make_shared<const MemoryRows>(rows), {.side = {.trial = "who"}}),
      ContainsSubstring("memory: row 2: expected what tells trials apart in column 'who' "
                        "(data.trials), got a missing value"));
}

FOLDER_TEST_CASE("channels and targets beyond 2^53 are rounded with a warning that names them") {
  const std::string path =
      folder.write("a.npy", test::npy("<i8", "(2, 3)", Codes{1, kBig + 1, kBig, 2, 3, 4}));
  const auto told = [&](const std::string& what, const auto& open) {
    const test::LogCapture log;
    open();
    return log.count(LogLevel::warning, what) == 1 && log.lines.size() == 1;
  };
  CHECK(told("a.npy: columns '1', '2': whole numbers beyond 2^53 are rounded",
             [&] { open_npy(path); }));
  CHECK(told("a.npy: column '2': whole numbers",
             [&] { open_npy(path, {.side = {.targets = {"2"}, .labels = "1"}}); }));
  const std::string csv = folder.write("a.csv", "x,id,y\n1,9007199254740993,1e300\n2,3,4\n");
  CHECK(told("a.csv: column 'id': whole numbers", [&] { open_csv(csv); }));
  CHECK(told("a.csv: column 'id': whole numbers",
             [&] { open_csv(csv, {.side = {.targets = {"id"}}}); }));
  CHECK(told("a.npy: row 0: got 9007199254740992 in column '1' (data.trials); doubles beyond", [&] {
    open_npy(folder.write("a.npy", test::npy("<f8", "(2, 2)", Values{1, 0x1p53, 2, 0x1p53})),
             {.side = {.trial = "1"}});
  }));
  CHECK_THROWS_WITH(
      open_npy(folder.path("a.npy"), {.side = {.labels = "1"}}),
      ContainsSubstring("expected a whole number in column '1' (data.labels), got "
                        "9007199254740992; doubles beyond 2^53 do not tell all whole numbers"));
}

FOLDER_TEST_CASE("files of one series count in one way") {
  const auto write = [&](const char* name, std::int64_t time) {
    return folder.write(name, test::npy("<i8", "(2, 2)", Codes{1, time, 2, time + 1}));
  };
  const FileOptions options = {.side = {.time = "1"}};
  const auto series =
      open_files({write("a.npy", kBig), write("b.npy", kMost - 1)}, options, open_npy);
  CHECK(side_of<std::int64_t>(*series, 0) == Codes{kBig, kBig + 1, kMost - 1, kMost});
  CHECK_THROWS_WITH(open_files({write("a.npy", kBig), write("c.npy", 5)}, options, open_npy),
                    ContainsSubstring("c.npy: expected whole numbers beyond 2^53 as times "
                                      "(data.time), as"));
  CHECK_THROWS_WITH(
      open_files(
          {folder.write("d.npy", test::npy("<i8", "(2, 2)", Codes{1, kBig + 1, 2, kBig + 1}))},
          options, open_npy),
      ContainsSubstring("got 9007199254740993 after 9007199254740993"));
}

}  // namespace
}  // namespace gaia
