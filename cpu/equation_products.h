// SPDX-License-Identifier: MIT
/// \file
/// Updates weight by weight that are sums of products, such as rate*y*x*w*(1 - w): read from the
/// steps of a rule's program, so that they take one pass over the weights.
#pragma once

#include <optional>
#include <vector>

#include "../src/formulas/equations/program.h"

namespace gaia::cpu {

/// A product of numbers and vectors.
struct EquationProduct {
  bool is_negative = false;
  std::vector<EquationPlace> numbers;
  std::vector<EquationPlace> divisors;
  std::vector<EquationPlace> vectors;
  std::vector<EquationPlace> centres;  ///< Factors centre - w.
};

/// dw as a sum of few such products; none where it is something else, or beside a de.
std::vector<EquationProduct> products_of_update(const EquationProgram& program);

}  // namespace gaia::cpu
