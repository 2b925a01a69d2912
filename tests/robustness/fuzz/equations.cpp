// SPDX-License-Identifier: MIT
/// \file
/// Any text as the equations of a rule: it is refused with errors, or comes to a program that keeps
/// what programs promise.
#include "../../../src/formulas/equations/equations.h"

#include "../../formulas/equations/check_program.h"
#include "target.h"

namespace {

/// The equations with what stands beside them: names that are in the text.
gaia::EquationText rule_with(std::string_view equations) {
  gaia::EquationText rule{.equations = std::string(equations)};
  const auto has = [&](std::string_view name) {
    return equations.find(name) != std::string_view::npos;
  };
  for (const auto& [name, value] : {std::pair{"rate", 0.01}, std::pair{"tau", 20.0}}) {
    if (has(name)) rule.parameters.emplace_back(name, value);
  }
  if (has("theta")) rule.memory.emplace_back("theta", 1.0);
  if (has("pre")) rule.traces.emplace_back("pre", 20.0);
  if (has("slow")) rule.traces.emplace_back("slow", "tau");
  if (has("reward")) rule.signals.push_back({"reward", false});
  if (has("target")) rule.signals.push_back({"target", true});
  return rule;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  try {
    const EquationProgram program = compile_equations(rule_with(test::text_of(bytes, count)));
    const std::string broken = test::broken_promise(program);
    test::require(broken.empty(), broken.c_str());
  } catch (const EquationError& error) {
    test::require(!error.problems().empty(), "an error has problems");
    for (const EquationProblem& problem : error.problems()) {
      test::require(!problem.message.empty(), "a problem has a message");
      test::require(problem.key != "equations" || (problem.line > 0 && problem.column > 0),
                    "a problem of the equations has a place");
    }
  }
  return 0;
}
