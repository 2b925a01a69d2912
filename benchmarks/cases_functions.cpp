// SPDX-License-Identifier: MIT
/// \file
/// Functions of the elements of one or two arrays, comparisons, and choices between two.
#include <algorithm>
#include <cmath>

#include "../src/array/functions.h"
#include "../src/array/ops.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

struct UnaryRow {
  const char* operation;
  Array (*function)(const Array&);
  double (*reference)(double);
  double low;  ///< Least number of the operand.
  double high;
};

const UnaryRow kUnary[] = {
    {"sin", sin, ::sin, -10.0, 10.0},
    {"cos", cos, ::cos, -10.0, 10.0},
    {"tan", tan, ::tan, -1.5, 1.5},
    {"exp2", exp2, ::exp2, -10.0, 10.0},
    {"expm1", expm1, ::expm1, -2.0, 2.0},
    {"log", log, ::log, 0.01, 100.0},
    {"log2", log2, ::log2, 0.01, 100.0},
    {"log10", log10, ::log10, 0.01, 100.0},
    {"log1p", log1p, ::log1p, -0.9, 10.0},
    {"sqrt", sqrt, ::sqrt, 0.0, 100.0},
    {"arcsin", arcsin, ::asin, -1.0, 1.0},
    {"arccos", arccos, ::acos, -1.0, 1.0},
    {"arctan", arctan, ::atan, -10.0, 10.0},
    {"sinh", sinh, ::sinh, -5.0, 5.0},
    {"cosh", cosh, ::cosh, -5.0, 5.0},
    {"arcsinh", arcsinh, ::asinh, -10.0, 10.0},
    {"arccosh", arccosh, ::acosh, 1.0, 10.0},
    {"arctanh", arctanh, ::atanh, -0.99, 0.99},
    {"erf", erf, ::erf, -3.0, 3.0},
    {"sigmoid", sigmoid, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, -8.0, 8.0},
    {"softplus", [](const Array& x) { return softplus(x); },
     [](double x) { return std::log1p(std::exp(x)); }, -8.0, 8.0},
    {"silu", silu, [](double x) { return x / (1.0 + std::exp(-x)); }, -8.0, 8.0},
    {"elu", [](const Array& x) { return elu(x); },
     [](double x) { return x > 0.0 ? x : std::expm1(x); }, -4.0, 4.0},
    {"floor", floor, ::floor, -10.0, 10.0},
    {"abs", abs, ::fabs, -10.0, 10.0},
    {"clip", [](const Array& x) { return clip(x, -1.0, 1.0); },
     [](double x) { return std::clamp(x, -1.0, 1.0); }, -2.0, 2.0},
};

double modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest < 0.0 ? rest + b : rest;  // b is positive here
}

struct BinaryRow {
  const char* operation;
  Array (*function)(const Array&, const Array&);
  double (*reference)(double, double);
  double low_a;
  double high_a;
  double low_b;
  double high_b;
};

const BinaryRow kBinary[] = {
    {"multiply", multiply, [](double a, double b) { return a * b; }, -2.0, 2.0, -2.0, 2.0},
    {"divide", divide, [](double a, double b) { return a / b; }, -2.0, 2.0, 0.5, 2.0},
    {"power", power, ::pow, 0.1, 4.0, -3.0, 3.0},
    {"maximum", maximum, ::fmax, -2.0, 2.0, -2.0, 2.0},
    {"remainder", remainder, modulo, -100.0, 100.0, 0.5, 10.0},
    {"fmod", fmod, ::fmod, -100.0, 100.0, 0.5, 10.0},
    {"floor_divide", floor_divide, [](double a, double b) { return std::floor(a / b); }, -100.0,
     100.0, 0.5, 10.0},
    {"arctan2", arctan2, ::atan2, -2.0, 2.0, -2.0, 2.0},
    {"hypot", hypot, ::hypot, -2.0, 2.0, -2.0, 2.0},
    {"logaddexp", logaddexp,
     [](double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); },
     -8.0, 8.0, -8.0, 8.0},
};

Case unary_case(const UnaryRow& one, DType dtype, std::int64_t n) {
  return make_case({.operation = one.operation,
                    .sizes = {n},
                    .dtype = dtype,
                    .inputs = {{{n}, dtype, one.low, one.high}},
                    .function = [=](const Arrays& x) { return one.function(x[0]); },
                    .reference =
                        [=](const std::vector<Doubles>& x) {
                          Doubles y = x[0];
                          for (double& number : y) number = one.reference(number);
                          return y;
                        },
                    .written = bytes_of(n, dtype),
                    .tolerance = rounding(dtype)});
}

Doubles both(const std::vector<Doubles>& x, double (*reference)(double, double)) {
  Doubles y = x[0];
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = reference(y[i], x[1][i]);
  return y;
}

Case binary_case(const BinaryRow& one, DType dtype, DType answer, std::int64_t n) {
  return make_case(
      {.operation = one.operation,
       .sizes = {n},
       .dtype = dtype,
       .inputs = {{{n}, dtype, one.low_a, one.high_a}, {{n}, dtype, one.low_b, one.high_b}},
       .function = [=](const Arrays& x) { return one.function(x[0], x[1]); },
       .reference = [=](const std::vector<Doubles>& x) { return both(x, one.reference); },
       .written = bytes_of(n, answer),
       .tolerance = rounding(answer)});
}

Case isnan_case(std::int64_t n) {
  return make_case({.operation = "isnan",
                    .sizes = {n},
                    .dtype = DType::float32,
                    .inputs = {{{n}, DType::float32, -1.0, 1.0}},
                    .function = [](const Arrays& x) { return isnan(x[0]); },
                    .reference =
                        [](const std::vector<Doubles>& x) {
                          Doubles y = x[0];
                          for (double& number : y) number = std::isnan(number) ? 1.0 : 0.0;
                          return y;
                        },
                    .written = bytes_of(n, DType::boolean),
                    // Not a number: what is negative.
                    .arrange = [](Arrays& x) { x[0] = sqrt(x[0]); }});
}

Case where_case(std::int64_t n) {
  return make_case({.operation = "where",
                    .sizes = {n},
                    .dtype = DType::float32,
                    .inputs = {{{n}, DType::boolean, 0.0, 1.0}, {{n}}, {{n}}},
                    .function = [](const Arrays& x) { return where(x[0], x[1], x[2]); },
                    .reference =
                        [](const std::vector<Doubles>& x) {
                          Doubles y = x[2];
                          for (std::size_t i = 0; i < y.size(); ++i) {
                            if (x[0][i] != 0.0) y[i] = x[1][i];
                          }
                          return y;
                        },
                    .written = bytes_of(n, DType::float32)});
}

}  // namespace

std::vector<Case> function_cases(bool quick) {
  const std::int64_t n = Extent(quick).count();
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const UnaryRow& one : kUnary) cases.push_back(unary_case(one, dtype, n));
    for (const BinaryRow& one : kBinary) cases.push_back(binary_case(one, dtype, dtype, n));
  }
  const BinaryRow comparison = {
      "greater", greater, [](double a, double b) { return a > b ? 1.0 : 0.0; }, -2.0, 2.0,
      -2.0,      2.0};
  cases.push_back(binary_case(comparison, DType::float32, DType::boolean, n));
  const BinaryRow logic = {"logical_and",
                           logical_and,
                           [](double a, double b) { return a != 0.0 && b != 0.0 ? 1.0 : 0.0; },
                           0.0,
                           1.0,
                           0.0,
                           1.0};
  cases.push_back(binary_case(logic, DType::boolean, DType::boolean, n));
  cases.push_back(isnan_case(n));
  cases.push_back(where_case(n));
  return cases;
}

}  // namespace gaia::bench
