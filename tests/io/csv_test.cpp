// SPDX-License-Identifier: MIT
#include "../../src/io/csv.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "read_series.h"

namespace gaia {
namespace {

using namespace test;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

/// What a text says: names of the channels and rows.
struct Content {
  Names names;
  Values values;
  bool operator==(const Content&) const = default;
};

Content content_of(const std::string& text, const FileOptions& options = {}) {
  const test::TempDir folder;
  const auto series = open_csv(folder.write("a.csv", text), options);
  return {series->channel_names(), read_all(*series)};
}

TEST_CASE("open_csv takes a first line with text for names") {
  CHECK(content_of("x,y\n1,2\n3,4\n") == Content{{"x", "y"}, {1.0, 2.0, 3.0, 4.0}});
  CHECK(content_of("1,2\n3,4\n") == Content{{"0", "1"}, {1.0, 2.0, 3.0, 4.0}});
  CHECK(content_of("NA,2\n3,4\n", {.missing = MissingPolicy::interpolate}) ==
        Content{{"0", "1"}, {3.0, 2.0, 3.0, 4.0}});
  CHECK(content_of("\"x\",y\n1,2\n") == Content{{"x", "y"}, {1.0, 2.0}});
}

TEST_CASE("open_csv takes names from behind a # as NumPy writes them") {
  CHECK(content_of("# a,b\n1,2\n") == Content{{"a", "b"}, {1.0, 2.0}});
  CHECK(content_of("#a\n1\n") == Content{{"a"}, {1.0}});
  CHECK(content_of("##,b\n1,2\n") == Content{{"0", "b"}, {1.0, 2.0}});
  CHECK(content_of("#,b\n1,2\n") == Content{{"#", "b"}, {1.0, 2.0}});
}

TEST_CASE("open_csv calls nameless columns by their index") {
  CHECK(content_of(",y,\n1,2,3\n") == Content{{"0", "y", "2"}, {1.0, 2.0, 3.0}});
}

TEST_CASE("open_csv warns where a line of names holds a number") {
  const test::LogCapture log;
  CHECK(content_of("country,2019,2020\nx,1,2\n") == Content{{"2019", "2020"}, {1.0, 2.0}});
  CHECK(log.count(LogLevel::warning,
                  "a.csv: line 1 is taken for names since it holds text, although field 3 is the "
                  "number 2020") == 1);
}

TEST_CASE("open_csv reads files of all dialects alike") {
  const Content expected{{"x", "y"}, {1.0, -2.5, 3.0, 4.0}};
  CHECK(content_of("x,y\r\n1,-2.5\r\n3,4\r\n") == expected);
  CHECK(content_of("\xef\xbb\xbfx,y\n1,-2.5\n3,4") == expected);
  CHECK(content_of("x;y\n1;-2.5\n3;4\n") == expected);
  CHECK(content_of("x\ty\n1\t-2.5\n3\t4\n\n") == expected);
  CHECK(content_of("\"x\",\"y\"\n\"1\",\"-2.5\"\n\" 3\",4\n\n \n\n") == expected);
  CHECK(content_of(" x , y\n 1 , -2.5\n 3 , 4 \r\n\r\n") == expected);
}

TEST_CASE("open_csv reads numbers with a decimal comma where it is told to") {
  const Content expected{{"x", "y"}, {1.5, -2500.0, 3.0, 0.25}};
  CHECK(content_of("x;y\n1,5;-2,5e3\n3;+0,25\n", {.decimal = ','}) == expected);
  CHECK(content_of("x\ty\n1,5\t\"-2,5e3\"\n3\t,25\n", {.decimal = ','}) == expected);
  CHECK(content_of("x\n1,5\n2\n", {.decimal = ','}) == Content{{"x"}, {1.5, 2.0}});
  CHECK(content_of("1,5\n2,5\n", {.decimal = ','}) == Content{{"0"}, {1.5, 2.5}});
}

TEST_CASE("open_csv leaves out columns of text, and says so") {
  const test::LogCapture log;
  CHECK(content_of("day,x,note\n1958-03-29,1,\n1958-04-05,2,NA\n1958-04-12,3,cloudy\n") ==
        Content{{"x"}, {1.0, 2.0, 3.0}});
  // Text in one column is no business of the others, even where it looks like numbers later on.
  CHECK(content_of("a,b\nx,1\n2,2\ninf,3\n") == Content{{"b"}, {1.0, 2.0, 3.0}});
  CHECK(log.count(LogLevel::warning, "left out, since they hold text: 'day', 'note'") == 1);
  CHECK(log.count(LogLevel::warning, "left out, since they hold text: 'a'") == 1);
}

TEST_CASE("open_csv leaves out what separators at the ends of lines make") {
  CHECK(content_of("x,y,\n1,2,\n3,4,\n") == Content{{"x", "y"}, {1.0, 2.0, 3.0, 4.0}});
  CHECK(content_of("1,2,\n3,4,\n") == Content{{"0", "1"}, {1.0, 2.0, 3.0, 4.0}});
}

TEST_CASE("open_csv selects columns by name and index, in the order asked for") {
  const std::string text = "t,x,y\na,1,2\nb,3,4\n";
  CHECK(content_of(text, {.columns = {"y", "x"}}) == Content{{"y", "x"}, {2.0, 1.0, 4.0, 3.0}});
  CHECK(content_of(text, {.columns = {"2"}}) == Content{{"y"}, {2.0, 4.0}});
  CHECK(content_of("1,2\n3,4\n", {.columns = {"1"}}) == Content{{"1"}, {2.0, 4.0}});
  // What is not asked for need not be right.
  CHECK(content_of("x,y\n1,inf\n2,oops\n", {.columns = {"x"}}) == Content{{"x"}, {1.0, 2.0}});
}

TEST_CASE("open_csv interpolates missing values") {
  const FileOptions fill{.missing = MissingPolicy::interpolate};
  CHECK(content_of("x,y\nNA,1\n2,\nN/A,nan\nNaN,4\n8,null\n", fill) ==
        Content{{"x", "y"}, {2.0, 1.0, 2.0, 2.0, 4.0, 3.0, 6.0, 4.0, 8.0, 4.0}});
}

TEST_CASE("open_csv takes empty lines in a single column for missing values, but at the end") {
  const FileOptions fill{.missing = MissingPolicy::interpolate};
  CHECK(content_of("x\n1\n\n \n4\n\n\n", fill) == Content{{"x"}, {1.0, 2.0, 3.0, 4.0}});
  CHECK(content_of("x\n\n\n4\n", fill) == Content{{"x"}, {4.0, 4.0, 4.0}});
  CHECK(content_of("x\n1\n\n\"\"\n", fill) == Content{{"x"}, {1.0, 1.0, 1.0}});
}

TEST_CASE("open_csv leaves out an index that pandas or R wrote, and says so") {
  const std::string told =
      "a.csv: left out, since it has no name and only counts the rows, as an index of pandas or R "
      "does: column 0; name the columns to read with data.columns, and 0 among them, to keep it";
  const Content expected{{"x", "y"}, {0.5, 1.5, 2.5, 3.5, 4.5, 5.5}};
  for (const char* text : {",x,y\n0,0.5,1.5\n1,2.5,3.5\n2,4.5,5.5\n",
                           "\"\",x,y\n\"1\",0.5,1.5\n\"2\",2.5,3.5\n3,4.5,5.5\n",
                           "Unnamed: 0,x,y\n0,0.5,1.5\n1,2.5,3.5\n2,4.5,5.5\n"}) {
    INFO(text);
    const test::LogCapture log;
    CHECK(content_of(text) == expected);
    CHECK(log.lines.size() == 1);
    CHECK(log.count(LogLevel::warning, told) == 1);
  }
  const test::LogCapture log;
  const std::string text = ",x\n0,0.5\n1,2.5\n";
  CHECK(content_of(text, {.columns = {"0", "x"}}) == Content{{"0", "x"}, {0.0, 0.5, 1.0, 2.5}});
  // What has a name, counts otherwise or has gaps is no index.
  CHECK(content_of("n,x\n0,0.5\n1,2.5\n") == Content{{"n", "x"}, {0.0, 0.5, 1.0, 2.5}});
  CHECK(content_of(",x\n0,0.5\n2,2.5\n") == Content{{"0", "x"}, {0.0, 0.5, 2.0, 2.5}});
  CHECK(content_of(",x\n2,0.5\n3,2.5\n") == Content{{"0", "x"}, {2.0, 0.5, 3.0, 2.5}});
  CHECK(content_of("x,\n0.5,0\n2.5,1\n") == Content{{"x", "1"}, {0.5, 0.0, 2.5, 1.0}});
  CHECK(content_of(",x\n0,0.5\n,2.5\n2,3.5\n", {.missing = MissingPolicy::interpolate}).names ==
        Names{"0", "x"});
  CHECK(log.lines.empty());
}

/// A file of many rows, with gaps, quotes and a field of two lines here and there.
std::string long_text(int rows) {
  std::string text = "t,x,y\n";
  for (int i = 0; i < rows; ++i) {
    text += i % 100 == 3 ? "\"a\nb\"," : "c,";
    text += i % 7 == 2 || i % 1100 > 1050 ? "NA," : std::to_string(0.1 * i) + ",";
    text += "\"" + std::to_string(i) + "\"\n";
  }
  return text;
}

FOLDER_TEST_CASE("open_csv gives the same numbers however they are cut into blocks") {
  const test::LogCapture log;  // a column of text is left out
  const std::string path = folder.write("a.csv", long_text(300));
  test::check_any_cut([&] { return open_csv(path, {.missing = MissingPolicy::interpolate}); });
}

FOLDER_TEST_CASE("open_csv finds any row of a long file") {
  const test::LogCapture log;  // a column of text is left out
  const std::string path = folder.write("a.csv", long_text(10000));
  const auto series = open_csv(path, {.missing = MissingPolicy::interpolate});
  REQUIRE(series->rows() == 10000);
  const std::vector<double> whole = read_all(*series);
  for (const std::int64_t first : {9999, 0, 1023, 1024, 1025, 5000, 4999, 9000, 2047}) {
    const std::vector<double> row = read_rows(*series, first, 1);
    CHECK(row[0] == whole[static_cast<std::size_t>(2 * first)]);
    CHECK(row[0] == Approx(0.1 * static_cast<double>(first)).epsilon(1e-3).margin(0.21));
    CHECK(row[1] == static_cast<double>(first));
  }
  CHECK_THROWS_AS(read_rows(*series, 9999, 2), ArgumentError);
}

FOLDER_TEST_CASE("open_csv gives held rows as it gives rows that it reads again") {
  const test::LogCapture log;  // a column of text is left out
  std::ostringstream text;
  text << "a,name,b,target\n" << std::fixed << std::setprecision(3);
  for (int i = 0; i < 40000; ++i) {
    const char* const quote = i % 7 == 0 ? "\"" : "";
    text << quote << 0.1 * i - 300.0 << quote << ", n" << i << " ,"
         << (i % 11 == 0 ? "" : std::to_string(i * i)) << ',' << -i << "\r\n";
  }
  const std::string path = folder.write("a.csv", text.str());
  const Names columns = {"b", "a"};
  const auto held = open_csv(path, {.columns = columns, .missing = MissingPolicy::interpolate});
  // What has a target is read row by row.
  const auto read = open_csv(
      path,
      {.columns = columns, .missing = MissingPolicy::interpolate, .side = {.targets = {"target"}}});
  const Values whole = read_all(*held);
  CHECK(whole == read_all(*read));
  CHECK(whole[2 * 12345 + 1] == 934.5);
  for (const std::int64_t first : {39990, 0, 1023, 20000, 30001}) {
    CHECK(read_rows(*held, first, 10) == read_rows(*read, first, 10));
  }
  CHECK_THROWS_AS(read_rows(*held, 39999, 2), ArgumentError);
}

FOLDER_TEST_CASE("open_csv finds any row of a single column with empty lines") {
  std::string text = "x\n";
  for (int i = 0; i < 6000; ++i) text += i % 3000 < 2000 ? "\n" : std::to_string(i) + "\n";
  const std::string path = folder.write("a.csv", text);
  const auto series = open_csv(path, {.missing = MissingPolicy::interpolate});
  REQUIRE(series->rows() == 6000);
  const std::vector<double> whole = read_all(*series);
  CHECK(whole[0] == 2000.0);
  CHECK(whole[2999] == 2999.0);
  CHECK(whole[3500] == Approx(3500.0));
  for (const std::int64_t first : {5999, 0, 1500, 2001, 3999, 4000, 1024}) {
    CHECK(read_rows(*series, first, 1)[0] == whole[static_cast<std::size_t>(first)]);
  }
}

TEST_CASE("open_csv reads the yearly sunspots") {
  const auto series =
      open_csv(GAIA_EXPERIMENT_DATA "/sunspots_yearly.csv", {.columns = {"SUNACTIVITY"}});
  REQUIRE(series->rows() == 309);
  const std::vector<double> x = read_all(*series);
  CHECK(x.front() == 5.0);
  CHECK(x[49] == 80.9);  // 1749
  CHECK(x.back() == 2.9);
  const auto both = open_csv(GAIA_EXPERIMENT_DATA "/sunspots_yearly.csv");
  CHECK(both->channel_names() == Names{"YEAR", "SUNACTIVITY"});
  CHECK(read_rows(*both, 308, 1) == Values{2008.0, 2.9});
}

TEST_CASE("open_csv reads the weekly CO2 of Mauna Loa, which has gaps") {
  const std::string path = GAIA_EXPERIMENT_DATA "/co2_mauna_loa_weekly.csv";
  CHECK_THROWS_WITH(open_csv(path, {.columns = {"co2"}}),
                    path +
                        ": expected no missing values, got 59, the first in line 8, column 'co2'; "
                        "data.missing: hold fills them (for gaia apply: --missing hold)");
  const auto series = open_csv(path, {.columns = {"co2"}, .missing = MissingPolicy::interpolate});
  REQUIRE(series->rows() == 2284);
  const std::vector<double> x = read_all(*series);
  CHECK(x.front() == 316.1);
  CHECK(x[5] == 316.9);
  CHECK(x[6] == Approx(317.2));  // between 316.9 and 317.5
  CHECK(x.back() == 371.5);
  for (const double value : x) {
    REQUIRE(value > 310.0);
    REQUIRE(value < 375.0);
  }
}

/// A table of two columns of some 5 MiB, of whose rows a few are no plain lines.
struct LongTable {
  std::string text = "a,b\n";
  Values values;

  LongTable() {
    for (int row = 0; row < 300000; ++row) {
      const double a = row / 8.0;
      const double b = row == 100000 ? 0x1p60 : -row;
      std::ostringstream line;
      line << std::setprecision(20);
      if (row == 60000) {
        line << "\"" << a << "\"," << b;
      } else {
        line << a << "," << b;
      }
      text += line.str() + (row % 1000 == 0 ? "\r\n" : "\n");
      values.insert(values.end(), {a, b});
    }
  }
};

TEST_CASE("open_csv reads long files of numbers on any number of threads") {
  const test::TempDir folder;
  const LongTable table;
  const std::string path = folder.write("a.csv", table.text);
  for (const int threads : {1, 2, 3, 7}) {
    CAPTURE(threads);
    const test::Threads some(threads);
    const test::LogCapture log;
    const auto series = open_csv(path);
    CHECK(read_all(*series) == table.values);
    CHECK(read_rows(*series, 59999, 2) == Values{59999 / 8.0, -59999.0, 7500.0, -60000.0});
    for (const int row : {0, 1, 5000, 59999, 60000, 60001, 100001, 200000, 299999}) {
      CHECK(series->place_of(row) == path + ":" + std::to_string(row + 2));
    }
    CHECK(log.count(LogLevel::warning, "beyond 2^53") == 1);
  }
}

TEST_CASE("open_csv reads channels of long files whose time is beside them") {
  const test::LogCapture log;
  const test::TempDir folder;
  const LongTable table;
  const auto series = open_csv(folder.write("a.csv", table.text), {.side = {.time = "a"}});
  const Values expected = test::column(table.values, 2, 1);
  CHECK(read_all(*series) == expected);
  for (const std::int64_t first : {299990, 200000, 60000, 59000, 3}) {
    CAPTURE(first);
    Values read;
    for (std::int64_t row = first; row < first + 10; row += 5) {
      const Values five = read_rows(*series, row, 5);
      read.insert(read.end(), five.begin(), five.end());
    }
    CHECK(read == Values(expected.begin() + first, expected.begin() + first + 10));
  }
  // No more rows are read than asked for, though the lines of many more lie at hand.
  Values read(100000, 0.5);
  series->read(120000, 10, read);
  CHECK(Values(read.begin(), read.begin() + 10) ==
        Values(expected.begin() + 120000, expected.begin() + 120010));
  CHECK(std::count(read.begin(), read.end(), 0.5) == 99990);
}

TEST_CASE("open_csv finds errors and gaps far into a file") {
  const test::LogCapture log;
  const test::TempDir folder;
  LongTable table;
  table.text += "1,x\n";
  const std::string bad = folder.write("bad.csv", table.text);
  CHECK(test::complaint_about(bad, [&] { open_csv(bad); }) ==
        ":300002:2: expected a number, got 'x'");
  const std::string gap = folder.write("gap.csv", LongTable().text + "1,\n2,3\n");
  CHECK(test::complaint_about(gap, [&] {
          open_csv(gap);
        }).find("got 1, the first in line 300002, column 'b'") != std::string::npos);
  const auto series = open_csv(gap, {.missing = MissingPolicy::interpolate});
  CHECK(read_rows(*series, 300000, 1) == Values{1.0, (-299999.0 + 3.0) / 2.0});
}

}  // namespace
}  // namespace gaia
