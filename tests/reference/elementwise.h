// SPDX-License-Identifier: MIT
/// \file
/// Functions of one and of two numbers, as a textbook writes them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../src/formulas/elementwise.h"

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
      {"rsqrt", Rsqrt{}, [](double x) { return 1 / std::sqrt(x); }, 0.125, 9},
      {"reciprocal", Reciprocal{}, [](double x) { return 1 / x; }, -9, -0.125},
      {"exp", Exp{}, [](double x) { return std::exp(x); }, -9, 9},
      {"exp2", Exp2{}, [](double x) { return std::pow(2.0, x); }, -9, 9},
      {"expm1", Expm1{}, [](double x) { return std::expm1(x); }, -9, 9},
      {"log", Log{}, [](double x) { return std::log(x); }, 0.125, 9},
      {"log2", Log2{}, [](double x) { return std::log2(x); }, 0.125, 9},
      {"log10", Log10{}, [](double x) { return std::log10(x); }, 0.125, 9},
      {"log1p", Log1p{}, [](double x) { return std::log1p(x); }, -0.875, 9},
      {"floor", Floor{}, [](double x) { return std::floor(x); }},
      {"ceil", Ceil{}, [](double x) { return std::ceil(x); }},
      {"round", Round{}, [](double x) { return x - std::remainder(x, 1.0); }},
      {"trunc", Trunc{}, [](double x) { return x - std::fmod(x, 1.0); }},
      {"clip", Clip{-1.5, 2.5}, [](double x) { return std::max(-1.5, std::min(2.5, x)); }},
      {"sin", Sin{}, [](double x) { return std::sin(x); }},
      {"cos", Cos{}, [](double x) { return std::cos(x); }},
      {"tan", Tan{}, [](double x) { return std::tan(x); }, -1.5, 1.5},
      {"arcsin", Arcsin{}, [](double x) { return std::asin(x); }, -0.99, 0.99},
      {"arccos", Arccos{}, [](double x) { return std::acos(x); }, -0.99, 0.99},
      {"arctan", Arctan{}, [](double x) { return std::atan(x); }},
      {"sinh", Sinh{}, [](double x) { return std::sinh(x); }},
      {"cosh", Cosh{}, [](double x) { return std::cosh(x); }},
      {"tanh", Tanh{}, [](double x) { return std::tanh(x); }},
      {"arcsinh", Arcsinh{}, [](double x) { return std::asinh(x); }},
      {"arccosh", Arccosh{}, [](double x) { return std::acosh(x); }, 1.125, 9},
      {"arctanh", Arctanh{}, [](double x) { return std::atanh(x); }, -0.99, 0.99},
      {"erf", Erf{}, [](double x) { return std::erf(x); }},
      {"erfc", Erfc{}, [](double x) { return std::erfc(x); }},
      {"sigmoid", Sigmoid{}, [](double x) { return 1 / (1 + std::exp(-x)); }, -20, 20},
      {"relu", Relu{}, [](double x) { return x > 0 ? x : 0.0; }},
      {"leaky_relu", LeakyRelu{0.25}, [](double x) { return x > 0 ? x : 0.25 * x; }},
      {"log_sigmoid", LogSigmoid{}, [](double x) { return -std::log1p(std::exp(-x)); }, -20, 20},
      {"elu", Elu{0.75}, [](double x) { return x > 0 ? x : 0.75 * std::expm1(x); }},
      {"selu", Selu{},
       [](double x) {
         return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
       }},
      {"softplus", Softplus{2.0, 6.0},
       [](double x) { return 2 * x > 6 ? x : std::log1p(std::exp(2 * x)) / 2; }},
      {"silu", Silu{}, [](double x) { return x / (1 + std::exp(-x)); }, -20, 20},
      {"gelu, tanh form", GeluTanh{},
       [=](double x) {
         return x / (1 + std::exp(-2 * root_two_over_pi * (x + 0.044715 * x * x * x)));
       },
       -8, 8},
      {"gelu, exact", GeluExact{}, [=](double x) { return 0.5 * x * std::erfc(-x * root_half); },
       -8, 8},
  };
}

struct BinaryCase {
  std::string name;
  Binary function;
  std::function<double(double, double)> reference;
  bool of_integers = true;
  double units = 0.0;  ///< Of rounding, in floating dtypes; most are rounded correctly.
};

inline std::vector<BinaryCase> binary_cases() {
  // Of integers by 0: 0; of floating numbers this is not asked.
  const auto floor_divide = [](double a, double b) { return b == 0 ? 0.0 : std::floor(a / b); };
  return {{"add", Add{}, [](double a, double b) { return a + b; }},
          {"subtract", Subtract{}, [](double a, double b) { return a - b; }},
          {"multiply", Multiply{}, [](double a, double b) { return a * b; }},
          {"divide", Divide{}, [](double a, double b) { return a / b; }, false},
          {"maximum", Maximum{}, [](double a, double b) { return a < b ? b : a; }},
          {"minimum", Minimum{}, [](double a, double b) { return a < b ? a : b; }},
          {"floor_divide", FloorDivide{}, floor_divide},
          {"remainder", Remainder{},
           [=](double a, double b) { return b == 0 ? 0.0 : a - b * floor_divide(a, b); }, true, 8},
          {"fmod", Fmod{}, [](double a, double b) { return b == 0 ? 0.0 : std::fmod(a, b); }},
          {"power", Power{}, [](double a, double b) { return std::pow(a, b); }, false, 4},
          {"arctan2", Arctan2{}, [](double a, double b) { return std::atan2(a, b); }, false, 4},
          {"hypot", Hypot{}, [](double a, double b) { return std::sqrt(a * a + b * b); }, false, 4},
          {"logaddexp", LogAddExp{},
           [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); }, false, 8},
          {"weighted_sum", WeightedSum{2.0, -4.0, 2, -4},
           [](double a, double b) { return 2 * a - 4 * b; }}};
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
          {"less_equal", LessEqual{}, [](double a, double b) { return a <= b; }},
          {"logical_and", LogicalAnd{}, [](double a, double b) { return a != 0 && b != 0; }},
          {"logical_or", LogicalOr{}, [](double a, double b) { return a != 0 || b != 0; }},
          {"logical_xor", LogicalXor{}, [](double a, double b) { return (a != 0) != (b != 0); }}};
}

}  // namespace gaia::test
