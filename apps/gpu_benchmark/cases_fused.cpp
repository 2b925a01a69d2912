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

double number(std::int64_t n) { return static_cast<double>(n); }

Case gelu_case(std::int64_t rows, std::int64_t columns) {
  return {.name = "gelu/" + std::to_string(rows) + "x" + std::to_string(columns),
          .what = "gelu in its tanh form",
          .inputs =
              [=] {
                return std::vector<Array>{normal_input({rows, columns}, 1)};
              },
          .prepare = [](const std::vector<Array>& x) { return [x] { return gelu(x[0]); }; },
          .bytes = kFloatBytes * 2.0 * number(rows * columns)};
}

/// In the tanh form one call of cuBLASLt on a GPU, in the exact form a product and a pass: their
/// difference is what the one call is worth.
Case linear_gelu_case(std::int64_t rows, std::int64_t inputs, std::int64_t outputs,
                      GeluForm form = GeluForm::tanh,
                      MatmulPrecision precision = MatmulPrecision::full) {
  const bool is_tf32 = precision == MatmulPrecision::tf32;
  return {
      .name = std::string("linear_gelu") + (form == GeluForm::exact ? "_exact" : "") +
              (is_tf32 ? "_tf32/" : "/") + std::to_string(rows) + "x" + std::to_string(inputs) +
              "x" + std::to_string(outputs),
      .what = "gelu(x W^T + b), x [rows, inputs], W [outputs, inputs]",
      .inputs =
          [=] {
            return std::vector<Array>{normal_input({rows, inputs}, 1),
                                      normal_input({outputs, inputs}, 2),
                                      normal_input({outputs}, 3)};
          },
      .prepare =
          [=](const std::vector<Array>& x) {
            return [=] {
              const MatmulPrecisionScope scope(precision);
              return linear_gelu(x[0], x[1], x[2], form);
            };
          },
      .bytes = kFloatBytes * number(rows * inputs + outputs * inputs + outputs + rows * outputs),
      .flops = 2.0 * number(rows * inputs) * number(outputs),
      .tolerance = is_tf32 ? 2e-3 : 1e-5};
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
      .bytes = kFloatBytes * number(2 * rows * columns + 2 * columns)};
}

/// All three gradients of that, of which the result is the input's.
Case layer_norm_gradient_case(std::int64_t rows, std::int64_t columns) {
  return {.name = "layer_norm_gradient/" + std::to_string(rows) + "x" + std::to_string(columns),
          .what = "gradients of layer_norm by its input, weight and bias",
          .inputs =
              [=] {
                return std::vector<Array>{normal_input({rows, columns}, 1),
                                          normal_input({columns}, 2),
                                          normal_input({rows, columns}, 3)};
              },
          .prepare =
              [](const std::vector<Array>& x) {
                const LayerNormResult forward = layer_norm_forward(x[0], x[1]);
                return [x, forward] {
                  return layer_norm_backward(x[2], x[0], x[1], forward.mean, forward.rstd).x;
                };
              },
          .bytes = kFloatBytes * 3.0 * number(rows * columns)};
}

/// In which dtype and precision attention is measured.
struct AttentionKind {
  const char* suffix;
  DType dtype;
  MatmulPrecision precision;
  double tolerance;
};

constexpr AttentionKind kFull{"", DType::float32, MatmulPrecision::full, 1e-5};
constexpr AttentionKind kTf32{"_tf32", DType::float32, MatmulPrecision::tf32, 2e-3};
constexpr AttentionKind kHalf{"_bfloat16", DType::bfloat16, MatmulPrecision::full, 2e-2};

std::string attention_name(const char* operation, const AttentionKind& kind, const Shape& shape) {
  std::string name = std::string(operation) + kind.suffix;
  for (int axis = 0; axis < 4; ++axis)
    name += (axis == 0 ? "/" : "x") + std::to_string(shape[axis]);
  return name;
}

/// q, k and v, and with `count` 4 the slopes of the output too.
std::vector<Array> attention_inputs(const Shape& shape, const AttentionKind& kind,
                                    std::uint64_t count) {
  std::vector<Array> made;
  for (std::uint64_t i = 1; i <= count; ++i) {
    made.push_back(normal_input(shape, i).astype(kind.dtype));
  }
  return made;
}

/// In bfloat16, the CPU computes in float32 from the same rounded numbers.
std::vector<Array> as_computed_here(std::vector<Array> x) {
  for (Array& one : x) {
    if (current_device().is_cpu()) one = one.astype(DType::float32);
  }
  return x;
}

/// q, k and v [batch, heads, steps, d].
Case attention_case(const Shape& shape, const AttentionKind& kind = kFull) {
  const double elements = number(count_elements(shape));
  return {.name = attention_name("attention", kind, shape),
          .what = "attention of [batch, heads, steps, d]",
          .inputs = [=] { return attention_inputs(shape, kind, 3); },
          .prepare =
              [=](const std::vector<Array>& given) {
                return [x = as_computed_here(given), precision = kind.precision] {
                  const MatmulPrecisionScope scope(precision);
                  return attention(x[0], x[1], x[2]);
                };
              },
          .bytes = (number(size_of(kind.dtype)) * 3.0 + kFloatBytes) * elements,
          .flops = 4.0 * elements * number(shape[2]),
          .tolerance = kind.tolerance};
}

/// All three gradients of that, of which the result is the queries'.
Case attention_gradient_case(const Shape& shape, const AttentionKind& kind = kFull) {
  const double elements = number(count_elements(shape));
  return {.name = attention_name("attention_gradient", kind, shape),
          .what = "gradients of attention of [batch, heads, steps, d] by q, k and v",
          .inputs = [=] { return attention_inputs(shape, kind, 4); },
          .prepare =
              [=](const std::vector<Array>& given) {
                const std::vector<Array> x = as_computed_here(given);
                const MatmulPrecisionScope scope(kind.precision);
                const AttentionResult forward = attention_forward(x[0], x[1], x[2]);
                return [x, forward, precision = kind.precision] {
                  const MatmulPrecisionScope inner(precision);
                  return attention_backward(x[3], x[0], x[1], x[2], forward).q;
                };
              },
          .bytes = (number(size_of(kind.dtype)) * 4.0 + kFloatBytes * 4.0) * elements,
          .flops = 10.0 * elements * number(shape[2]),
          .tolerance = kind.tolerance};
}

}  // namespace

std::vector<Case> fused_cases(bool quick) {
  std::vector<Case> cases = {gelu_case(1024, 512), linear_gelu_case(128, 512, 768),
                             layer_norm_case(128, 768), attention_case({4, 8, 512, 64})};
  if (quick) {
    cases.push_back(layer_norm_gradient_case(128, 768));
    cases.push_back(attention_gradient_case({1, 2, 128, 64}));
    return cases;
  }
  cases.push_back(gelu_case(65536, 1024));
  for (const MatmulPrecision precision : {MatmulPrecision::full, MatmulPrecision::tf32}) {
    for (const GeluForm form : {GeluForm::tanh, GeluForm::exact}) {
      cases.push_back(linear_gelu_case(8192, 1024, 4096, form, precision));
    }
  }
  cases.push_back(layer_norm_case(65536, 1024));
  cases.push_back(layer_norm_gradient_case(65536, 1024));
  for (const std::int64_t size : {64, 128}) {
    for (const AttentionKind& kind : {kFull, kTf32}) {
      cases.push_back(attention_case({4, 16, 2048, size}, kind));
      cases.push_back(attention_gradient_case({4, 16, 2048, size}, kind));
    }
    cases.push_back(attention_case({4, 16, 2048, size}, kHalf));
    cases.push_back(attention_case({1, 8, 8192, size}, kHalf));
    cases.push_back(attention_gradient_case({1, 8, 8192, size}, kHalf));
  }
  return cases;
}

}  // namespace gaia::bench
