// SPDX-License-Identifier: MIT
#include "../../../src/autograd/trace_guard.h"

#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/autograd/parallel_map.h"
#include "../../../src/layers/network/plastic_linear.h"
#include "../../../src/layers/network/pointwise.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("A trace guard nests, and restores what it found after an exception too") {
  CHECK(traces_writable());
  {
    const TraceGuard outer;
    CHECK_FALSE(traces_writable());
    {
      const TraceGuard inner;
      CHECK_FALSE(traces_writable());
    }
    CHECK_FALSE(traces_writable());
  }
  CHECK(traces_writable());
  try {
    const TraceGuard guard;
    throw std::runtime_error("planning failed");
  } catch (const std::runtime_error&) {
    CHECK(traces_writable());
  }
}

TEST_CASE("A trace guard holds for its own thread, and for what parallel_map runs under it") {
  const Threads threads(2);
  const TraceGuard guard;
  std::optional<bool> elsewhere;
  std::thread([&] { elsewhere = traces_writable(); }).join();
  CHECK(elsewhere == true);
  const std::vector<int> items(16);
  const auto ask = [](int) { return traces_writable(); };
  CHECK(parallel_map(items, ask) == std::vector<bool>(16, false));
  // Nor does it stay with the threads of the pool.
  std::thread([&] { CHECK(parallel_map(items, ask) == std::vector<bool>(16, true)); }).join();
}

DEVICE_TEST_CASE("Planning under a trace guard leaves all traces as they are, bit for bit") {
  // A model of a world of 4 numbers and 2 actions: the next state.
  NeuralNetwork model;
  model.add<PlasticLinear>(6, 16, PlasticLinearOptions{.bias = true, .random = {71, 1}})
      .add<TanhLayer>()
      .add<PlasticLinear>(16, 4, PlasticLinearOptions{.bias = true, .random = {71, 2}});
  const auto array = [](std::int64_t rows, std::int64_t columns, std::uint64_t stream) {
    return random_normal({rows, columns}, 0.0, 1.0, DType::float32, {71, stream});
  };
  for (std::uint64_t step = 0; step < 3; ++step) model(Tensor(array(5, 6, 10 + step)));
  const auto bits = [&] {
    std::vector<float> all;
    for (const auto& [name, value] : model.state()) {
      for (const float one : value.to_vector<float>()) all.push_back(one);
    }
    return all;
  };
  const auto plan = [&] {  // 30 candidates, 4 steps ahead; where would the first number be?
    Array state = array(1, 4, 20).broadcast_to({30, 4});
    for (std::uint64_t ahead = 0; ahead < 4; ++ahead) {
      const Tensor x(concatenate(std::vector<Array>{state, array(30, 2, 30 + ahead)}, 1));
      state = model(x).value();
    }
    return argmax(state.slice(1, 0, 1).squeeze({1})).item();
  };
  const std::vector<float> before = bits();
  REQUIRE(model.is_training());
  double guarded = 0.0;
  {
    const TraceGuard guard;
    guarded = plan();
    CHECK(plan() == guarded);
  }
  CHECK(bits() == before);
  plan();
  CHECK(bits() != before);
}
