// SPDX-License-Identifier: MIT
// Texts at the limits of docs/rules.md, and beyond.
#include "../../../src/formulas/equations/equations.h"
#include "../../support/catch.h"
#include "check_program.h"

namespace gaia::test {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// The message of the only error, or nothing.
std::string error_of(const EquationText& rule) {
  try {
    const EquationProgram program = compile_equations(rule);
    CHECK(broken_promise(program) == "");
    return {};
  } catch (const EquationError& error) {
    CHECK(error.problems().size() == 1);
    return error.problems().front().message;
  }
}

TEST_CASE("A rule may be 65536 bytes long") {
  const std::string rule = "y = z\n#";
  CHECK(error_of({.equations = rule + std::string(65536 - rule.size(), 'a')}) == "");
  CHECK(error_of({.equations = rule + std::string(65537 - rule.size(), 'a')}) ==
        "the text has 65 537 bytes; at most 65 536 are possible");
}

TEST_CASE("A name may have 64 characters") {
  const std::string name(64, 'n');
  CHECK(error_of({.equations = name + " = z"}) == "");
  CHECK(error_of({.equations = "y = " + name + "*z", .parameters = {{name, 1.0}}}) == "");
  CHECK(error_of({.equations = name + "n = z"}).find("has 65 characters; at most 64") !=
        std::string::npos);
  CHECK(error_of({.equations = "y = z", .parameters = {{name + "n", 1.0}}}) ==
        "the name has 65 characters; at most 64 are possible");
}

TEST_CASE("Expressions may be 200 deep, and as long as the text") {
  const std::string too_deep =
      "the expression is nested more than 200 deep; give a part of it a name in a line of its own";
  for (const auto& parentheses :
       {std::pair{"(", ")"}, std::pair{"-", ""}, std::pair{"not ", ""}, std::pair{"2^", ""},
        std::pair{"exp(", ")"}, std::pair{"(1 + 2*-", ")"}}) {
    const std::string deep(parentheses.first);
    const std::string close(parentheses.second);
    INFO(deep);
    const int each = deep == "(1 + 2*-" ? 2 : 1;
    const auto nested = [&](int times) {
      return "y = " + repeated(deep, times) + "z" + repeated(close, times);
    };
    CHECK(error_of({.equations = nested(200 / each)}) == "");
    CHECK(error_of({.equations = nested(200 / each + 1)}) == too_deep);
    CHECK(error_of({.equations = nested(7000)}) == too_deep);
  }
  CHECK(error_of({.equations = "y = z" + repeated(" + z", 10000)}) == "");
  CHECK(error_of({.equations = "y = z" + repeated("+1 -(2)", 5000)}) == "");
}

TEST_CASE("A rule may have 1000 names and 64 traces") {
  EquationText rule{.equations = "y = z"};
  for (int i = 0; i < 999; ++i) {
    rule.parameters.emplace_back("p" + std::to_string(i), 1.0);
    rule.equations += "+p" + std::to_string(i);
  }
  CHECK(error_of(rule) == "");
  rule.equations += "\nm1 = z";
  CHECK(error_of(rule) == "");
  rule.equations += "\nm2 = z";
  CHECK(error_of(rule) == "the rule has 1 001 names; at most 1 000 are possible");
  rule.parameters.emplace_back("q", 1.0);
  rule.parameters.emplace_back("r", 1.0);
  CHECK(error_of({.equations = "y = z", .parameters = rule.parameters}) ==
        "the rule brings along 1 001 names; at most 1 000 are possible");
  EquationText traces{.equations = "dw = x"};
  for (int i = 0; i < 64; ++i) {
    traces.traces.emplace_back("t" + std::to_string(i), 1.0);
    traces.equations += "+t" + std::to_string(i);
  }
  CHECK(error_of(traces) == "");
  traces.traces.emplace_back("u", 1.0);
  CHECK(error_of(traces) == "the rule has 65 traces; at most 64 are possible");
}

TEST_CASE("A rule may have 64 different backs") {
  const auto text = [](int count) {
    std::string sum = "dw = x";
    for (int i = 0; i < count; ++i) {
      sum += (i % 2 == 0 ? " - back(z + " : " + back_upto(z + ") + std::to_string(i) + ")";
    }
    return sum + " + back(z + 0)";
  };
  CHECK(error_of({.equations = text(64)}) == "");
  CHECK(error_of({.equations = text(65)}) ==
        "this is the 65th different back; at most 64 are possible");
}

TEST_CASE("A rule may have 20000 steps") {
  CHECK(error_of({.equations = "y = z" + repeated("*z", 19000)}) == "");
  CHECK(error_of({.equations = "y = z" + repeated("*z", 21000)}) ==
        "with this line the rule has more than 20 000 steps; make it shorter");
  // Multiplied out every vector has a factor of its own.
  EquationText rule{.equations = "dw = (x"};
  for (int i = 0; i < 60; ++i) {
    rule.traces.emplace_back("t" + std::to_string(i), 1.0);
    rule.equations += "+t" + std::to_string(i) + "*" + std::to_string(i + 2);
  }
  rule.equations += ")";
  CHECK(error_of({.equations = rule.equations + repeated("*z", 300), .traces = rule.traces}) == "");
  CHECK(error_of({.equations = rule.equations + repeated("*z", 400), .traces = rule.traces}) ==
        "multiplied out, the rule has more than 20 000 steps; make it shorter");
}

TEST_CASE("What is there often is computed once, and does not grow when it is multiplied out") {
  // Squared 40 times, a product of sums: 2^40 terms if it were written out.
  std::string text = "a = z + y\n";
  for (int i = 0; i < 40; ++i) text += "a = (a + 1)*(a + y)\n";
  const EquationProgram program =
      compile_equations({.equations = text + "dw = a*(x - a*(w - a*(x + w)))"});
  CHECK(broken_promise(program) == "");
  CHECK(program.rule_class == EquationProgram::Class::matrix);
  CHECK(program.learning.steps.size() < 150);
  CHECK(program.neuron_places < 16);
  const EquationProgram twice =
      compile_equations({.equations = "y = exp(z*2) + exp(2*z)\ndw = y*exp(z*2)*x - exp(2*z)*y*x"});
  CHECK(twice.learning.steps.size() == 5);
}

}  // namespace
}  // namespace gaia::test
