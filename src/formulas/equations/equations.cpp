// SPDX-License-Identifier: MIT
#include "equations.h"

#include "../../core/text.h"
#include "analysis.h"
#include "build.h"
#include "known_names.h"
#include "language.h"
#include "multiply_out.h"
#include "problem_list.h"
#include "syntax.h"

namespace gaia {

EquationProgram compile_equations(const EquationText& rule) {
  using namespace equation_language;
  ProblemList problems(rule.equations);
  if (rule.equations.size() > kLongestText) {
    problems.at(0, "the text has " + grouped(static_cast<std::int64_t>(rule.equations.size())) +
                       " bytes; at most " + grouped(kLongestText) + " are possible");
    problems.throw_if_any();
  }
  const SyntaxTree tree = parse_equations(rule.equations, problems);
  KnownNames names(rule, tree, problems);
  Analysis analysis = analyse(tree, names, problems);
  if (tree.statements.empty() && problems.empty()) {
    problems.at(0, "there is no equation; write one assignment a line, such as dw = 0.01*y*x");
  }
  if (problems.empty()) names.check_read(problems);
  problems.throw_if_any();
  const MultipliedOut sums = multiply_out(analysis, tree, rule, problems);
  if (analysis.graph.full()) {
    problems.at(analysis.change_at, "multiplied out, the rule has more than " +
                                        grouped(kMostSteps) + " steps; make it shorter");
    problems.throw_if_any();
  }
  return build_program(rule, names, analysis, sums);
}

}  // namespace gaia
