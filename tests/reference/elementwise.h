// SPDX-License-Identifier: MIT
/// \file
/// Functions of one and of two numbers, as a textbook writes them.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../src/array/elementwise.h"

namespace gaia::test {

struct UnaryCase {
  std::string name;
  Unary function;
  std::function<double(double)> reference;
  double low = -4.0;  ///< Range of arguments to test.
  double high = 4.0;
  bool of_integers = false;
};

inline std::vector<UnaryCase> unary_cases() {
  const double root_half = std::sqrt(0.5);
  const double root_two_over_pi = std::sqrt(2.0 / std::acos(-1.0));
  return {
      {"negative", Negate{}, [](double x) { return -x; }, -4, 4, true},
      {"abs", Abs{}, [](double x) { return x < 0 ? -x : x; }, -4, 4, true},
      {"sign", Sign{}, [](double x) { return x < 0   ? -1.0
                                             : x > 0 ? 1.0
                                                     : 0.0; }, -4, 4, true},
      {"square", Square{}, [](double x) { return x * x; }, -4, 4, true},
      {"sqrt", Sqrt{}, [](double x) { return std::sqrt(x); }, 0, 9},
      {"exp", Exp{}, [](double x) { return std::exp(x); }, -9, 9},
      {"log", Log{}, [](double x) { return std::log(x); }, 0.125, 9},
      {"tanh", Tanh{}, [](double x) { return std::tanh(x); }},
      {"sigmoid", Sigmoid{}, [](double x) { return 1 / (1 + std::exp(-x)); }, -20, 20},
      {"relu", Relu{}, [](double x) { return x > 0 ? x : 0.0; }},
      {"leaky_relu", LeakyRelu{0.25}, [](double x) { return x > 0 ? x : 0.25 * x; }},
      {"gelu, tanh form", GeluTanh{},
       [=](double x) {
         return 0.5 * x * (1 + std::tanh(root_two_over_pi * (x + 0.044715 * x * x * x)));
       }},
      {"gelu, exact", GeluExact{},
       [=](double x) { return 0.5 * x * (1 + std::erf(x * root_half)); }},
  };
}

struct BinaryCase {
  std::string name;
  Binary function;
  std::function<double(double, double)> reference;
};

inline std::vector<BinaryCase> binary_cases() {
  return {{"add", Add{}, [](double a, double b) { return a + b; }},
          {"subtract", Subtract{}, [](double a, double b) { return a - b; }},
          {"multiply", Multiply{}, [](double a, double b) { return a * b; }},
          {"divide", Divide{}, [](double a, double b) { return a / b; }},
          {"maximum", Maximum{}, [](double a, double b) { return a < b ? b : a; }},
          {"minimum", Minimum{}, [](double a, double b) { return a < b ? a : b; }}};
}

struct ComparisonCase {
  std::string name;
  Comparison function;
  std::function<bool(double, double)> reference;
};

inline std::vector<ComparisonCase> comparison_cases() {
  return {{"equal", Equal{}, [](double a, double b) { return a == b; }},
          {"not_equal", NotEqual{}, [](double a, double b) { return a != b; }},
          {"less", Less{}, [](double a, double b) { return a < b; }},
          {"less_equal", LessEqual{}, [](double a, double b) { return a <= b; }}};
}

}  // namespace gaia::test
