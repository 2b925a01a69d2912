// SPDX-License-Identifier: MIT
#include <fstream>
#include <sstream>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "errors_table.h"

namespace gaia::test {
namespace {

std::vector<EquationProblem> problems_of(const EquationText& rule) {
  try {
    compile_equations(rule);
  } catch (const EquationError& error) {
    CHECK(std::string(error.what()).find("[compile_equations] the rule has") == 0);
    return error.problems();
  }
  return {};
}

std::string message_of(const EquationText& rule) {
  return complaint_of<EquationError>([&] { compile_equations(rule); });
}

/// Cells of a row of a table, without the quotes of code.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream(replaced(row, "\\|", "\x01"));
  for (std::string cell; std::getline(stream, cell, '|');) {
    cell = replaced(cell, "\x01", "|");
    const std::size_t first = cell.find_first_not_of(' ');
    const std::size_t last = cell.find_last_not_of(' ');
    cell = first == std::string::npos ? std::string() : cell.substr(first, last - first + 1);
    if (cell.size() > 1 && cell.front() == '`') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
  }
  if (!cells.empty()) cells.erase(cells.begin());
  return cells;
}

std::vector<std::vector<std::string>> error_rows() {
  std::ifstream file(GAIA_SOURCE_DIR "/docs/rules.md");
  std::vector<std::vector<std::string>> rows;
  bool in_section = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("#", 0) == 0) in_section = line == "### Errors of the language";
    if (in_section && line.rfind("| ", 0) == 0) rows.push_back(cells_of(line));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

TEST_CASE("Every error of the language is what docs/rules.md says") {
  const auto rows = error_rows();
  CHECK(rows.size() > 80);
  for (const auto& row : rows) {
    REQUIRE(row.size() == 4);
    INFO(row[0] << " | " << row[1]);
    const bool is_empty = row[0] == "(empty)";
    const auto problems = problems_of(rule_in_table(is_empty ? "" : row[0], row[1]));
    REQUIRE(problems.size() == 1);
    const EquationProblem& problem = problems.front();
    CHECK(problem.message == row[3]);
    CHECK((problem.line == 0
               ? problem.key
               : std::to_string(problem.line) + ":" + std::to_string(problem.column)) == row[2]);
    CHECK((problem.line > 0) == (problem.key == "equations"));
  }
}

TEST_CASE("All errors of a rule are told at once, in the order of its text") {
  const EquationText rule{.equations =
                              "dw = ratee * (x − w)\r\n"
                              "m = (z + \n"
                              "  # a comment\n"
                              "  foo(3)) + bar\n"
                              "\n"
                              "q = = 3\n"
                              "w = x\n"
                              "dw = q",
                          .parameters = {{"rate", 0.1}, {"exp", 1.0}},
                          .memory = {{"n", 0.0}},
                          .traces = {{"pre", -1.0}}};
  const auto problems = problems_of(rule);
  std::vector<std::string> places;
  for (const EquationProblem& problem : problems) {
    places.push_back(problem.key + " " + std::to_string(problem.line) + ":" +
                     std::to_string(problem.column));
  }
  // A line that cannot be read has no further errors, but what it assigns is known.
  CHECK(places == std::vector<std::string>{"equations 1:17", "equations 4:3", "equations 4:13",
                                           "equations 6:5", "equations 7:1", "equations 8:1",
                                           "parameters.exp 0:0", "traces.pre 0:0", "memory.n 0:0"});
  const std::string message = message_of(rule);
  CHECK_SAYS(message, "the rule has 9 errors:\n",
             "line 1, column 17: the language has no character '−'",
             "\n    1 | dw = ratee * (x − w)\n"
             "      |                 ^\n",
             "\n    4 |   foo(3)) + bar\n      |             ^\n",
             "\ntraces.pre: tau is a number of ticks above 0");
}

TEST_CASE("Errors of a rule are errors of an argument") {
  CHECK_THROWS_AS(compile_equations({.equations = "dw = foo"}), ArgumentError);
  CHECK_THROWS_AS(compile_equations({.equations = "dw = foo"}), EquationError);
}

TEST_CASE("A part of a line that is wrong does not make others wrong") {
  CHECK(problems_of({.equations = "m = foo + 1\ny = m*z\ndw = y*x*m"}).size() == 1);
  CHECK(problems_of({.equations = "de = foo*x\ndw = e"}).size() == 1);
  CHECK(problems_of({.equations = "de = (x\ndw = e"}).size() == 1);
  CHECK(problems_of({.equations = "y = foo\ndw = y*x"}).size() == 1);
  CHECK(problems_of({.equations = "r = x\ndw = r*x"}).size() == 1);
  // Names that are not read may have been meant there.
  CHECK(problems_of({.equations = "dw = rat*x", .parameters = {{"rate", 1.0}}}).size() == 1);
  CHECK(problems_of({.equations = "m ! z\ndw = m2*x", .memory = {{"m", 1.0}}}).size() == 2);
}

TEST_CASE("Errors show text that is long or strange safely") {
  const std::string spaces(300, ' ');
  const std::string far = message_of({.equations = "y = " + spaces + "foo + " + spaces + "1"});
  CHECK_SAYS(far, "line 1, column 305", "\n      | " + std::string(50, ' ') + "^");
  CHECK(far.size() < 400);
  const std::string controls = message_of({.equations = "y = \x1b[31m\xff\x01 z"});
  CHECK_SAYS(controls, "has no character U+001B");
  CHECK(controls.find('\x1b') == std::string::npos);
  CHECK_SAYS(message_of({.equations = "y = \xff"}), "the byte 0xFF is not of UTF-8");
  CHECK_SAYS(message_of({.equations = std::string("y = \0", 5)}), "U+0000");
  CHECK_SAYS(message_of({.equations = "\ty = \t1 2"}), "\n    1 |  y =  1 2\n");
  CHECK_SAYS(message_of({.equations = "y = 1\rdw = x"}), "U+000D");
  // The first of several foreign characters in a line is reported.
  CHECK(problems_of({.equations = "y = $ $ $\ndw = $"}).size() == 2);
}

TEST_CASE("Very many errors are counted, and the first are told") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "foo\n";
  const EquationText rule{.equations = text};
  CHECK(problems_of(rule).size() == 200);
  const std::string message = message_of(rule);
  CHECK_SAYS(message, "the rule has 5 000 errors:", "... and 4 980 more");
  CHECK(message.size() < 10000);
}

}  // namespace
}  // namespace gaia::test
