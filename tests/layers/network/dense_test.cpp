// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/dense.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

DEVICE_TEST_CASE("Dense is f of x W^T + b, for rows of any number of axes") {
  Dense layer(3, 2, {.dtype = DType::float64});
  layer.weights().value().assign(array({{1.0, 2.0, 3.0}, {-1.0, 0.5, 0.0}}, DType::float64));
  layer.bias().value().assign(array({0.5, -0.5}, DType::float64));
  const Array x = array({{1.0, 1.0, 1.0}, {2.0, 0.0, -1.0}}, DType::float64);
  const std::vector<double> expected = {6.5, -1.0, -0.5, -2.5};
  CHECK(layer(x).value().to_vector<double>() == expected);
  const Tensor deep = layer(Tensor(x.reshape({2, 1, 1, 3})));
  CHECK(deep.shape() == Shape{2, 1, 1, 2});
  CHECK(deep.value().to_vector<double>() == expected);
  const Tensor row = layer(Tensor(x[0]));
  CHECK(row.shape() == Shape{2});
  CHECK(row.value().to_vector<double>() == std::vector<double>{6.5, -1.0});
  CHECK(layer(Tensor(zeros({0, 3}, DType::float64))).shape() == Shape{0, 2});
  CHECK(layer(Tensor(zeros({0, 4, 3}, DType::float64))).shape() == Shape{0, 4, 2});
}

TEST_CASE("Gradients of Dense with every activation agree with differences") {
  for (const Activation f : kActivations) {
    for (const bool bias : {true, false}) {
      INFO(to_string(f) << (bias ? " with bias" : ""));
      Dense layer(4, 3, {.activation = f, .bias = bias, .dtype = DType::float64, .random = {2, 2}});
      CHECK(gradient_complaint(layer, random_normal({5, 4}, 0.0, 1.0, DType::float64, {2, 3})) ==
            "");
      CHECK(gradient_complaint(layer, random_normal({2, 3, 4}, 0.0, 1.0, DType::float64, {2, 4})) ==
            "");
    }
  }
}

TEST_CASE("Dense starts as PyTorch's, or as told") {
  const Dense layer(100, 400, {.random = {5, 5}});
  CHECK(layer.parameter_count() == 40400);
  const double bound = 0.1;
  CHECK(max(layer.weights().value()).item() < bound);
  CHECK(max(layer.weights().value()).item() > 0.99 * bound);
  CHECK(min(layer.weights().value()).item() < -0.99 * bound);
  CHECK(norm(layer.weights().value()).item() / 200.0 ==
        Approx(bound / std::sqrt(3.0)).epsilon(0.02));
  CHECK(max(layer.bias().value()).item() > 0.9 * bound);
  const Dense he(100, 400, {.init = Init::he, .random = {5, 5}});
  CHECK(norm(he.weights().value()).item() / 200.0 == Approx(std::sqrt(0.02)).epsilon(0.02));
  CHECK(norm(he.bias().value()).item() == 0.0);
  const Dense again(100, 400, {.random = {5, 5}});
  CHECK(all_close(again.weights().value(), layer.weights().value(), 0.0, 0.0));
}

TEST_CASE("Dense refuses what does not fit") {
  CHECK_THROWS_WITH_TEXT(Dense(0, 3), ArgumentError, "[dense] inputs: expected at least 1, got 0");
  CHECK_THROWS_AS(Dense(3, -1), ArgumentError);
  CHECK_THROWS_AS(Dense(3, 1, {.dtype = DType::int32}), DTypeError);
  Dense layer(3, 2);
  CHECK_THROWS_WITH_TEXT(layer(Tensor(ones({2, 4}))), ShapeError,
                         "[linear] expected inputs [..., 3], got shape [2, 4]");
  CHECK_THROWS_AS(layer(Tensor(ones({}))), ShapeError);
}
