// SPDX-License-Identifier: MIT
/// \file
/// Layers that draw or change while they compute, within `checkpoint`.
#include "../../../src/autograd/checkpoint.h"

#include <functional>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/layers/network/dense.h"
#include "../../../src/layers/network/normalization.h"
#include "../../../src/layers/network/plastic.h"
#include "../../../src/layers/network/plastic_linear.h"
#include "../../../src/layers/network/pointwise.h"
#include "../../../src/layers/network/sequential.h"
#include "../../support/devices.h"
#include "normal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Make = std::function<void(NeuralNetwork&)>;

/// Everything that two steps of a network leave: answers, gradients, buffers and counts.
std::vector<std::vector<double>> left_by(const Make& make, const Shape& shape, bool again) {
  NeuralNetwork net;
  make(net);
  const auto run = [&](const Tensor& x) { return again ? checkpoint(std::ref(net), x) : net(x); };
  std::vector<std::vector<double>> left;
  const auto note = [&](const Array& array) { left.push_back(array.to_vector<double>()); };
  const Tensor x(normal(shape, 1), true);
  // The second pass changes what the first one began with, before any of them is undone.
  const Tensor first = run(x);
  const Tensor second = run(x * 0.5);
  sum(square(first)).backward();
  sum(square(second)).backward();
  net.eval();
  const Tensor last = run(x);
  sum(square(last)).backward();
  for (const Tensor& y : {first, second, last}) note(y.value());
  note(x.grad());
  for (const Tensor& parameter : net.parameters()) note(parameter.grad());
  for (const auto& [name, value] : net.state()) note(value);
  for (const auto& [name, count] : net.counts()) left.push_back({static_cast<double>(count)});
  return left;
}

void check_as_without(const Make& make, const Shape& shape) {
  on_each_device([&] {
    const auto plain = left_by(make, shape, false);
    const auto again = left_by(make, shape, true);
    REQUIRE(again.size() == plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      INFO(i);
      CHECK(again[i] == plain[i]);
    }
  });
}

DenseOptions dense(std::uint64_t stream) {
  return {.dtype = DType::float64, .random = {81, stream}};
}

}  // namespace

TEST_CASE("Dropout within checkpoint drops what it dropped the first time") {
  check_as_without(
      [](NeuralNetwork& net) {
        net.add<Dense>(4, 16, dense(2)).add<Dropout>(DropoutOptions{.random = {81, 3}});
        net.add<TanhLayer>().add<Dropout>(DropoutOptions{.probability = 0.3, .random = {81, 4}});
      },
      {5, 4});
}

TEST_CASE("Batch norm within checkpoint moves its running statistics once") {
  check_as_without(
      [](NeuralNetwork& net) {
        net.add<Dense>(4, 6, dense(5))
            .add<BatchNorm1d>(6, BatchNormOptions{.dtype = DType::float64});
        net.add<TanhLayer>();
      },
      {7, 4});
}

TEST_CASE("Plastic traces within checkpoint are read as they were, and written once") {
  check_as_without(
      [](NeuralNetwork& net) {
        const PlasticLinearOptions options = {.fast_gain = 0.5, .dtype = DType::float64};
        PlasticLinearOptions other = options;
        other.random = {81, 6};
        net.add<PlasticLinear>(4, 6, other).add<TanhLayer>();
        other.random = {81, 7};
        net.add<PlasticLinear>(6, 3, other);
      },
      {5, 4});
}

TEST_CASE("Plastic weights within checkpoint learn once, from what they were") {
  const auto options = [](const PlasticityRule& rule) {
    return HebbianOptions{
        .rule = rule, .activation = Activation::tanh, .dtype = DType::float64, .random = {81, 8}};
  };
  const EquationRule drawn("m = m + 0.1*(y - m)\ndw = rate*y*(x - y*w) + 0.01*normal() - 0.01*m",
                           {.parameters = {{"rate", 0.05}}, .memory = {{"m", 0.1}}});
  for (const Shape& shape : {Shape{5, 4}, Shape{3, 6, 4}}) {
    check_as_without(
        [&](NeuralNetwork& net) {
          net.add<Dense>(4, 4, dense(9))
              .add<PlasticModule>(4, 3, options(OjaRule{.learning_rate = 0.05}));
        },
        shape);
  }
  check_as_without(
      [&](NeuralNetwork& net) {
        net.add<Dense>(4, 4, dense(9)).add<PlasticModule>(4, 3, options(drawn));
      },
      {3, 6, 4});
}
