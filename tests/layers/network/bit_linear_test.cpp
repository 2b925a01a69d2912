// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/bit_linear.h"

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("Rows are rounded to a grid of their own") {
  const Array q = quantize_rows(array({{1.0, -0.004, 0.5}, {0.0, 0.0, 0.0}}, DType::float64), 8);
  CHECK(q.item({0, 0}) == Approx(1.0));
  CHECK(q.item({0, 1}) == Approx(-1.0 / 127.0));
  CHECK(q.item({0, 2}) == Approx(64.0 / 127.0));
  CHECK(norm(q[1]).item() == 0.0);
}

DEVICE_TEST_CASE("BitLinear answers with its codes, and gradients pass the rounding") {
  BitLinear layer(3, 2, {.bias = true, .activation_bits = 0, .dtype = DType::float64});
  layer.set_state({{"weights", array({{0.4, -0.6, 2.6}, {1.4, -0.9, 0.1}}, DType::float64)},
                   {"bias", array({0.5, -0.5}, DType::float64)}});
  const Tensor x(array({{1.0, 2.0, 3.0}}, DType::float64), true);
  const Tensor y = layer(x);
  CHECK(y.value().item({0, 0}) == Approx(-2.0 + 3.0 + 0.5));
  CHECK(y.value().item({0, 1}) == Approx(1.0 - 2.0 - 0.5));
  y.backward({.gradient = array({{1.0, 10.0}}, DType::float64)});
  CHECK(all_close(x.grad(), array({{10.0, -11.0, 1.0}}, DType::float64)));
  CHECK(all_close(layer.weights().grad(),
                  array({{1.0, 2.0, 3.0}, {10.0, 20.0, 30.0}}, DType::float64)));
}

DEVICE_TEST_CASE(
    "The packed form answers as the layer it was made from, with a sixteenth of the bytes") {
  BitLinear layer(70, 600, {.bias = true, .random = {41, 2}});
  layer.state().at("bias").assign(random_normal({600}, 0.0, 1.0, DType::float32, {41, 3}));
  const Tensor x(random_normal({5, 70}, 0.0, 1.0, DType::float32, {41, 4}));
  const auto packed = layer.pack();
  CHECK(all_close(packed->forward(x).value(), layer(x).value(), 1e-5, 1e-5));
  const ArrayMap state = packed->state();
  CHECK(state.at("packed").bytes() == 600 * 5 * 4);
  CHECK(state.at("scale").size() == 1);
  CHECK(packed->parameter_count() == 0);
  layer.weights().value().fill(1.0);
  CHECK_FALSE(all_close(packed->forward(x).value(), layer(x).value()));
}

TEST_CASE("BitLinear refuses what does not fit") {
  CHECK_THROWS_AS(BitLinear(0, 1), ArgumentError);
  CHECK_THROWS_AS(BitLinear(1, 1, {.activation_bits = 1}), ArgumentError);
  CHECK_THROWS_AS(BitLinear(1, 1, {.activation_bits = 17}), ArgumentError);
  CHECK_THROWS_AS(BitLinear(1, 1, {.dtype = DType::int64}), DTypeError);
}
