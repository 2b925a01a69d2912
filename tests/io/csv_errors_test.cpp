// SPDX-License-Identifier: MIT
/// What open_csv says about files that it does not take; csv_records_test.cpp has those that are no
/// CSV.
#include "../../src/core/error.h"
#include "../../src/io/csv.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "read_series.h"

namespace gaia {
namespace {

using namespace test;

/// What is said when a text is opened, after the name of the file; `Kind` is the type of the error.
template <class Kind = DataError>
std::string error_of(const std::string& text, const FileOptions& options = {}) {
  const test::TempDir folder;
  const std::string path = folder.write("a.csv", text);
  return test::complaint_about<Kind>(path, [&] { open_csv(path, options); });
}

TEST_CASE("open_csv refuses files without rows") {
  CHECK(error_of("") == ": the file is empty");
  CHECK(error_of("\xef\xbb\xbf") == ": the file is empty");
  CHECK(error_of("x,y\n") == ":1: expected rows after the names, got none");
  CHECK(error_of("x,y") == ":1: expected rows after the names, got none");
  CHECK(error_of("x,y\n\n\n") == ": expected rows, got none");
  CHECK(error_of("\n\nx,y\n1,2\n") == ":1: expected names or numbers, got an empty line");
}

TEST_CASE("open_csv refuses rows of another length") {
  CHECK(error_of("a,b,c,d\n1,2,3,4\n1,2,3\n") == ":3: expected 4 fields, got 3");
  CHECK(error_of("a,b\n1,2\n1,2,3\n") == ":3: expected 2 fields, got 3");
  CHECK(error_of("a\n1\n1,2\n") ==
        ":3: expected 1 field, got 2; set data.decimal: ',' (for gaia apply: --decimal ,) for a "
        "decimal comma (fields separated by "
        "semicolons or tabs)");
  CHECK(error_of("a\n1\n1,x\n") == ":3: expected 1 field, got 2");
  CHECK(error_of("a,b\n1,2\n\n3,4\n") == ":3: expected 2 fields, got an empty line");
  CHECK(error_of("a,b\n\n1,2\n") == ":2: expected 2 fields, got an empty line");
  CHECK(error_of("a,b\n\"1\n\n\",2\n3\n", {.columns = {"b"}}) == ":5: expected 2 fields, got 1");
}

TEST_CASE("open_csv refuses text among numbers, with line and field") {
  CHECK(error_of("a,b\n1,2\n1,x\n") == ":3:2: expected a number, got 'x'");
  CHECK(error_of("a,b\n1,2\n1,0x10\n") == ":3:2: expected a number, got '0x10'");
  CHECK(error_of("a,b\n1,\nNA,2\nx,2\n") == ":4:1: expected a number, got 'x'");
  CHECK(
      error_of("a;b\n1;2\n1;2,5\n") ==
      ":3:2: expected a number, got '2,5'; set data.decimal: ',' (for gaia apply: --decimal ,) for "
      "a decimal comma (fields "
      "separated by semicolons or tabs)");
  CHECK(
      error_of("a;b\n1,5;2\n1.5;2,5\n", {.decimal = ','}) ==
      ":3:1: expected a number, got '1.5'; set data.decimal: '.' (for gaia apply: --decimal .) for "
      "a decimal point");
  CHECK(error_of("a,b\n1,2\n1,\"\x1b[2J\"\n") == ":3:2: expected a number, got '?[2J'");
  CHECK(error_of("t,x\nmon,1\ntue,2\n", {.columns = {"t"}}) ==
        ":2:1: expected a number, got 'mon'");
}

TEST_CASE("open_csv refuses numbers that are infinite or out of range") {
  CHECK(error_of("a,b\n1,2\n1,-inf\n") == ":3:2: expected a finite number, got '-inf'");
  CHECK(error_of("a,b\n1,Infinity\n") == ":2:2: expected a finite number, got 'Infinity'");
  CHECK(error_of("a\n1e400\n") == ":2:1: expected a number that a double can hold, got '1e400'");
  CHECK(error_of("a\n1e-310\n") == "");
}

TEST_CASE("open_csv refuses missing values unless told otherwise") {
  CHECK(error_of("a,b\n1,2\n1,NA\n,4\n") ==
        ": expected no missing values, got 2, the first in line 3, column 'b'; data.missing: "
        "hold fills them (for gaia apply: --missing hold)");
  CHECK(error_of("a\n1\n\n\n4\n") ==
        ": expected no missing values, got 2, the first in line 3, column 'a'; data.missing: "
        "hold fills them (for gaia apply: --missing hold)");
  CHECK(error_of("a,b\n1,2\n1,NA\n", {.columns = {"a"}}) == "");
}

TEST_CASE("open_csv refuses columns without values") {
  for (const MissingPolicy policy : {MissingPolicy::error, MissingPolicy::interpolate}) {
    CHECK(error_of("a,b\n1,\n2,NA\n", {.missing = policy}) == ": column 'b' has no values at all");
    CHECK(error_of("a,,c\n1,,2\n", {.missing = policy}) == ": column '1' has no values at all");
    CHECK(error_of("a,\n1,\n", {.columns = {"1"}, .missing = policy}) ==
          ": column '1' has no values at all");
    CHECK(error_of("NA\nNA\n", {.missing = policy}) == ": column '0' has no values at all");
  }
}

TEST_CASE("open_csv refuses files of text only") {
  CHECK(error_of("a,b\nx,y\n") == ": expected a column of numbers, all 2 columns hold text");
}

TEST_CASE("open_csv tells of numbers that spaces separate") {
  const std::string told =
      ": expected fields separated by comma, semicolon or tab, got numbers separated by spaces, ";
  const std::string way_out =
      "; write them with delimiter=\",\" (numpy.savetxt), or replace the spaces";
  CHECK(error_of("1.0 2.5\n3.0 nan\n") == ":2" + told + "'3.0 nan'" + way_out);
  CHECK(error_of("# a b\n1e0  2e0\n") == ":2" + told + "'1e0  2e0'" + way_out);
  CHECK(error_of("1 2 3\n") == ":1" + told + "'1 2 3'" + way_out);
  CHECK(error_of("1 2\n3 4\n", {.columns = {"0"}}) == ":2" + told + "'3 4'" + way_out);
  CHECK(
      error_of("1,5 2\n3 4\n", {.decimal = ','}) ==
      ":2: expected fields separated by semicolon or tab, got numbers separated by spaces, '3 4'; "
      "write them with delimiter=\";\" (numpy.savetxt), or replace the spaces");
  CHECK(error_of("a b\nx y\n") == ": expected a column of numbers, all 1 columns hold text");
  CHECK(error_of("a b\n1\n") == "");
}

TEST_CASE("open_csv refuses text in the first row of a column of numbers") {
  CHECK(error_of("a,b\n-,1\n1.5,1\n2.5,2\n") ==
        ":2:1: expected a number, got '-', in column 'a', which holds numbers in 2 of its rows; "
        "leave a missing value empty, which data.missing: hold fills (for gaia apply: --missing "
        "hold), or name the columns to read with data.columns");
  CHECK(error_of("a,b\n,1\nmV,1\n2.5,2\n3,2\n").substr(0, 5) == ":3:1:");
  CHECK(error_of("a,b\n-,1\n1.5,1\n2.5,2\n", {.columns = {"b"}}) == "");
  const test::LogCapture log;  // those that are of text are left out
  CHECK(error_of("a,b\n-,1\nx,1\n2.5,2\n4,3\n") == "");
  CHECK(log.count(LogLevel::warning, "left out, since they hold text: 'a'") == 1);
}

TEST_CASE("open_csv tells of a decimal comma, and of a point where there should be one") {
  CHECK(error_of("t;x\n1;1,5\n2;2,5\n") ==
        ":2:2: expected numbers with a decimal point in column 'x', got '1,5'; set data.decimal: "
        "',' (for gaia apply: --decimal ,) "
        "for a decimal comma (fields separated by semicolons or tabs), or name the columns to read "
        "with data.columns");
  CHECK(error_of("t;x\n1,5;1.5\n2;2.5\n", {.decimal = ','}) ==
        ":2:2: expected numbers with a decimal comma in column 'x', got '1.5'; set data.decimal: "
        "'.' (for gaia apply: --decimal .) "
        "for a decimal point, or name the columns to read with data.columns");
  // However few they are.
  CHECK(error_of("a;b\n1,5;1\n3;1\n1,5;1\n3;1\n").substr(0, 57) ==
        ":2:1: expected numbers with a decimal point in column 'a'");
  CHECK(error_of("a;b\n-;1\n3;1\n1,5;1\n3;1\n-;1\n").substr(0, 68) ==
        ":4:1: expected numbers with a decimal point in column 'a', got '1,5'");
  const test::LogCapture log;  // dates are text
  CHECK(error_of("t;x\n01.01.2001;1,5\n02.01.2001;2,5\n", {.decimal = ','}) == "");
}

TEST_CASE("numbers in another notation are an error wherever they stand") {
  struct Case {
    const char* number;  // as a field
    const char* shown;
    const char* way_out;
  };
  for (const Case& one : std::vector<Case>{
           {"\"1,234.5\"", "1,234.5", "write it without separators of thousands"},
           {"\"-12,345,678\"", "-12,345,678", "write it without separators of thousands"},
           {"1'234.5", "1'234.5", "write it without separators of thousands"},
           {"1\u00a0234", "1\u00a0234", "write it without separators of thousands"},
           {"1.5D+03", "1.5D+03", "write E for D in its exponent"},
           {"-.5d2", "-.5d2", "write E for D in its exponent"},
           {"5%", "5%", "take the % out of the column"},
           {"5.5 %", "5.5 %", "take the % out of the column"},
           {"\u22121.5", "\u22121.5", "write - for its minus, which is another sign"},
           {"1.5e\u22123", "1.5e\u22123", "write - for its minus, which is another sign"},
           {"$12", "$12", "take the sign of the currency out of the column"},
           {"\"\u22121,234 \u20ac\"", "\u22121,234 \u20ac",
            "write - for its minus, which is another sign, take the sign of the currency out of "
            "the column, write it without separators of thousands"}}) {
    INFO(one.number);
    const std::string number = one.number;
    const std::string told = std::string("expected a number, got '") + one.shown + "'; ";
    const auto at = [&](int line) { return ":" + std::to_string(line) + ":2: " + told; };
    const std::string end =
        std::string(one.way_out) + ", or name the columns to read with data.columns";
    const auto is_told = [&](const std::string& text, int line) {
      const std::string error = error_of(text);
      CHECK(error.substr(0, at(line).size()) == at(line));
      CHECK(error.find(end) != std::string::npos);
    };
    is_told("a,b\n1," + number + "\n2,3\n", 2);
    is_told("a,b\n1,2\n2," + number + "\n", 3);
    is_told("a,b\n1,\n2," + number + "\n3," + number + "\n", 3);
    // No names, then.
    CHECK(error_of("1," + number + "\n2,3\n") ==
          at(1) + one.way_out + ", or, if the line is of names, write them with other text, as x0");
    // In a column that is not read it does not matter; in one that is, it does.
    CHECK(error_of("a,b\n1," + number + "\n", {.columns = {"a"}}) == "");
    CHECK(error_of("a,b\n1," + number + "\n", {.columns = {"b"}}) == at(2) + one.way_out);
    // A label among others is one.
    const test::LogCapture log;
    CHECK(error_of("a,b\n1,none\n2," + number + "\n3,much\n") == "");
    CHECK(log.count(LogLevel::warning, "left out, since they hold text: 'b'") == 1);
  }
  // Labels that are numbers, however written, outnumber the others here.
  CHECK(error_of("a,b\n1,none\n2,5%\n3,6%\n").substr(0, 5) == ":2:2:");
}

TEST_CASE("what looks a little like a number is text, and names are names") {
  const test::LogCapture log;
  for (const char* text :
       {"run", "2001-01-01", "01.02.2003", "12:30", "2D", "4d10", "%", "-", "\u2212", "12%5",
        "1 23", "1234 567", "$", "5 mV", "x\u22121", "0x10", "'123'", "1'"}) {
    INFO(text);
    CHECK(error_of("a,b\n1," + std::string(text) + "\n2,x\n") == "");
  }
  CHECK(log.count(LogLevel::warning, "left out, since they hold text: 'b'") == 18);
  CHECK(error_of("5%,50%,95%\n1,2,3\n4,5,6\n") == "");  // quantiles
  CHECK(log.count(LogLevel::warning, "line 1 is taken for names, although it could hold numbers") ==
        1);
  CHECK(error_of("x,5%\n1,2\n") == "");
}

TEST_CASE("where numbers may have thousands or a decimal comma, both are told") {
  CHECK(error_of("a;b\n1;1,234\n2;3\n") ==
        ":2:2: expected a number, got '1,234'; set data.decimal: ',' (for gaia apply: --decimal ,) "
        "for a decimal comma (fields separated by semicolons or tabs), write it without separators "
        "of thousands, or name the columns to read with data.columns");
  CHECK(error_of("a;b\n1;1.234,5\n2;3\n", {.decimal = ','}) ==
        ":2:2: expected a number, got '1.234,5'; write it without separators of thousands, or name "
        "the columns to read with data.columns");
}

TEST_CASE("open_csv tells of comments") {
  const std::string header =
      ":1: begins with '#', and there are no comments in CSV but a line of names, one for each "
      "column: take it out";
  CHECK(error_of("# my data\na,b\n1,2\n") == header);
  CHECK(error_of("# my data\n1,2\n") == header);
  CHECK(error_of("a,b\n1,2\n# end\n") ==
        ":3: expected 2 fields, got 1; the line begins with '#', and there are no comments in CSV");
  CHECK(error_of("a\n1\n# end\n") ==
        ":3:1: expected a number, got '# end'; there are no comments in CSV");
  CHECK(error_of("#,b\n1,2\n") == "");
}

TEST_CASE("open_csv refuses columns that the file does not have") {
  const std::string text = "time,signal,x,x\n1,2,3,4\n";
  CHECK(error_of<ArgumentError>(text, {.columns = {"singal"}}) ==
        ": unknown column 'singal' (did you mean 'signal'?); known: 'time', 'signal', 'x', 'x'");
  CHECK(error_of<ArgumentError>(text, {.columns = {"signal", "1"}}) ==
        ": column 'signal' is asked for twice");
  CHECK(error_of<ArgumentError>(text, {.columns = {"9"}}) ==
        ": unknown column 9; the file has columns 0 to 3: 'time', 'signal', 'x', 'x'");
}

TEST_CASE("open_csv refuses two channels of the same name") {
  const test::LogCapture log;  // a column of text is left out
  const std::string text = "x,t,x\n1,a,2\n";
  CHECK(error_of(text) == ": columns 0 and 2 are both called 'x'; select columns by index");
  CHECK(error_of<ArgumentError>(text, {.columns = {"x"}}) ==
        ": columns 0 and 2 are both called 'x'; select by index");
  CHECK(error_of(text, {.columns = {"2"}}) == "");
}

TEST_CASE("open_csv refuses names that are not UTF-8") {
  CHECK(error_of("t,\xb0"
                 "C\n1,2\n") == ":1:2: expected a name in UTF-8");
  CHECK(error_of("t,\xc2\xb0"
                 "C\n1,2\n") == "");
}

FOLDER_TEST_CASE("open_csv refuses what is no regular file") {
  CHECK_THROWS_WITH(open_csv(folder.path("absent.csv")),
                    folder.path("absent.csv") + ": cannot be opened: No such file or directory");
  CHECK_THROWS_WITH_TEXT(open_csv(folder.path("")), DataError, "expected a regular file");
}

FOLDER_TEST_CASE("open_csv notices a file that changes between two readings, and stays usable") {
  const std::string path = folder.write("a.csv", "x\n1\n2\n3\n");
  const auto series = open_csv(path);
  CHECK(read_rows(*series, 0, 1) == std::vector<double>{1.0});
  folder.write("a.csv", "x\n1\n2\n");
  CHECK_THROWS_WITH(read_rows(*series, 1, 2), path + ": the file changed while it was read");
  CHECK_THROWS_AS(read_all(*series), DataError);
}

TEST_CASE("open_csv survives any bytes") {
  // Every file that is one step from a good one is read or refused with a DataError, and reads the
  // same twice.
  const std::string good = "\"t\",x,y\r\n\"a\n\",1,-2.5e3\nb,NA,3\n\"\"\"\",4,nan\n\n";
  const test::LogCapture log;
  int read = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char c : std::string("\0\"\n\r,;\t1xN\xff ", 12)) {
      std::string text = good;
      text[i] = c;
      for (const std::string& variant : {text, good.substr(0, i) + c + good.substr(i)}) {
        const test::TempDir folder;
        try {
          const auto series =
              open_csv(folder.write("a.csv", variant), {.missing = MissingPolicy::interpolate});
          const std::vector<double> whole = read_all(*series);
          std::vector<double> again;
          for (std::int64_t row = 0; row < series->rows(); ++row) {
            for (const double value : read_rows(*series, row, 1)) again.push_back(value);
          }
          REQUIRE(again == whole);
          ++read;
        } catch (const DataError&) {
        }
      }
    }
  }
  CHECK(read > 100);
}

TEST_CASE("names of columns that are numbers are an error behind an index, else a warning") {
  // pandas writes an array so, with its index and without; and years.
  CHECK(
      error_of(",0,1\n0,0.5,1.5\n1,2.5,3.5\n", {.missing = MissingPolicy::interpolate}) ==
      ":1: ',0,1' may be names, of columns that are numbered; names hold text, as x0 does: change "
      "them, or take the line out if it is of names");
  for (const char* text : {"0,1\n0.5,1.5\n", "0,1,2\n3,4,5\n", "2019;2020\n1.5;2.5\n"}) {
    INFO(text);
    const test::LogCapture log;
    CHECK(error_of(text) == "");
    CHECK(log.lines.size() == 1);
    CHECK(log.count(LogLevel::warning, "and is taken for the first sample; names hold text") == 1);
  }
  // What may be a sample as well as any other.
  for (const char* text : {"0\n0.5\n", "0,1\n", "5,7\n1,2\n", "0.0,1.0\n0.5,1.5\n"}) {
    INFO(text);
    CHECK(error_of(text, {.missing = MissingPolicy::interpolate}) == "");
  }
}

FOLDER_TEST_CASE("numbers nearer to zero than a double can be are zero") {
  const auto series = open_csv(folder.write("a.csv", "x,y\n1e-400,-1e-5000\n2,0.5e-330\n"));
  CHECK(read_all(*series) == std::vector<double>{0.0, 0.0, 2.0, 0.0});
  CHECK(error_of("x\n1e400\n") == ":2:1: expected a number that a double can hold, got '1e400'");
}

}  // namespace
}  // namespace gaia
