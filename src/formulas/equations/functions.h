// SPDX-License-Identifier: MIT
/// \file
/// What each operation of the language computes, as formulas of numbers or of vectors of numbers:
/// the one place from which constants and executors have it.
#pragma once

#include "../elementwise.h"
#include "operations.h"

namespace gaia {

/// Comparisons and logic in numbers: 0 or 1.
template <class T, class Holds>
GAIA_HOST_DEVICE T truth_of(Holds holds) {
  return choose(holds, T(1), T(0));
}

/// Whether neuron i with the number a is ahead of neuron j with b: of equal ones the lower index
/// is, and NaN is behind all others.
template <class T, class Index>
GAIA_HOST_DEVICE bool is_ahead(T a, Index i, T b, Index j) {
  const bool a_is_nan = a != a;
  const bool b_is_nan = b != b;
  if (a_is_nan != b_is_nan) return b_is_nan;
  return a > b || (!(a < b) && i < j);
}

/// Calls f with the operation as a function of one number, where it is one; whether it is.
template <class F>
GAIA_HOST_DEVICE bool with_function_of_one(EquationOp op, const F& f) {
  switch (op) {
    case EquationOp::copy:
      f([](auto x) { return x; });
      return true;
    case EquationOp::negate:
      f([](auto x) { return -x; });
      return true;
    case EquationOp::logical_not:
      f([]<class T>(T x) { return truth_of<T>(x == T(0)); });
      return true;
    case EquationOp::exp:
      f([](auto x) { return Exp{}.value(x); });
      return true;
    case EquationOp::log:
      f([](auto x) { return Log{}.value(x); });
      return true;
    case EquationOp::sqrt:
      f([](auto x) { return Sqrt{}.value(x); });
      return true;
    case EquationOp::abs:
      f([](auto x) { return Abs{}.value(x); });
      return true;
    case EquationOp::sign:
      f([](auto x) { return Sign{}.value(x); });
      return true;
    case EquationOp::tanh:
      f([](auto x) { return Tanh{}.value(x); });
      return true;
    case EquationOp::sigmoid:
      f([](auto x) { return Sigmoid{}.value(x); });
      return true;
    case EquationOp::relu:
      f([](auto x) { return Relu{}.value(x); });
      return true;
    case EquationOp::floor:
      f([](auto x) { return Floor{}.value(x); });
      return true;
    case EquationOp::sin:
      f([](auto x) { return Sin{}.value(x); });
      return true;
    case EquationOp::cos:
      f([](auto x) { return Cos{}.value(x); });
      return true;
    default:
      return false;
  }
}

/// The same of two numbers.
template <class F>
GAIA_HOST_DEVICE bool with_function_of_two(EquationOp op, const F& f) {
  switch (op) {
    case EquationOp::add:
      f([](auto a, auto b) { return a + b; });
      return true;
    case EquationOp::subtract:
      f([](auto a, auto b) { return a - b; });
      return true;
    case EquationOp::multiply:
      f([](auto a, auto b) { return a * b; });
      return true;
    case EquationOp::divide:
      f([](auto a, auto b) { return a / b; });
      return true;
    case EquationOp::power:
      f([](auto a, auto b) { return Power{}.value(a, b); });
      return true;
    case EquationOp::less:
      f([]<class T>(T a, T b) { return truth_of<T>(a < b); });
      return true;
    case EquationOp::less_equal:
      f([]<class T>(T a, T b) { return truth_of<T>(a <= b); });
      return true;
    case EquationOp::greater:
      f([]<class T>(T a, T b) { return truth_of<T>(b < a); });
      return true;
    case EquationOp::greater_equal:
      f([]<class T>(T a, T b) { return truth_of<T>(b <= a); });
      return true;
    case EquationOp::equal:
      f([]<class T>(T a, T b) { return truth_of<T>(a == b); });
      return true;
    case EquationOp::not_equal:
      f([]<class T>(T a, T b) { return truth_of<T>(a != b); });
      return true;
    case EquationOp::logical_and:
      f([]<class T>(T a, T b) { return truth_of<T>((a != T(0)) & (b != T(0))); });
      return true;
    case EquationOp::logical_or:
      f([]<class T>(T a, T b) { return truth_of<T>((a != T(0)) | (b != T(0))); });
      return true;
    case EquationOp::minimum:
      f([](auto a, auto b) { return Minimum{}.value(a, b); });
      return true;
    case EquationOp::maximum:
      f([](auto a, auto b) { return Maximum{}.value(a, b); });
      return true;
    default:
      return false;
  }
}

}  // namespace gaia
