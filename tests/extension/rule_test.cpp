// SPDX-License-Identifier: MIT
/// \file
/// Rules that a program brings along: layers under them against plain loops.
#include <limits>
#include <string>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/layers/network/plastic.h"
#include "../../src/learning/plasticity.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "rules.h"

namespace gaia::test {
namespace {

constexpr std::int64_t kOutputs = 21;  // more than a vector, and no multiple of one
constexpr std::int64_t kInputs = 30;
constexpr std::int64_t kTicks = 150;

struct Left {
  Reals answers;
  Reals weights;
  Reals memory;
};

Reals reals(const Array& x) {
  const std::vector<double> values = x.to_vector<double>();
  return {values.begin(), values.end()};
}

Array start_of(const std::vector<RuleMemory>& memories, DType dtype) {
  const Array memory = zeros({std::ssize(memories), kOutputs}, dtype);
  for (std::int64_t m = 0; m < memory.shape(0); ++m) {
    memory.slice(0, m, m + 1).fill(memories[static_cast<std::size_t>(m)].initial);
  }
  return memory;
}

struct Given {
  Array x;        ///< [streams, ticks, inputs]
  Array weights;  ///< [outputs, inputs]
};

Given given(std::int64_t streams, DType dtype) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(kInputs));
  return {random_normal({streams, kTicks, kInputs}, 0.1, 2 * scale, DType::float64,
                        RandomStream::named(5, "samples"))
              .astype(dtype),
          random_normal({kOutputs, kInputs}, 0.0, 2 * scale, DType::float64,
                        RandomStream::named(5, "weights"))
              .astype(dtype)};
}

template <class R>
Left by_hand(const R& rule, const Given& of) {
  const auto streams = static_cast<std::size_t>(of.x.shape(0));
  LayerByHand layer{kOutputs, kInputs, reals(of.weights),
                    reals(start_of(memories_of(custom_rule(rule)), DType::float64))};
  const Reals x = reals(of.x);
  Reals answers(streams * kTicks * kOutputs);
  for (std::size_t t = 0; t < kTicks; ++t) {
    Reals now;
    for (std::size_t b = 0; b < streams; ++b) {
      const auto at = x.begin() + static_cast<std::ptrdiff_t>((b * kTicks + t) * kInputs);
      now.insert(now.end(), at, at + kInputs);
    }
    const Reals y = layer.tick(rule, now, streams);
    for (std::size_t k = 0; k < y.size(); ++k) {
      answers[(k / kOutputs * kTicks + t) * kOutputs + k % kOutputs] = y[k];
    }
  }
  return {answers, layer.weights, layer.memory};
}

Left by_gaia(const Plasticity& plasticity, const Given& of) {
  const Array weights = of.weights.copy();
  const Array memory = start_of(memories_of(plasticity.rule), weights.dtype());
  const Array answers = learn(plasticity, weights, memory, of.x);
  return {reals(answers), reals(weights), reals(memory)};
}

/// Largest difference relative to the largest number.
double apart(const Reals& a, const Reals& b) {
  REQUIRE(a.size() == b.size());
  Real difference = 0;
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return static_cast<double>(difference / largest);
}
double apart(const Left& a, const Left& b) {
  return std::max(
      {apart(a.answers, b.answers), apart(a.weights, b.weights), apart(a.memory, b.memory)});
}

template <class R>
void check_against_loops(const R& rule) {
  for (const DType dtype : {DType::float64, DType::float32}) {
    for (const std::int64_t streams : {1, 3}) {
      const Given of = given(streams, dtype);
      const Left expected = by_hand(rule, of);
      REQUIRE(apart(expected.weights, reals(of.weights)) > 0.05);  // it has learnt something
      for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
        for (const std::int64_t chunk : {1, 7, 32}) {
          const Plasticity plasticity{.rule = custom_rule(rule),
                                      .activation = Activation::tanh,
                                      .executor = executor,
                                      .chunk = chunk};
          INFO(to_string(dtype) << ", " << streams << " streams, " << to_string(executor)
                                << ", chunks of " << chunk);
          const Threads one(1);
          const Left found = by_gaia(plasticity, of);
          CHECK(apart(found, expected) <= (dtype == DType::float64 ? 1e-12 : 2e-5));
          const Threads two(2);
          const Left again = by_gaia(plasticity, of);
          CHECK(again.answers == found.answers);
          CHECK(again.weights == found.weights);
          CHECK(again.memory == found.memory);
        }
      }
    }
  }
}

/// BCM as code from outside.
struct OtherBcm : BcmRule {
  static constexpr const char* name = "other_bcm";
};

}  // namespace

TEST_CASE("a rule of single neurons from outside learns what a plain loop learns") {
  check_against_loops(HabituatingRule{.learning_rate = 0.03, .decay = 0.002, .recovery = 8.0});
}

TEST_CASE("a rule that sees the whole layer learns what a plain loop learns") {
  check_against_loops(SharingRule{.learning_rate = 0.3, .decay = 0.001, .span = 7});
}

TEST_CASE("a built-in rule as code from outside gives the same, with all that follows a rule") {
  const BcmRule bcm{.learning_rate = 0.02, .decay = 0.001, .tau = 10.0, .theta = 0.5};
  for (const std::int64_t streams : {1, 4}) {
    const Given of = given(streams, DType::float64);
    for (const Normalization normalization :
         {Normalization::none, Normalization::l2, Normalization::max_norm}) {
      for (const bool homeostatic : {false, true}) {
        Plasticity plasticity{.rule = bcm, .activation = Activation::softmax};
        plasticity.control = {.normalization = normalization, .bound = 0.8};
        if (homeostatic) plasticity.control.homeostasis = Homeostasis{0.3, 0.01};
        for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
          INFO(streams << " streams, " << to_string(normalization) << ", " << homeostatic << ", "
                       << to_string(executor));
          plasticity.executor = executor;
          plasticity.rule = bcm;
          const Left expected = by_gaia(plasticity, of);
          plasticity.rule = custom_rule(OtherBcm{bcm});
          CHECK(apart(by_gaia(plasticity, of), expected) <= 1e-13);
        }
      }
    }
  }
}

TEST_CASE("parameters of a rule from outside are checked by the ranges of its keys") {
  const auto complaint = [](const auto& rule) {
    return complaint_of<ArgumentError>([&] { check(Plasticity{.rule = custom_rule(rule)}); });
  };
  CHECK(complaint(HabituatingRule{}) == "");
  CHECK(complaint(HabituatingRule{.learning_rate = -1}) ==
        "[plasticity] learning_rate must be >= 0, got -1.0");
  CHECK(complaint(HabituatingRule{.recovery = 0.5}) ==
        "[plasticity] recovery must be >= 1, got 0.5");
  CHECK(complaint(HabituatingRule{.habit = -2}) == "[plasticity] habit must be > -2, got -2.0");
  CHECK(complaint(HabituatingRule{.habit = 2.5}) == "[plasticity] habit must be <= 2, got 2.5");
  CHECK(complaint(SharingRule{.span = 1}) == "[plasticity] span must be >= 2, got 1");
  CHECK(complaint(SharingRule{.span = 1001}) == "[plasticity] span must be <= 1000, got 1001");
}

TEST_CASE("a copy of a rule from outside is changed alone") {
  CustomRule first = std::get<CustomRule>(std::get<Rule>(custom_rule(HabituatingRule{})));
  const CustomRule second = first;
  first.own().learning_rate() = 0.5;
  CHECK(first->learning_rate() == 0.5);
  CHECK(second->learning_rate() == 0.01);
}

TEST_CASE("a rule from outside does not run where its code is not") {
  const FakeDevice fake;
  const GPUContext scope(fake.device());
  CHECK_THROWS_WITH_TEXT(
      learn({.rule = custom_rule(HabituatingRule{})}, ones({2, 3}), zeros({1, 2}), ones({1, 4, 3})),
      DeviceError, "rule 'habituating' is a program's own and runs on the CPU alone");
  // The way out is a rule that every device can read.
  CHECK_THROWS_WITH_TEXT(
      HebbianLayer(3, 2, {.rule = custom_rule(SharingRule{})}).process(ones({1, 4, 3}), true),
      DeviceError, "take device cpu, or write the rule as its equations (EquationRule");
}

TEST_CASE("in a network the memories of a rule are buffers, and go on as those of a layer") {
  const HebbianOptions options{.rule = custom_rule(SharingRule{.learning_rate = 0.3}),
                               .activation = Activation::tanh,
                               .dtype = DType::float64,
                               .random = RandomStream::named(1, "network")};
  PlasticModule module(kInputs, kOutputs, options);
  HebbianLayer layer(kInputs, kOutputs, options);
  const Given of = given(2, DType::float64);
  const Array expected = layer.process(of.x, true);
  CHECK(all_close(module(Tensor(of.x)).value(), expected, 0.0, 0.0));
  const ArrayMap state = module.state();
  REQUIRE(state.size() == 3);
  for (const NamedArray& array : layer.arrays()) {
    INFO(array.name);
    CHECK(all_close(state.at(array.name), array.value, 0.0, 0.0));
  }
  CHECK(apart(reals(state.at("taken")), reals(full({kOutputs}, 0.5, DType::float64))) > 0.1);
}

TEST_CASE("memory must have a row for each memory of the rule") {
  const Array x = ones({1, 4, 3});
  CHECK_THROWS_WITH_TEXT(learn({.rule = custom_rule(SharingRule{})}, ones({2, 3}), zeros({2}), x),
                         ShapeError, "memory must have shape [2, 2], got [2]");
  CHECK_THROWS_WITH_TEXT(learn({.rule = BcmRule{}}, ones({2, 3}), zeros({2, 2}), x), ShapeError,
                         "memory must have shape [1, 2], got [2, 2]");
}

}  // namespace gaia::test
