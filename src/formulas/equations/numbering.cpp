// SPDX-License-Identifier: MIT
#include "numbering.h"

namespace gaia {

std::uint16_t EquationNumbering::operator()(const EquationPlace& place) const {
  std::size_t first = 0;
  if (place.of == EquationPlace::Of::layer) first = layer_;
  if (place.of == EquationPlace::Of::neuron) first = neuron_;
  if (place.of == EquationPlace::Of::vector) first = vector_;
  return static_cast<std::uint16_t>(first + place.index);
}

std::vector<EquationCode> numbered_steps(const std::vector<EquationStep>& steps,
                                         const EquationNumbering& numbering) {
  std::vector<EquationCode> codes;
  codes.reserve(steps.size());
  for (const EquationStep& step : steps) {
    const bool is_single =
        step.result.of == EquationPlace::Of::constant || step.result.of == EquationPlace::Of::layer;
    codes.push_back({step.op, is_single, numbering(step.result), numbering(step.a),
                     numbering(step.b), numbering(step.c)});
  }
  return codes;
}

}  // namespace gaia
