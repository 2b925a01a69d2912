// SPDX-License-Identifier: MIT
#include "../../../src/layers/hierarchy/reactive.h"

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../reference/plasticity_reference.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// f(W x + b) for one row x.
Row formula(Activation f, const Row& weights, const Row& bias, const Row& x) {
  Row z = bias;
  for (std::size_t i = 0; i < bias.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) z[i] += weights[i * x.size() + j] * x[j];
  }
  return reference_activation(f, z);
}

}  // namespace

TEST_CASE("A reactive layer answers f(W x + b) for every activation") {
  const DType dtype = GENERATE(DType::float32, DType::float64);
  const double tolerance = dtype == DType::float32 ? 2e-6 : 1e-14;
  for (const Activation f : kActivations) {
    ReactiveLayer layer(6, 4, {.activation = f, .bias = 0.25, .dtype = dtype});
    CHECK(layer.activation() == f);
    const Array x = random_normal({2, 5, 6}, 0.0, 1.5, dtype);
    const Array y = layer.process(x);
    REQUIRE(y.shape() == Shape{2, 5, 4});
    REQUIRE(y.dtype() == dtype);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t t = 0; t < 5; ++t) {
        const Row expected =
            formula(f, to_row(layer.weights()), to_row(layer.bias()), to_row(x[b][t]));
        const Row found = to_row(y[b][t]);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          INFO(to_string(f));
          CHECK(static_cast<double>(std::abs(found[i] - expected[i])) <= tolerance);
        }
      }
    }
  }
}

TEST_CASE("A reactive layer does not learn, whatever it is told") {
  ReactiveLayer layer(3, 2);
  CHECK(layer.type() == "reactive");
  CHECK_FALSE(layer.is_plastic());
  const std::vector<float> weights = layer.weights().to_vector<float>();
  layer.process(ones({1, 10, 3}), true);
  CHECK(layer.weights().to_vector<float>() == weights);
  CHECK(layer.bias().to_vector<float>() == std::vector<float>{0, 0});
}

TEST_CASE("A reactive layer lists its weights and bias, sharing their elements") {
  ReactiveLayer layer(3, 2, {.bias = 0.5});
  const std::vector<NamedArray> arrays = layer.arrays();
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].name == "weights");
  CHECK(arrays[0].value.shape() == Shape{2, 3});
  CHECK(arrays[1].name == "bias");
  CHECK(arrays[1].value.to_vector<float>() == std::vector<float>{0.5f, 0.5f});
  arrays[0].value.fill(1.0);
  CHECK(layer.process(ones({1, 1, 3})).to_vector<float>() == std::vector<float>{3.5f, 3.5f});
}

TEST_CASE("A clone of a reactive layer has weights of its own") {
  ReactiveLayer layer(3, 2);
  const auto twin = layer.clone();
  const Array x = ones({1, 1, 3});
  CHECK(twin->process(x).to_vector<float>() == layer.process(x).to_vector<float>());
  const std::vector<float> before = layer.weights().to_vector<float>();
  for (const NamedArray& array : twin->arrays()) array.value.fill(7.0);
  CHECK(layer.weights().to_vector<float>() == before);
}

TEST_CASE("A layer casts its samples to its own dtype") {
  ReactiveLayer layer(3, 2, {.activation = Activation::linear, .dtype = DType::float64});
  const Array y = layer.process(ones({1, 1, 3}, DType::int32));
  CHECK(y.dtype() == DType::float64);
  CHECK(y.to_vector<double>() == layer.process(ones({1, 1, 3})).to_vector<double>());
}

TEST_CASE("A layer answers a block without ticks with one") {
  ReactiveLayer layer(3, 2);
  CHECK(layer.process(ones({1, 0, 3})).shape() == Shape{1, 0, 2});
}

TEST_CASE("A reactive layer refuses a bias that its dtype rounds to 0 or infinity") {
  for (const double bias : {1e39, -1e-50}) {
    CHECK_THROWS_WITH_TEXT(ReactiveLayer(2, 2, {.bias = bias}), ArgumentError,
                           "[reactive layer] bias: expected a number that float32 can hold");
    ReactiveLayer(2, 2, {.bias = bias, .dtype = DType::float64});
  }
}

TEST_CASE("A layer refuses sizes below one and dtypes that are not floating") {
  CHECK_THROWS_WITH_TEXT(ReactiveLayer(0, 2), ArgumentError,
                         "[layer] sizes must be at least 1, got 0 inputs and 2 outputs");
  CHECK_THROWS_WITH_TEXT(ReactiveLayer(3, -1), ArgumentError, "got 3 inputs and -1 outputs");
  CHECK_THROWS_WITH_TEXT(ReactiveLayer(3, 2, {.dtype = DType::int32}), DTypeError,
                         "[layer] expected float32 or float64, got int32");
  CHECK_THROWS_WITH_TEXT(ReactiveLayer(3, 2, {.dtype = DType::bfloat16}), DTypeError,
                         "got bfloat16");
}

TEST_CASE("A layer refuses samples of another shape, naming both") {
  ReactiveLayer layer(3, 2);
  CHECK_THROWS_WITH_TEXT(layer.process(ones({1, 4, 2})), ShapeError,
                         "[reactive layer] expected samples [streams, ticks, 3], got [1, 4, 2]");
  CHECK_THROWS_WITH_TEXT(layer.process(ones({4, 3})), ShapeError, "got [4, 3]");
}
