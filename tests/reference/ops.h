// SPDX-License-Identifier: MIT
/// \file
/// The table of operations: a row for each, with the operation as a backend knows it and as users
/// of arrays and of tensors call it, its formula as a textbook writes it, and where it is tested.
/// Tests of all levels go over the rows: backends and arrays, on the CPU and on emulated CUDA, the
/// vectors of the CPU to the last places, gradients of tensors, and texts of equations.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "../../src/autograd/ops.h"
#include "../../src/formulas/elementwise.h"

namespace gaia::test {

/// A function that has one name for arrays and for tensors.
template <class OfArray, class OfTensor>
struct Named {
  template <class F>
  Named(F f) : of_array(f) {
    if constexpr (std::is_constructible_v<std::function<OfTensor>, F>) of_tensor = f;
  }

  std::function<OfArray> of_array;
  std::function<OfTensor> of_tensor;  ///< Nothing where there is no gradient.
};

/// A formula in double, and in more digits.
template <class OfDouble, class OfLongDouble>
struct Formula {
  template <class F>
  Formula(F f) : rounded(f), exact(f) {}

  std::function<OfDouble> rounded;
  std::function<OfLongDouble> exact;
};

struct UnaryOp {
  /// Arguments from `low` to `high`, where the vectors of the CPU are right to so many units in the
  /// last place; 0: to 2 in float32, to 4 in float64.
  struct Span {
    double low, high, units = 0.0;
  };

  std::string name;
  Unary function;
  Named<Array(const Array&), Tensor(const Tensor&)> named;
  Formula<double(double), long double(long double)> formula;
  double low = -4.0;  ///< Range of arguments to test.
  double high = 4.0;
  std::vector<Span> spans = {};
  double scale = 0.0;  ///< Size of the numbers that an answer is the difference of.

  double operator()(double x) const { return formula.rounded(x); }
};

struct BinaryOp {
  struct Span {
    double a_low, a_high, b_low, b_high;
  };

  std::string name;
  Binary function;
  Named<Array(const Array&, const Array&), Tensor(const Tensor&, const Tensor&)> named;
  Formula<double(double, double), long double(long double, long double)> formula;
  double low = -2.0;  ///< Range of arguments at which gradients are tested.
  double high = 2.0;
  bool of_integers = true;
  double units = 0.0;  ///< Units of rounding in floating dtypes; 0: correctly rounded.
  std::vector<Span> spans = {};

  double operator()(double a, double b) const { return formula.rounded(a, b); }
};

struct ComparisonOp {
  std::string name;
  Comparison function;
  Array (*of_array)(const Array&, const Array&);
  std::function<double(double, double)> exact;  ///< 1 or 0.
};

struct ReductionOp {
  std::string name;
  Named<Array(const Array&, const Axes&, bool), Tensor(const Tensor&, const Axes&, bool)> named;
  std::function<long double(const std::vector<long double>&)> exact;
  bool of_nothing = true;  ///< Whether it is defined there.
  bool of_equals = true;   ///< Whether it has a slope where elements are equal.
};

// All functions of one number, of two, with the answer true or false, and of many.
std::vector<UnaryOp> unary_ops();
std::vector<BinaryOp> binary_ops();
std::vector<ComparisonOp> comparison_ops();
std::vector<ReductionOp> reduction_ops();

/// The function of one number that has this name; the first, where several have.
UnaryOp unary_op(const std::string& name);

}  // namespace gaia::test
