// SPDX-License-Identifier: MIT
// Small problems that a network must be able to learn.

#include <cmath>

#include <memory>
#include <numbers>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/error.h"
#include "../../src/layers/network/bit_linear.h"
#include "../../src/layers/network/convolution.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/multi_head_attention.h"
#include "../../src/layers/network/normalization.h"
#include "../../src/layers/network/plastic.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/recurrent.h"
#include "../../src/layers/network/sequential.h"
#include "../../src/training/fit.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

const Loss kCrossEntropy = loss_from_name("cross_entropy");

/// Two arms of a spiral with `count` points each.
DataLoader spirals(std::int64_t count) {
  std::vector<float> points;
  std::vector<std::int64_t> arms;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const std::int64_t arm : {0, 1}) {
      const double radius = static_cast<double>(i + 1) / static_cast<double>(count);
      const double angle =
          3.0 * std::numbers::pi * radius + std::numbers::pi * static_cast<double>(arm);
      points.push_back(static_cast<float>(radius * std::cos(angle)));
      points.push_back(static_cast<float>(radius * std::sin(angle)));
      arms.push_back(arm);
    }
  }
  return {from_values(points, {2 * count, 2}),
          from_values(arms, {2 * count}),
          {.batch_size = 32, .shuffle = true}};
}

}  // namespace

TEST_CASE("Two layers learn exclusive or") {
  const Array x = array({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const Array y = array({{0}, {1}, {1}, {0}});
  NeuralNetwork net;
  net.add<Dense>(2, 8, DenseOptions{.activation = Activation::tanh, .random = {101, 1}});
  net.add<Dense>(8, 1, DenseOptions{.random = {101, 2}});
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.05});
  fit(net, DataLoader(x, y, {.batch_size = 4}), loss_from_name("bce_with_logits"), optimiser,
      {.epochs = 200});
  const Array p = sigmoid(predict(net, x));
  CHECK(all_close(p, y, 0.0, 0.05));
}

TEST_CASE("Three layers part two spirals") {
  const DataLoader data = spirals(100);
  NeuralNetwork net;
  net.add<Dense>(2, 32, DenseOptions{.activation = Activation::gelu, .random = {102, 1}});
  net.add<LayerNorm>(32);
  net.add<Dense>(32, 32, DenseOptions{.activation = Activation::gelu, .random = {102, 2}});
  net.add<Dense>(32, 2, DenseOptions{.random = {102, 3}});
  Optimiser optimiser(net.parameters(), AdamWRule{.learning_rate = 0.01});
  const History history = fit(net, data, kCrossEntropy, optimiser, {.epochs = 80});
  CHECK(history.epochs.back().accuracy > 0.98);
  CHECK(evaluate(net, data, kCrossEntropy).accuracy > 0.98);
}

TEST_CASE("A GRU and an LSTM learn to continue a sine") {
  constexpr std::int64_t kLength = 20;
  std::vector<float> past;
  std::vector<float> next;
  for (int i = 0; i < 200; ++i) {
    const double phase = 0.37 * i;
    for (std::int64_t t = 0; t < kLength; ++t) {
      past.push_back(static_cast<float>(std::sin(phase + 0.3 * static_cast<double>(t))));
    }
    next.push_back(static_cast<float>(std::sin(phase + 0.3 * kLength)));
  }
  const DataLoader data(from_values(past, {200, kLength, 1}), from_values(next, {200, 1}),
                        {.shuffle = true});
  const auto learns = [&](std::shared_ptr<Module> recurrent) {
    NeuralNetwork net;
    net.add(std::move(recurrent)).add<Dense>(16, 1, DenseOptions{.random = {103, 2}});
    Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.01});
    fit(net, data, loss_from_name("mse"), optimiser, {.epochs = 25, .clip_norm = 1.0});
    // The sine itself has mean square 0.5.
    return evaluate(net, data, loss_from_name("mse")).loss;
  };
  const RecurrentOptions options = {.answer = RecurrentAnswer::last, .random = {103, 1}};
  CHECK(learns(std::make_shared<GRU>(1, 16, options)) < 2e-3);
  CHECK(learns(std::make_shared<LSTM>(1, 16, options)) < 2e-3);
}

TEST_CASE("A convolution finds a pattern wherever it is") {
  // A bright diagonal or a bright antidiagonal of three pixels, somewhere in noise.
  const RandomStream stream{104, 1};
  const Array images = random_normal({256, 1, 8, 8}, 0.0, 0.2, DType::float32, {104, 2});
  std::vector<std::int64_t> kinds;
  for (std::int64_t i = 0; i < 256; ++i) {
    const std::int64_t kind = i % 2;
    const std::int64_t row = stream.integer(static_cast<std::uint64_t>(2 * i), 6);
    const std::int64_t column = stream.integer(static_cast<std::uint64_t>(2 * i + 1), 6);
    for (std::int64_t k = 0; k < 3; ++k) {
      const std::int64_t at = column + (kind == 0 ? k : 2 - k);
      images[i][0][row + k].slice(0, at, at + 1).fill(1.0);
    }
    kinds.push_back(kind);
  }
  const Array labels = from_values(kinds, {256});
  NeuralNetwork net;
  net.add<Conv2d>(1, 8, 3, Conv2dLayerOptions{.random = {104, 3}}).add<BatchNorm2d>(8);
  net.add<ReluLayer>().add<MaxPool2d>(6).add<Flatten>();
  net.add<Dense>(8, 2, DenseOptions{.random = {104, 4}});
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.02});
  const DataLoader train(images.slice(0, 0, 192), labels.slice(0, 0, 192), {.shuffle = true});
  const DataLoader test(images.slice(0, 192), labels.slice(0, 192));
  fit(net, train, kCrossEntropy, optimiser, {.epochs = 15});
  CHECK(evaluate(net, test, kCrossEntropy).accuracy > 0.95);
}

TEST_CASE("Attention learns to look where a mark stands") {
  // Each step holds a number and a mark; the answer is the number at the marked step.
  constexpr std::int64_t kSteps = 6;
  const Array x = random_normal({256, kSteps, 4}, 0.0, 1.0, DType::float32, {105, 1});
  const Array y = zeros({256, 1});
  const RandomStream stream{105, 2};
  for (std::int64_t i = 0; i < 256; ++i) {
    const std::int64_t marked = stream.integer(static_cast<std::uint64_t>(i), kSteps);
    x[i].slice(1, 1, 2).fill(0.0);
    x[i][marked].slice(0, 1, 2).fill(3.0);
    y[i].assign(x[i][marked].slice(0, 0, 1));
  }
  NeuralNetwork net;
  net.add<Dense>(4, 16, DenseOptions{.random = {105, 3}});
  net.add<MultiHeadAttention>(16, 2, MultiHeadAttentionOptions{.random = {105, 4}});
  net.add<FunctionLayer>("last", [](const Tensor& t) { return select(t, 1, -1); });
  net.add<Dense>(16, 1, DenseOptions{.random = {105, 5}});
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.01});
  const DataLoader data(x, y, {.shuffle = true});
  fit(net, data, loss_from_name("mse"), optimiser, {.epochs = 60});
  CHECK(evaluate(net, data, loss_from_name("mse")).loss < 0.05);
}

TEST_CASE("Ternary weights learn what full ones do") {
  const DataLoader data = spirals(60);
  NeuralNetwork net;
  net.add<Dense>(2, 64, DenseOptions{.activation = Activation::relu, .random = {106, 1}});
  net.add<BitLinear>(64, 64, BitLinearOptions{.bias = true, .random = {106, 2}});
  net.add<ReluLayer>().add<LayerNorm>(64);
  net.add<Dense>(64, 2, DenseOptions{.random = {106, 3}});
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.01});
  fit(net, data, kCrossEntropy, optimiser, {.epochs = 100});
  CHECK(evaluate(net, data, kCrossEntropy).accuracy > 0.9);
}

TEST_CASE("A network with a plastic layer inside learns around it") {
  // Oja's rule finds the direction of most variance, which tells the classes apart.
  const Array noise = random_normal({256, 6}, 0.0, 0.3, DType::float32, {107, 1});
  std::vector<std::int64_t> kinds;
  for (std::int64_t i = 0; i < 256; ++i) {
    kinds.push_back(i % 2);
    noise[i].assign(noise[i] + (i % 2 == 0 ? 1.0 : -1.0));
  }
  NeuralNetwork net;
  net.add<PlasticModule>(
      6, 2, HebbianOptions{.rule = OjaRule{.learning_rate = 0.01}, .random = {107, 2}});
  net.add<Dense>(2, 2, DenseOptions{.random = {107, 3}});
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.02});
  const DataLoader data(noise, from_values(kinds, {256}), {.shuffle = true});
  fit(net, data, kCrossEntropy, optimiser, {.epochs = 10});
  CHECK(evaluate(net, data, kCrossEntropy).accuracy > 0.99);
  // The weights have become the principal direction, of length 1.
  const Array w = net.state().at("0.weights");
  CHECK(std::abs(sum(w[0]).item()) / std::sqrt(6.0) == Approx(1.0).margin(0.05));
}
