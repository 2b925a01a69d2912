// SPDX-License-Identifier: MIT
/// \file
/// Products of matrices and vectors.
#include <algorithm>
#include <cmath>

#include "../src/array/linear.h"
#include "../src/array/ops.h"
#include "../src/array/ternary_product.h"
#include "../src/layers/network/ternary.h"
#include "cases.h"
#include "reference.h"

namespace gaia::bench {
namespace {

/// Numbers of a product that are compared.
constexpr std::int64_t kChecked = 500;

/// Largest difference of some elements of y = a b from sums in double, relative to the largest.
double product_error(const Array& y, const Array& a, const Array& b, std::int64_t inner) {
  const Doubles answers = y.to_vector<double>();
  const Doubles left = a.to_vector<double>();
  const Doubles right = b.to_vector<double>();
  const auto columns = std::ssize(right) / inner;
  // No factor of any size in here, so that rows, columns and blocks are all met.
  const std::int64_t step = std::max<std::int64_t>(1, std::ssize(answers) / kChecked) | 1;
  Doubles got;
  Doubles wanted;
  for (std::int64_t i = 0; i < std::ssize(answers); i += step) {
    got.push_back(answers[static_cast<std::size_t>(i)]);
    wanted.push_back(
        dot(left.data() + i / columns * inner, 1, right.data() + i % columns, columns, inner));
  }
  return relative_error(got, wanted);
}

double tolerance_of(DType dtype) { return dtype == DType::float32 ? 1e-5 : 1e-13; }

double number(std::int64_t n) { return static_cast<double>(n); }

Case matmul_case(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype) {
  return {.name = "matmul/" + joined_sizes({m, k, n}) + "/" + to_string(dtype),
          .prepare = [=]() -> Task {
            const Array a = normal_input({m, k}, dtype, 1);
            const Array b = normal_input({k, n}, dtype, 2);
            return {.run = [=] { matmul(a, b); },
                    .error = [=] { return product_error(matmul(a, b), a, b, k); },
                    .tolerance = tolerance_of(dtype)};
          },
          .flops = 2.0 * number(m) * number(k) * number(n),
          .dtype = dtype};
}

Case gemv_case(std::int64_t m, std::int64_t k, DType dtype) {
  return {.name = "gemv/" + joined_sizes({m, k}) + "/" + to_string(dtype),
          .prepare = [=]() -> Task {
            const Array a = normal_input({m, k}, dtype, 1);
            const Array b = normal_input({k}, dtype, 2);
            return {.run = [=] { matmul(a, b); },
                    .error = [=] { return product_error(matmul(a, b), a, b, k); },
                    .tolerance = tolerance_of(dtype)};
          },
          .flops = 2.0 * number(m) * number(k),
          .dtype = dtype};
}

/// Codes of two bits; `matmul` of these sizes is the same product with full weights.
Case ternary_case(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {.name = "ternary_product/" + joined_sizes({m, k, n}),
          .prepare = [=]() -> Task {
            const Array a = normal_input({m, k}, DType::float32, 1);
            const Array codes = clip(round(normal_input({n, k}, DType::float32, 2)), -1.0, 1.0);
            const Array packed = pack_ternary(codes);
            const Array b = codes.transpose().copy();
            return {.run = [=] { ternary_product(a, packed); },
                    .error = [=] { return product_error(ternary_product(a, packed), a, b, k); },
                    .tolerance = tolerance_of(DType::float32)};
          },
          .flops = 2.0 * number(m) * number(k) * number(n)};
}

Case outer_case(std::int64_t m, std::int64_t n, DType dtype) {
  return {.name = "outer/" + joined_sizes({m, n}) + "/" + to_string(dtype),
          .prepare = [=]() -> Task {
            const Array a = normal_input({m}, dtype, 1);
            const Array b = normal_input({n}, dtype, 2);
            return {.run = [=] { outer(a, b); },
                    .error = [=] { return product_error(outer(a, b), a, b, 1); },
                    .tolerance = tolerance_of(dtype)};
          },
          .bytes = number(size_of(dtype)) * number(m * n),
          .dtype = dtype};
}

}  // namespace

std::vector<Case> product_cases(bool quick) {
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::float64}) {
    if (quick) {
      cases.push_back(matmul_case(64, 64, 64, dtype));
      cases.push_back(matmul_case(100, 7, 33, dtype));
      cases.push_back(gemv_case(80, 40, dtype));
      cases.push_back(outer_case(80, 40, dtype));
      if (dtype == DType::float32) cases.push_back(ternary_case(5, 70, 33));
      continue;
    }
    for (const std::int64_t n : {128, 256, 512, 1024, 2048}) {
      cases.push_back(matmul_case(n, n, n, dtype));
    }
    cases.push_back(matmul_case(10000, 100, 200, dtype));
    cases.push_back(matmul_case(2500, 400, 800, dtype));
    cases.push_back(matmul_case(64, 400, 800, dtype));
    cases.push_back(matmul_case(800, 64, 400, dtype));
    cases.push_back(gemv_case(800, 400, dtype));
    cases.push_back(outer_case(800, 400, dtype));
  }
  if (quick) return cases;
  for (const std::int64_t m : {1, 4, 16, 64}) {
    cases.push_back(ternary_case(m, 4096, 4096));
    cases.push_back(matmul_case(m, 4096, 4096, DType::float32));
  }
  return cases;
}

}  // namespace gaia::bench
