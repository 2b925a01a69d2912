// SPDX-License-Identifier: MIT
/// \file
/// Axes of NPY arrays, and what stands beside their channels.
#include "../../src/io/npy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "side_values.h"
#include "write_npy.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;
using Codes = std::vector<std::int64_t>;
using Role = SideColumn::Role;
using namespace test;

std::string refused(const std::string& path, const FileOptions& options) {
  return test::complaint_of([&] { open_npy(path, options); });
}

FOLDER_TEST_CASE("rows may be channels, in either order of the numbers") {
  const Values numbers = {1, 2, 3, 4, 5, 6};
  const std::string c = folder.write("c.npy", npy("<f8", "(2, 3)", numbers));
  const std::string f = folder.write("f.npy", npy("<f8", "(2, 3)", numbers, "True"));
  const FileOptions options = {.axes = {.transpose = true}};
  // numpy.array([[1, 2, 3], [4, 5, 6]]).T and numpy.array([[1, 3, 5], [2, 4, 6]]).T
  CHECK(read_all(*open_npy(c, options)) == Values{1, 4, 2, 5, 3, 6});
  CHECK(read_all(*open_npy(f, options)) == Values{1, 2, 3, 4, 5, 6});
  CHECK(open_npy(c, options)->channel_names() == Names{"0", "1"});
  CHECK(read_all(*open_npy(c, {.columns = {"1"}, .axes = {.transpose = true}})) == Values{4, 5, 6});
  test::check_any_cut([&] { return open_npy(c, options); });
  CHECK_SAYS(refused(folder.write("line.npy", npy("<f8", "(6,)", numbers)), options),
             "expected two axes to be transposed (data.transpose)");
}

TEST_CASE("arrays of three axes are trials, in any order of the axes") {
  // What stands at trial k, time t, channel c: 100 k + 10 t + c; 2 trials, 3 times, 4 channels.
  constexpr std::array<std::int64_t, 3> sizes = {2, 3, 4};
  Values expected;
  for (int row = 0; row < 6; ++row) {
    for (int c = 0; c < 4; ++c) expected.push_back(100 * (row / 3) + 10 * (row % 3) + c);
  }
  const test::TempDir folder;
  std::array<std::size_t, 3> order = {0, 1, 2};  // of trial, time and channel along the axes
  do {
    for (const bool is_fortran : {false, true}) {
      Values numbers(24);
      std::array<std::int64_t, 3> shape{};
      for (std::size_t axis = 0; axis < 3; ++axis) shape[axis] = sizes[order[axis]];
      std::array<std::size_t, 3> axis_of{};
      for (std::size_t axis = 0; axis < 3; ++axis) axis_of[order[axis]] = axis;
      for (std::int64_t i = 0; i < 24; ++i) {
        // Index along each axis of number i.
        std::array<std::int64_t, 3> at{};
        std::int64_t rest = i;
        for (std::size_t n = 0; n < 3; ++n) {
          const std::size_t axis = is_fortran ? n : 2 - n;
          at[axis] = rest % shape[axis];
          rest /= shape[axis];
        }
        numbers[static_cast<std::size_t>(i)] =
            static_cast<double>(100 * at[axis_of[0]] + 10 * at[axis_of[1]] + at[axis_of[2]]);
      }
      const std::string text = "(" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) +
                               ", " + std::to_string(shape[2]) + ")";
      INFO(text << " " << is_fortran);
      const std::string path =
          folder.write("a.npy", npy("<f8", text, numbers, is_fortran ? "True" : "False"));
      const FileOptions options = {.axes = {.trials = axis_of}};
      const auto series = open_npy(path, options);
      CHECK(series->trial_starts() == Codes{0, 3});
      CHECK(read_all(*series) == expected);
      CHECK(test::read_rows(*series, 2, 2) == Values(expected.begin() + 8, expected.begin() + 16));
      test::check_any_cut([&] { return open_npy(path, options); });
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK_SAYS(refused(folder.path("a.npy"), {}), "data.trials: {axes: [");
  CHECK_SAYS(refused(folder.write("b.npy", npy("<f8", "(2, 2)", Values(4))),
                     {.axes = {.trials = {{0, 1, 2}}}}),
             "expected three axes (data.trials.axes), got shape [2, 2]");
}

FOLDER_TEST_CASE("values are not interpolated from one trial to the next") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string path =
      folder.write("a.npy", npy("<f8", "(2, 3, 1)", Values{1, nan, nan, nan, 5, 6}));
  const FileOptions options = {.missing = MissingPolicy::interpolate,
                               .axes = {.trials = {{0, 1, 2}}}};
  CHECK(read_all(*open_npy(path, options)) == Values{1, 1, 1, 5, 5, 6});
  CHECK_SAYS(
      refused(folder.write("b.npy", npy("<f8", "(2, 2, 1)", Values{1, 2, nan, nan})), options),
      "column '0' has no values at all in the trial that begins at row 2");
}

FOLDER_TEST_CASE("columns of an array may be times, targets, labels and trials") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // time, channel, target, label, trial
  const std::string path =
      folder.write("a.npy", npy("<f8", "(4, 5)", Values{0.0, 1, 5,   2,   7,  //
                                                        0.5, 2, nan, 1,   7,  //
                                                        1.0, 3, 6,   nan, 8,  //
                                                        1.5, 4, 7,   2,   8}));
  const auto series =
      open_npy(path, {.side = {.time = "0", .targets = {"2"}, .labels = "3", .trial = "4"}});
  CHECK(series->channel_names() == Names{"1"});
  CHECK(read_all(*series) == Values{1, 2, 3, 4});
  CHECK(series->side_columns() ==
        std::vector<SideColumn>{{Role::time, "0"}, {Role::target, "2"}, {Role::label, "3"}});
  CHECK(side_of<double>(*series, 0) == Values{0.0, 0.5, 1.0, 1.5});
  const Values target = side_of<double>(*series, 1);
  CHECK(std::isnan(target[1]));
  CHECK(target[3] == 7.0);
  CHECK(side_of<std::int64_t>(*series, 2) == Codes{1, 0, -1, 1});
  CHECK(series->classes() == Names{"1", "2"});
  CHECK(series->trial_starts() == Codes{0, 2});
  CHECK(side_of<std::int64_t>(*series, 2, 1, 2) == Codes{0, -1});
  CHECK_SAYS(
      refused(path, {.side = {.time = "2"}}),
      "a.npy: row 1: expected a time for every row in column '2' (data.time), got a missing value");
  CHECK_SAYS(refused(path, {.side = {.labels = "0"}}),
             "row 1: expected a whole number in column '0' (data.labels), got 0.5; data.targets "
             "takes other numbers");
  CHECK_SAYS(refused(path, {.side = {.trial = "3"}}), "expected what tells trials apart");
  // Integers have no missing values, and side columns all the same.
  const auto integers =
      open_npy(folder.write("i.npy", npy("<i4", "(2, 2)", std::vector<std::int32_t>{1, 9, 2, 8})),
               {.side = {.labels = "1"}});
  CHECK(read_all(*integers) == Values{1, 2});
  CHECK(integers->classes() == Names{"8", "9"});
}

FOLDER_TEST_CASE("labels of an NPY file may be in another, for each row or each trial") {
  const std::string path = folder.write("a.npy", npy("<f8", "(2, 3, 1)", Values{1, 2, 3, 4, 5, 6}));
  const FileOptions base = {.axes = {.trials = {{0, 1, 2}}}};
  const auto with = [&](const std::string& labels) {
    FileOptions options = base;
    options.side.labels = "l.npy";
    options.label_file = folder.write("l.npy", labels);
    return options;
  };
  // numpy.array(["né", "a"]) has <U2, each character in four bytes.
  const std::vector<std::uint32_t> unicode = {'n', 0xe9, 'a', 0};
  const auto texts = open_npy(path, with(npy("<U2", "(2,)", unicode)));
  CHECK(texts->classes() == Names{"a", "n\u00e9"});
  CHECK(side_of<std::int64_t>(*texts, 0) == Codes{1, 1, 1, 0, 0, 0});
  CHECK(side_of<std::int64_t>(*texts, 0, 2, 2) == Codes{1, 0});
  CHECK(texts->paths().size() == 2);
  CHECK(texts->hashes().size() == 2);
  const std::vector<char> bytes = {'b', 0, 0, 'c', 'd', 'e'};
  CHECK(open_npy(path, with(npy("|S3", "(2,)", bytes)))->classes() == Names{"b", "cde"});
  const auto rows =
      open_npy(path, with(npy("<i8", "(6,)", std::vector<std::int64_t>{3, 3, 20, 20, -1, 3})));
  CHECK(rows->classes() == Names{"-1", "3", "20"});
  CHECK(side_of<std::int64_t>(*rows, 0) == Codes{1, 1, 2, 2, 0, 1});
  const std::vector<std::uint64_t> large = {18446744073709551615u, 9007199254740993u};
  CHECK(open_npy(path, with(npy("<u8", "(2,)", large)))->classes() ==
        Names{"9007199254740993", "18446744073709551615"});
  CHECK_SAYS(refused(path, with(npy("<i8", "(3,)", std::vector<std::int64_t>(3)))),
             "l.npy: expected a label for each of the 6 rows or 2 trials, got 3");
  CHECK_SAYS(refused(path, with(npy("<i8", "(2, 1)", std::vector<std::int64_t>(2)))),
             "l.npy: expected labels of shape [rows] or [trials], got [2, 1]");
  CHECK_SAYS(refused(path, with(npy("<f8", "(2,)", Values{0.5, 1}))),
             "l.npy: expected a whole number as label 0, got 0.5");
  CHECK_SAYS(refused(path, with(npy("<U1", "(2,)", std::vector<std::uint32_t>{'a', 0xd800}))),
             "label 1: expected a name in UTF-8");
  CHECK_SAYS(refused(path, with(npy("<U1", "(2,)", std::vector<std::uint32_t>{7, 'a'}))),
             "label 0: expected a name without control characters");
  CHECK_SAYS(refused(folder.write("t.npy", npy("<U2", "(2,)", unicode)), {}),
             "t.npy: expected numbers, got texts");
}

FOLDER_TEST_CASE("labels in another file survive any byte anywhere in it") {
  const std::string path = folder.write("a.npy", npy("<f8", "(2,)", Values{1, 2}));
  const std::string labels = npy("<U2", "(2,)", std::vector<std::uint32_t>{'n', 0xe9, 'a', 0});
  int refusals = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const char byte : {'\0', '9', '(', '\xff'}) {
      std::string changed = labels;
      changed[i] = byte;
      const std::string told = refused(
          path, {.side = {.labels = "l.npy"}, .label_file = folder.write("l.npy", changed)});
      if (!told.empty()) ++refusals;
    }
  }
  CHECK(refusals > 100);
}

FOLDER_TEST_CASE("many more columns than rows are worth a warning") {
  const test::LogCapture log;
  const std::string path = folder.write("a.npy", npy("<f8", "(2, 100)", Values(200)));
  open_npy(path);
  CHECK(log.count(LogLevel::warning,
                  "a.npy: its 100 columns far outnumber its 2 rows, as they do "
                  "where rows are channels; data.transpose: true") == 1);
  open_npy(path, {.axes = {.transpose = true}});
  open_npy(path, {.columns = {"1"}});
  open_npy(folder.write("b.npy", npy("<f8", "(2, 60)", Values(120))));
  open_npy(folder.write("c.npy", npy("<f8", "(10, 100)", Values(1000))));
  CHECK(log.lines.size() == 1);
}

}  // namespace
}  // namespace gaia
