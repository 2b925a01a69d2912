// SPDX-License-Identifier: MIT
#include "equation_rule.h"

#include <algorithm>
#include <cmath>

#include "../core/text.h"

namespace gaia {
namespace {

EquationText text_of(const std::string& equations, const EquationRuleOptions& options) {
  EquationText text{equations, options.parameters, options.memory, options.traces, {}};
  for (const EquationSignalSource& signal : options.signals) {
    text.signals.push_back({signal.name, signal.is_list || signal.is_labels});
  }
  return text;
}

}  // namespace

EquationRule::EquationRule(std::string equations, EquationRuleOptions options)
    : equations_(std::move(equations)),
      options_(std::move(options)),
      program_(std::make_shared<const EquationProgram>(
          compile_equations(text_of(equations_, options_)))) {
  for (EquationSignalSource& signal : options_.signals) {
    if (signal.columns.empty() && !signal.is_labels) signal.columns = {signal.name};
  }
}

double* EquationRule::parameter(const std::string& name) {
  return const_cast<double*>(std::as_const(*this).parameter(name));
}

const double* EquationRule::parameter(const std::string& name) const {
  for (const auto& [known, value] : options_.parameters) {
    if (known == name) return &value;
  }
  return nullptr;
}

std::vector<double> EquationRule::parameters() const {
  std::vector<double> values;
  for (const std::string& name : program_->parameters) {
    values.push_back(*parameter(name));
  }
  return values;
}

std::vector<double> EquationRule::trace_keeps() const {
  std::vector<double> keeps;
  for (const EquationTrace& trace : program_->traces) {
    const auto* const number = std::get_if<double>(&trace.tau);
    const double tau = number != nullptr ? *number : *parameter(std::get<std::string>(trace.tau));
    if (!(tau > 0.0)) {
      throw ArgumentError("[rule] the trace " + trace.name + " has the time constant " +
                          number_text(tau) + "; expected a number of ticks above 0");
    }
    keeps.push_back(std::exp(-1.0 / tau));
  }
  return keeps;
}

std::string EquationRule::why_not_together(const EquationRule& other) const {
  if (equations_ != other.equations_) return "equations differ";
  const auto names = [](const auto& pairs) {
    std::vector<std::string> found;
    for (const auto& pair : pairs) found.push_back(pair.first);
    return found;
  };
  if (names(options_.parameters) != names(other.options_.parameters) ||
      names(options_.traces) != names(other.options_.traces)) {
    return "parameters or traces have other names";
  }
  return {};
}

}  // namespace gaia
