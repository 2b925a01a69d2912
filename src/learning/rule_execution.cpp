// SPDX-License-Identifier: MIT
#include "rule_execution.h"

#include "../array/backend.h"
#include "../formulas/equations/how_it_runs.h"

namespace gaia {
namespace {

constexpr const char* kAskedFor = "its executor was asked for";

/// Why the site's device takes a layer of its size sample after sample; empty where it does not.
std::string why_not_there(const EquationProgram& program, const RuleSite& site) {
  if (site.device.is_cpu()) return {};
  EquationRun run;
  run.activation = site.plasticity.activation;
  run.control = site.plasticity.control;
  run.program = &program;
  run.executor = site.plasticity.executor;
  run.chunk = site.plasticity.chunk;
  run.samples.dtype = run.weights.dtype = site.dtype;
  run.samples.shape = {site.streams, site.plasticity.chunk, site.inputs};
  run.weights.shape = {site.outputs, site.inputs};
  if (site.is_bounded) run.bounds = WeightBounds{};
  if (site.chain_length > 0) run.chain = SynapseChain{.length = site.chain_length};
  return backend(site.device).why_not_chunkwise(run);
}

/// Execution of a rule by its equations, whose program knows its class.
RuleExecution of_equations(const EquationRule& rule, const RuleSite& site) {
  const EquationProgram& program = rule.program();
  RuleExecution told;
  told.rule_class = program.rule_class == EquationProgram::Class::matrix ? "matrix" : "weights";
  told.class_why = program.why;
  if (site.plasticity.executor == Executor::stepwise) {
    told.executor_why = kAskedFor;
  } else {
    told.executor_why = why_stepwise(program, {.control = site.plasticity.control,
                                               .is_bounded = site.is_bounded,
                                               .streams = site.streams,
                                               .has_chain = site.chain_length > 0});
  }
  if (told.executor_why.empty()) told.executor_why = why_not_there(program, site);
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
  // What takes a rule of class weights off the fast way is its class, which is reported already.
  if (!executor_why.empty() && executor_why != class_why) told += ": " + executor_why;
  return told;
}

RuleExecution execution_of(const RuleSite& site) {
  const Plasticity& plasticity = site.plasticity;
  RuleExecution told;
  if (const auto* const equations = std::get_if<EquationRule>(&plasticity.rule)) {
    told = of_equations(*equations, site);
  } else {
    told.rule_class = "matrix";
    told.class_why = "dw is a sum of w and x, each times a number";
    if (plasticity.executor == Executor::stepwise) told.executor_why = kAskedFor;
  }
  told.executor = told.executor_why.empty() ? "chunkwise" : "stepwise";
  return told;
}

}  // namespace gaia
