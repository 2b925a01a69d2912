// SPDX-License-Identifier: MIT
#include "../../src/io/csv_records.h"
#include "../../src/io/csv_number.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/temp_dir.h"

namespace gaia {
namespace {

using Fields = std::vector<std::string>;
using Records = std::vector<Fields>;

/// All records of a text.
Records records_of(const std::string& text) {
  const test::TempDir folder;
  const InputFile file(folder.write("a.csv", text));
  CsvRecords records(file);
  Records all;
  while (records.next()) all.emplace_back(records.fields().begin(), records.fields().end());
  return all;
}

/// What is said about a text that is no CSV, after the name of the file.
std::string error_of_records(const std::string& text) {
  const test::TempDir folder;
  const std::string path = folder.write("a.csv", text);
  return test::complaint_about(path, [&] {
    const InputFile file(path);
    CsvRecords records(file);
    while (records.next()) continue;
  });
}

TEST_CASE("parse_cell takes decimal numbers") {
  const auto check = [](std::string_view text, double value) {
    const Cell cell = parse_cell(text);
    INFO(text);
    CHECK(cell.kind == CellKind::number);
    CHECK(cell.value == value);
    CHECK(std::signbit(cell.value) == std::signbit(value));
  };
  check("0", 0.0);
  check("-0", -0.0);
  check("42", 42.0);
  check("+42", 42.0);
  check("-1.5", -1.5);
  check("+.5", 0.5);
  check("1.", 1.0);
  check("007", 7.0);
  check("1e3", 1000.0);
  check("1E-3", 0.001);
  check("1.7976931348623157e308", std::numeric_limits<double>::max());
  check("  \t7 ", 7.0);
  check("0.1", 0.1);
  check("9007199254740993", 9007199254740992.0);
  check("4.9e-324", std::numeric_limits<double>::denorm_min());
  check("-1e-310", -1e-310);
  check("0e-999", 0.0);
  check("0.000", 0.0);
}

TEST_CASE("parse_cell takes numbers of few digits for the doubles nearest to them") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const auto digits = 1 + static_cast<int>(random() % 19);
    std::string text = random() % 3 == 0 ? "-" : "";
    for (int d = 0; d < digits; ++d) text += static_cast<char>('0' + random() % 10);
    text.insert(text.size() - random() % static_cast<std::uint64_t>(digits), ".");
    if (text.back() == '.') text.pop_back();
    const double nearest = std::strtod(text.c_str(), nullptr);
    const Cell cell = parse_cell(text);
    std::string with_comma = text;
    std::replace(with_comma.begin(), with_comma.end(), '.', ',');
    const Cell cell_with_comma = parse_cell(with_comma, ',');
    if (cell.kind == CellKind::number && cell.value == nearest &&
        std::signbit(cell.value) == std::signbit(nearest) && cell_with_comma.kind == cell.kind &&
        cell_with_comma.value == nearest) {
      continue;
    }
    FAIL_CHECK(text);
  }
}

TEST_CASE("parse_cell knows what stands for a missing value") {
  for (const char* text : {"", " ", "\t ", "NA", "N/A", "NaN", "nan", "null", " NA "}) {
    INFO(text);
    CHECK(parse_cell(text).kind == CellKind::missing);
    CHECK(std::isnan(parse_cell(text).value));
  }
}

TEST_CASE("parse_cell takes nothing else for a number") {
  for (const char* text : {"x",    "1x", "1 2",  "0x10", "1,5",  "1e",         "e5",   ".",
                           "-",    "+",  "+-1",  "++1",  "--1",  "1_000",      "1d5",  "nan(1)",
                           "-nan", "na", "NULL", "None", "true", "1958-03-29", "inf1", "12:30"}) {
    INFO(text);
    CHECK(parse_cell(text).kind == CellKind::text);
  }
  for (const char* text : {"inf", "-inf", "+inf", "Inf", "INF", "infinity", "-Infinity"}) {
    INFO(text);
    CHECK(parse_cell(text).kind == CellKind::infinite);
  }
  for (const char* text : {"1e309", "-1e309", "1e99999999999"}) {
    INFO(text);
    CHECK(parse_cell(text).kind == CellKind::out_of_range);
  }
  for (const char* text : {"1e-400", "-2e-324", "1e-99999999999"}) {
    INFO(text);
    CHECK(parse_cell(text).kind == CellKind::number);
    CHECK(parse_cell(text).value == 0.0);
  }
}

TEST_CASE("records are lines, with any end") {
  const Records expected = {{"a", "b"}, {"1", "2"}};
  CHECK(records_of("a,b\n1,2\n") == expected);
  CHECK(records_of("a,b\n1,2") == expected);
  CHECK(records_of("a,b\r\n1,2\r\n") == expected);
  CHECK(records_of("a,b\r\n1,2\r") == expected);
  CHECK(records_of("a,b\n1,2\r\n") == expected);
  CHECK(records_of("").empty());
}

TEST_CASE("records begin after a byte order mark") {
  CHECK(records_of("\xef\xbb\xbf"
                   "a,b\n1,2\n") == Records{{"a", "b"}, {"1", "2"}});
  CHECK(records_of("\xef\xbb\xbf").empty());
  CHECK(records_of("\xef\xbb\xbf\"a\"\n") == Records{{"a"}});
}

TEST_CASE("records are separated by what the first line has") {
  CHECK(records_of("a;b,c\n1;2,5\n") == Records{{"a", "b,c"}, {"1", "2,5"}});
  CHECK(records_of("a\tb;c\n1\t2\n") == Records{{"a", "b;c"}, {"1", "2"}});
  CHECK(records_of("a,b\n1;2,3\n") == Records{{"a", "b"}, {"1;2", "3"}});
  CHECK(records_of("\"a;b\",c\n1,2\n") == Records{{"a;b", "c"}, {"1", "2"}});
  CHECK(records_of("\"a\n;b\",c\n1,2\n") == Records{{"a\n;b", "c"}, {"1", "2"}});
  CHECK(records_of("a\n1\n") == Records{{"a"}, {"1"}});
  // A name may hold what separates elsewhere, which the next line tells.
  CHECK(records_of("a;b,c,d\n1,2,3\n") == Records{{"a;b", "c", "d"}, {"1", "2", "3"}});
  CHECK(records_of("a\tb,c\n1,2\n") == Records{{"a\tb", "c"}, {"1", "2"}});
  CHECK(records_of("a\tb;c\n1;2\n") == Records{{"a\tb", "c"}, {"1", "2"}});
  CHECK(records_of("a;b,c\n") == Records{{"a", "b,c"}});
}

TEST_CASE("fields may be empty, also with tabs") {
  CHECK(records_of("a,b,\n,,\n,2,\n") == Records{{"a", "b", ""}, {"", "", ""}, {"", "2", ""}});
  CHECK(records_of("a\tb\t\n\t\t\n") == Records{{"a", "b", ""}, {"", "", ""}});
}

TEST_CASE("blanks around fields do not count") {
  CHECK(records_of(" a , b c \n  1\t, \"x \" \n") == Records{{"a", "b c"}, {"1", "x "}});
}

TEST_CASE("quoted fields hold anything") {
  CHECK(records_of("\"a,b\",\"c\"\"d\",\"\"\n") == Records{{"a,b", "c\"d", ""}});
  CHECK(records_of("\"two\nlines\",x\r\n1,2\n") == Records{{"two\nlines", "x"}, {"1", "2"}});
  CHECK(records_of("\"\"\"\"\n") == Records{{"\""}});
  CHECK(records_of("5\" disk,x\n") == Records{{"5\" disk", "x"}});
}

FOLDER_TEST_CASE("records know their lines, and which are blank") {
  const InputFile file(folder.write("a.csv", "a,b\n\n \t\n\"1\n\n2\",3\n\"\"\n,\n"));
  CsvRecords records(file);
  std::vector<std::int64_t> lines;
  std::vector<bool> blank;
  while (records.next()) {
    lines.push_back(records.place().line);
    blank.push_back(records.is_blank());
  }
  CHECK(lines == std::vector<std::int64_t>{1, 2, 3, 4, 7, 8});
  CHECK(blank == std::vector<bool>{false, true, true, false, false, false});
}

FOLDER_TEST_CASE("records can be gone back to") {
  std::string text = "\xef\xbb\xbf";
  for (int i = 0; i < 30000; ++i) text += std::to_string(i) + ",\"x\"\"\n\"\r\n";
  const InputFile file(folder.write("a.csv", text));
  CsvRecords records(file);
  std::vector<CsvRecords::Place> places;
  while (records.next()) places.push_back(records.place());
  REQUIRE(places.size() == 30000);
  for (const std::size_t i : {29999u, 0u, 12345u, 12346u, 7u}) {
    records.seek(places[i]);
    REQUIRE(records.next());
    CHECK(records.fields()[0] == std::to_string(i));
    CHECK(records.fields()[1] == "x\"\n");
    CHECK(records.place().line == static_cast<std::int64_t>(2 * i + 1));
    CHECK(records.next() == (i != 29999));
  }
}

TEST_CASE("records across the pieces that are read come whole") {
  // Lengths around the 64 KiB that are read at once.
  for (const std::size_t length : {65533u, 65534u, 65535u, 65536u, 65537u, 131072u}) {
    const std::string field(length, 'x');
    CHECK(records_of(field + ",b\r\n\"" + field + "\"\"\",\"d\"\n") ==
          Records{{field, "b"}, {field + "\"", "d"}});
  }
}

TEST_CASE("records have at most 1 MiB") {
  const std::string most(CsvRecords::kMostBytes - 1, 'x');
  CHECK(error_of_records("a\n" + most + "\nb\n") == "");
  CHECK(error_of_records("a\n" + most + "x") == "");
  const std::string message = ":2: expected a line of at most 1048576 bytes";
  CHECK(error_of_records("a\n" + most + "x\nb\n") == message);
  CHECK(error_of_records("a\n" + most + "xx") == message);
  CHECK(error_of_records("a\n\"" + most + most + "\"") == message);
  CHECK(error_of_records(most + most) == ":1: expected a line of at most 1048576 bytes");
}

TEST_CASE("records have at most 100000 fields") {
  CHECK(error_of_records(std::string(99999, ',') + "\n") == "");
  CHECK(error_of_records(std::string(100000, ',') + "\n") ==
        ":1: expected at most 100000 fields, got more");
}

TEST_CASE("records refuse what is no CSV, with line and field") {
  CHECK(error_of_records("a,b\n1,\"2\n") == ":2:2: quote without an end");
  CHECK(error_of_records("\"a") == ":1:1: quote without an end");
  CHECK(error_of_records("a,b\n\"1\"x,2\n") == ":2:1: text after the closing quote");
  CHECK(error_of_records("a,b\n1,\"2\" 3\n") == ":2:2: text after the closing quote");
  CHECK(error_of_records("a\r1\r2\r") ==
        ":1:1: carriage return without line feed; expected lines that end with LF or CRLF");
  CHECK(error_of_records("a,b\n1,\"2\"\r3\n") ==
        ":2:2: carriage return without line feed; expected lines that end with LF or CRLF");
  CHECK(error_of_records(std::string("a,b\n1,\0\n", 8)) == ":2:2: byte 0; expected text in UTF-8");
  CHECK(error_of_records(std::string("a,b\n1,\"\0\"\n", 10)) ==
        ":2:2: byte 0; expected text in UTF-8");
  CHECK(error_of_records(std::string("\xff\xfe"
                                     "a\0",
                                     4)) == ":1: expected text in UTF-8, got UTF-16");
  CHECK(error_of_records(std::string("\xfe\xff\0a", 4)) ==
        ":1: expected text in UTF-8, got UTF-16");
}

}  // namespace
}  // namespace gaia
