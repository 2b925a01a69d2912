// SPDX-License-Identifier: MIT
/// \file
/// Creation, products, element-wise operations and reductions, at 1000 and at sizes that fill the
/// chip.
#include <string>
#include <utility>

#include "../../src/array/create.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/array/precision.h"
#include "cases.h"

namespace gaia::bench {
namespace {

std::string square_name(std::int64_t n) { return std::to_string(n) + "x" + std::to_string(n); }

Claim claim_ms(double cpu, double gpu) { return {cpu * 1e-3, cpu * 1e-3, gpu * 1e-3, gpu * 1e-3}; }

/// A case of one or two operands f(x[, y]).
using Function = Array (*)(const std::vector<Array>&);

Case plain_case(std::string name, std::string what, std::function<std::vector<Array>()> inputs,
                Function f, double bytes) {
  return {.name = std::move(name),
          .what = std::move(what),
          .inputs = std::move(inputs),
          .prepare = [f](const std::vector<Array>& x) { return [f, x] { return f(x); }; },
          .bytes = bytes};
}

Case zeros_case(std::int64_t n) {
  return {.name = "zeros/" + square_name(n),
          .what = "a matrix of zeros",
          .inputs = [] { return std::vector<Array>{}; },
          .prepare = [n](const auto&) { return [n] {
                                          return zeros({n, n});
                                        }; },
          .bytes = kFloatBytes * static_cast<double>(n * n),
          .tolerance = 0.0};
}

Case random_case(std::int64_t n) {
  return {.name = "random_normal/" + square_name(n),
          .what = "a matrix of normal numbers",
          .inputs = [] { return std::vector<Array>{}; },
          .prepare = [n](const auto&) { return [n] {
                                          return normal_input({n, n}, 0);
                                        }; },
          .bytes = kFloatBytes * static_cast<double>(n * n),
          .tolerance = 1e-6};
}

Case dot_case(std::int64_t n) {
  Case one = plain_case(
      "dot/" + std::to_string(n), "the product of two vectors",
      // Positive: a sum that cancels says nothing about its terms.
      [n] {
        return std::vector<Array>{uniform_input({n}, 1), uniform_input({n}, 2)};
      },
      [](const std::vector<Array>& x) { return dot(x[0], x[1]); },
      kFloatBytes * 2.0 * static_cast<double>(n));
  one.flops = 2.0 * static_cast<double>(n);
  one.tolerance = 1e-4;
  return one;
}

Case outer_case(std::int64_t n) {
  return plain_case(
      "outer/" + std::to_string(n), "every product of the elements of two vectors",
      [n] {
        return std::vector<Array>{normal_input({n}, 1), normal_input({n}, 2)};
      },
      [](const std::vector<Array>& x) { return outer(x[0], x[1]); },
      kFloatBytes * static_cast<double>(n * n));
}

/// One matrix in; `passes` matrices read or written.
Case matrix_case(const char* name, const char* what, std::int64_t n, Function f, double passes) {
  return plain_case(
      std::string(name) + "/" + square_name(n), what,
      [n] {
        return std::vector<Array>{normal_input({n, n}, 1)};
      },
      f, kFloatBytes * passes * static_cast<double>(n * n));
}

}  // namespace

Case matmul_case(const std::string& name, std::int64_t n) {
  Case one = plain_case(
      name, "the product of two square matrices",
      [n] {
        return std::vector<Array>{normal_input({n, n}, 1), normal_input({n, n}, 2)};
      },
      [](const std::vector<Array>& x) { return matmul(x[0], x[1]); },
      kFloatBytes * 3.0 * static_cast<double>(n * n));
  one.flops = 2.0 * static_cast<double>(n * n) * static_cast<double>(n);
  return one;
}

Case matmul_tf32_case(std::int64_t n) {
  Case one = matmul_case("matmul_tf32/" + square_name(n), n);
  one.what = "the product of two square matrices, which may be rounded to TF32";
  one.prepare = [](const std::vector<Array>& x) {
    return [x] {
      const MatmulPrecisionScope scope(MatmulPrecision::tf32);
      return matmul(x[0], x[1]);
    };
  };
  one.tolerance = 2e-3;
  return one;
}

/// The CPU computes from the same rounded numbers.
Case matmul_bfloat16_case(std::int64_t n) {
  Case one = matmul_case("matmul_bfloat16/" + square_name(n), n);
  one.what = "the product of two square matrices of bfloat16, in float32";
  one.inputs = [n] {
    return std::vector<Array>{normal_input({n, n}, 1).astype(DType::bfloat16),
                              normal_input({n, n}, 2).astype(DType::bfloat16)};
  };
  one.prepare = [](std::vector<Array> x) {
    for (Array& factor : x) {
      if (current_device().is_cpu()) factor = factor.astype(DType::float32);
    }
    return [x] { return matmul(x[0], x[1]); };
  };
  one.bytes = (2.0 + 2.0 + kFloatBytes) * static_cast<double>(n * n);
  return one;
}

Case add_case(const std::string& name, std::int64_t n) {
  return plain_case(
      name, "the sum of two arrays",
      [n] {
        return std::vector<Array>{normal_input({n}, 1), normal_input({n}, 2)};
      },
      [](const std::vector<Array>& x) { return x[0] + x[1]; },
      kFloatBytes * 3.0 * static_cast<double>(n));
}

std::vector<Case> array_cases(bool quick) {
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
    add(matmul_case("matmul/" + square_name(order), order), claim_ms(500, 15));
    if (!in_guide) {
      add(matmul_tf32_case(order));
      add(matmul_bfloat16_case(order));
    }
    // Not longer: float32 sums of far more numbers lose digits on any device.
    add(dot_case(in_guide ? n : std::int64_t(1) << 22), claim_ms(50, 2));
    add(outer_case(n));
    Case sum = add_case("add/" + square_name(n), n * n);
    add(std::move(sum), claim_ms(30, 1));
    add(matrix_case(
        "relu", "max(x, 0)", n, [](const auto& x) { return relu(x[0]); }, 2.0));
    add(matrix_case(
        "norm", "the Euclidean norm of all elements", n, [](const auto& x) { return norm(x[0]); },
        1.0));
  }
  return cases;
}

}  // namespace gaia::bench
