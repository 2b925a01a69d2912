// SPDX-License-Identifier: MIT
/// \file
/// Functions of elements, reductions, functions of rows and transposed copies, in float32, from
/// what a first-level cache holds to what none does.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "../src/array/create.h"
#include "../src/array/functions.h"
#include "../src/array/fused.h"
#include "../src/array/ops.h"
#include "cases.h"

namespace gaia::bench {
namespace {

constexpr double kFloat = 4.0;  // bytes

double number(std::int64_t n) { return static_cast<double>(n); }

/// Largest difference between y and f(x) at up to 10^5 elements.
double elements_error(const Array& y, const Array& x, const std::function<double(double)>& f) {
  const std::int64_t step = x.size() / 100000 + 1;
  const std::vector<double> from = x.slice(0, 0, {}, step).to_vector<double>();
  std::vector<double> wanted;
  for (const double one : from) wanted.push_back(f(one));
  return relative_error(y.slice(0, 0, {}, step).to_vector<double>(), wanted);
}

Case function_case(const std::string& name, std::int64_t n, Array (*function)(const Array&),
                   double (*reference)(double)) {
  return {.name = name + "/" + std::to_string(n),
          .prepare = [=]() -> Task {
            const Array x = normal_input({n}, DType::float32, 1);
            return {.run = [=] { function(x); },
                    .error = [=] { return elements_error(function(x), x, reference); },
                    .tolerance = 2e-6};
          },
          .bytes = kFloat * 2.0 * number(n)};
}

double gelu_reference(double x) {
  return 0.5 * x *
         (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

/// One function of two arrays into a third.
Case add_case(std::int64_t n) {
  return {
      .name = "add/" + std::to_string(n),
      .prepare = [=]() -> Task {
        const Array a = normal_input({n}, DType::float32, 1);
        const Array b = normal_input({n}, DType::float32, 2);
        return {
            .run = [=] { a + b; },
            .error =
                [=] {
                  return relative_error(
                      (a + b).to_vector<double>(),
                      (a.astype(DType::float64) + b.astype(DType::float64)).to_vector<double>());
                }};
      },
      .bytes = kFloat * 3.0 * number(n)};
}

Case scale_shift_case(std::int64_t n) {
  return {.name = "scale_shift/" + std::to_string(n),
          .prepare = [=]() -> Task {
            const Array a = normal_input({n}, DType::float32, 1);
            const Array b = normal_input({n}, DType::float32, 2);
            return {.run = [=] { weighted_sum(2.0, a, 1.0, b); },
                    .error =
                        [=] {
                          return relative_error(
                              weighted_sum(2.0, a, 1.0, b),
                              a.astype(DType::float64) * 2.0 + b.astype(DType::float64));
                        }};
          },
          .bytes = kFloat * 3.0 * number(n)};
}

/// a <- a / 2 + b, which tends to 2 b.
Case scale_shift_in_place_case(std::int64_t n) {
  return {.name = "scale_shift_in_place/" + std::to_string(n),
          .prepare = [=]() -> Task {
            const Array a = normal_input({n}, DType::float32, 1);
            const Array b = normal_input({n}, DType::float32, 2);
            const auto run = [=] { update_weighted(0.5, a, 1.0, b); };
            return {.run = run, .error = [=] {
                      const Array wanted =
                          a.astype(DType::float64) * 0.5 + b.astype(DType::float64);
                      run();
                      return relative_error(a, wanted);
                    }};
          },
          .bytes = kFloat * 3.0 * number(n)};
}

Case sum_case(std::int64_t n) {
  return {.name = "sum/" + std::to_string(n),
          .prepare = [=]() -> Task {
            const Array x = normal_input({n}, DType::float32, 1);
            return {.run = [=] { sum(x); },
                    .error =
                        [=] {
                          double total = 0.0;
                          double size = 0.0;
                          for (const double one : x.to_vector<double>()) {
                            total += one;
                            size += std::abs(one);
                          }
                          return std::abs(sum(x).item() - total) / size;
                        },
                    .tolerance = 1e-6};
          },
          .bytes = kFloat* number(n)};
}

Case max_case(std::int64_t n) {
  return {.name = "max/" + std::to_string(n),
          .prepare = [=]() -> Task {
            const Array x = normal_input({n}, DType::float32, 1);
            return {
                .run = [=] { max(x); },
                .error =
                    [=] {
                      const std::vector<double> all = x.to_vector<double>();
                      return std::abs(max(x).item() - *std::max_element(all.begin(), all.end()));
                    },
                .tolerance = 0.0};
          },
          .bytes = kFloat* number(n)};
}

Array every_row_of_some(const Array& x) { return x.slice(0, 0, {}, x.shape(0) / 100 + 1); }

std::vector<double> softmax_reference(std::vector<double> row) {
  const double top = *std::max_element(row.begin(), row.end());
  double total = 0.0;
  for (double& one : row) total += one = std::exp(one - top);
  for (double& one : row) one /= total;
  return row;
}

std::vector<double> layer_norm_reference(std::vector<double> row) {
  const double n = static_cast<double>(row.size());
  double mean = 0.0;
  for (const double one : row) mean += one / n;
  double variance = 0.0;
  for (const double one : row) variance += (one - mean) * (one - mean) / n;
  // Weight 2, bias 1.
  for (double& one : row) one = (one - mean) / std::sqrt(variance + 1e-5) * 2.0 + 1.0;
  return row;
}

/// A function of every row of x, compared at up to 100 of them.
Case rows_case(const std::string& name, std::int64_t rows, std::int64_t columns,
               const std::function<Array(const Array&)>& function,
               std::vector<double> (*reference)(std::vector<double>)) {
  return {.name = name + "/" + joined_sizes({rows, columns}),
          .prepare = [=]() -> Task {
            const Array x = normal_input({rows, columns}, DType::float32, 1);
            return {.run = [=] { function(x); },
                    .error =
                        [=] {
                          const Array from = every_row_of_some(x);
                          std::vector<double> wanted;
                          for (std::int64_t row = 0; row < from.shape(0); ++row) {
                            const auto one = reference(from[row].to_vector<double>());
                            wanted.insert(wanted.end(), one.begin(), one.end());
                          }
                          return relative_error(every_row_of_some(function(x)).to_vector<double>(),
                                                wanted);
                        }};
          },
          .bytes = kFloat * 2.0 * number(rows * columns)};
}

Case transpose_case(std::int64_t rows, std::int64_t columns) {
  return {.name = "transpose/" + joined_sizes({rows, columns}),
          .prepare = [=]() -> Task {
            const Array x = normal_input({rows, columns}, DType::float32, 1);
            return {.run = [=] { x.transpose().copy(); },
                    .error =
                        [=] {
                          const std::vector<double> from = x.to_vector<double>();
                          std::vector<double> wanted;
                          for (std::int64_t j = 0; j < columns; ++j) {
                            for (std::int64_t i = 0; i < rows; ++i) {
                              wanted.push_back(from[static_cast<std::size_t>(i * columns + j)]);
                            }
                          }
                          return relative_error(x.transpose().copy().to_vector<double>(), wanted);
                        },
                    .tolerance = 0.0};
          },
          .bytes = kFloat * 2.0 * number(rows * columns)};
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
  std::vector<Case> cases = {add_case(4)};
  for (const std::int64_t n : sizes) {
    cases.push_back(add_case(n));
    cases.push_back(scale_shift_case(n));
    cases.push_back(scale_shift_in_place_case(n));
    cases.push_back(function_case("exp", n, exp, [](double x) { return std::exp(x); }));
    cases.push_back(function_case("tanh", n, tanh, [](double x) { return std::tanh(x); }));
    cases.push_back(function_case(
        "gelu", n, [](const Array& x) { return gelu(x); }, gelu_reference));
    cases.push_back(function_case("relu", n, relu, [](double x) { return std::max(x, 0.0); }));
    cases.push_back(sum_case(n));
    cases.push_back(max_case(n));
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
