// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers that learn side by side.
#include "../../src/array/create.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "plastic_case.h"

namespace gaia::test {
namespace {

Learner learner(std::uint64_t seed, const Plasticity& plasticity = {.rule = OjaRule{}}) {
  const PlasticCase c{.plasticity = plasticity, .seed = seed};
  return {plasticity, initial_weights_of(c), initial_memory_of(c)};
}

Array samples(std::int64_t streams) {
  return series(streams * 50, 5, 3).reshape({streams, 50, 5}).to(current_device());
}

std::string complaint(const std::vector<Learner>& layers, const Array& x) {
  return complaint_of([&] { learn_together(layers, x); });
}

}  // namespace

DEVICE_TEST_CASE(
    "Layers side by side learn what each learns alone, on each device, with any threads") {
  for (const PlasticityRule& rule : lively_rules()) {
    for (const int threads : {1, 2, 8}) {
      const Threads scope(threads);
      std::vector<Learner> together;
      std::vector<Learner> alone;
      for (std::uint64_t i = 0; i < 3; ++i) {
        together.push_back(learner(i, {.rule = rule}));
        alone.push_back(learner(i, {.rule = rule}));
      }
      const Array x = samples(6);
      const Array answers = learn_together(together, x);
      for (std::int64_t i = 0; i < 3; ++i) {
        INFO(rule_name(rule) << ", layer " << i << ", " << threads << " threads");
        const Learner& one = alone[static_cast<std::size_t>(i)];
        const Learner& among = together[static_cast<std::size_t>(i)];
        const Array expected =
            learn(one.plasticity, one.weights, one.memory, x.slice(0, 2 * i, 2 * i + 2));
        CHECK(to_row(answers.slice(0, 2 * i, 2 * i + 2)) == to_row(expected));
        CHECK(to_row(among.weights) == to_row(one.weights));
        CHECK(to_row(among.memory) == to_row(one.memory));
      }
    }
  }
}

TEST_CASE("Answers go to room that fits them") {
  const std::vector<Learner> layers = {learner(0), learner(1)};
  const Array x = samples(2);
  const DType dtype = layers[0].weights.dtype();
  const std::int64_t outputs = layers[0].weights.shape(0);
  CHECK_THROWS_WITH_TEXT(learn_together(layers, x, zeros({2, 49, outputs}, dtype)), ShapeError,
                         "[learn] answers must have shape");
  CHECK_THROWS_WITH_TEXT(learn_together(layers, x, zeros({2, 50, outputs}, DType::int64)),
                         DTypeError, "[learn] answers must be");
  CHECK_THROWS_WITH_TEXT(
      learn_together(layers, x, zeros({2, outputs, 50}, dtype).swapaxes(1, 2)), ShapeError,
      "[learn] answers is changed in place and must have a contiguous last axis");
}

TEST_CASE("Layers side by side must be alike, and have samples for each") {
  const Plasticity oja{.rule = OjaRule{}};
  CHECK(complaint({}, samples(2)) == "[learn] got no layers");
  CHECK(complaint({learner(1), learner(2, {.rule = OjaRule{.learning_rate = 0.5}})}, samples(2)) ==
        "");
  CHECK(complaint({learner(1), learner(2)}, samples(3)) ==
        "[learn] samples must be [2 layers x streams, ticks, inputs], got [3, 50, 5]");
  CHECK(complaint({learner(1), learner(2, {.rule = HebbRule{}})}, samples(2)) ==
        "[learn] layers side by side must be alike; of layer 1 rule is hebbian, not oja");
  CHECK(complaint({learner(1), learner(2, {.rule = OjaRule{.learning_rate = -1}})}, samples(2)) ==
        "[plasticity] learning_rate must be >= 0, got -1.0");
  Plasticity other = oja;
  other.control.homeostasis = Homeostasis{};
  CHECK(why_not_together(oja, other) == "homeostasis is on, not off");
  other = oja;
  other.executor = Executor::stepwise;
  CHECK(why_not_together(oja, other) == "executor is stepwise, not chunkwise");
  other = oja;
  other.chunk = 5;
  CHECK(why_not_together(oja, other) == "chunk is 5, not 32");
  other = oja;
  other.activation = Activation::relu;
  CHECK(why_not_together(oja, other) == "activation is relu, not linear");
  CHECK(why_not_together(oja, oja).empty());
}

}  // namespace gaia::test
