// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/embedding.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array ids(const std::vector<std::int64_t>& values, const Shape& shape) {
  return from_values(values, shape);
}

}  // namespace

DEVICE_TEST_CASE("Embedding answers the rows of its table, and symbols collect their gradients") {
  Embedding layer(4, 2, {.dtype = DType::float64});
  layer.set_state({{"weights", arange(0.0, 8.0, 1.0, DType::float64).reshape({4, 2})}});
  const Tensor y = layer(Tensor(ids({3, 0, 3, 1}, {2, 2})));
  CHECK(y.shape() == Shape{2, 2, 2});
  CHECK(y.value().to_vector<double>() == std::vector<double>{6, 7, 0, 1, 6, 7, 2, 3});
  const Array dy = arange(0.0, 8.0, 1.0, DType::float64).reshape({2, 2, 2});
  y.backward({.gradient = dy});
  CHECK(layer.weights().grad().to_vector<double>() == std::vector<double>{2, 3, 6, 7, 0, 0, 4, 6});
  CHECK(layer(Tensor(ids({2}, {1}).astype(DType::int32))).value().to_vector<double>() ==
        std::vector<double>{4, 5});
  CHECK(layer(Tensor(zeros({0}, DType::int64))).shape() == Shape{0, 2});
}

TEST_CASE("The vector of the padding starts at zero and gets no gradient") {
  Embedding layer(3, 2, {.padding = 1});
  CHECK(norm(layer.weights().value()[1]).item() == 0.0);
  CHECK(norm(layer.weights().value()[0]).item() > 0.0);
  sum(layer(Tensor(ids({1, 0, 1}, {3})))).backward();
  CHECK(layer.weights().grad().to_vector<double>() == std::vector<double>{1, 1, 0, 0, 0, 0});
}

TEST_CASE("Embedding starts standard normal, and its gradient agrees with differences") {
  const Embedding big(500, 40, {.random = {3, 1}});
  CHECK(norm(big.weights().value()).item() / std::sqrt(20000.0) == Approx(1.0).epsilon(0.03));
  Embedding layer(4, 3, {.dtype = DType::float64});
  CHECK(gradient_complaint(layer, ids({0, 2, 2, 3}, {4}), false) == "");
}

TEST_CASE("Embedding refuses what names no symbol") {
  Embedding layer(3, 2);
  CHECK_THROWS_AS(layer(Tensor(ids({3}, {1}))), ArgumentError);
  CHECK_THROWS_AS(layer(Tensor(ids({-1}, {1}))), ArgumentError);
  CHECK_THROWS_AS(layer(Tensor(ones({1}))), DTypeError);
  CHECK_THROWS_AS(Embedding(3, 2, {.padding = 3}), ArgumentError);
}
