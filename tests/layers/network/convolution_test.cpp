// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/convolution.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

DEVICE_TEST_CASE("Conv2d answers with its weights and bias") {
  Conv2d layer(1, 2, 2, {.dtype = DType::float64});
  layer.weights().value().assign(
      from_values(std::vector<double>{1, 0, 0, 1, 0, 1, -1, 0}, {2, 1, 2, 2}));
  layer.bias().value().assign(array({0.0, 10.0}, DType::float64));
  const Array x = arange(0.0, 9.0, 1.0, DType::float64).reshape({1, 1, 3, 3});
  const Tensor y = layer(x);
  CHECK(y.shape() == Shape{1, 2, 2, 2});
  // x[i][j] + x[i+1][j+1], and x[i][j+1] - x[i+1][j] + 10.
  CHECK(y.value().to_vector<double>() == std::vector<double>{4, 6, 10, 12, 8, 8, 8, 8});
}

TEST_CASE("Convolutions have the shapes of PyTorch's parameters and the fans of their kernels") {
  const Conv2d layer(4, 6, {3, 5}, {.convolution = {.groups = 2}, .random = {1, 1}});
  CHECK(layer.weights().shape() == Shape{6, 2, 3, 5});
  CHECK(layer.bias().shape() == Shape{6});
  const double bound = 1.0 / std::sqrt(2.0 * 15.0);
  CHECK(max(abs(layer.weights().value())).item() < bound);
  CHECK(max(abs(layer.weights().value())).item() > 0.95 * bound);
  const Conv1d line(4, 6, 3, {.bias = false});
  CHECK(line.weights().shape() == Shape{6, 4, 3});
  CHECK(line.named_parameters().size() == 1);
}

TEST_CASE("Gradients of convolutions and pooling agree with differences") {
  const Array image = random_normal({2, 4, 6, 5}, 0.0, 1.0, DType::float64, {6, 1});
  const Array signal = random_normal({2, 4, 9}, 0.0, 1.0, DType::float64, {6, 2});
  Conv2d plane(4, 2, {3, 2},
               {.convolution = {.stride = {2, 1}, .padding = {1, 1}, .groups = 2},
                .dtype = DType::float64,
                .random = {6, 3}});
  CHECK(gradient_complaint(plane, image) == "");
  Conv2d without(4, 2, 3, {.bias = false, .dtype = DType::float64, .random = {6, 3}});
  CHECK(gradient_complaint(without, image) == "");
  Conv1d line(
      4, 3, 3,
      {.convolution = {.padding = 2, .dilation = 2}, .dtype = DType::float64, .random = {6, 4}});
  CHECK(gradient_complaint(line, signal) == "");
  MaxPool2d max2(2);
  CHECK(gradient_complaint(max2, image) == "");
  AvgPool2d avg2({.kernel = {3, 2}, .stride = Pair{2, 1}});
  CHECK(gradient_complaint(avg2, image) == "");
  MaxPool1d max1({.kernel = 3, .stride = 2});
  CHECK(gradient_complaint(max1, signal) == "");
  AvgPool1d avg1(2);
  CHECK(gradient_complaint(avg1, signal) == "");
}

TEST_CASE("Convolutions refuse sizes that do not fit") {
  CHECK_THROWS_AS(Conv2d(0, 1, 3), ArgumentError);
  CHECK_THROWS_AS(Conv2d(1, 1, 0), ArgumentError);
  CHECK_THROWS_WITH_TEXT(Conv1d(3, 4, 1, {.convolution = {.groups = 2}}), ArgumentError,
                         "groups: expected a divisor of 3 and 4 channels, got 2");
  Conv2d layer(3, 1, 2);
  CHECK_THROWS_AS(layer(Tensor(ones({1, 2, 4, 4}))), ShapeError);
}
