// SPDX-License-Identifier: MIT
/// \file
/// What stands beside the channels of a CSV file: times, targets, labels, trials.
#include "../../src/io/csv.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "side_values.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;
using Codes = std::vector<std::int64_t>;
using Role = SideColumn::Role;
using namespace test;

/// What opening says is wrong.
std::string refused(const std::string& text, const FileOptions& options) {
  const test::TempDir folder;
  try {
    open_csv(folder.write("a.csv", text), options);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.find("a.csv"));
  }
  return "";
}

constexpr const char* kPump =
    "when,flow,state,quality,run\n"
    "2020-01-01T00:00:00,1,good,0.5,a\n"
    "2020-01-01T00:00:01,2,,,a\n"
    "2020-01-01T00:00:02,3,bad,0.75,b\n"
    "2020-01-01T00:00:03,4,good,1,b\n";

constexpr std::int64_t k2020 = 1577836800000000000;

FOLDER_TEST_CASE("a CSV file has times, targets, labels and trials beside its channels") {
  const auto series = open_csv(
      folder.write("a.csv", kPump),
      {.side = {.time = "when", .targets = {"quality"}, .labels = "state", .trial = "run"}});
  CHECK(series->channel_names() == Names{"flow"});
  CHECK(read_all(*series) == Values{1, 2, 3, 4});
  CHECK(series->side_columns() == std::vector<SideColumn>{{Role::time, "when"},
                                                          {Role::target, "quality"},
                                                          {Role::label, "state"}});
  CHECK(series->trial_starts() == Codes{0, 2});
  CHECK(series->classes() == Names{"bad", "good"});
  CHECK(side_of<std::int64_t>(*series, 0) ==
        Codes{k2020, k2020 + 1000000000, k2020 + 2000000000, k2020 + 3000000000});
  const Values quality = side_of<double>(*series, 1);
  CHECK(quality[0] == 0.5);
  CHECK(std::isnan(quality[1]));
  CHECK(quality[3] == 1.0);
  CHECK(side_of<std::int64_t>(*series, 2) == Codes{1, -1, 0, 1});
  // Any rows, in any order.
  CHECK(side_of<std::int64_t>(*series, 2, 2, 2) == Codes{0, 1});
  CHECK(side_of<std::int64_t>(*series, 0, 1, 1) == Codes{k2020 + 1000000000});
}

FOLDER_TEST_CASE("side columns may be asked for by index, and are left out of the channels") {
  const auto series =
      open_csv(folder.write("a.csv", "0.5,1,7\n1.5,2,8\n"), {.side = {.time = "0", .labels = "2"}});
  CHECK(series->channel_names() == Names{"1"});
  CHECK(side_of<double>(*series, 0) == Values{0.5, 1.5});
  CHECK(series->classes() == Names{"7", "8"});
}

FOLDER_TEST_CASE("classes that are integers are sorted by value, 1.0 is 1") {
  const auto series = open_csv(folder.write("a.csv", "x,y\n1,10.0\n2,9\n3,\n4,10\n5,-1\n"),
                               {.side = {.labels = "y"}});
  CHECK(series->classes() == Names{"-1", "9", "10"});
  CHECK(side_of<std::int64_t>(*series, 0) == Codes{2, 1, -1, 2, 0});
}

FOLDER_TEST_CASE("labels that are one class, and those that are none, are told of") {
  const test::LogCapture log;
  const auto series = open_csv(folder.write("a.csv", "x,y\n1,1\n2,01\n3,NA\n4,NaN\n5,\n6,2.0\n"),
                               {.side = {.labels = "y"}});
  CHECK(series->classes() == Names{"1", "2"});
  CHECK(log.count(LogLevel::warning, "so that '01' and 1 are one class") == 1);
  CHECK(log.count(LogLevel::warning,
                  "'NA' is a word for a missing value, so that 2 rows have no label") == 1);
  open_csv(folder.write("b.csv", "x,y\n1,1\n2,1.0\n3,\n4,no\n"), {.side = {.labels = "y"}});
  CHECK(log.count(LogLevel::warning, "b.csv") == 0);
}

FOLDER_TEST_CASE("a time with a decimal comma and a label with separators in it are read") {
  const auto series =
      open_csv(folder.write("a.csv", "t;x;y\n0,5;1,5;\"a;b\"\n1;2;\"say \"\"c\"\"\"\n"),
               {.decimal = ',', .side = {.time = "t", .labels = "y"}});
  CHECK(side_of<double>(*series, 0) == Values{0.5, 1.0});
  CHECK(series->classes() == Names{"a;b", "say \"c\""});
}

TEST_CASE("cells of side columns that cannot be used are told with their line and field") {
  const auto check = [](const std::string& text, const SideOptions& side,
                        const std::string& expected) {
    INFO(text);
    CHECK_SAYS(refused(text, {.side = side}), expected);
  };
  check("t,x\n2020-01-01,1\n,2\n", {.time = "t"}, "a.csv:3:1: expected a date as 2020-01-31");
  check("t,x\n2020-01-01,1\n,2\n", {.time = "t"}, "got a missing value; every row needs its time");
  check("t,x\n2020-01-01,1\n2020-01-32,2\n", {.time = "t"}, "got '2020-01-32'");
  check("t,x\n01.02.2020,1\n", {.time = "t"}, "or a number in column 't' (data.time), got '01.02");
  check("t,x\n1,1\nx,2\n", {.time = "t"}, "a.csv:3:1: expected a number in column 't'");
  check("t,x\n1,1\n,2\n", {.time = "t"}, "every row needs its time");
  check("t,x\n1,1\na,2\n", {.targets = {"t"}},
        "a.csv:3:1: expected a finite number in column 't' (data.targets), got 'a'");
  check("t,x\n1,1\ninf,2\n", {.targets = {"t"}}, "expected a finite number");
  check("t,x\n,1\n,2\n", {.targets = {"t"}}, "column 't' (data.targets) has no values at all");
  check("t,x\n,1\n,2\n", {.labels = "t"}, "column 't' (data.labels) has no values at all");
  check("t,x\na,1\n,2\n", {.trial = "t"},
        "a.csv:3:1: expected what tells trials apart in column 't' (data.trials), got a missing");
  check("t,x\n" + std::string(257, 'a') + ",1\n", {.labels = "t"},
        "expected a name of at most 256 bytes, got 257 bytes that begin with 'aaa");
  check("t,x\n\xff,1\n", {.labels = "t"}, "expected a name in UTF-8");
  check("t,x\n\"a\nb\",1\n", {.labels = "t"}, "expected a name without control characters");
}

TEST_CASE("a column of numbers is no column of labels") {
  std::string text = "x,y\n";
  for (int i = 0; i < 10001; ++i) text += "1," + std::to_string(0.5 + i) + "\n";
  CHECK_SAYS(refused(text, {.side = {.labels = "y"}}),
             "expected at most 10000 classes in 'y' (data.labels), got more; this looks like a "
             "column of numbers");
}

TEST_CASE("a column is one thing only, and has to be there") {
  const auto key_of = [](const FileOptions& options) -> std::string {
    const test::TempDir folder;
    try {
      open_csv(folder.write("a.csv", kPump), options);
    } catch (const DataKeyError& error) {
      return error.key + " " + error.column;
    }
    return "";
  };
  CHECK(key_of({.side = {.time = "whn"}}) == "time whn");
  CHECK(key_of({.side = {.targets = {"quality", "17"}}}) == "targets 17");
  CHECK(key_of({.side = {.labels = "x"}}) == "labels x");
  CHECK(key_of({.side = {.trial = "x"}}) == "trials x");
  CHECK(key_of({.side = {.targets = {"quality", "3"}}}) == "targets 3");
  CHECK(key_of({.side = {.time = "when", .trial = "when"}}) == "time when");
  for (const SideOptions& side : {SideOptions{.targets = {"flow"}}, SideOptions{.labels = "flow"},
                                  SideOptions{.trial = "flow"}, SideOptions{.time = "flow"}}) {
    CHECK(key_of({.columns = {"flow"}, .side = side}) == "columns flow");
  }
  // What tells trials apart may be a class too.
  CHECK(key_of({.columns = {"flow"}, .side = {.labels = "run", .trial = "run"}}).empty());
  CHECK_SAYS(refused("t\n1\n", {.side = {.time = "t"}}), "expected a column for the levels beside");
}

FOLDER_TEST_CASE("a column of dates that is left out is one of times maybe") {
  const test::LogCapture log;
  open_csv(folder.write("a.csv", kPump), {.missing = MissingPolicy::interpolate});
  CHECK(log.count(LogLevel::warning,
                  "'when' holds dates: data.time: when makes them the time of "
                  "the rows") == 1);
  CHECK_SAYS(refused(kPump, {.columns = {"when", "flow"}}),
             "expected a number, got '2020-01-01T00:00:00'; 'when' holds dates: data.time: when");
}

FOLDER_TEST_CASE("side columns survive any bytes") {
  const test::LogCapture log;
  std::uint32_t state = 1;
  const auto random = [&state](std::size_t most) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % most;
  };
  int opened = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = kPump;
    for (std::size_t i = 0; i <= random(3); ++i) {
      constexpr std::string_view bytes("\0\n,\"\xff\r0-:T.Z+ ;e", 16);
      text[random(text.size())] = bytes[random(bytes.size())];
    }
    const SideOptions side = {
        .time = "when", .targets = {"quality"}, .labels = "state", .trial = "run"};
    try {
      const auto series = open_csv(folder.write("a.csv", text),
                                   {.missing = MissingPolicy::interpolate, .side = side});
      const Codes codes = side_of<std::int64_t>(*series, 2);
      const auto classes = static_cast<std::int64_t>(series->classes().size());
      CHECK(std::all_of(codes.begin(), codes.end(),
                        [&](std::int64_t code) { return code >= -1 && code < classes; }));
      ++opened;
    } catch (const Error&) {
    }
  }
  CHECK(opened > 20);
  CHECK(opened < 380);
}

FOLDER_TEST_CASE("side columns are read however a file is cut into blocks") {
  std::string text = "t,x,y\n";
  Codes expected;
  for (int i = 0; i < 3000; ++i) {
    text += std::to_string(i) + ",1," +
            std::string(i % 7 == 3   ? ""
                        : i % 2 == 0 ? "a"
                                     : "b") +
            "\n";
    expected.push_back(i % 7 == 3 ? -1 : i % 2);
  }
  const auto series = open_csv(folder.write("a.csv", text), {.side = {.time = "t", .labels = "y"}});
  for (const std::int64_t first : {2990, 0, 1023, 1024, 17}) {
    const Codes codes = side_of<std::int64_t>(*series, 1, first, 10);
    CHECK(std::equal(codes.begin(), codes.end(), expected.begin() + first));
    CHECK(side_of<double>(*series, 0, first, 1) == Values{static_cast<double>(first)});
  }
}

}  // namespace
}  // namespace gaia
