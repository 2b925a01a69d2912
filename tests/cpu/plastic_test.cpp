// SPDX-License-Identifier: MIT
/// \file
/// Panels of plastic neurons at sizes around the vectors and tiles, against the definition.
#include "../learning/plastic_case.h"
#include "../support/catch.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const std::vector<PlasticityRule> kRules = {HebbRule{.learning_rate = 0.005, .decay = 0.01},
                                            OjaRule{.learning_rate = 0.005},
                                            BcmRule{.learning_rate = 0.005, .decay = 0.01}};

void check_executors(const PlasticCase& c, std::int64_t chunk) {
  const double tolerance = c.dtype == DType::float32 ? 2e-5 : 1e-12;
  INFO(c << ", chunk " << chunk);
  CHECK(distance(run_executor(c, Executor::chunkwise, chunk),
                 run_executor(c, Executor::stepwise)) <= tolerance);
}

}  // namespace

TEST_CASE("Panels agree with the definition for every number of neurons and inputs") {
  for (const PlasticityRule& rule : kRules) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const std::int64_t outputs :
           {1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 47, 48, 49, 64, 65, 97}) {
        check_executors({.plasticity = {.rule = rule},
                         .outputs = outputs,
                         .inputs = 11,
                         .ticks = 41,
                         .dtype = dtype},
                        32);
      }
      for (const std::int64_t inputs : {1, 2, 5, 6, 7, 8, 9, 15, 16, 17, 31, 40}) {
        check_executors({.plasticity = {.rule = rule},
                         .outputs = 19,
                         .inputs = inputs,
                         .ticks = 35,
                         .dtype = dtype},
                        24);
      }
      for (const std::int64_t ticks : {1, 2, 7, 8, 9, 31, 32, 33, 64, 65}) {
        for (const std::int64_t chunk : {1, 3, 8, 16, 32, 50}) {
          check_executors({.plasticity = {.rule = rule},
                           .outputs = 5,
                           .inputs = 9,
                           .ticks = ticks,
                           .dtype = dtype},
                          chunk);
        }
      }
    }
  }
}

TEST_CASE("Panels agree with the definition under every activation and control") {
  for (const Activation activation : kActivations) {
    for (const PlasticityRule& rule : kRules) {
      for (const WeightControl& control :
           {WeightControl{}, WeightControl{.normalization = Normalization::l2},
            WeightControl{.normalization = Normalization::max_norm, .bound = 0.8},
            WeightControl{.homeostasis = Homeostasis{.target = 0.3, .strength = 0.05}},
            WeightControl{.homeostasis = Homeostasis{.target = 0.3, .strength = 0.05},
                          .normalization = Normalization::max_norm}}) {
        // Negative answers and homeostasis drive each other to infinity.
        const bool negative = activation == Activation::linear ||
                              activation == Activation::leaky_relu ||
                              activation == Activation::gelu || activation == Activation::mish ||
                              activation == Activation::hardswish;
        if (control.homeostasis && control.normalization == Normalization::none && negative)
          continue;
        for (const DType dtype : {DType::float32, DType::float64}) {
          check_executors(
              {.plasticity = {.rule = rule, .control = control, .activation = activation},
               .outputs = 21,
               .inputs = 13,
               .ticks = 70,
               .dtype = dtype},
              32);
        }
      }
    }
  }
}

TEST_CASE("Rows of samples a power of two apart are learnt as others are") {
  for (const auto& [dtype, inputs] : {std::pair{DType::float32, 256}, {DType::float64, 128}}) {
    for (const std::int64_t streams : {1, 3}) {
      for (const SampleLayout layout : {SampleLayout::contiguous, SampleLayout::every_other_tick}) {
        for (const std::int64_t ticks : {1, 2, 45}) {
          check_executors({.plasticity = {.rule = OjaRule{.learning_rate = 0.005},
                                          .control = {.normalization = Normalization::l2}},
                           .outputs = 19,
                           .inputs = inputs,
                           .streams = streams,
                           .ticks = ticks,
                           .dtype = dtype,
                           .layout = layout},
                          32);
        }
      }
    }
  }
}

TEST_CASE("Small and large losses may follow on each other within a tile") {
  // Answers are of order one, so rate y^2 is on either side of 1/2.
  for (const double rate : {0.2, 0.5, 0.9}) {
    for (const Normalization normalization :
         {Normalization::none, Normalization::l2, Normalization::max_norm}) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        check_executors({.plasticity = {.rule = OjaRule{.learning_rate = rate},
                                        .control = {.normalization = normalization},
                                        .activation = Activation::tanh},
                         .outputs = 29,
                         .inputs = 13,
                         .ticks = 70,
                         .dtype = dtype},
                        32);
      }
    }
  }
}

TEST_CASE("Weights that homeostasis throws far and a bound brings back keep their digits") {
  // Answers of order one: factors up to exp(6) and more.
  const WeightControl control{.homeostasis = Homeostasis{.target = 0.5, .strength = 3},
                              .normalization = Normalization::max_norm};
  for (const PlasticityRule& rule : kRules) {
    for (const std::int64_t streams : {1, 3}) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        check_executors({.plasticity = {.rule = rule, .control = control},
                         .outputs = 19,
                         .inputs = 11,
                         .streams = streams,
                         .ticks = 200,
                         .dtype = dtype},
                        32);
      }
    }
  }
}

TEST_CASE("Batches agree with the definition for every number of streams, across panels") {
  const WeightControl controls[] = {{},
                                    {.normalization = Normalization::l2},
                                    {.homeostasis = Homeostasis{.target = 0.3, .strength = 0.05},
                                     .normalization = Normalization::max_norm}};
  for (const PlasticityRule& rule : kRules) {
    for (const WeightControl& control : controls) {
      for (const Activation activation :
           {Activation::tanh, Activation::softmax, Activation::coates}) {
        const Plasticity plasticity{.rule = rule, .control = control, .activation = activation};
        for (const DType dtype : {DType::float32, DType::float64}) {
          for (const std::int64_t streams : {2, 3, 4, 5, 7, 8, 9, 13, 40}) {
            check_executors({.plasticity = plasticity,
                             .outputs = 19,
                             .inputs = 11,
                             .streams = streams,
                             .ticks = 21,
                             .dtype = dtype},
                            32);
          }
          for (const std::int64_t outputs : {1, 16, 33, 49, 100}) {
            check_executors({.plasticity = plasticity,
                             .outputs = outputs,
                             .inputs = 9,
                             .streams = 6,
                             .ticks = 17,
                             .dtype = dtype},
                            24);
          }
        }
      }
    }
  }
}

TEST_CASE("A long series, learnt in parts, agrees with the definition") {
  const Plasticity plasticity{.rule = OjaRule{.learning_rate = 1e-4},
                              .control = {.normalization = Normalization::l2}};
  for (const std::int64_t streams : {1, 2}) {
    check_executors({.plasticity = plasticity,
                     .outputs = 5,
                     .inputs = 700,
                     .streams = streams,
                     .ticks = 1000,
                     .dtype = DType::float64},
                    32);
  }
}

TEST_CASE("Rows of length one stay so over a million ticks") {
  const Plasticity plasticity{.rule = OjaRule{.learning_rate = 1e-3},
                              .control = {.normalization = Normalization::l2}};
  for (const DType dtype : {DType::float32, DType::float64}) {
    const PlasticCase c{.plasticity = plasticity, .outputs = 4, .inputs = 6, .dtype = dtype};
    const Array weights = initial_weights_of(c);
    const Array memory = initial_memory_of(c);
    const Array samples = series(10'000, 6, 3).astype(dtype).reshape({1, 10'000, 6});
    for (int block = 0; block < 100; ++block) learn(plasticity, weights, memory, samples);
    for (const double length : norm(weights.astype(DType::float64), {1}).to_vector<double>()) {
      CHECK(std::abs(length - 1.0) <= (dtype == DType::float32 ? 1e-6 : 1e-14));
    }
  }
}

TEST_CASE("Rows of twenty thousand inputs are of length one in float32") {
  constexpr std::int64_t inputs = 20'000;
  const double share = 1 / std::sqrt(static_cast<double>(inputs));
  const Plasticity plasticity{.rule = OjaRule{.learning_rate = 1e-4},
                              .control = {.normalization = Normalization::l2}};
  for (const std::int64_t streams : {1, 2}) {
    const Array weights = abs(
        random_normal({16, inputs}, 0.0, 1.0, DType::float32, RandomStream::named(1, "weights")));
    const Array samples = random_normal({streams, 32, inputs}, 0.0, share, DType::float32,
                                        RandomStream::named(1, "samples"));
    learn(plasticity, weights, zeros({16}), samples);
    for (const double length : norm(weights.astype(DType::float64), {1}).to_vector<double>()) {
      INFO(streams << " streams");
      CHECK(std::abs(length - 1.0) <= 4e-7);
    }
  }
}

TEST_CASE("Sums over twenty thousand numbers of one sign keep their digits") {
  // A chain of so many additions is off by 1e-6 to 5e-6: in |w|^2, in w . x, and in x . x.
  constexpr std::int64_t inputs = 20'000;
  const Array numbers =
      abs(random_normal({24, inputs}, 0.0, 1.0, DType::float32, RandomStream::named(2, "numbers")));
  const auto check_answers = [](const Plasticity& plasticity, const Array& weights,
                                const Array& samples) {
    const Array found = learn(plasticity, weights.copy(), zeros({8}), samples);
    const Array exact = learn(plasticity, weights.astype(DType::float64),
                              zeros({8}, DType::float64), samples.astype(DType::float64));
    const Row expected = to_row(exact);
    CHECK(distance(to_row(found), expected) <= 8e-7);
  };
  const Array unit = zeros({1, 16, inputs});  // the first input alone
  unit.slice(2, 0, 1).fill(1.0);
  for (const std::int64_t streams : {1, 2}) {
    INFO(streams << " streams");
    const Array samples = numbers.slice(0, 8, {}).copy().reshape({streams, 16 / streams, inputs});
    // Short weights: the first tick makes them longer, so that later answers are the large ones.
    check_answers(
        {.rule = HebbRule{.learning_rate = 0.0}, .control = {.normalization = Normalization::l2}},
        multiply(numbers.slice(0, 0, 8), 1e-4), unit.reshape({streams, 16 / streams, inputs}));
    check_answers({.rule = HebbRule{.learning_rate = 0.0}}, numbers.slice(0, 0, 8).copy(), samples);
    const Array weights = zeros({8, inputs});
    weights.slice(1, 0, 1).fill(1.0);
    check_answers({.rule = HebbRule{.learning_rate = 3e-5}}, weights, samples);
  }
}
