// SPDX-License-Identifier: MIT
#include "../../src/io/columns.h"

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/log_capture.h"

namespace gaia {
namespace {

using Names = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

Indices select(const Names& asked, const Names& names) {
  return select_columns("a.csv", asked, names);
}

TEST_CASE("numbered_names are indices") {
  CHECK(numbered_names(0).empty());
  CHECK(numbered_names(12).back() == "11");
}

TEST_CASE("select_columns finds names and indices, in the order asked for") {
  const Names names = {"time", "x", "y", "x y"};
  CHECK(select({"y", "x"}, names) == Indices{2, 1});
  CHECK(select({"3", "time"}, names) == Indices{3, 0});
  CHECK(select({"x y"}, names) == Indices{3});
  CHECK(select({}, names).empty());
}

TEST_CASE("select_columns prefers a name to an index") {
  const test::LogCapture log;  // it says so
  CHECK(select({"0"}, {"2", "1", "0"}) == Indices{2});
  CHECK(select({"1"}, {"a", "b", "0"}) == Indices{1});
}

TEST_CASE("select_columns says which column it took where a name is the index of another") {
  const test::LogCapture log;
  CHECK(select({"2", "x"}, {"2", "1", "x"}) == Indices{0, 2});
  CHECK(log.lines.size() == 1);
  CHECK(log.count(LogLevel::warning,
                  "a.csv: column 2 is taken to be the one that is called so, column 0 of the file, "
                  "not 'x', which has the index 2") == 1);
  // No other column, or no other meaning.
  CHECK(select({"1", "7"}, {"7", "1"}) == Indices{1, 0});
  CHECK(select({"0", "1"}, {"a", "b"}) == Indices{0, 1});
  CHECK(log.lines.size() == 1);
}

TEST_CASE("select_columns refuses what is not there, twice there or asked for twice") {
  const Names names = {"time", "signal", "x", "x"};
  CHECK_THROWS_WITH(select({"singal"}, names),
                    "a.csv: unknown column 'singal' (did you mean 'signal'?); known: 'time', "
                    "'signal', 'x', 'x'");
  CHECK_THROWS_WITH(
      select({"4"}, names),
      "a.csv: unknown column 4; the file has columns 0 to 3: 'time', 'signal', 'x', 'x'");
  CHECK_THROWS_WITH(select({"x"}, names),
                    "a.csv: columns 2 and 3 are both called 'x'; select by index");
  CHECK_THROWS_WITH(select({"time", "0"}, names), "a.csv: column 'time' is asked for twice");
  CHECK_THROWS_WITH(select({"2", "3"}, names),
                    "a.csv: columns 2 and 3 are both called 'x'; select only one");
  CHECK(select({"2", "time"}, names) == Indices{2, 0});
  for (const char* strange : {"", "-1", "1.0", "99999999999999999999", " 1"}) {
    CHECK_THROWS_WITH_TEXT(select({strange}, names), ArgumentError, "a.csv: unknown column '");
  }
}

TEST_CASE("select_columns names only some of many columns") {
  CHECK_THROWS_WITH_TEXT(select({"z"}, numbered_names(5000)), ArgumentError,
                         "'28', '29' and 4970 more");
}

TEST_CASE("quoted text is short and cannot steer a terminal") {
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes("") == "''");
  CHECK(in_quotes("a\x1b[2Jb\n.\x7f") == "'a?[2Jb?.?'");
  CHECK(in_quotes("\xc2\xb0"
                  "C") ==
        "'\xc2\xb0"
        "C'");
  CHECK(in_quotes(std::string(41, 'x')) == "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace gaia
