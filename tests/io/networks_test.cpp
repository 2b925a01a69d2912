// SPDX-License-Identifier: MIT
// Networks and optimisers through files: what io::save and io::load are for.

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/io/arrays.h"
#include "../../src/layers/network/bit_linear.h"
#include "../../src/layers/network/convolution.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/normalization.h"
#include "../../src/layers/network/plastic.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/recurrent.h"
#include "../../src/layers/network/sequential.h"
#include "../../src/learning/losses.h"
#include "../../src/learning/optimisers.h"
#include "../support/devices.h"
#include "../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;

namespace {

void fill(NeuralNetwork& net, std::int64_t outputs = 3) {
  net.add<Conv2d>(1, 2, 3).add<BatchNorm2d>(2).add<ReluLayer>().add<Flatten>();
  net.add<BitLinear>(32, 8).add<PlasticModule>(8, 4, HebbianOptions{.rule = BcmRule{}});
  net.add<Reshape>(Shape{2, 2}).add<GRU>(2, 5, RecurrentOptions{.answer = RecurrentAnswer::last});
  net.add<Dense>(5, outputs);
}

void train(NeuralNetwork& net, Optimiser& optimiser, int steps) {
  const Array x = random_normal({6, 1, 6, 6}, 0.0, 1.0, DType::float32, {91, 1});
  const Array y = from_values(std::vector<std::int64_t>{0, 1, 2, 2, 1, 0}, {6});
  for (int i = 0; i < steps; ++i) {
    optimiser.zero_grad();
    cross_entropy(net(x), y).backward();
    optimiser.step();
  }
}

}  // namespace

DEVICE_TEST_CASE("A network and its optimiser go on from files as if nothing had been between") {
  const TempDir folder;
  NeuralNetwork net;
  fill(net);
  Optimiser optimiser(net.parameters(), AdamRule{.learning_rate = 0.01});
  train(net, optimiser, 3);
  io::save(folder.path("net.h5"), net.state());
  io::save(folder.path("adam.h5"), optimiser.state());

  NeuralNetwork twin;
  fill(twin);
  twin.set_state(io::load(folder.path("net.h5")));
  Optimiser twin_optimiser(twin.parameters(), AdamRule{});
  twin_optimiser.set_state(io::load(folder.path("adam.h5")));
  train(net, optimiser, 2);
  train(twin, twin_optimiser, 2);
  const ArrayMap expected = net.state();
  for (const auto& [name, value] : twin.state()) {
    INFO(name);
    CHECK(value.to_vector<double>() == expected.at(name).to_vector<double>());
  }
}

FOLDER_TEST_CASE("Weights of another network are refused, and name the array") {
  NeuralNetwork net;
  fill(net);
  io::save(folder.path("net.h5"), net.state());
  NeuralNetwork other;
  fill(other, 4);
  CHECK_THROWS_WITH_TEXT(other.set_state(io::load(folder.path("net.h5"))), ShapeError,
                         "expected 8.bias of shape [4], got [3]");
}
