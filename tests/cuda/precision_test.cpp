// SPDX-License-Identifier: MIT
/// \file
/// On the emulated GPU, products are rounded as far as they may be, and no further.
#include "../../src/array/precision.h"

#include <cmath>
#include <limits>

#include "../../cuda/mma.cuh"
#include "../../src/array/convolution.h"
#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/tensor.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/near.h"
#include "queues.h"

namespace gaia::test {
namespace {

/// What is left of 1 + 2^-9 + 2^-13: TF32 has 10 bits behind the point, bfloat16 has 7.
constexpr double kFull = 1.0 + 0x1p-9 + 0x1p-13;
constexpr double kTf32 = 1.0 + 0x1p-9;

struct Allowed {
  MatmulPrecision precision;
  double left;
};

/// Calls test(what is left of kFull under the precision) under each.
template <class Test>
void under_each_precision(const Test& test) {
  for (const Allowed& allowed :
       {Allowed{MatmulPrecision::full, kFull}, Allowed{MatmulPrecision::tf32, kTf32},
        Allowed{MatmulPrecision::bfloat16, 1.0}, Allowed{MatmulPrecision::full, kFull}}) {
    INFO(to_string(allowed.precision));
    const OnEmulatedDevice emulated;
    const MatmulPrecisionScope scope(allowed.precision);
    test(allowed.left);
  }
}

void check_all(const Array& y, double expected) {
  Values values(y.shape());
  for (double& number : values.numbers) number = expected;
  check_near(y, values, 2);
}

TEST_CASE("TF32 has 10 bits behind the point, halves away from zero") {
  const auto rounded = [](float x) {
    return static_cast<double>(cuda::float_of(cuda::tf32_bits(x)));
  };
  CHECK(rounded(1.0f + 0x1p-10f) == 1.0 + 0x1p-10);
  CHECK(rounded(1.0f + 0x1p-11f) == 1.0 + 0x1p-10);
  CHECK(rounded(-1.0f - 0x1p-11f) == -1.0 - 0x1p-10);
  CHECK(rounded(1.0f + 0x1p-11f - 0x1p-23f) == 1.0);
  CHECK(rounded(2.0f - 0x1p-23f) == 2.0);
  CHECK(rounded(std::numeric_limits<float>::infinity()) == std::numeric_limits<double>::infinity());
  CHECK(rounded(std::numeric_limits<float>::max()) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("Products are rounded only where it is allowed") {
  under_each_precision([](double left) {
    const Array a = full({3, 8}, kFull);
    const Array w = full({5, 8}, -kFull);
    check_all(matmul(a, w.transpose()), -8 * left * left);
    check_all(matmul(full({2, 3, 8}, kFull), w.transpose()), -8 * left * left);
    check_all(dot(full({8}, kFull), ones({8})), 8 * left);
    check_all(einsum("ij,kj->ki", a, a), 8 * left * left);
    check_all(conv2d(full({1, 2, 4, 4}, kFull), ones({1, 2, 3, 3})), 18 * left);
    check_all(conv2d_input_gradient(ones({1, 1, 1, 1}), full({1, 2, 3, 3}, kFull), {1, 2, 3, 3}),
              left);
    check_all(conv2d_weight_gradient(full({1, 2, 3, 3}, kFull), ones({1, 1, 1, 1}), {1, 2, 3, 3}),
              left);
    for (const GeluForm form : {GeluForm::tanh, GeluForm::exact}) {  // in one call, and in two
      const LinearGeluResult forward = linear_gelu_forward(a, full({8, 8}, kFull), {}, form);
      check_all(forward.z, 8 * left * left);
      const LinearGeluGradients back =
          linear_gelu_backward(ones({3, 8}), a, full({8, 8}, kFull), full({3, 8}, 40.0), form);
      check_all(back.x, 8 * left);
      check_all(back.weights, 3 * left);
      check_all(back.bias, 3);
    }
  });
}

TEST_CASE("float64, integers and what is no product stay as they are under any precision") {
  under_each_precision([](double) {
    const Array a = full({3, 8}, kFull, DType::float64);
    check_all(matmul(a, a.transpose()), 8 * kFull * kFull);
    check_all(linear_gelu_forward(a, full({8, 8}, kFull, DType::float64)).z, 8 * kFull * kFull);
    check_all(full({3, 8}, kFull) * ones({8}), kFull);
    check_all(sum(full({8}, kFull)), 8 * kFull);
    const Array whole = full({2, 2}, 8193, DType::int32);
    check_all(matmul(whole, whole), 2.0 * 8193 * 8193);
    const Array half = full({2, 2}, 1.0078125, DType::bfloat16);
    check_all(matmul(half, half), 2 * 1.0078125 * 1.0078125);
  });
}

TEST_CASE("Gradients pass through products and attention of bfloat16") {
  const OnEmulatedDevice emulated;
  const Tensor w(full({2, 64}, kFull), true);
  const Tensor y = matmul(w.astype(DType::bfloat16), ones({64, 3}, DType::bfloat16));
  check_all(y.value(), 64);
  sum(y).backward();
  check_all(w.grad(), 3);
  const Tensor v(full({2, 64}, kFull), true);
  const Array q = full({2, 64}, 1.0, DType::bfloat16);
  const Tensor answer = attention(q, q, v.astype(DType::bfloat16));
  check_all(answer.value(), 1);
  sum(answer).backward();
  check_all(v.grad(), 1);  // two queries, half a weight each
}

}  // namespace
}  // namespace gaia::test
