// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/ternary.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

DEVICE_TEST_CASE("Weights become -1, 0 and 1 by their mean size") {
  // mean |w| = 1: limits at +-0.5.
  const Ternary parts = ternary(array({{0.4, -0.6, 2.6}, {1.4, -0.9, 0.1}}, DType::float64));
  CHECK(parts.scale.item() == Approx(1.0));
  CHECK(parts.codes.to_vector<double>() == std::vector<double>{0, -1, 1, 1, -1, 0});
  CHECK(ternary(zeros({2, 2})).codes.to_vector<double>() == std::vector<double>(4));
}

DEVICE_TEST_CASE("Codes are packed 16 to a word and come back") {
  for (const std::int64_t columns : {1, 15, 16, 17, 40}) {
    const Array codes = round(random_uniform({3, columns}, -1.49, 1.49, DType::float32, {41, 1}));
    const Array packed = pack_ternary(codes);
    CHECK(packed.dtype() == DType::int32);
    CHECK(packed.shape() == Shape{3, (columns + 15) / 16});
    CHECK(unpack_ternary(packed, columns).to_vector<double>() == codes.to_vector<double>());
  }
  // The largest word: sixteen times code 1.
  CHECK(unpack_ternary(pack_ternary(ones({1, 16})), 16).to_vector<double>() ==
        std::vector<double>(16, 1.0));
  CHECK_THROWS_AS(pack_ternary(ones({4})), ShapeError);
  CHECK_THROWS_AS(unpack_ternary(zeros({1, 1}, DType::int32), 17), ShapeError);
}

DEVICE_TEST_CASE("Weights of each row become -1, 0 and 1 by the mean size of that row") {
  // Means of |w|: 1, 0.1 and 0.
  const Array weights =
      array({{0.4, -0.6, 2.0}, {0.04, -0.06, 0.2}, {0.0, 0.0, 0.0}}, DType::float64);
  const Ternary parts = ternary(weights, TernaryScale::row);
  REQUIRE(parts.scale.shape() == Shape{3, 1});
  CHECK(parts.scale.item({0, 0}) == Approx(1.0));
  CHECK(parts.scale.item({1, 0}) == Approx(0.1));
  CHECK(parts.scale.item({2, 0}) == 0.0);
  CHECK(parts.codes.to_vector<double>() == std::vector<double>{0, -1, 1, 0, -1, 1, 0, 0, 0});
  CHECK_THROWS_AS(ternary(zeros({3}), TernaryScale::row), ShapeError);
}

DEVICE_TEST_CASE("Products with packed codes hand gradients down, and many inputs give the same") {
  for (const std::int64_t rows : {3, 40}) {  // 40: beyond what a kernel of a GPU is for
    const Array codes = round(random_uniform({300, 21}, -1.49, 1.49, DType::float64, {43, 1}));
    const Array packed = pack_ternary(codes);
    const Tensor x(random_normal({rows, 21}, 0.0, 1.0, DType::float64, {43, 2}), true);
    const Tensor y = packed_product(x, packed, 21, DType::float32);
    CHECK(y.dtype() == DType::float64);
    CHECK(all_close(y.value(), matmul(x.value(), codes.transpose()), 1e-12, 1e-12));
    const Array dy = random_normal({rows, 300}, 0.0, 1.0, DType::float64, {43, 3});
    y.backward({.gradient = dy});
    CHECK(all_close(x.grad(), matmul(dy, codes), 1e-12, 1e-12));
  }
  CHECK_THROWS_AS(
      packed_product(Tensor(zeros({2, 3})), zeros({1, 1}, DType::int32), 4, DType::float32),
      ShapeError);
}
