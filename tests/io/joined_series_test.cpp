// SPDX-License-Identifier: MIT
#include "../../src/io/joined_series.h"

#include "../../src/core/error.h"
#include "../../src/io/csv.h"
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
using namespace test;

/// Opens texts as CSV files a.csv, b.csv, ...
class Files {
 public:
  explicit Files(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      paths_.push_back(
          dir_.write(std::string(1, static_cast<char>('a' + paths_.size())) + ".csv", text));
    }
  }

  std::unique_ptr<Series> open(GapPolicy gaps = GapPolicy::warn, const SideOptions& side = {},
                               const Names& columns = {}, std::int64_t measured = kAllRows,
                               MissingPolicy missing = MissingPolicy::error) const {
    return open_files(paths_,
                      {.columns = columns, .missing = missing, .measured = measured, .side = side},
                      open_csv, gaps);
  }

  std::string refused(GapPolicy gaps = GapPolicy::warn, const SideOptions& side = {},
                      const Names& columns = {}) const {
    try {
      open(gaps, side, columns);
    } catch (const DataError& error) {
      const std::string what = error.what();
      return what.substr(what.find(".csv") - 1);
    }
    return "";
  }

  const Names& paths() const { return paths_; }

 private:
  test::TempDir dir_;
  Names paths_;
};

TEST_CASE("files are one series, each a trial, whatever the order of their columns") {
  const Files files({"x,y\n1,10\n2,20\n", "y,x\n30,3\n", "x,y\n4,40\n5,50\n6,60\n"});
  const auto series = files.open();
  CHECK(series->rows() == 6);
  CHECK(series->channel_names() == Names{"x", "y"});
  CHECK(series->trial_starts() == Codes{0, 2, 3});
  CHECK(read_all(*series) == Values{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});
  CHECK(read_rows(*series, 1, 3) == Values{2, 20, 3, 30, 4, 40});
  CHECK(read_rows(*series, 5, 1) == Values{6, 60});
  CHECK(read_rows(*series, 6, 0).empty());
  CHECK(series->paths() == files.paths());
  test::check_any_cut([&] { return files.open(); });
  // sha256sum of the second text
  const Names hashes = series->hashes();
  REQUIRE(hashes.size() == 3);
  CHECK(hashes[1] == "29262f5baf8434004794df041c8ee6e5a5cf556568c261e63ca34c874b2bf28f");
}

TEST_CASE("moments go on from file to file, without another pass, as those of one file do") {
  std::string whole = "x\n";
  std::vector<std::string> parts = {"x\n", "x\n", "x\n"};
  for (int i = 0; i < 90; ++i) {
    const std::string row = i % 11 == 5 ? "\n" : std::to_string(0.1 * i * i) + "\n";
    if (i % 11 == 5 && i % 30 == 0) continue;
    whole += row;
    parts[static_cast<std::size_t>(i / 30)] += row;
  }
  for (const std::int64_t measured :
       {kAllRows, std::int64_t{45}, std::int64_t{30}, std::int64_t{7}}) {
    INFO(measured);
    const auto joined =
        Files(parts).open(GapPolicy::warn, {}, {}, measured, MissingPolicy::interpolate);
    const auto single =
        Files({whole}).open(GapPolicy::warn, {}, {}, measured, MissingPolicy::interpolate);
    const std::int64_t rows = std::min(measured, single->rows());
    const Moments& a = joined->moments(rows).front();
    const Moments& b = single->moments(rows).front();
    CHECK(a.count() == rows);
    CHECK(a.mean() == b.mean());
    CHECK(a.deviation() == b.deviation());
    CHECK(a.least() == b.least());
    CHECK(a.most() == b.most());
  }
}

TEST_CASE("files of one series have the same columns") {
  CHECK_SAYS(Files({"x,y\n1,2\n", "x\n1\n"}).refused(), "b.csv: unknown column 'y'");
  CHECK_SAYS(Files({"x,y\n1,2\n", "x\n1\n"}).refused(),
             "a.csv has it, and files of one series have the same columns");
  CHECK_SAYS(Files({"x\n1\n", "x,y\n1,2\n"}).refused(), "b.csv: column 'y' is not in ");
  // Those that are named are enough.
  CHECK(Files({"x\n1\n", "x,y\n1,2\n"}).refused(GapPolicy::warn, {}, {"x"}).empty());
  CHECK_SAYS(Files({"x,y\n1,2\n", "y,x\n1,2\n"}).refused(GapPolicy::warn, {}, {"0"}),
             "column 'y' is not in");
  CHECK_SAYS(Files({"x,s\n1,a\n", "x\n1\n"}).refused(GapPolicy::warn, {.labels = "s"}),
             "b.csv: unknown column 's'");
}

TEST_CASE("trials begin with files, values of a column, lengths and gaps") {
  const Files files(
      {"t,x,k\n0,1,a\n1,2,a\n2,3,b\n9,4,b\n10,5,b\n", "t,x,k\n0,6,b\n1,7,b\n2,8,b\n"});
  const test::LogCapture log;
  const SideOptions side = {.time = "t", .trial = "k"};
  CHECK(files.open(GapPolicy::warn, side)->trial_starts() == Codes{0, 2, 5});
  CHECK(log.count(LogLevel::warning,
                  "1 gap in column 't' (data.time), steps above 1.5 times the "
                  "median of 1.0: the longest takes 7.0, the first is at ") == 1);
  CHECK(log.count(LogLevel::warning, "a.csv:5, from 2.0 to 9.0; data.gaps: split") == 1);
  CHECK(files.open(GapPolicy::split, side)->trial_starts() == Codes{0, 2, 3, 5});
  CHECK(files.open(GapPolicy::warn, {.trial = "k", .trial_length = 2}, {"x"})->trial_starts() ==
        Codes{0, 2, 4, 5, 7});
  CHECK(files.open(GapPolicy::warn, {.trial_length = 100}, {"x"})->trial_starts() == Codes{0, 5});
  CHECK_SAYS(files.refused(GapPolicy::error, side), "data.gaps: split makes a trial of each piece");
}

TEST_CASE("times increase within a trial") {
  const std::string back = "t,x,k\n0,1,a\n2,2,a\n1,3,b\n2,4,b\n";
  CHECK_SAYS(Files({back}).refused(GapPolicy::warn, {.time = "t"}, {"x"}),
             "a.csv:4: expected a time after that of the row before in column 't' (data.time), got "
             "1.0 after 2.0");
  CHECK(Files({back}).refused(GapPolicy::warn, {.time = "t", .trial = "k"}).empty());
  CHECK(Files({back}).refused(GapPolicy::warn, {.time = "t", .trial_length = 2}, {"x"}).empty());
  CHECK_SAYS(Files({"t,x\n2020-01-01,1\n2020-01-01,2\n"}).refused(GapPolicy::warn, {.time = "t"}),
             "got 2020-01-01T00:00:00 after 2020-01-01T00:00:00");
  CHECK_SAYS(Files({"t,x\n2020-01-01,1\n", "t,x\n1,2\n"}).refused(GapPolicy::warn, {.time = "t"}),
             "b.csv: expected dates as times (data.time)");
}

TEST_CASE("gaps are steps above 1.5 times the median") {
  // Steps 1, 1.5, 1, 1.5, 1: median 1, none is above 1.5.
  const test::LogCapture log;
  Files({"t,x\n0,1\n1,1\n2.5,1\n3.5,1\n5,1\n6,1\n"}).open(GapPolicy::warn, {.time = "t"});
  CHECK(log.lines.empty());
  // Steps 1, 2, 1, 2: median 1.5, none is above 2.25.
  Files({"t,x\n0,1\n1,1\n3,1\n4,1\n6,1\n"}).open(GapPolicy::warn, {.time = "t"});
  CHECK(log.lines.empty());
  Files({"t,x\n2020-01-01T00:00:00,1\n2020-01-01T00:00:01,1\n2020-01-01T00:00:02,1\n"
         "2020-01-01T00:00:04,1\n2020-01-01T00:00:14,1\n"})
      .open(GapPolicy::warn, {.time = "t"});
  // Steps 1, 1, 2, 10 s: median 1.5 s.
  CHECK(log.count(LogLevel::warning, "1 gap in column 't'") == 1);
  CHECK(log.count(LogLevel::warning, "from 2020-01-01T00:00:04 to 2020-01-01T00:00:14") == 1);
  // A single row has no steps.
  CHECK(Files({"t,x\n0,1\n"}).open(GapPolicy::error, {.time = "t"})->rows() == 1);
}

TEST_CASE("trials of a row each are worth a warning") {
  std::string text = "x,k\n";
  for (int i = 0; i < 60; ++i) text += "1," + std::to_string(i) + "\n";
  const test::LogCapture log;
  Files({text}).open(GapPolicy::warn, {.trial = "k"});
  CHECK(log.count(LogLevel::warning, "60 trials in 60 rows: nearly every row is a trial") == 1);
  Files({text}).open(GapPolicy::warn, {.trial_length = 2});
  CHECK(log.lines.size() == 1);
}

TEST_CASE("classes of files are numbered together") {
  const Files files({"x,s\n1,c\n2,a\n", "x,s\n3,b\n4,c\n5,\n"});
  const auto series = files.open(GapPolicy::warn, {.labels = "s"});
  CHECK(series->classes() == Names{"a", "b", "c"});
  CHECK(side_of<std::int64_t>(*series, 0, 0, 5) == Codes{2, 0, 1, 2, -1});
  CHECK(side_of<std::int64_t>(*series, 0, 1, 2) == Codes{0, 1});
}

}  // namespace
}  // namespace gaia
