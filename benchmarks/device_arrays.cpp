// SPDX-License-Identifier: MIT
/// \file
/// Creation, products, element-wise operations and reductions, at 1000 and at sizes that fill the
/// chip.
#include <string>
#include <utility>

#include "../src/array/create.h"
#include "../src/array/linear.h"
#include "../src/array/ops.h"
#include "../src/array/precision.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

Claim claim_ms(double cpu, double gpu) { return {cpu * 1e-3, cpu * 1e-3, gpu * 1e-3, gpu * 1e-3}; }

/// `count` operands of one shape, of normal numbers; `written` numbers come of them.
CaseRow row_of(const std::string& operation, const std::vector<std::int64_t>& sizes,
               const std::string& what, std::size_t count, Array (*function)(const Arrays&),
               std::int64_t written) {
  const Input input = normals(sizes.size() == 1 ? Shape{sizes[0]} : Shape{sizes[0], sizes[1]});
  return {.operation = operation,
          .sizes = sizes,
          .dtype = DType::float32,
          .inputs = std::vector<Input>(count, input),
          .function = function,
          .written = kFloatBytes * number(written),
          .tolerance = 1e-5,
          .names_dtype = false,
          .what = what};
}

Case zeros_case(std::int64_t n) {
  CaseRow row = row_of("zeros", {n, n}, "a matrix of zeros", 0, {}, n * n);
  row.function = [n](const Arrays&) { return zeros({n, n}); };
  row.tolerance = 0.0;
  return make_case(row);
}

Case random_case(std::int64_t n) {
  CaseRow row = row_of("random_normal", {n, n}, "a matrix of normal numbers", 0, {}, n * n);
  row.function = [n](const Arrays&) { return normal_input({n, n}, 0); };
  row.tolerance = 1e-6;
  return make_case(row);
}

Case dot_case(std::int64_t n) {
  CaseRow row = row_of(
      "dot", {n}, "the product of two vectors", 2, [](const Arrays& x) { return dot(x[0], x[1]); },
      0);
  // Positive: a sum that cancels says nothing about its terms.
  for (Input& input : row.inputs) input = {.shape = {n}, .low = 0.0, .high = 1.0};
  row.flops = 2.0 * number(n);
  row.tolerance = 1e-4;
  return make_case(row);
}

Case outer_case(std::int64_t n) {
  return make_case(row_of(
      "outer", {n}, "every product of the elements of two vectors", 2,
      [](const Arrays& x) { return outer(x[0], x[1]); }, n * n));
}

CaseRow matmul_row(const std::string& operation, std::int64_t n) {
  CaseRow row = row_of(
      operation, {n, n}, "the product of two square matrices", 2,
      [](const Arrays& x) { return matmul(x[0], x[1]); }, n * n);
  row.flops = 2.0 * number(n * n) * number(n);
  return row;
}

Case matmul_tf32_case(std::int64_t n) {
  CaseRow row = matmul_row("matmul_tf32", n);
  row.what += ", which may be rounded to TF32";
  row.function = [](const Arrays& x) {
    const MatmulPrecisionScope scope(MatmulPrecision::tf32);
    return matmul(x[0], x[1]);
  };
  row.tolerance = 2e-3;
  return make_case(row);
}

/// The CPU computes from the same rounded numbers.
Case matmul_bfloat16_case(std::int64_t n) {
  CaseRow row = matmul_row("matmul_bfloat16", n);
  row.what += " of bfloat16, in float32";
  row.arrange = [](Arrays& x) {
    for (Array& factor : x) factor = factor.astype(DType::bfloat16);
  };
  Case one = make_case(row);
  one.prepare = [](Arrays x) -> Task {
    for (Array& factor : x) {
      if (current_device().is_cpu()) factor = factor.astype(DType::float32);
    }
    return {.run = [x] { return matmul(x[0], x[1]); }};
  };
  one.bytes = (2.0 + 2.0 + kFloatBytes) * number(n * n);
  return one;
}

Case named(Case one, const std::string& name) {
  one.name = name;
  return one;
}

}  // namespace

Case device_matmul_case(const std::string& name, std::int64_t n) {
  return named(make_case(matmul_row("matmul", n)), name);
}

Case device_add_case(const std::string& name, std::int64_t n) {
  return named(
      make_case(row_of(
          "add", {n}, "the sum of two arrays", 2, [](const Arrays& x) { return x[0] + x[1]; }, n)),
      name);
}

std::vector<Case> device_array_cases(bool quick) {
  std::vector<Case> cases;
  for (const std::int64_t n : {1000, 8192}) {
    const bool in_guide = n == 1000;
    if (quick && !in_guide) continue;
    const auto add = [&](Case one, std::optional<Claim> claim = {}) {
      if (in_guide) one.claim = claim;
      cases.push_back(std::move(one));
    };
    const std::int64_t order = in_guide ? n : 4096;  // of products: a CPU has to follow
    add(zeros_case(n), claim_ms(150, 5));
    add(random_case(n));
    add(make_case(matmul_row("matmul", order)), claim_ms(500, 15));
    if (!in_guide) {
      add(matmul_tf32_case(order));
      add(matmul_bfloat16_case(order));
    }
    // Not longer: float32 sums of far more numbers lose digits on any device.
    add(dot_case(in_guide ? n : std::int64_t(1) << 22), claim_ms(50, 2));
    add(outer_case(n));
    add(device_add_case("add/" + joined_sizes({n, n}), n * n), claim_ms(30, 1));
    add(make_case(
        row_of("relu", {n, n}, "max(x, 0)", 1, [](const Arrays& x) { return relu(x[0]); }, n * n)));
    add(make_case(row_of(
        "norm", {n, n}, "the Euclidean norm of all elements", 1,
        [](const Arrays& x) { return norm(x[0]); }, 0)));
  }
  return cases;
}

}  // namespace gaia::bench
