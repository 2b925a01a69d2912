// SPDX-License-Identifier: MIT
/// \file
/// Rows of CSV and NDJSON from bytes that come in any pieces.
#include "../../../src/experiment/live/row_reader.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;
using LineKind = RowLine::Kind;

namespace {

const RowNames kPump = {
    .columns = {"flow", "pressure"}, .targets = {"quality"}, .label = "state", .trial = "run"};

/// A line as a text, so that lines can be compared as a whole.
std::string line_text(const RowLine& line) {
  std::string text = std::to_string(line.line);
  if (line.kind == LineKind::empty) return text + " empty";
  if (line.kind == LineKind::bad) return text + " bad: " + line.error;
  for (const double value : line.row.values) text += " " + std::to_string(value);
  for (const double target : line.row.targets) text += " y=" + std::to_string(target);
  if (line.row.label) text += " label=" + *line.row.label;
  if (line.row.trial) text += " trial=" + *line.row.trial;
  if (line.step) text += " step=" + std::to_string(*line.step);
  CHECK(line.has_truth == (!line.row.targets.empty() || line.row.label.has_value()));
  return text;
}

struct ReadLines {
  std::vector<std::string> lines;
  std::vector<std::string> warnings;
};

void read_all(RowReader& reader, ReadLines& read) {
  while (const RowLine* line = reader.next()) read.lines.push_back(line_text(*line));
  for (std::string& warning : reader.take_warnings()) read.warnings.push_back(std::move(warning));
}

/// `cut` bytes at a time; 0: all at once.
ReadLines lines_of(const std::string& bytes, std::size_t cut = 0, const RowNames& names = kPump,
                   std::optional<RowFormat> format = {}) {
  RowReader reader(names, format);
  ReadLines read;
  const std::size_t step = cut == 0 ? std::max<std::size_t>(1, bytes.size()) : cut;
  for (std::size_t i = 0; i < bytes.size(); i += step) {
    reader.feed(std::string_view(bytes).substr(i, step));
    read_all(reader, read);
  }
  reader.finish();
  read_all(reader, read);
  return read;
}

std::string only_error(const std::string& header, const std::string& line) {
  const ReadLines read = lines_of(header + line + "\n");
  REQUIRE(read.lines.size() == 1);
  return read.lines.front();
}

const std::string kHeader = "flow,pressure,quality,state,run,step\n";

}  // namespace

TEST_CASE("rows of CSV: values, targets, labels, trials and steps by the names of the header") {
  const ReadLines read = lines_of(
      "\xef\xbb\xbfpressure;step;flow;state;quality;run\r\n"
      "2;;1.5;normal;;a\r\n"
      "\r\n"
      " NA ; 7 ;;;0.25;\n"
      "-1e3;;+2;1.0;nan;\"b;\"\"c\"\"\"");
  CHECK(read.warnings.empty());
  CHECK(read.lines == std::vector<std::string>{"2 1.500000 2.000000 label=normal trial=a",
                                               "3 empty", "4 nan nan y=0.250000 step=7",
                                               "5 2.000000 -1000.000000 label=1 trial=b;\"c\""});
}

TEST_CASE("rows of NDJSON: the same, by the names of each object") {
  const ReadLines read = lines_of(
      "{\"flow\": 1.5, \"pressure\": 2, \"state\": \"normal\", \"run\": \"a\"}\n"
      "  \n"
      "{\"step\": 7, \"quality\": 0.25, \"flow\": null}\r\n"
      "{\"run\": 3, \"state\": 1.0, \"pressure\": -1e3, \"flow\": -0.0}");
  CHECK(read.warnings.empty());
  CHECK(read.lines == std::vector<std::string>{"1 1.500000 2.000000 label=normal trial=a",
                                               "2 empty", "3 nan nan y=0.250000 step=7",
                                               "4 -0.000000 -1000.000000 label=1 trial=3"});
}

TEST_CASE("however bytes are cut, the rows are the same") {
  std::string csv = kHeader;
  std::string json;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    csv += n + ",0." + n + ",,\"a \"\"b\"\"\"," + (i % 7 == 0 ? "x" : "\xc3\xa9") + ",\r\n";
    json += "{\"flow\":" + n + ",\"pressure\":0." + n + ",\"state\":\"\xc3\xa9\"}\n";
    if (i % 5 == 0) csv += "\n", json += "\r\n";
    if (i % 9 == 0) csv += "1,2\n", json += "{\"flow\":[}\n";
  }
  csv += "1,2,3,u,v,";
  json += "{\"flow\":1}";
  for (const std::string& bytes : {csv, json}) {
    const ReadLines whole = lines_of(bytes);
    CHECK(whole.lines.size() > 50);
    for (std::size_t cut = 1; cut < 70; ++cut) {
      INFO(cut);
      const ReadLines read = lines_of(bytes, cut);
      REQUIRE(read.lines == whole.lines);
      CHECK(read.warnings == whole.warnings);
    }
  }
}

TEST_CASE("a row is read as soon as its line has ended") {
  RowReader reader(kPump);
  CHECK_FALSE(reader.format().has_value());
  reader.feed("flow,pressure\n1,2");
  CHECK(reader.next() == nullptr);
  CHECK(reader.format() == RowFormat::csv);
  reader.feed("\n");
  const RowLine* line = reader.next();
  REQUIRE(line != nullptr);
  CHECK(line->row.values == std::vector<double>{1.0, 2.0});
  CHECK(line->row.targets.empty());
  CHECK(line->has_values);
  CHECK(reader.next() == nullptr);
}

TEST_CASE("a row that cannot be used says why, and the next one is read") {
  const auto error = [](const std::string& line) { return only_error(kHeader, line); };
  CHECK(error("1,x,,,,") == "2 bad: column pressure: expected a finite number, got 'x'");
  CHECK_SAYS(error("\"1,234.5\",2,,,,"), "write it without separators of thousands");
  CHECK(error("1,1e999,,,,") == "2 bad: column pressure: expected a finite number, got '1e999'");
  CHECK(error("1,2,-inf,,,") == "2 bad: column quality: expected a finite number, got '-inf'");
  CHECK(error("1,2") == "2 bad: expected 6 fields, as the header has, got 2");
  CHECK(error("1,2,,,,,") == "2 bad: expected 6 fields, as the header has, got 7");
  CHECK(error("1,2,,,,1.5") == "2 bad: column step: expected the number of a row, got '1.5'");
  CHECK(error("1,2,,\"a,,") == "2 bad: field 4: quote without an end");
  CHECK(error("1,2,,\"a\"b,,") == "2 bad: field 4: text after the closing quote");
  CHECK(error(std::string("1,2,,a\0b,,", 10)) ==
        "2 bad: expected text in UTF-8 without bytes of 0");
  CHECK(error("1,2,,\xff,,") == "2 bad: expected text in UTF-8 without bytes of 0");
  CHECK_SAYS(error("1,2,,a\rb,,"), "a name without control characters");
  CHECK_SAYS(error("1,2,," + std::string(300, 'a') + ",,"), "at most 256 bytes");

  const ReadLines read = lines_of(kHeader + "1,2,\"\n3,4,,,,\n");
  REQUIRE(read.lines.size() == 2);
  CHECK(read.lines[1] == "3 3.000000 4.000000");
}

TEST_CASE("an object that cannot be used says why, and the next one is read") {
  const auto second = [](const std::string& line) {
    const ReadLines read = lines_of("{\"flow\":1}\n" + line + "\n{\"flow\":2}\n");
    REQUIRE(read.lines.size() == 3);
    CHECK(read.lines[2] == "3 2.000000 nan");
    return read.lines[1];
  };
  CHECK(second(R"({"flow":"x"})") ==
        "2 bad: column flow: expected a finite number, got the text 'x'");
  CHECK(second(R"({"flow":true})") == "2 bad: column flow: expected a finite number, got true");
  CHECK(second(R"({"flow":[1]})") == "2 bad: column flow: expected a finite number, got an array");
  CHECK(second(R"({"state":{"a":1}})") ==
        "2 bad: column state: expected a text or a number, got an object");
  CHECK(second(R"({"flow":1,"step":0.5})") ==
        "2 bad: column step: expected the number of a row, got 0.5");
  CHECK(second(R"({"flow":1,"flow":2})") == "2 bad: expected every name once, got 'flow' twice");
  CHECK(second(R"([1,2])") == "2 bad: expected an object of JSON, {...}, got an array");
  CHECK(second("17") == "2 bad: expected an object of JSON, {...}, got a number");
  CHECK(second("{}") == "2 bad: expected an object with columns of the stream, got none of them");
  for (const char* line :
       {R"({"flow":1e999})", R"({"flow":NaN})", R"({"flow":1)", R"({"flow":1} 2)", R"({"flow":1,})",
        R"({"state":"\ud800"})", "flow,pressure"}) {
    INFO(line);
    CHECK_SAYS(second(line), "2 bad: expected an object of JSON: ");
  }
  CHECK_THAT(second(R"({"state":"a\u0000b"})"),
             ContainsSubstring("a name in UTF-8") || ContainsSubstring("control characters"));
  CHECK(second("{\"state\":\"\xff\"}") == "2 bad: expected text in UTF-8 without bytes of 0");
}

TEST_CASE("depth of an object costs neither stack nor time") {
  const std::size_t depth = 200000;
  const std::string deep =
      "{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + ",\"flow\":1}\n";
  const ReadLines read = lines_of(deep + "{\"flow\":" + std::string(depth, '[') + "\n");
  REQUIRE(read.lines.size() == 2);
  CHECK(read.lines[0] == "1 1.000000 nan");
  CHECK(read.lines[1] == "2 bad: column flow: expected a finite number, got an array");
}

TEST_CASE("a line that is too long is a bad row, of which nothing is held") {
  const std::string most(RowReader::kMostBytes - 6, ' ');
  for (const std::size_t cut : {0u, 1000u, 65536u}) {
    const ReadLines read = lines_of(kHeader + "1,2,,,," + most.substr(1) + "\n" + "1,2,,,," + most +
                                        "1,1\n3,4,,,,\n" + std::string(3u << 20, 'x'),
                                    cut);
    REQUIRE(read.lines.size() == 4);
    CHECK(read.lines[0] == "2 1.000000 2.000000");
    CHECK(read.lines[1] == "3 bad: expected a line of at most 1048576 bytes");
    CHECK(read.lines[2] == "4 3.000000 4.000000");
    CHECK(read.lines[3] == "5 bad: expected a line of at most 1048576 bytes");
  }
}

TEST_CASE("a header has every column of the result, and each once") {
  const auto refused = [](const std::string& header, const std::string& text) {
    INFO(header);
    CHECK_THROWS_WITH_TEXT(lines_of(header + "\n1,2\n"), DataError, text);
  };
  refused("flow", "stdin:1: expected a header with the columns flow, pressure, got no pressure");
  refused("flow,presure", "got no pressure (did you mean 'presure'?)");
  refused("1.5,2", "got a line of numbers; the first line has to be of names");
  refused("[1,2]", "an array of JSON; NDJSON has an object a line");
  refused("flow,pressure,flow", "expected every column once, got 'flow' twice");
  refused("flow,pressure,x,x", "expected every column once, got 'x' twice");
  refused("flow,\"pressure", "field 2: quote without an end");
  refused("flow,pressure,\xff", "expected text in UTF-8");
  refused(std::string(2u << 20, 'f'), "expected a line of at most 1048576 bytes");
  // Nothing, or blanks, has no rows.
  CHECK(lines_of("").lines.empty());
  CHECK(lines_of("\n \n").lines.empty());
}

TEST_CASE("signs that separate elsewhere may stand in names") {
  CHECK(lines_of("flow;x,pressure,flow\n1,2,3\n").lines ==
        std::vector<std::string>{"2 3.000000 2.000000"});
  CHECK(lines_of("flow,x;pressure;flow\n1;2;3\n").lines ==
        std::vector<std::string>{"2 3.000000 2.000000"});
  const RowNames odd = {.columns = {"v (m;s)", "a\tb"}};
  CHECK(lines_of("v (m;s),a\tb\n1,2\n", 0, odd).lines ==
        std::vector<std::string>{"2 1.000000 2.000000"});
  CHECK(lines_of("\"v (m;s)\";a\tb\n1;2\n", 0, odd).lines ==
        std::vector<std::string>{"2 1.000000 2.000000"});
}

TEST_CASE("what is not read is told once, and of many names some") {
  const ReadLines csv = lines_of("flow,pressure,Quality,,\n1,2,3,4,5\n1,2,3,4,5\n");
  CHECK(csv.lines.size() == 2);
  REQUIRE(csv.warnings.size() == 1);
  CHECK(csv.warnings[0] == "stdin:1: 'Quality' is not read (did you mean 'quality'?)");

  std::string rows;
  for (int i = 0; i < 100; ++i) {
    rows += "{\"flow\":1,\"x" + std::to_string(i) + "\":1,\"x0\":[{\"flow\":2}]}\n";
  }
  const ReadLines json = lines_of(rows);
  REQUIRE(json.lines.size() == 100);
  CHECK(json.lines[99] == "100 1.000000 nan");
  REQUIRE(json.warnings.size() == 21);
  CHECK(json.warnings[0] == "stdin:1: 'x0' is not read");
  CHECK(json.warnings[20] == "stdin: further columns are not read, and not told");
}

TEST_CASE("step and trial are what a result calls so, where it does") {
  const RowNames named = {.columns = {"step", "trial"}};
  const ReadLines read = lines_of("step,trial\n7,8\n", 0, named);
  CHECK(read.lines == std::vector<std::string>{"2 7.000000 8.000000"});
  const RowNames plain = {.columns = {"a"}};
  CHECK(lines_of("a,trial,step\n1,x,3\n", 0, plain).lines ==
        std::vector<std::string>{"2 1.000000 trial=x step=3"});
  // A column may be a target, too.
  const RowNames both = {.columns = {"a"}, .targets = {"a"}};
  CHECK(lines_of("a\n2\n", 0, both).lines == std::vector<std::string>{"2 2.000000 y=2.000000"});
}

TEST_CASE("the format can be said") {
  CHECK_THROWS_AS(lines_of("{\"flow\":1}\n", 0, kPump, RowFormat::csv), DataError);
  const ReadLines read = lines_of("flow,pressure\n1,2\n", 0, kPump, RowFormat::ndjson);
  REQUIRE(read.lines.size() == 2);
  CHECK_SAYS(read.lines[0], "1 bad: expected an object of JSON");
}

TEST_CASE("numbers are read as they are written, to the bit") {
  const std::vector<double> values = {0.1, -1.0 / 3.0, 5e-324, 1.7976931348623157e308, 1e22, -0.0};
  for (const double value : values) {
    char text[64];
    std::snprintf(text, sizeof text, value == 0.0 ? "%.1f" : "%.17g", value);
    for (const bool is_json : {false, true}) {
      RowReader reader({.columns = {"a"}});
      reader.feed(is_json ? "{\"a\":" + std::string(text) + "}\n"
                          : "a\n" + std::string(text) + "\n");
      const RowLine* line = reader.next();
      REQUIRE(line != nullptr);
      CHECK(line->row.values[0] == value);
      CHECK(std::signbit(line->row.values[0]) == std::signbit(value));
    }
  }
}

TEST_CASE("a zero with a minus stays one in both formats, as -0 and as -0.0") {
  for (const std::string bytes : {"a\n-0\n-0.0\n0\n", "{\"a\":-0}\n{\"a\":-0.0}\n{\"a\":0}\n"}) {
    RowReader reader({.columns = {"a"}});
    reader.feed(bytes);
    for (const bool has_minus : {true, true, false}) {
      const RowLine* line = reader.next();
      REQUIRE(line != nullptr);
      CHECK(line->row.values[0] == 0.0);
      CHECK(std::signbit(line->row.values[0]) == has_minus);
    }
  }
}

TEST_CASE("objects that are plain are read as those with escapes and nesting") {
  const std::vector<std::string> values = {
      "0",
      "-0",
      "-12",
      "12.50",
      "1e3",
      "-2.5E-3",
      "1e-400",
      "1e999",
      "5e-324",
      "01",
      "+1",
      "1.",
      ".5",
      "1e",
      "-",
      "0x1",
      "1 2",
      "NaN",
      "null",
      "true",
      "false",
      "nul",
      "truer",
      "\"x\"",
      "\"\"",
      "\"x",
      "[1]",
      "{}",
      "",
      "\"\\n\"",
      "1,",
      "\"\x7f\"",
      "123456789012345678",
      "-999999999999999999",
      "9223372036854775807",
      "9223372036854775808",
      "-9223372036854775808",
      "18446744073709551616",
      "0.1000000000000000055511151231257827021181583404541015625",
      "179769313486231580793728971405301",
      "2.2250738585072011e-308",
      "  7\t",
      "1\r",
      "1}"};
  std::size_t used = 0;
  for (const std::string& name : std::vector<std::string>{"a", "state", "step", "run", "other"}) {
    for (const std::string& value : values) {
      INFO(name << ' ' << value);
      const auto read = [&](const std::string& object) {
        RowReader reader({.columns = {"a", "b"}, .label = "state", .trial = "run"},
                         RowFormat::ndjson);
        reader.feed(object + "\n");
        const RowLine* const line = reader.next();
        REQUIRE(line != nullptr);
        return *line;
      };
      // The name that is written with an escape is the same name, and keeps it from being plain.
      const RowLine plain = read("{\"b\":1.5,\"" + name + "\":" + value + "}");
      const RowLine other = read("{\"\\u0062\":1.5,\"" + name + "\":" + value + "}");
      CHECK(plain.kind == other.kind);
      // Errors of the parser tell the place, which is another.
      if (!plain.error.starts_with("expected an object")) CHECK(plain.error == other.error);
      if (plain.kind != LineKind::row) continue;
      ++used;
      CHECK(plain.step == other.step);
      CHECK(plain.row.trial == other.row.trial);
      CHECK(plain.row.label == other.row.label);
      const std::size_t bytes = plain.row.values.size() * sizeof(double);
      CHECK(std::memcmp(plain.row.values.data(), other.row.values.data(), bytes) == 0);
    }
  }
  CHECK(used > 60);
}

TEST_CASE("numbers have the decimal mark that is asked for, and an error names the other") {
  RowNames names = kPump;
  names.decimal = ',';
  ReadLines read =
      lines_of("flow;pressure;state\n1,5;-2,25e1;1,0\n1.5;2;u\n1,234,5;2;u\n", 0, names);
  REQUIRE(read.lines.size() == 3);
  CHECK(read.lines[0] == "2 1.500000 -22.500000 label=1");
  CHECK_SAYS(read.lines[1], "expected a finite number, got '1.5'; --decimal .");
  CHECK_SAYS(read.lines[2], "expected a finite number, got '1,234,5'");
  read = lines_of("flow\tpressure\n0,5\t2\n", 0, names);
  CHECK(read.lines == std::vector<std::string>{"2 0.500000 2.000000"});
  CHECK(lines_of("flow\n0,5\n", 0, {.columns = {"flow"}, .decimal = ','}).lines ==
        std::vector<std::string>{"2 0.500000"});
  CHECK_THROWS_WITH(lines_of("flow,pressure\n1,2\n", 0, names),
                    ContainsSubstring("semicolons or tabs separate fields"));
  read = lines_of("flow;pressure\n1,5;2\n");
  REQUIRE(read.lines.size() == 1);
  CHECK_SAYS(read.lines[0], "got '1,5'; --decimal , reads it");
  // Numbers of JSON have a point whatever is asked for.
  read = lines_of("{\"flow\":1.5,\"pressure\":2}\n", 0, names);
  CHECK(read.lines == std::vector<std::string>{"1 1.500000 2.000000"});
}
