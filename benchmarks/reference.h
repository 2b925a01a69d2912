// SPDX-License-Identifier: MIT
/// \file
/// What answers are compared with before the clock starts: the equations as plain loops in double.
#pragma once

#include <cstdint>
#include <vector>

#include "../src/formulas/rules.h"
#include "../src/formulas/rules_control.h"

namespace gaia::bench {

using Doubles = std::vector<double>;  ///< A matrix by rows.

/// A plastic layer, sample by sample: y = W x, then the rule, then the normalisation.
struct ReferenceLayer {
  std::int64_t inputs;
  std::int64_t outputs;
  Doubles weights;  ///< [outputs, inputs]; they follow the rule
  Rule rule;
  Normalization normalization;
  double bound;  ///< Largest length of a neuron's weights under max_norm.

  /// x [ticks, inputs] to y [ticks, outputs].
  Doubles learn(const Doubles& x, std::int64_t ticks);

 private:
  template <class Formula>
  Doubles learn_by(const Formula& formula, const Doubles& x, std::int64_t ticks);
};

/// max(x W^T, 0): x [rows, inputs], W [outputs, inputs].
Doubles rectified(const Doubles& x, const Doubles& weights, std::int64_t rows, std::int64_t inputs,
                  std::int64_t outputs);

/// Every `step`-th row of x [rows, columns], from the first one on.
Doubles every(std::int64_t step, const Doubles& x, std::int64_t columns);

/// One number of a product: the sum over k of a[k a_step] b[k b_step].
double dot(const double* a, std::int64_t a_step, const double* b, std::int64_t b_step,
           std::int64_t n);

}  // namespace gaia::bench
