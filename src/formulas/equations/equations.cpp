// SPDX-License-Identifier: MIT
#include "equations.h"

#include <atomic>

#include "../../core/message.h"
#include "../../core/text.h"
#include "analysis.h"
#include "build.h"
#include "known_names.h"
#include "language.h"
#include "multiply_out.h"
#include "problem_list.h"
#include "syntax.h"

namespace gaia {

namespace {

std::string too_many(const char* has, std::size_t count, const char* what, std::size_t most) {
  return message("the {} {} {}; at most {} are possible", has,
                 grouped(static_cast<std::int64_t>(count)), what,
                 grouped(static_cast<std::int64_t>(most)));
}

/// What is too large is not looked at any further.
void check_sizes(const EquationText& rule) {
  using namespace equation_language;
  ProblemList problems(rule.equations);
  const std::size_t bytes = rule.equations.size();
  const std::size_t names =
      rule.parameters.size() + rule.traces.size() + rule.signals.size() + rule.memory.size();
  if (bytes > kLongestText) problems.at(0, too_many("text has", bytes, "bytes", kLongestText));
  if (names > kMostNames) {
    problems.at(0, too_many("rule brings along", names, "names", kMostNames));
  }
  if (rule.traces.size() > kMostTraces) {
    problems.of_key("traces", too_many("rule has", rule.traces.size(), "traces", kMostTraces));
  }
  problems.throw_if_any();
}

}  // namespace

EquationProgram compile_equations(const EquationText& rule) {
  using namespace equation_language;
  check_sizes(rule);
  ProblemList problems(rule.equations);
  const SyntaxTree tree = parse_equations(rule.equations, problems);
  KnownNames names(rule, tree, problems);
  Analysis analysis = analyse(tree, names, problems);
  if (tree.statements.empty() && problems.empty()) {
    problems.at(0, "there is no equation; write one assignment a line, such as dw = 0.01*y*x");
  }
  if (problems.empty()) names.check_read(problems);
  if (rule.hears_above && names.find(kPlainAnswer) != nullptr &&
      names.find(kFromAbove) == nullptr) {
    problems.at(0, "'plain' is read and 'td' is not: without td the answer is the plain one, y");
  }
  problems.throw_if_any();
  const MultipliedOut sums = multiply_out(analysis, tree, rule, problems);
  if (analysis.graph.full()) {
    problems.at(analysis.change_at, "multiplied out, the rule has more than " +
                                        grouped(kMostSteps) + " steps; make it shorter");
    problems.throw_if_any();
  }
  EquationProgram program = build_program(rule, names, analysis, sums);
  program.text = rule.equations;
  static std::atomic<std::uint64_t> compiled = 0;
  program.number = ++compiled;
  return program;
}

}  // namespace gaia
