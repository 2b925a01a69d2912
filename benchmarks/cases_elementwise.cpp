// SPDX-License-Identifier: MIT
/// \file
/// Functions of elements, reductions, functions of rows and transposed copies, in float32, from
/// what a first-level cache holds to what none does.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "../src/array/create.h"
#include "../src/array/functions.h"
#include "../src/array/fused.h"
#include "../src/array/ops.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

/// f(x) for each of n numbers.
Case function_case(const std::string& name, std::int64_t n, Array (*function)(const Array&),
                   double (*reference)(double)) {
  return make_case({.operation = name,
                    .sizes = {n},
                    .dtype = DType::float32,
                    .inputs = {normals({n})},
                    .function = [=](const Arrays& x) { return function(x[0]); },
                    .reference =
                        [=](std::vector<Doubles> x) {
                          std::transform(x[0].begin(), x[0].end(), x[0].begin(), reference);
                          return x[0];
                        },
                    .written = kFloatBytes * number(n),
                    .tolerance = 2e-6,
                    .names_dtype = false});
}

double gelu_reference(double x) {
  return 0.5 * x *
         (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

/// scale a + b of n numbers.
Case sum_case(const std::string& name, std::int64_t n, double scale,
              Array (*function)(const Array& a, const Array& b)) {
  return make_case({.operation = name,
                    .sizes = {n},
                    .dtype = DType::float32,
                    .inputs = {normals({n}), normals({n})},
                    .function = [=](const Arrays& x) { return function(x[0], x[1]); },
                    .reference =
                        [=](std::vector<Doubles> x) {
                          for (std::size_t i = 0; i < x[0].size(); ++i) {
                            x[0][i] = scale * x[0][i] + x[1][i];
                          }
                          return x[0];
                        },
                    .written = kFloatBytes * number(n),
                    .tolerance = 1e-5,
                    .names_dtype = false});
}

/// a <- a / 2 + b, which tends to 2 b.
Array halve_and_add(const Array& a, const Array& b) {
  update_weighted(0.5, a, 1.0, b);
  return a;
}

/// One number of n.  They are positive: a sum that cancels says nothing about its terms.
Case reduction_case(const std::string& name, std::int64_t n, Array (*function)(const Array&),
                    double (*reference)(const Doubles&), double tolerance) {
  return make_case(
      {.operation = name,
       .sizes = {n},
       .dtype = DType::float32,
       .inputs = {{{n}, DType::float32, 0.5, 1.5}},
       .function = [=](const Arrays& x) { return function(x[0]); },
       .reference = [=](const std::vector<Doubles>& x) { return Doubles{reference(x[0])}; },
       .tolerance = tolerance,
       .names_dtype = false});
}

Doubles softmax_reference(Doubles row) {
  const double top = *std::max_element(row.begin(), row.end());
  double total = 0.0;
  for (double& one : row) total += one = std::exp(one - top);
  for (double& one : row) one /= total;
  return row;
}

Doubles layer_norm_reference(Doubles row) {
  const double n = static_cast<double>(row.size());
  double mean = 0.0;
  for (const double one : row) mean += one / n;
  double variance = 0.0;
  for (const double one : row) variance += (one - mean) * (one - mean) / n;
  // Weight 2, bias 1.
  for (double& one : row) one = (one - mean) / std::sqrt(variance + 1e-5) * 2.0 + 1.0;
  return row;
}

/// A function of a matrix, by rows.
Case rows_case(const std::string& name, std::int64_t rows, std::int64_t columns,
               const std::function<Array(const Array&)>& function,
               Doubles (*reference)(Doubles row)) {
  return make_case({.operation = name,
                    .sizes = {rows, columns},
                    .dtype = DType::float32,
                    .inputs = {normals({rows, columns})},
                    .function = [=](const Arrays& x) { return function(x[0]); },
                    .reference =
                        [=](const std::vector<Doubles>& x) {
                          Doubles wanted;
                          for (auto row = x[0].begin(); row != x[0].end(); row += columns) {
                            const Doubles one = reference(Doubles(row, row + columns));
                            wanted.insert(wanted.end(), one.begin(), one.end());
                          }
                          return wanted;
                        },
                    .written = kFloatBytes * number(rows * columns),
                    .tolerance = 1e-5,
                    .names_dtype = false});
}

Case transpose_case(std::int64_t rows, std::int64_t columns) {
  return make_case({.operation = "transpose",
                    .sizes = {rows, columns},
                    .dtype = DType::float32,
                    .inputs = {normals({rows, columns})},
                    .function = [](const Arrays& x) { return x[0].transpose().copy(); },
                    .reference =
                        [=](const std::vector<Doubles>& x) {
                          Doubles wanted;
                          for (std::int64_t j = 0; j < columns; ++j) {
                            for (std::int64_t i = 0; i < rows; ++i) {
                              wanted.push_back(x[0][static_cast<std::size_t>(i * columns + j)]);
                            }
                          }
                          return wanted;
                        },
                    .written = kFloatBytes * number(rows * columns),
                    .names_dtype = false});
}

}  // namespace

std::vector<Case> elementwise_cases(bool quick) {
  std::vector<std::int64_t> sizes = {1000, 10000};
  std::vector<std::pair<std::int64_t, std::int64_t>> matrices = {{25, 40}, {100, 100}};
  if (!quick) {
    sizes.insert(sizes.end(), {100000, 1000000, 10000000});
    matrices.insert(matrices.end(), {{250, 400}, {1000, 1000}, {2500, 4000}});
  }
  // Four elements: what a call costs beside the work.
  const auto add = [](const Array& a, const Array& b) { return a + b; };
  std::vector<Case> cases = {sum_case("add", 4, 1.0, add)};
  for (const std::int64_t n : sizes) {
    cases.push_back(sum_case("add", n, 1.0, add));
    cases.push_back(sum_case("scale_shift", n, 2.0, [](const Array& a, const Array& b) {
      return weighted_sum(2.0, a, 1.0, b);
    }));
    cases.push_back(sum_case("scale_shift_in_place", n, 0.5, halve_and_add));
    cases.push_back(function_case("exp", n, exp, [](double x) { return std::exp(x); }));
    cases.push_back(function_case("tanh", n, tanh, [](double x) { return std::tanh(x); }));
    cases.push_back(
        function_case("gelu", n, [](const Array& x) { return gelu(x); }, gelu_reference));
    cases.push_back(function_case("relu", n, relu, [](double x) { return std::max(x, 0.0); }));
    cases.push_back(reduction_case(
        "sum", n, [](const Array& x) { return sum(x); },
        [](const Doubles& x) { return std::accumulate(x.begin(), x.end(), 0.0); }, 1e-6));
    cases.push_back(reduction_case(
        "max", n, [](const Array& x) { return max(x); },
        [](const Doubles& x) { return *std::max_element(x.begin(), x.end()); }, 0.0));
    const Array weight = full({1000}, 2.0);
    const Array bias = full({1000}, 1.0);
    cases.push_back(rows_case(
        "softmax", n / 1000, 1000, [](const Array& x) { return softmax(x); }, softmax_reference));
    cases.push_back(rows_case(
        "layer_norm", n / 1000, 1000, [=](const Array& x) { return layer_norm(x, weight, bias); },
        layer_norm_reference));
  }
  for (const auto& [rows, columns] : matrices) cases.push_back(transpose_case(rows, columns));
  return cases;
}

}  // namespace gaia::bench
