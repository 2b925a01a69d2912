// SPDX-License-Identifier: MIT
// Networks in mixed precision: numbers between layers are bfloat16, parameters float32.
#include <cmath>
#include <memory>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/layers/network/activation_layer.h"
#include "../../../src/layers/network/convolution.h"
#include "../../../src/layers/network/dense.h"
#include "../../../src/layers/network/normalization.h"
#include "../../../src/layers/network/pointwise.h"
#include "../../../src/layers/network/recurrent.h"
#include "../../../src/layers/network/rewired_dense.h"
#include "../../../src/layers/network/sequential.h"
#include "../../../src/learning/losses.h"
#include "../../../src/learning/optimisers.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array random(const Shape& shape, std::uint64_t stream, DType dtype = DType::float32) {
  return random_normal(shape, 0.0, 1.0, dtype, {92, stream});
}

Array rounded(const Array& x) { return x.astype(DType::bfloat16).astype(DType::float32); }

/// Reads what it is given.
class Spy final : public Module {
 public:
  std::string type() const override { return "spy"; }
  Tensor forward(const Tensor& x) override {
    seen.push_back(x);
    return x;
  }
  Tensor forward_bfloat16(const Tensor& x, DType answer) override {
    seen.push_back(x);
    return x.astype(answer);
  }
  std::vector<Tensor> seen;
};

/// y = f(x W^T + b) of rounded x and W, by operations of float32.
Array dense_of(const Dense& layer, const Array& x, Activation f) {
  return activate(
      f, matmul(rounded(x), rounded(layer.weights().value()).transpose()) + layer.bias().value());
}

}  // namespace

DEVICE_TEST_CASE(
    "in mixed precision layers read and hand on bfloat16, and the last answers float32") {
  const auto first = std::make_shared<Dense>(
      6, 8, DenseOptions{.activation = Activation::tanh, .random = {93, 1}});
  const auto second = std::make_shared<Dense>(
      8, 3, DenseOptions{.activation = Activation::tanh, .random = {93, 2}});
  const auto spy = std::make_shared<Spy>();
  NeuralNetwork net;
  net.add(first).add(spy).add(second);
  const Array x = random({5, 6}, 1);
  const Array full = net(x).value();
  net.set_mixed_precision(true);
  CHECK(net.is_mixed_precision());
  const Tensor y = net(x);
  CHECK(y.dtype() == DType::float32);
  REQUIRE(spy->seen.size() == 2);
  CHECK(spy->seen[0].dtype() == DType::float32);
  CHECK(spy->seen[1].dtype() == DType::bfloat16);

  const Array hidden = rounded(dense_of(*first, x, Activation::tanh));
  CHECK(all_close(spy->seen[1].value().astype(DType::float32), hidden, 0x1p-7, 1e-30));
  CHECK(all_close(y.value(),
                  dense_of(*second, spy->seen[1].value().astype(DType::float32), Activation::tanh),
                  1e-5, 1e-6));
  CHECK_FALSE(all_close(y.value(), full, 1e-5, 1e-6));
  CHECK(all_close(y.value(), full, 0.05, 0.05));
  for (const Tensor& parameter : net.parameters()) CHECK(parameter.dtype() == DType::float32);

  // Gradients of parameters are float32, and near those of full precision.
  mean(square(y)).backward();
  std::vector<Array> mixed;
  for (const Tensor& parameter : net.parameters()) {
    CHECK(parameter.grad().dtype() == DType::float32);
    mixed.push_back(parameter.grad().copy());
  }
  net.zero_grad();
  net.set_mixed_precision(false);
  mean(square(net(x))).backward();
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    CHECK(all_close(mixed[i], net.parameters()[i].grad(), 0.1, 0.02));
  }
}

TEST_CASE("without mixed precision, and of float64, a network computes as it did") {
  NeuralNetwork net;
  net.add<Dense>(4, 3, DenseOptions{.dtype = DType::float64, .random = {93, 3}}).add<ReluLayer>();
  const Array x = random({7, 4}, 2, DType::float64);
  const std::vector<double> before = net(x).value().to_vector<double>();
  net.set_mixed_precision(true);
  CHECK(net(x).value().to_vector<double>() == before);
}

DEVICE_TEST_CASE("every layer of a network trains in mixed precision") {
  NeuralNetwork net;
  net.add<Conv2d>(1, 3, 3,
                  Conv2dLayerOptions{.convolution = {.padding = {1, 1}}, .random = {94, 1}})
      .add<ActivationLayer>(Activation::relu)
      .add<BatchNorm2d>(3)
      .add<MaxPool2d>(MaxPool2dOptions{})
      .add<Flatten>()
      .add<RewiredDense>(12, 6, RewireOptions{.density = 0.5, .every = 0},
                         DenseOptions{.activation = Activation::tanh, .random = {94, 2}})
      .add<LayerNorm>(Shape{6})
      .add<Dropout>(DropoutOptions{.probability = 0.1, .random = {94, 3}})
      .add<Reshape>(Shape{3, 2})
      .add<GRU>(2, 4, RecurrentOptions{.answer = RecurrentAnswer::last, .random = {94, 4}})
      .add<Dense>(4, 2, DenseOptions{.random = {94, 5}});
  net.set_mixed_precision(true);
  const Array x = random({24, 1, 4, 4}, 3);
  const Array classes = greater(sum(x, {1, 2, 3}), 0.0).astype(DType::int64);
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.02});
  double first = 0.0;
  double last = 0.0;
  for (int step = 0; step < 60; ++step) {
    optimiser.zero_grad();
    const Tensor loss = cross_entropy(net(x), classes);
    loss.backward();
    for (const Tensor& parameter : net.parameters()) {
      REQUIRE(parameter.has_grad());
      REQUIRE(parameter.grad().dtype() == DType::float32);
    }
    optimiser.step();
    (step == 0 ? first : last) = loss.item();
  }
  CHECK(last < 0.5 * first);
}
