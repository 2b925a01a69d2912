// SPDX-License-Identifier: MIT
#include "how_it_runs.h"

#include <algorithm>

namespace gaia {

bool crosses_layer(const EquationProgram& program, Activation activation) {
  return program.crosses_layer || (program.reads_activation && is_of_row(activation));
}

bool sees_layer(const EquationProgram& program, Activation activation) {
  return crosses_layer(program, activation) || !program.backs.empty();
}

std::string why_stepwise(const EquationProgram& program, const EquationSetting& setting) {
  if (program.rule_class == EquationProgram::Class::weights) return program.why;
  if (!program.dw) return "nothing learns";
  if (program.reads_from_above) return "td follows from the answer of the tick before";
  if (setting.is_bounded) return "bounds act on each weight by itself";
  const bool normalizes = setting.control.normalization != Normalization::none;
  const bool samples_alone =
      program.traces.empty() && program.backs.empty() && !program.has_eligibility &&
      std::none_of(program.dw_terms.begin(), program.dw_terms.end(), [](const EquationTerm& term) {
        return term.vector.kind == EquationVector::Kind::ones;
      });
  if (setting.has_chain) {
    if (normalizes || setting.control.homeostasis) {
      return "normalization and homeostasis change the weights that a chain reads";
    }
    if (program.has_eligibility) return "an eligibility beside a chain is not carried along";
    if (!program.backs.empty()) return "what goes back beside a chain is not carried along";
    if (program.reads_weight_square)
      return "the length of weights with a chain is not carried along";
    return {};
  }
  const char* const length_is_lost =
      "the length of weights that learn from more than samples is not carried along";
  if (program.reads_weight_square && !samples_alone) return length_is_lost;
  if (!program.backs.empty()) {
    if (normalizes || setting.control.homeostasis) {
      return "normalization and homeostasis need all weights at each tick where something goes "
             "back to the inputs";
    }
    if (program.has_eligibility) return "an eligibility beside back is not carried along";
    if (setting.streams > 1) return "back is another sum for each stream of a batch";
    return {};
  }
  if (program.has_eligibility) {
    if (normalizes || setting.control.homeostasis) {
      return "normalization and homeostasis change the weights that an eligibility reads";
    }
    if (setting.streams > 1) return "each stream of a batch has an eligibility of its own";
    return {};
  }
  if (normalizes && !samples_alone) return length_is_lost;
  return {};
}

}  // namespace gaia
