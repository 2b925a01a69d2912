// SPDX-License-Identifier: MIT
/// \file
/// The two rules whose neurons find principal components together.  Each is the text that the
/// catalogue has under its name.
#pragma once

#include "equation_rule.h"

namespace gaia {

/// dW = rate (y x^T - LT[y y^T] W) - decay W, with LT the lower triangle including the diagonal:
/// row i learns what rows before it leave over, and so tends to principal component i. Sanger
/// (1989), Neural Networks 2, 459-473.
struct SangerRule {
  static constexpr const char* name = "sanger";
  double learning_rate = 0.01;
  double decay = 0.0;

  operator EquationRule() const;
};

/// dW = rate (y x^T - y y^T W) - decay W.  The rows tend to an orthonormal basis of the principal
/// subspace, in no particular rotation.  Oja (1989), Int. J. Neural Systems 1, 61-68.
struct OjaSubspaceRule {
  static constexpr const char* name = "oja_subspace";
  double learning_rate = 0.01;
  double decay = 0.0;

  operator EquationRule() const;
};

/// Whether a text is one of the two, with no neuron before it.
bool is_component_rule(const EquationRule& rule);

}  // namespace gaia
