// SPDX-License-Identifier: MIT
#include "weight_domain.h"

#include <cmath>
#include <map>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

using Place = std::pair<EquationPlace::Of, std::uint16_t>;

Place place_of(const EquationPlace& place) { return {place.of, place.index}; }

bool is_weight(const EquationPlace& place) {
  return place.of == EquationPlace::Of::vector && place.index == EquationProgram::kWeights;
}

/// What a step does of which a negative weight makes NaN; empty where it does not.
std::string need_of(const EquationStep& step, const std::vector<double>& constants) {
  if (!is_weight(step.a)) return {};
  if (step.op == EquationOp::log) return "takes the logarithm of w";
  if (step.op == EquationOp::sqrt) return "takes the square root of w";
  if (step.op != EquationOp::power) return {};
  if (step.b.of != EquationPlace::Of::constant) return "raises w to a power that changes";
  const double exponent = constants[step.b.index];
  if (exponent == std::floor(exponent)) return {};
  return message("raises w to the power {}", exponent);
}

}  // namespace

std::string needs_positive_weights(const EquationRule& rule, std::int64_t inputs,
                                   std::int64_t outputs) {
  const EquationProgram& program = rule.program();
  const std::vector<double> constants =
      program.bound_constants(rule.parameters(), inputs, outputs, true);
  std::map<Place, std::string> needs;  // needs of what has been computed from such a step
  for (const EquationStep& step : program.vector_steps) {
    std::string need = need_of(step, constants);
    const bool chooses = step.op == EquationOp::where;
    for (const EquationPlace& from : {step.a, step.b, step.c}) {
      const auto known = needs.find(place_of(from));
      if (need.empty() && known != needs.end()) need = known->second;
      if (chooses) break;  // one alone of what it chooses between counts
    }
    if (need.empty()) {
      needs.erase(place_of(step.result));
    } else {
      needs[place_of(step.result)] = std::move(need);
    }
  }
  for (const auto& change : {program.dw, program.de}) {
    if (!change) continue;
    const auto known = needs.find(place_of(*change));
    if (known != needs.end()) return known->second;
  }
  return {};
}

}  // namespace gaia
