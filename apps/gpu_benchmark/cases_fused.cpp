// SPDX-License-Identifier: MIT
/// \file
/// gelu and the operations of one pass (array/fused.h).
#include <string>
#include <utility>

#include "../../src/array/functions.h"
#include "../../src/array/fused.h"
#include "../../src/array/precision.h"
#include "cases.h"

namespace gaia::bench {
namespace {

constexpr double kFloat = 4.0;  // bytes

double number(std::int64_t n) { return static_cast<double>(n); }

Case gelu_case(std::int64_t rows, std::int64_t columns) {
  return {.name = "gelu/" + std::to_string(rows) + "x" + std::to_string(columns),
          .what = "gelu in its tanh form",
          .inputs =
              [=] {
                return std::vector<Array>{normal_input({rows, columns}, 1)};
              },
          .prepare = [](const std::vector<Array>& x) { return [x] { return gelu(x[0]); }; },
          .bytes = kFloat * 2.0 * number(rows * columns)};
}

Case linear_gelu_case(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) {
  return {
      .name = "linear_gelu/" + std::to_string(rows) + "x" + std::to_string(inputs) + "x" +
              std::to_string(outputs),
      .what = "gelu(x W^T + b), x [rows, inputs], W [outputs, inputs]",
      .inputs =
          [=] {
            return std::vector<Array>{normal_input({rows, inputs}, 1),
                                      normal_input({outputs, inputs}, 2),
                                      normal_input({outputs}, 3)};
          },
      .prepare =
          [](const std::vector<Array>& x) { return [x] { return linear_gelu(x[0], x[1], x[2]); }; },
      .bytes = kFloat * number(rows * inputs + outputs * inputs + outputs + rows * outputs),
      .flops = 2.0 * number(rows * inputs) * number(outputs)};
}

Case layer_norm_case(std::int64_t rows, std::int64_t columns) {
  return {
      .name = "layer_norm/" + std::to_string(rows) + "x" + std::to_string(columns),
      .what = "mean 0 and variance 1 along rows, with weight and bias",
      .inputs =
          [=] {
            return std::vector<Array>{normal_input({rows, columns}, 1), normal_input({columns}, 2),
                                      normal_input({columns}, 3)};
          },
      .prepare =
          [](const std::vector<Array>& x) { return [x] { return layer_norm(x[0], x[1], x[2]); }; },
      .bytes = kFloat * number(2 * rows * columns + 2 * columns)};
}

/// q, k and v [batch, heads, steps, d].  In bfloat16, the CPU answers in float32 from the same
/// rounded numbers.
Case attention_case(const Shape& shape, DType dtype = DType::float32,
                    MatmulPrecision precision = MatmulPrecision::full) {
  const double elements = number(shape[0] * shape[1] * shape[2] * shape[3]);
  const bool half = dtype == DType::bfloat16;
  const bool is_tf32 = precision == MatmulPrecision::tf32;
  return {.name = std::string(half      ? "attention_bfloat16/"
                              : is_tf32 ? "attention_tf32/"
                                        : "attention/") +
                  std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
                  std::to_string(shape[2]) + "x" + std::to_string(shape[3]),
          .what = "attention of [batch, heads, steps, d]",
          .inputs =
              [=] {
                std::vector<Array> qkv;
                for (const std::uint64_t i : {1u, 2u, 3u}) {
                  qkv.push_back(normal_input(shape, i).astype(dtype));
                }
                return qkv;
              },
          .prepare =
              [precision](std::vector<Array> x) {
                for (Array& one : x) {
                  if (current_device().is_cpu()) one = one.astype(DType::float32);
                }
                return [x, precision] {
                  const MatmulPrecisionScope scope(precision);
                  return attention(x[0], x[1], x[2]);
                };
              },
          .bytes = ((half ? 2.0 : kFloat) * 3.0 + kFloat) * elements,
          .flops = 4.0 * elements * number(shape[2]),
          .tolerance = half      ? 2e-2
                       : is_tf32 ? 2e-3
                                 : 1e-5};
}

}  // namespace

std::vector<Case> fused_cases(bool quick) {
  std::vector<Case> cases = {gelu_case(1024, 512), linear_gelu_case(128, 512, 768),
                             layer_norm_case(128, 768), attention_case({4, 8, 512, 64})};
  if (quick) return cases;
  cases.push_back(gelu_case(65536, 1024));
  cases.push_back(linear_gelu_case(8192, 1024, 4096));
  cases.push_back(layer_norm_case(65536, 1024));
  cases.push_back(attention_case({4, 16, 2048, 64}));
  cases.push_back(attention_case({4, 16, 2048, 128}));
  cases.push_back(attention_case({4, 16, 2048, 64}, DType::float32, MatmulPrecision::tf32));
  cases.push_back(attention_case({4, 16, 2048, 128}, DType::float32, MatmulPrecision::tf32));
  cases.push_back(attention_case({1, 8, 8192, 64}, DType::bfloat16));
  cases.push_back(attention_case({1, 8, 8192, 128}, DType::bfloat16));
  return cases;
}

}  // namespace gaia::bench
