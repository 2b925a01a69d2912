// SPDX-License-Identifier: MIT
/// \file
/// gelu and the operations of one pass (array/fused.h).
#include <string>
#include <utility>

#include "../src/array/functions.h"
#include "../src/array/fused.h"
#include "../src/array/precision.h"
#include "case_rows.h"

namespace gaia::bench {
namespace {

Case gelu_case(std::int64_t rows, std::int64_t columns) {
  return make_case({.operation = "gelu",
                    .sizes = {rows, columns},
                    .dtype = DType::float32,
                    .inputs = {normals({rows, columns})},
                    .function = [](const Arrays& x) { return gelu(x[0]); },
                    .written = kFloatBytes * number(rows * columns),
                    .tolerance = 1e-5,
                    .names_dtype = false,
                    .what = "gelu in its tanh form"});
}

/// In the tanh form one call of cuBLASLt on a GPU, in the exact form a product and a pass: their
/// difference is what the one call is worth.
Case linear_gelu_case(std::int64_t rows, std::int64_t inputs, std::int64_t outputs,
                      GeluForm form = GeluForm::tanh,
                      MatmulPrecision precision = MatmulPrecision::full) {
  const bool is_tf32 = precision == MatmulPrecision::tf32;
  return make_case(
      {.operation = std::string("linear_gelu") + (form == GeluForm::exact ? "_exact" : "") +
                    (is_tf32 ? "_tf32" : ""),
       .sizes = {rows, inputs, outputs},
       .dtype = DType::float32,
       .inputs = {normals({rows, inputs}), normals({outputs, inputs}), normals({outputs})},
       .function =
           [=](const Arrays& x) {
             const MatmulPrecisionScope scope(precision);
             return linear_gelu(x[0], x[1], x[2], form);
           },
       .written = kFloatBytes * number(rows * outputs),
       .tolerance = is_tf32 ? 2e-3 : 1e-5,
       .flops = 2.0 * number(rows * inputs) * number(outputs),
       .names_dtype = false,
       .what = "gelu(x W^T + b), x [rows, inputs], W [outputs, inputs]"});
}

CaseRow layer_norm_row(std::int64_t rows, std::int64_t columns) {
  return {.operation = "layer_norm",
          .sizes = {rows, columns},
          .dtype = DType::float32,
          .inputs = {normals({rows, columns}), normals({columns}), normals({columns})},
          .function = [](const Arrays& x) { return layer_norm(x[0], x[1], x[2]); },
          .written = kFloatBytes * number(rows * columns),
          .tolerance = 1e-5,
          .names_dtype = false,
          .what = "mean 0 and variance 1 along rows, with weight and bias"};
}

/// All three gradients of that, of which the result is the input's.
Case layer_norm_gradient_case(std::int64_t rows, std::int64_t columns) {
  CaseRow row = layer_norm_row(rows, columns);
  row.operation += "_gradient";
  row.what = "gradients of layer_norm by its input, weight and bias";
  row.inputs.back() = row.inputs.front();
  Case one = make_case(row);
  one.prepare = [](const Arrays& x) -> Task {
    return {.run = [x, forward = layer_norm_forward(x[0], x[1])] {
      return layer_norm_backward(x[2], x[0], x[1], forward.mean, forward.rstd).x;
    }};
  };
  one.bytes = kFloatBytes * 3.0 * number(rows * columns);
  return one;
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

/// A case of q, k and v, and with `count` 4 of the slopes of the output too.
Case attention_case_of(const char* operation, const Shape& shape, const AttentionKind& kind,
                       std::size_t count) {
  return make_case({.operation = operation + std::string(kind.suffix),
                    .sizes = {shape.begin(), shape.end()},
                    .dtype = kind.dtype,
                    .inputs = std::vector<Input>(count, normals(shape)),
                    .function = {},
                    .tolerance = kind.tolerance,
                    .arrange =
                        [dtype = kind.dtype](Arrays& x) {
                          for (Array& one : x) one = one.astype(dtype);
                        },
                    .names_dtype = false});
}

/// In bfloat16, the CPU computes in float32 from the same rounded numbers.
Arrays as_computed_here(Arrays x) {
  for (Array& one : x) {
    if (current_device().is_cpu()) one = one.astype(DType::float32);
  }
  return x;
}

/// q, k and v [batch, heads, steps, d].
Case attention_case(const Shape& shape, const AttentionKind& kind = kFull) {
  const double elements = number(count_elements(shape));
  Case one = attention_case_of("attention", shape, kind, 3);
  one.what = "attention of [batch, heads, steps, d]";
  one.prepare = [precision = kind.precision](const Arrays& given) -> Task {
    return {.run = [x = as_computed_here(given), precision] {
      const MatmulPrecisionScope scope(precision);
      return attention(x[0], x[1], x[2]);
    }};
  };
  one.bytes = (number(size_of(kind.dtype)) * 3.0 + kFloatBytes) * elements;
  one.flops = 4.0 * elements * number(shape[2]);
  return one;
}

/// All three gradients of that, of which the result is the queries'.
Case attention_gradient_case(const Shape& shape, const AttentionKind& kind = kFull) {
  const double elements = number(count_elements(shape));
  Case one = attention_case_of("attention_gradient", shape, kind, 4);
  one.what = "gradients of attention of [batch, heads, steps, d] by q, k and v";
  one.prepare = [precision = kind.precision](const Arrays& given) -> Task {
    const Arrays x = as_computed_here(given);
    const MatmulPrecisionScope scope(precision);
    return {.run = [x, precision, forward = attention_forward(x[0], x[1], x[2])] {
      const MatmulPrecisionScope inner(precision);
      return attention_backward(x[3], x[0], x[1], x[2], forward).q;
    }};
  };
  one.bytes = (number(size_of(kind.dtype)) * 4.0 + kFloatBytes * 4.0) * elements;
  one.flops = 10.0 * elements * number(shape[2]);
  return one;
}

}  // namespace

std::vector<Case> device_fused_cases(bool quick) {
  std::vector<Case> cases = {gelu_case(1024, 512), linear_gelu_case(128, 512, 768),
                             make_case(layer_norm_row(128, 768)), attention_case({4, 8, 512, 64})};
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
  cases.push_back(make_case(layer_norm_row(65536, 1024)));
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
