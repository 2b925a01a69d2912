// SPDX-License-Identifier: MIT
/// \file
/// Functions of two numbers, as a textbook writes them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../src/formulas/elementwise.h"

namespace gaia::test {

struct BinaryCase {
  std::string name;
  Binary function;
  std::function<double(double, double)> reference;
  bool of_integers = true;
  double units = 0.0;  ///< Units of rounding in floating dtypes; 0: correctly rounded.
};

inline std::vector<BinaryCase> binary_cases() {
  // Division of integers by 0 gives 0; for floating-point numbers this is not asked.
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
