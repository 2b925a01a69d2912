// SPDX-License-Identifier: MIT
#include "rule_execution.h"

#include "../formulas/equations/how_it_runs.h"

namespace gaia {
namespace {

constexpr const char* kAskedFor = "its executor was asked for";

/// Of a rule by its equations, whose program knows its class.
RuleExecution of_equations(const EquationRule& rule, const Plasticity& plasticity, bool is_bounded,
                           std::int64_t streams, bool on_cpu, bool has_chain = false) {
  const EquationProgram& program = rule.program();
  RuleExecution told;
  told.rule_class = program.rule_class == EquationProgram::Class::matrix ? "matrix" : "weights";
  told.class_why = program.why;
  if (!on_cpu) {
    told.executor_why = "a GPU takes sample after sample, with the weights at rest";
  } else if (plasticity.executor == Executor::stepwise) {
    told.executor_why = kAskedFor;
  } else {
    told.executor_why = why_stepwise(program, {.control = plasticity.control,
                                               .is_bounded = is_bounded,
                                               .streams = streams,
                                               .has_chain = has_chain});
  }
  return told;
}

}  // namespace

void RuleExecution::tell_host() {
  if (!executor_why.empty()) executor_why += "; ";
  executor_why += "on the CPU, where neurons that are connected to each other answer";
}

std::vector<std::pair<std::string, std::string>> RuleExecution::attributes() const {
  std::vector<std::pair<std::string, std::string>> told;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) told.emplace_back(name, value);
  };
  add("rule_class", rule_class);
  add("executor", executor);
  add("rule_class_why", class_why);
  add("executor_why", executor_why);
  return told;
}

std::string RuleExecution::text() const {
  if (rule_class.empty()) return {};
  std::string told = "class " + rule_class;
  if (!class_why.empty()) told += ": " + class_why;
  if (executor.empty()) return told;
  told += ", " + executor;
  // What takes a rule of class weights off the fast way is its class, which is told already.
  if (!executor_why.empty() && executor_why != class_why) told += ": " + executor_why;
  return told;
}

RuleExecution execution_of(const Plasticity& plasticity, bool is_bounded, std::int64_t streams,
                           bool on_cpu, bool has_chain) {
  RuleExecution told;
  if (const auto* const equations = std::get_if<EquationRule>(&plasticity.rule)) {
    told = of_equations(*equations, plasticity, is_bounded, streams, on_cpu, has_chain);
  } else {
    told.rule_class = "matrix";
    told.class_why = "dw is a sum of w and x, each times a number";
    if (plasticity.executor == Executor::stepwise) told.executor_why = kAskedFor;
  }
  told.executor = told.executor_why.empty() ? "chunkwise" : "stepwise";
  return told;
}

}  // namespace gaia
