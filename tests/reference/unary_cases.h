// SPDX-License-Identifier: MIT
/// \file
/// Functions of one number, as a textbook writes them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../src/autograd/ops.h"
#include "../../src/formulas/elementwise.h"

namespace gaia::test {

/// A function of one argument that has one name for arrays and for tensors.
struct NamedFunction {
  template <class F>
  NamedFunction(F f) : of_array(f), of_tensor(f) {}

  std::function<Array(const Array&)> of_array;
  std::function<Tensor(const Tensor&)> of_tensor;
};

struct UnaryCase {
  std::string name;
  Unary function;
  NamedFunction named;  ///< The same function, as users call it.
  std::function<double(double)> reference;
  double low = -4.0;  ///< Range of arguments to test.
  double high = 4.0;
};

/// All functions of one number.
std::vector<UnaryCase> unary_cases();

/// The formula of the first of them that has this name.
std::function<double(double)> reference_of(const std::string& name);

}  // namespace gaia::test
