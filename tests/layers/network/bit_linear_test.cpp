// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/bit_linear.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("Weights become -1, 0 and 1 by their mean size") {
  on_each_device([] {
    // mean |w| = 1: limits at +-0.5.
    const Ternary parts = ternary(array({{0.4, -0.6, 2.6}, {1.4, -0.9, 0.1}}, DType::float64));
    CHECK(parts.scale.item() == Approx(1.0));
    CHECK(parts.codes.to_vector<double>() == std::vector<double>{0, -1, 1, 1, -1, 0});
    CHECK(ternary(zeros({2, 2})).codes.to_vector<double>() == std::vector<double>(4));
  });
}

TEST_CASE("Codes are packed 16 to a word and come back") {
  on_each_device([] {
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
  });
  CHECK_THROWS_AS(pack_ternary(ones({4})), ShapeError);
  CHECK_THROWS_AS(unpack_ternary(zeros({1, 1}, DType::int32), 17), ShapeError);
}

TEST_CASE("Rows are rounded to a grid of their own") {
  const Array q = quantize_rows(array({{1.0, -0.004, 0.5}, {0.0, 0.0, 0.0}}, DType::float64), 8);
  CHECK(q.item({0, 0}) == Approx(1.0));
  CHECK(q.item({0, 1}) == Approx(-1.0 / 127.0));
  CHECK(q.item({0, 2}) == Approx(64.0 / 127.0));
  CHECK(norm(q[1]).item() == 0.0);
}

TEST_CASE("BitLinear answers with its codes, and gradients pass the rounding") {
  on_each_device([] {
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
  });
}

TEST_CASE("The packed form answers as the layer it was made from, with a sixteenth of the bytes") {
  on_each_device([] {
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
  });
}

TEST_CASE("BitLinear refuses what does not fit") {
  CHECK_THROWS_AS(BitLinear(0, 1), ArgumentError);
  CHECK_THROWS_AS(BitLinear(1, 1, {.activation_bits = 1}), ArgumentError);
  CHECK_THROWS_AS(BitLinear(1, 1, {.activation_bits = 17}), ArgumentError);
  CHECK_THROWS_AS(BitLinear(1, 1, {.dtype = DType::int64}), DTypeError);
}
