// SPDX-License-Identifier: MIT
/// \file
/// Where numbers run to their ends: no learning, all is lost in one step, weights vanish or
/// overflow, very long runs.
#include "../support/catch.h"
#include "plastic_case.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Every rule with these parameters.
std::vector<PlasticityRule> rules_with(double rate, double decay) {
  return {HebbRule{.learning_rate = rate, .decay = decay},
          OjaRule{.learning_rate = rate, .decay = decay},
          BcmRule{.learning_rate = rate, .decay = decay},
          SangerRule{.learning_rate = rate, .decay = decay},
          OjaSubspaceRule{.learning_rate = rate, .decay = decay}};
}

/// Length of every row of weights [outputs, inputs].
std::vector<double> lengths(const Array& weights) {
  return norm(weights.astype(DType::float64), {1}).to_vector<double>();
}

void check_against_reference(const PlasticCase& c, double tolerance) {
  const Outcome reference = run_reference(c);
  INFO(c);
  CHECK(distance(run_executor(c, Executor::stepwise), reference) <= tolerance);
  for (const std::int64_t chunk : {1, 7, 32, 1000}) {
    INFO("chunk " << chunk);
    CHECK(distance(run_executor(c, Executor::chunkwise, chunk), reference) <= tolerance);
  }
}

}  // namespace

TEST_CASE("With a learning rate of zero weights keep every bit") {
  for (const PlasticityRule& rule : rules_with(0.0, 0.0)) {
    for (const Executor executor : kExecutors) {
      const PlasticCase c{.plasticity = {.rule = rule, .activation = Activation::tanh},
                          .streams = 2,
                          .dtype = DType::float32};
      const Outcome outcome = run_executor(c, executor);
      INFO(c);
      CHECK(outcome.weights == to_row(initial_weights_of(c)));
      const Array drive = matmul(samples_of(c), initial_weights_of(c).transpose());
      CHECK(distance(outcome.answers, to_row(tanh(drive))) <= 1e-6);
    }
  }
}

TEST_CASE("Decay alone shrinks weights by 1 - decay at every tick") {
  const double decay = GENERATE(0.3, 0.01, 1e-3);
  const std::int64_t ticks = 700;
  for (const PlasticityRule& rule : rules_with(0.1, decay)) {
    for (const Executor executor : kExecutors) {
      const PlasticCase c;
      const Array weights = initial_weights_of(c);
      Row expected = to_row(weights);
      for (Real& w : expected) w *= std::pow(1 - Real(decay), Real(ticks));
      learn({.rule = rule, .executor = executor}, weights, zeros({3}, DType::float64),
            zeros({1, ticks, 5}, DType::float64));
      INFO(rule_name(rule) << ", " << to_string(executor) << ", decay " << decay);
      CHECK(distance(to_row(weights), expected) <= 1e-12);
    }
  }
}

TEST_CASE("Steps that normalisation shrinks ten thousandfold keep their precision") {
  // 1 + (factor - 1) loses the digits of a small factor: it is carried itself.
  for (const Normalization normalization : {Normalization::l2, Normalization::max_norm}) {
    for (const double rate : {30.0, 1e3, 1e5}) {
      for (const std::int64_t streams : {1, 3}) {
        check_against_reference({.plasticity = {.rule = BcmRule{.learning_rate = rate, .tau = 10.0},
                                                .control = {.normalization = normalization}},
                                 .outputs = 6,
                                 .streams = streams,
                                 .dtype = DType::float32},
                                3e-4);
      }
    }
  }
}

TEST_CASE("A decay of 1e-5 in float32 is right to 1e-4 over 10^5 ticks") {
  // 1 - 1e-5 rounds to a float32 that is off by 1.4e-3 of the decay: the loss is carried instead.
  constexpr std::int64_t ticks = 100'000;
  const Executor executor = GENERATE(Executor::stepwise, Executor::chunkwise);
  for (const PlasticityRule& rule : rules_with(0.1, 1e-5)) {
    const PlasticCase c{.dtype = DType::float32};
    const Array weights = initial_weights_of(c);
    Row expected = to_row(weights);
    for (Real& w : expected) w *= std::pow(1 - Real(1e-5L), Real(ticks));
    learn({.rule = rule, .executor = executor, .chunk = 64}, weights, zeros({3}),
          zeros({1, ticks, 5}));
    const Row found = to_row(weights);
    INFO(rule_name(rule) << ", " << to_string(executor));
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(static_cast<double>(std::abs(found[k] / expected[k] - 1)) <= 1e-4);
    }
  }
}

TEST_CASE("A loss of exactly one replaces weights by the gain") {
  const Executor executor = GENERATE(Executor::stepwise, Executor::chunkwise);
  const Array memory = zeros({1}, DType::float64);
  SECTION("by decay") {
    const Array weights = array({{3, 0}}, DType::float64);
    const Array samples = array({{1, 2}, {2, -1}, {0, 1}}, DType::float64).expand_dims(0);
    learn({.rule = HebbRule{.learning_rate = 0.5, .decay = 1.0}, .executor = executor}, weights,
          memory, samples);
    // y = 3, w = 1.5 (1, 2); y = 0, w = 0; and zero it stays.
    CHECK(weights.to_vector<double>() == std::vector<double>{0, 0});
  }
  SECTION("by Oja's own loss") {
    const Array weights = array({{1, 0}}, DType::float64);
    const Array samples = array({{1, 2}}, DType::float64).expand_dims(0);
    learn({.rule = OjaRule{.learning_rate = 1.0}, .executor = executor}, weights, memory, samples);
    CHECK(weights.to_vector<double>() == std::vector<double>{1, 2});
  }
}

TEST_CASE("Losses beyond one turn weights over, as the definition has it") {
  // Oja's loss is rate y^2: here often above one.
  for (const Normalization normalization : {Normalization::l2, Normalization::max_norm}) {
    for (const std::int64_t streams : {1, 3}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const WeightControl control{.normalization = normalization};
        check_against_reference({.plasticity = {.rule = OjaRule{.learning_rate = 2.5, .decay = 0.2},
                                                .control = control},
                                 .streams = streams,
                                 .ticks = 60,
                                 .seed = seed},
                                1e-10);
      }
    }
  }
}

TEST_CASE("Weights that a rule shortens stay of length one however long the chunk") {
  // Below its threshold BCM shortens weights, and each time the relative error of a length that is
  // only carried along grows.  It must not show.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::int64_t inputs : {1, 4}) {
      PlasticCase c{.plasticity = {.rule = BcmRule{.learning_rate = 0.05, .tau = 20.0},
                                   .control = {.normalization = Normalization::l2}},
                    .inputs = inputs,
                    .ticks = 300,
                    .seed = seed};
      check_against_reference(c, 1e-11);
      c.dtype = DType::float32;
      check_against_reference(c, 1e-4);
    }
  }
}

TEST_CASE("Zero weights stay zero under l2") {
  for (const PlasticityRule& rule : lively_rules()) {
    for (const Executor executor : kExecutors) {
      const PlasticCase c{.streams = 2, .dtype = DType::float32};
      const Array weights = initial_weights_of(c);
      weights[1].fill(0.0);
      const Array answers = learn(
          {.rule = rule, .control = {.normalization = Normalization::l2}, .executor = executor},
          weights, initial_memory_of(c), samples_of(c));
      INFO(rule_name(rule) << ", " << to_string(executor));
      CHECK(norm(weights[1]).item() == 0.0);
      CHECK(first_not_finite(answers) == -1);
      CHECK(lengths(weights)[0] == Approx(1.0).epsilon(1e-6));
      CHECK(lengths(weights)[2] == Approx(1.0).epsilon(1e-6));
    }
  }
}

TEST_CASE("Under l2 homeostasis has no effect, even where its factor underflows") {
  for (const PlasticityRule& rule : rules_with(0.01, 0.0)) {
    for (const Executor executor : kExecutors) {
      PlasticCase c{.plasticity = {.rule = rule,
                                   .control = {.normalization = Normalization::l2},
                                   .executor = executor},
                    .dtype = DType::float32};
      const Array samples = multiply(samples_of(c), 300.0);  // exp(0.5 - 300) is 0 in float32
      const Array without = initial_weights_of(c);
      learn(c.plasticity, without, initial_memory_of(c), samples);
      c.plasticity.control.homeostasis = Homeostasis{.target = 0.5, .strength = 1.0};
      const Array with = initial_weights_of(c);
      learn(c.plasticity, with, initial_memory_of(c), samples);
      INFO(rule_name(rule) << ", " << to_string(executor));
      CHECK(with.to_vector<float>() == without.to_vector<float>());
    }
  }
}

TEST_CASE("Weights that run away show as NaN or Inf, never as zeros") {
  const Normalization normalization =
      GENERATE(Normalization::none, Normalization::l2, Normalization::max_norm);
  const double start = GENERATE(1e5, 1e20);  // the second overflows in |w|^2 alone
  if (normalization != Normalization::none && start == 1e5) return;
  for (const PlasticityRule& rule : {PlasticityRule(HebbRule{.learning_rate = 1e3}),
                                     PlasticityRule(BcmRule{.learning_rate = 1e3}),
                                     PlasticityRule(OjaRule{.learning_rate = 1e3}),
                                     PlasticityRule(SangerRule{.learning_rate = 1e3}),
                                     PlasticityRule(OjaSubspaceRule{.learning_rate = 1e3})}) {
    for (const Executor executor : kExecutors) {
      const PlasticCase c{.dtype = DType::float32};
      const Array weights = multiply(initial_weights_of(c), start);
      const Array answers =
          learn({.rule = rule, .control = {.normalization = normalization}, .executor = executor},
                weights, initial_memory_of(c), samples_of(c));
      INFO(rule_name(rule) << ", " << to_string(executor) << ", " << to_string(normalization)
                           << ", from " << start);
      for (const double length : lengths(weights)) CHECK_FALSE(std::isfinite(length));
      CHECK(first_not_finite(answers) >= 0);
    }
  }
}

TEST_CASE("A length that overflows within a chunk shows as NaN at the next tick") {
  // |w|^2 is infinite, and so is what the step takes from it.
  for (const Normalization normalization : {Normalization::l2, Normalization::max_norm}) {
    for (const std::int64_t streams : {1, 2}) {
      for (const Executor executor : kExecutors) {
        const Array answers = learn({.rule = BcmRule{.learning_rate = 1e-20},
                                     .control = {.normalization = normalization},
                                     .executor = executor},
                                    full({1, 1}, 1e20), full({1}, 1.1e20), ones({streams, 9, 1}));
        INFO(to_string(executor) << ", " << to_string(normalization) << ", " << streams
                                 << " streams");
        const std::vector<double> y = answers.to_vector<double>();
        CHECK(std::isfinite(y[0]));
        for (std::size_t t = 1; t < 9; ++t) CHECK(std::isnan(y[t]));
      }
    }
  }
}

TEST_CASE("A sample with NaN leaves NaN in the weights") {
  for (const PlasticityRule& rule : lively_rules()) {
    for (const Executor executor : kExecutors) {
      for (const WeightControl& control : all_controls()) {
        const PlasticCase c{.ticks = 50};
        const Array weights = initial_weights_of(c);
        const Array samples = samples_of(c);
        samples.slice(1, 20, 21).slice(2, 1, 2).fill(std::nan(""));
        const Array answers = learn({.rule = rule, .control = control, .executor = executor},
                                    weights, initial_memory_of(c), samples);
        INFO(rule_name(rule) << ", " << to_string(executor));
        CHECK(std::isnan(weights.item({0, 1})));
        CHECK(first_not_finite(answers.slice(1, 0, 20)) == -1);
        CHECK(first_not_finite(answers.slice(1, 21, {})) == 0);
      }
    }
  }
}

TEST_CASE("Under l2 float32 weights are of length one to 2e-6 after 10^5 ticks") {
  const std::int64_t chunk = GENERATE(1, 32, 1000);
  for (const PlasticityRule& rule : lively_rules()) {
    for (const Executor executor : kExecutors) {
      if (executor == Executor::stepwise && chunk != 1) continue;
      const PlasticCase c{.ticks = 100'000, .dtype = DType::float32};
      const Array weights = initial_weights_of(c);
      learn({.rule = rule,
             .control = {.normalization = Normalization::l2},
             .executor = executor,
             .chunk = chunk},
            weights, initial_memory_of(c), samples_of(c));
      INFO(rule_name(rule) << ", " << to_string(executor) << ", chunk " << chunk);
      for (const double length : lengths(weights)) CHECK(std::abs(length - 1.0) <= 2e-6);
    }
  }
}
