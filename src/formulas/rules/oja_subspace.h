// SPDX-License-Identifier: MIT
#pragma once

namespace gaia {

/// dW = rate (y x^T - y y^T W) - decay W.  The rows tend to an orthonormal basis of the principal
/// subspace, in no particular rotation.  Oja (1989), Int. J. Neural Systems 1, 61-68.
struct OjaSubspaceRule {
  static constexpr const char* name = "oja_subspace";
  static constexpr const char* equations = "dw = rate*y*(x - back(y)) - decay*w";
  static constexpr const char* look_for = "Under Oja's subspace rule the lengths tend to 1.";
  double learning_rate = 0.01;
  double decay = 0.0;

  /// Of learning_rate |x|^2 (learning/rule_list.h): along a sample that is repeated, the factor
  /// near |w| = 1 is 1 - 2 rate |x|^2.
  double stability_limit() const { return 1.0; }
};

}  // namespace gaia
