// SPDX-License-Identifier: MIT
/// \file
/// Products of matrices and vectors.
#include <algorithm>
#include <cmath>

#include "../src/array/linear.h"
#include "../src/array/ops.h"
#include "../src/array/ternary_product.h"
#include "../src/layers/network/ternary.h"
#include "case_rows.h"
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

/// a b, with `inner` terms for each number.
CaseRow product(const std::string& operation, const std::vector<std::int64_t>& sizes, DType dtype,
                const Shape& a, const Shape& b, std::int64_t inner) {
  return {.operation = operation,
          .sizes = sizes,
          .dtype = dtype,
          .inputs = {normals(a, dtype), normals(b, dtype)},
          .function = [](const Arrays& x) { return matmul(x[0], x[1]); },
          .tolerance = tolerance_of(dtype),
          .flops = 2.0 * number(count_elements(a)) * number(count_elements(b)) / number(inner),
          .error = [=](const Array& y,
                       const Arrays& x) { return product_error(y, x[0], x[1], inner); }};
}

Case matmul_case(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype) {
  return make_case(product("matmul", {m, k, n}, dtype, {m, k}, {k, n}, k));
}

Case gemv_case(std::int64_t m, std::int64_t k, DType dtype) {
  return make_case(product("gemv", {m, k}, dtype, {m, k}, {k}, k));
}

Case outer_case(std::int64_t m, std::int64_t n, DType dtype) {
  CaseRow row = product("outer", {m, n}, dtype, {m}, {n}, 1);
  row.function = [](const Arrays& x) { return outer(x[0], x[1]); };
  row.flops = 0.0;
  row.written = bytes_of(m * n, dtype);
  return make_case(row);
}

/// Codes of two bits; `matmul` of these sizes is the same product with full weights.
Case ternary_case(std::int64_t m, std::int64_t k, std::int64_t n) {
  CaseRow row = product("ternary_product", {m, k, n}, DType::float32, {m, k}, {n, k}, k);
  row.names_dtype = false;
  row.arrange = [](Arrays& x) {
    x[1] = clip(round(x[1]), -1.0, 1.0);
    x.push_back(pack_ternary(x[1]));
  };
  row.function = [](const Arrays& x) { return ternary_product(x[0], x[2]); };
  row.error = [=](const Array& y, const Arrays& x) {
    return product_error(y, x[0], x[1].transpose().copy(), k);
  };
  return make_case(row);
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
