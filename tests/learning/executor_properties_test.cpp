// SPDX-License-Identifier: MIT
#include "../../src/array/joining.h"
#include "../../src/core/parallel.h"
#include "../support/catch.h"
#include "plastic_case.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Weights, memory and answers of one layer, learning from `samples`.
Outcome learn_from(const PlasticCase& c, const std::vector<Array>& blocks) {
  const Array weights = initial_weights_of(c);
  const Array memory = initial_memory_of(c);
  const Real scale = largest(to_row(weights));
  std::vector<Array> answers;
  for (const Array& samples : blocks) {
    answers.push_back(learn(c.plasticity, weights, memory, samples));
  }
  return {to_row(concatenate(answers, 1)), to_row(weights), scale, to_row(memory)};
}

}  // namespace

TEST_CASE("The number of threads does not change a bit of what a layer learns") {
  // Large enough for several panels of neurons, and for a coupled tick to be shared among threads.
  PlasticCase c{.outputs = 300, .inputs = 900, .ticks = 40, .dtype = DType::float32};
  c.streams = GENERATE(1, 3);
  for (const PlasticityRule& rule : lively_rules()) {
    for (const Executor executor : kExecutors) {
      c.plasticity = {.rule = rule,
                      .control = {.homeostasis = Homeostasis{.target = 0.5, .strength = 0.01},
                                  .normalization = Normalization::max_norm,
                                  .bound = 0.9},
                      .activation = Activation::tanh};
      set_num_threads(1);
      const Outcome alone = run_executor(c, executor, 16);
      for (const int threads : {2, 5}) {
        set_num_threads(threads);
        const Outcome together = run_executor(c, executor, 16);
        INFO(c << ", " << to_string(executor) << ", " << threads << " threads");
        CHECK(together.answers == alone.answers);
        CHECK(together.weights == alone.weights);
        CHECK(together.memory == alone.memory);
      }
      set_num_threads(0);
    }
  }
}

TEST_CASE("A block cut in two gives what the whole gives") {
  PlasticCase c{.outputs = 9, .inputs = 21, .ticks = 150};
  c.streams = GENERATE(1, 3);
  c.dtype = GENERATE(DType::float64, DType::float32);
  const std::int64_t cut = GENERATE(1, 47, 64, 149);
  const Array samples = samples_of(c);
  for (const PlasticityRule& rule : lively_rules()) {
    for (const WeightControl& control : all_controls()) {
      for (const Executor executor : kExecutors) {
        c.plasticity = {.rule = rule, .control = control, .executor = executor, .chunk = 32};
        const Outcome whole = learn_from(c, {samples});
        const Outcome pieces = learn_from(c, {samples.slice(1, 0, cut), samples.slice(1, cut, {})});
        INFO(c << ", " << to_string(executor) << ", cut at " << cut);
        if (executor == Executor::stepwise) {
          CHECK(pieces.answers == whole.answers);
          CHECK(pieces.weights == whole.weights);
        }
        CHECK(distance(pieces, whole) <= (c.dtype == DType::float64 ? 1e-12 : 2e-5));
      }
    }
  }
}

TEST_CASE("Blocks that need more workspace than there is are worked on in parts") {
  // Gram matrices of long chunks, and packed samples of many streams.
  PlasticCase c = GENERATE(PlasticCase{.outputs = 3, .inputs = 5, .streams = 1, .ticks = 9500},
                           PlasticCase{.outputs = 3, .inputs = 200, .streams = 300, .ticks = 150});
  for (const PlasticityRule& rule : lively_rules()) {
    c.plasticity = {.rule = rule, .control = {.normalization = Normalization::l2}};
    const Outcome stepwise = run_executor(c, Executor::stepwise);
    INFO(c);
    CHECK(distance(run_executor(c, Executor::chunkwise, 1000), stepwise) <= 1e-10);
    CHECK(distance(run_executor(c, Executor::chunkwise, 32), stepwise) <= 1e-10);
  }
}

TEST_CASE("Samples are read the same however they lie in memory") {
  PlasticCase c{.outputs = 9, .inputs = 21, .ticks = 80};
  c.streams = GENERATE(1, 3);
  const Array rows = samples_of(c);
  const Array one = rows.slice(1, 5, 6);
  const std::vector<std::pair<std::string, Array>> layouts = {
      {"last axis strided", rows.swapaxes(1, 2).copy().swapaxes(1, 2)},
      {"ticks outermost", rows.swapaxes(0, 1).copy().swapaxes(0, 1)},
      {"ticks reversed", rows.slice(1, {}, {}, -1)},
      {"inputs reversed", rows.slice(2, {}, {}, -1)},
      {"one sample repeated", one.broadcast_to(rows.shape())},
      {"one stream repeated", rows.slice(0, 0, 1).broadcast_to(rows.shape())}};
  for (const auto& [name, samples] : layouts) {
    for (const PlasticityRule& rule : lively_rules()) {
      for (const Executor executor : kExecutors) {
        c.plasticity = {.rule = rule,
                        .control = {.normalization = Normalization::max_norm},
                        .executor = executor};
        INFO(c << ", " << to_string(executor) << ", " << name);
        CHECK(distance(learn_from(c, {samples}), learn_from(c, {samples.copy()})) <= 1e-13);
      }
    }
  }
}

TEST_CASE("A batch of equal streams learns what one of them learns") {
  PlasticCase c{.outputs = 4, .inputs = 6, .ticks = 90};
  const Array samples = samples_of(c);
  for (const PlasticityRule& rule : lively_rules()) {
    for (const WeightControl& control : all_controls()) {
      for (const Executor executor : kExecutors) {
        c.plasticity = {.rule = rule, .control = control, .executor = executor};
        const Outcome one = learn_from(c, {samples});
        const Outcome three = learn_from(c, {samples.broadcast_to({3, c.ticks, c.inputs})});
        INFO(c << ", " << to_string(executor));
        CHECK(distance(three.weights, one.weights) <= 1e-12);
        CHECK(distance(three.memory, one.memory) <= 1e-12);
      }
    }
  }
}

TEST_CASE(
    "The update of a batch is the mean of its samples' updates, not the update of their mean") {
  // Two opposite samples: their mean is zero and would teach nothing.
  const Array samples = array({{1, 2}, {-1, -2}}, DType::float64).reshape({2, 1, 2});
  const Executor executor = GENERATE(Executor::stepwise, Executor::chunkwise);
  const Array weights = array({{1, 1}}, DType::float64);
  const Array memory = zeros({1}, DType::float64);
  learn({.rule = HebbRule{.learning_rate = 0.1}, .executor = executor}, weights, memory, samples);
  CHECK(all_close(weights, array({{1.3, 1.6}}, DType::float64), 1e-14, 0.0));
}

TEST_CASE("Without ticks, and without streams, nothing is learnt and nothing is answered") {
  for (const PlasticityRule& rule : lively_rules()) {
    for (const Executor executor : kExecutors) {
      PlasticCase c{.plasticity = {.rule = rule, .executor = executor}};
      const Array weights = initial_weights_of(c);
      const Row before = to_row(weights);
      for (const Shape& shape : {Shape{2, 0, 5}, Shape{0, 4, 5}}) {
        const Array answers =
            learn(c.plasticity, weights, initial_memory_of(c), zeros(shape, DType::float64));
        CHECK(answers.shape() == Shape{shape[0], shape[1], 3});
        CHECK(to_row(weights) == before);
      }
    }
  }
}
