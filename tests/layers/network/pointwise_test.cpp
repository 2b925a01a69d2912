// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/pointwise.h"

#include <cmath>
#include <memory>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("Activations as layers are their functions, with their gradients") {
  const double x = 0.7;
  const double e = std::exp(x);
  const std::vector<std::pair<std::shared_ptr<Module>, double>> cases = {
      {std::make_shared<ReluLayer>(), x},
      {std::make_shared<LeakyReluLayer>(0.2), x},
      {std::make_shared<EluLayer>(2.0), x},
      {std::make_shared<GeluLayer>(GeluForm::exact), x * 0.5 * std::erfc(-x / std::sqrt(2.0))},
      {std::make_shared<SiluLayer>(), x / (1.0 + 1.0 / e)},
      {std::make_shared<SoftplusLayer>(), std::log1p(e)},
      {std::make_shared<TanhLayer>(), std::tanh(x)},
      {std::make_shared<SigmoidLayer>(), 1.0 / (1.0 + 1.0 / e)},
      {std::make_shared<SoftmaxLayer>(), e / (e + 1.0)},
      {std::make_shared<LogSoftmaxLayer>(), x - std::log(e + 1.0)},
  };
  for (const auto& [layer, expected] : cases) {
    INFO(layer->type());
    const Array in = array({{x, 0.0}}, DType::float64);
    CHECK(layer->forward(in).value().item({0, 0}) == Approx(expected).epsilon(1e-12));
    CHECK(gradient_complaint(*layer, random_normal({3, 4}, 0.1, 1.0, DType::float64, {4, 4})) ==
          "");
  }
  CHECK(LeakyReluLayer(0.2)(full({}, -2.0)).item() == Approx(-0.4));
  CHECK(EluLayer(2.0)(full({}, -1.0, DType::float64)).item() ==
        Approx(2.0 * (std::exp(-1.0) - 1.0)));
}

TEST_CASE("Any function is a layer") {
  FunctionLayer twice("twice", [](const Tensor& x) { return x * 2.0; });
  CHECK(twice.type() == "twice");
  CHECK(twice(full({}, 3.0)).item() == 6.0);
}

TEST_CASE("Flatten and Reshape keep the batch") {
  const Tensor x(arange(0.0, 24.0).reshape({2, 3, 4}));
  CHECK(Flatten()(x).shape() == Shape{2, 12});
  CHECK(Flatten()(x).value().to_vector<double>() == x.value().to_vector<double>());
  CHECK(Flatten()(Tensor(zeros({0, 3, 4}))).shape() == Shape{0, 12});
  CHECK(Flatten()(Tensor(zeros({5}))).shape() == Shape{5, 1});
  CHECK_THROWS_AS(Flatten()(Tensor(zeros({}))), ShapeError);
  CHECK(Reshape({1, 3, 4})(x).shape() == Shape{2, 1, 3, 4});
  CHECK(Reshape({-1})(x).shape() == Shape{2, 12});
  CHECK_THROWS_AS(Reshape({5})(x), ShapeError);
}

DEVICE_TEST_CASE("Dropout drops the share it is told, scales the rest, and only while training") {
  Dropout dropout({.probability = 0.25, .random = {9, 1}});
  const Tensor x(ones({400, 100}), true);
  const Tensor y = dropout(x);
  const std::vector<double> values = y.value().to_vector<double>();
  double zeros_seen = 0.0;
  bool is_good = true;
  for (const double v : values) {
    if (v == 0.0) {
      zeros_seen += 1.0;
    } else {
      is_good = is_good && std::abs(v - 1.0 / 0.75) < 1e-6;
    }
  }
  CHECK(is_good);
  // Six standard deviations of a binomial.
  CHECK(zeros_seen / 40000.0 == Approx(0.25).margin(6.0 * std::sqrt(0.25 * 0.75 / 40000.0)));
  sum(y).backward();
  CHECK(all_close(x.grad(), y.value(), 0.0, 0.0));

  CHECK_FALSE(all_close(dropout(x).value(), y.value()));
  Dropout twin({.probability = 0.25, .random = {9, 1}});
  CHECK(all_close(twin(x).value(), y.value(), 0.0, 0.0));
  dropout.eval();
  CHECK(all_close(dropout(x).value(), x.value(), 0.0, 0.0));
}

DEVICE_TEST_CASE("Dropout of everything leaves zeros, and no gradient") {
  Dropout dropout(1.0);
  const Tensor x(array({1.0, -2.0, 3.0}), true);
  const Tensor y = dropout(x);
  CHECK(y.value().to_vector<double>() == std::vector<double>{0, 0, 0});
  sum(y).backward();
  CHECK(x.grad().to_vector<double>() == std::vector<double>{0, 0, 0});
  dropout.eval();
  CHECK(dropout(x).value().to_vector<double>() == std::vector<double>{1, -2, 3});
}

TEST_CASE("Dropout refuses probabilities that are none") {
  for (const double p : {-0.1, 1.1, std::nan("")}) CHECK_THROWS_AS(Dropout(p), ArgumentError);
}
