// SPDX-License-Identifier: MIT
#pragma once

namespace gaia {

/// dW = rate (y x^T - LT[y y^T] W) - decay W, with LT the lower triangle including the diagonal:
/// row i learns what rows before it leave over, and so tends to principal component i. Sanger
/// (1989), Neural Networks 2, 459-473.
struct SangerRule {
  static constexpr const char* name = "sanger";
  static constexpr const char* equations = "dw = rate*y*(x - back_upto(y)) - decay*w";
  static constexpr const char* look_for = "Under Sanger's rule the lengths tend to 1.";
  double learning_rate = 0.01;
  double decay = 0.0;

  /// Of learning_rate |x|^2 (learning/rule_list.h): along a sample that is repeated, the factor
  /// near |w| = 1 is 1 - 2 rate |x|^2.
  double stability_limit() const { return 1.0; }
};

}  // namespace gaia
