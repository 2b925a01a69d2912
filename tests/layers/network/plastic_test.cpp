// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/plastic.h"

#include <limits>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/layers/network/dense.h"
#include "../../../src/layers/network/sequential.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"
#include "normal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

HebbianOptions options(const PlasticityRule& rule, Activation f) {
  return {.rule = rule, .activation = f, .dtype = DType::float64, .random = {51, 1}};
}

}  // namespace

DEVICE_TEST_CASE("A plastic module hands gradients to its input and follows its rule meanwhile") {
  const HebbianOptions oja = options(OjaRule{.learning_rate = 0.05}, Activation::tanh);
  PlasticModule module(4, 3, oja);
  HebbianLayer layer(4, 3, oja);
  const Array before = module.weights().copy();
  const Array x = normal({5, 4}, 2);
  const Tensor input(x, true);
  const Tensor y = module(input);
  // A batch is so many streams that are answered with the same weights.
  const Array expected = layer.process(x.reshape({5, 1, 4}), true).reshape({5, 3});
  CHECK(all_close(y.value(), expected, 1e-12, 1e-14));
  CHECK(all_close(module.weights(), layer.weights(), 1e-12, 1e-14));
  CHECK_FALSE(all_close(module.weights(), before));
  // dx = W^T (f'(z) dy), W being what answered.
  const Array dy = normal({5, 3}, 3);
  y.backward({.gradient = dy});
  const Array slope = 1.0 - square(tanh(matmul(x, before.transpose())));
  CHECK(all_close(input.grad(), matmul(dy * slope, before), 1e-12, 1e-14));
}

TEST_CASE("Over steps the weights change from one to the next, with and without gradients") {
  const HebbianOptions hebb = options(HebbRule{.learning_rate = 0.02}, Activation::linear);
  HebbianLayer layer(4, 3, hebb);
  const Array x = normal({2, 6, 4}, 4);
  Array weights[6];
  Array expected[6];
  for (std::int64_t t = 0; t < 6; ++t) {
    weights[t] = layer.weights().copy();
    expected[t] = layer.process(x.slice(1, t, t + 1), true);
  }
  for (const bool with_gradient : {true, false}) {
    PlasticModule module(4, 3, hebb);
    const Tensor input(x, with_gradient);
    const Tensor y = module(input);
    REQUIRE(y.shape() == Shape{2, 6, 3});
    for (std::int64_t t = 0; t < 6; ++t) {
      CHECK(all_close(y.value().slice(1, t, t + 1), expected[t], 1e-12, 1e-14));
    }
    CHECK(all_close(module.weights(), layer.weights(), 1e-12, 1e-14));
    if (!with_gradient) continue;
    const Array dy = normal({2, 6, 3}, 5);
    y.backward({.gradient = dy});
    for (std::int64_t t = 0; t < 6; ++t) {
      CHECK(all_close(input.grad().slice(1, t, t + 1), matmul(dy.slice(1, t, t + 1), weights[t]),
                      1e-12, 1e-14));
    }
  }
}

TEST_CASE("A plastic module that does not train keeps its weights, and its gradient is exact") {
  for (const Activation f : {Activation::linear, Activation::sigmoid, Activation::softmax}) {
    PlasticModule module(4, 3, options(OjaRule{}, f));
    module.eval();
    const Array before = module.weights().copy();
    CHECK(gradient_complaint(module, normal({3, 4}, 6)) == "");
    CHECK(all_close(module.weights(), before, 0.0, 0.0));
  }
}

TEST_CASE("A plastic module that is told not to learn keeps its weights while training") {
  HebbianOptions fixed = options(OjaRule{.learning_rate = 0.05}, Activation::tanh);
  fixed.learn = false;
  for (const bool with_gradient : {true, false}) {
    PlasticModule module(4, 3, fixed);
    const Array before = module.weights().copy();
    const Array x = normal({5, 2, 4}, 10);
    const Tensor y = module(Tensor(x, with_gradient));
    CHECK(all_close(module.weights(), before, 0.0, 0.0));
    CHECK(all_close(y.value(), tanh(matmul(x, before.transpose())), 1e-12, 1e-14));
  }
}

DEVICE_TEST_CASE("A plastic module answers a series without steps with none") {
  for (const bool with_gradient : {true, false}) {
    PlasticModule module(5, 3, options(OjaRule{}, Activation::tanh));
    const Array before = module.weights().copy();
    const Tensor x(zeros({2, 0, 5}, DType::float64), with_gradient);
    const Tensor y = module(x);
    CHECK(y.shape() == Shape{2, 0, 3});
    CHECK(all_close(module.weights(), before, 0.0, 0.0));
    if (!with_gradient) continue;
    sum(y).backward();
    CHECK(x.grad().shape() == x.shape());
  }
}

TEST_CASE("The state of a plastic module holds weights and the memory of BCM") {
  PlasticModule bcm(4, 3, options(BcmRule{}, Activation::relu));
  CHECK(bcm.state().size() == 2);
  CHECK(bcm.state().contains("theta"));
  CHECK(bcm.parameters().empty());
  bcm(Tensor(normal({5, 4}, 7)));
  PlasticModule twin(4, 3, options(BcmRule{}, Activation::relu));
  twin.set_state(bcm.state());
  const Tensor x(normal({5, 4}, 8));
  CHECK(all_close(twin(x).value(), bcm(x).value(), 0.0, 0.0));
  CHECK(all_close(twin.state().at("theta"), bcm.state().at("theta"), 0.0, 0.0));
}

TEST_CASE("Trained layers on both sides of a plastic one get their gradients") {
  NeuralNetwork net;
  net.add<Dense>(4, 4, DenseOptions{.activation = Activation::tanh, .dtype = DType::float64});
  net.add<PlasticModule>(4, 3, options(OjaRule{}, Activation::tanh));
  net.add<Dense>(3, 1, DenseOptions{.dtype = DType::float64});
  sum(square(net(Tensor(normal({6, 4}, 9))))).backward();
  for (const auto& [name, parameter] : net.named_parameters()) {
    INFO(name);
    CHECK(norm(parameter.grad()).item() > 0.0);
  }
  CHECK(net.state().contains("1.weights"));
}

TEST_CASE("A plastic module refuses what does not fit") {
  PlasticModule module(4, 3, options(OjaRule{}, Activation::tanh));
  CHECK_THROWS_WITH_TEXT(module(Tensor(ones({2, 3}))), ShapeError,
                         "expected [batch, 4] or [batch, steps, 4], got shape [2, 3]");
  CHECK_THROWS_AS(module(Tensor(ones({4}))), ShapeError);
}

TEST_CASE("A plastic module learns nothing from samples that are not finite") {
  const EquationRule text("m = m + y\ndw = rate*y*(x - y*w)", {.parameters = {{"rate", 0.05}}});
  for (const PlasticityRule& rule : std::vector<PlasticityRule>{OjaRule{}, SangerRule{}, text}) {
    PlasticModule layer(3, 2, options(rule, Activation::linear));
    layer.forward(Tensor(normal({4, 3}, 1)));
    ArrayMap before;
    for (const auto& [name, value] : layer.state()) before.emplace(name, value.copy());
    const Array bad = normal({4, 3}, 2).copy();
    bad[3].fill(std::numeric_limits<double>::quiet_NaN());
    CHECK_THROWS_WITH_TEXT(layer.forward(Tensor(bad)), DivergedError,
                           "[plastic] expected finite samples to learn from");
    for (const auto& [name, value] : layer.state()) CHECK(all_close(value, before.at(name), 0, 0));
    layer.eval();
    CHECK(first_not_finite(layer.forward(Tensor(bad)).value()) == 3 * 2);
  }
}
