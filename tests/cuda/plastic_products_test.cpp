// SPDX-License-Identifier: MIT
/// \file
/// The chunkwise executor of the CUDA backend: when it takes matrix products, and that it learns by
/// them what the definition says.
#include "../emulator/schedules.h"
#include "../learning/plastic_case.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/forced_form.h"

namespace gaia::test {
namespace {

using cuda::emulated::natural_plastic_form;
using cuda::emulated::PlasticForm;
using cuda::emulated::PlasticSizes;

double tolerance(DType dtype) { return dtype == DType::float64 ? 1e-11 : 1e-4; }

/// Through products, and not stepwise.
Outcome run_products(const PlasticCase& c, std::int64_t chunk = 32) {
  const ForcedForm products(PlasticForm::products);
  const OnEmulatedDevice emulated;
  return run_executor(c, Executor::chunkwise, chunk);
}

void check_against_reference(const PlasticCase& c, std::int64_t chunk = 32) {
  INFO(c << ", chunk " << chunk);
  CHECK(distance(run_products(c, chunk), run_reference(c)) <= tolerance(c.dtype));
}

/// The rules that products can be taken for.
std::vector<PlasticityRule> single_rules() {
  std::vector<PlasticityRule> rules = lively_rules();
  std::erase_if(rules, [](const PlasticityRule& rule) { return rule.index() != 0; });
  return rules;
}

PlasticSizes sizes(std::int64_t replicas, std::int64_t neurons, std::int64_t inputs) {
  PlasticSizes made;
  made.replicas = replicas;
  made.neurons = neurons;
  made.inputs = inputs;
  made.ticks = 512;
  made.processors = 132;
  return made;
}

}  // namespace

TEST_CASE("A plastic layer takes the kernels that suit its size") {
  const auto form = [](const PlasticSizes& s) { return natural_plastic_form(s); };
  CHECK(form(sizes(1, 200, 100)) == PlasticForm::stationary);
  CHECK(form(sizes(1, 4096, 1024)) == PlasticForm::stationary);  // 17 MB
  CHECK(form(sizes(1, 8192, 1024)) == PlasticForm::products);    // 34 MB
  CHECK(form(sizes(64, 800, 400)) == PlasticForm::stationary);   // 51 200 neurons
  CHECK(form(sizes(128, 800, 400)) == PlasticForm::products);    // 102 400
  CHECK(form(sizes(128, 800, 255)) == PlasticForm::stationary);
  CHECK(form(sizes(128, 800, 256)) == PlasticForm::products);
  CHECK(form(sizes(1, 10, 2048)) == PlasticForm::stationary);
  CHECK(form(sizes(1, 10, 2049)) == PlasticForm::products);
  PlasticSizes half = sizes(64, 800, 400);
  half.processors = 66;
  CHECK(form(half) == PlasticForm::products);

  PlasticSizes other = sizes(1, 10, 2049);
  other.executor = Executor::stepwise;
  CHECK(form(other) == PlasticForm::phases);
  other = sizes(1, 10, 2049);
  other.activation = Activation::softmax;
  CHECK(form(other) == PlasticForm::phases);
  other = sizes(1, 10, 2049);
  other.ticks = 1;  // a product of one row pays nowhere
  CHECK(form(other) == PlasticForm::phases);
  other = sizes(1, 10, 1025);
  CHECK(form(other) == PlasticForm::stationary);
  other.dtype = DType::float64;
  CHECK(form(other) == PlasticForm::products);
  other = sizes(1, 8192, 1024);
  other.streams = 33;  // no chunk holds a tick
  CHECK(form(other) == PlasticForm::stationary);
}

TEST_CASE("A form that cannot be taken is not forced") {
  const ForcedForm products(PlasticForm::products);
  PlasticSizes softmax = sizes(1, 200, 100);
  softmax.activation = Activation::softmax;
  CHECK(cuda::emulated::plastic_form(softmax) == PlasticForm::phases);
  CHECK(cuda::emulated::plastic_form(sizes(1, 200, 100)) == PlasticForm::products);
  const ForcedForm stationary(PlasticForm::stationary);
  CHECK(cuda::emulated::plastic_form(sizes(1, 10, 2049)) == PlasticForm::phases);
  CHECK(cuda::emulated::plastic_form(sizes(1, 8192, 1024)) == PlasticForm::stationary);
}

TEST_CASE("Products follow the definition for every rule, control and activation") {
  std::uint64_t seed = 90'000;
  constexpr SampleLayout layouts[] = {SampleLayout::contiguous, SampleLayout::every_other_tick,
                                      SampleLayout::overlapping_windows};
  for (const PlasticityRule& rule : single_rules()) {
    for (const WeightControl& control : all_controls()) {
      for (const DType dtype : {DType::float64, DType::float32}) {
        ++seed;
        constexpr std::int64_t sizes[] = {1, 5, 33, 70};
        constexpr std::int64_t chunks[] = {1, 2, 7, 9, 24, 32, 1000};
        constexpr std::int64_t streams[] = {1, 1, 2, 3, 5, 32};
        const std::int64_t batch = streams[seed / 2 % 6];
        check_against_reference(
            {.plasticity = {.rule = rule,
                            .control = control,
                            .activation = kActivations[seed % kActivations.size()]},
             .outputs = seed % 5 == 0 ? 67 : 9,
             .inputs = sizes[seed % 4],
             .streams = batch,
             .ticks = batch > 4 ? 15 : 75,
             .dtype = dtype,
             .layout = layouts[seed % 3],
             .seed = seed},
            chunks[seed / 3 % 7]);
      }
    }
  }
}

TEST_CASE("Overlaps of many chunks are made a part at a time") {
  for (const std::int64_t ticks : {64 * 4, 64 * 4 + 1, 130 * 4 - 1}) {
    check_against_reference({.plasticity = {.rule = OjaRule{.learning_rate = 0.01},
                                            .control = {.normalization = Normalization::l2}},
                             .ticks = ticks},
                            4);
  }
}

TEST_CASE("Through products weights that a rule shortens stay of length one") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::int64_t inputs : {1, 4}) {
      for (const DType dtype : {DType::float64, DType::float32}) {
        check_against_reference({.plasticity = {.rule = BcmRule{.learning_rate = 0.05, .tau = 20.0},
                                                .control = {.normalization = Normalization::l2}},
                                 .inputs = inputs,
                                 .streams = seed % 3 == 0 ? 2 : 1,
                                 .ticks = 300,
                                 .dtype = dtype,
                                 .seed = seed});
      }
    }
  }
}

TEST_CASE(
    "Through products steps that normalisation shrinks ten thousandfold keep their precision") {
  for (const Normalization normalization : {Normalization::l2, Normalization::max_norm}) {
    for (const double rate : {30.0, 1e3, 1e5}) {
      const PlasticCase c{.plasticity = {.rule = BcmRule{.learning_rate = rate, .tau = 10.0},
                                         .control = {.normalization = normalization}},
                          .outputs = 6,
                          .streams = rate > 100 ? 1 : 3,
                          .dtype = DType::float32};
      INFO(c);
      CHECK(distance(run_products(c), run_reference(c)) <= 3e-4);
    }
  }
}

TEST_CASE("Through products a bound takes back what homeostasis threw far") {
  const WeightControl control{.homeostasis = Homeostasis{.target = 0.5, .strength = 3},
                              .normalization = Normalization::max_norm};
  for (const PlasticityRule& rule : single_rules()) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      const PlasticCase c{.plasticity = {.rule = rule, .control = control},
                          .outputs = 19,
                          .inputs = 11,
                          .ticks = 200,
                          .dtype = dtype};
      INFO(c);
      CHECK(distance(run_products(c), run_reference(c)) <=
            (dtype == DType::float32 ? 3e-4 : 1e-10));
    }
  }
}

TEST_CASE("Losses of one, and beyond, go through products") {
  check_against_reference({.plasticity = {.rule = HebbRule{.learning_rate = 0.5, .decay = 1.0}}});
  for (const std::int64_t streams : {1, 3}) {
    // Oja's loss is rate y^2: here often above one.
    const PlasticCase c{.plasticity = {.rule = OjaRule{.learning_rate = 2.5, .decay = 0.2},
                                       .control = {.normalization = Normalization::l2}},
                        .streams = streams,
                        .ticks = 60};
    INFO(c);
    CHECK(distance(run_products(c), run_reference(c)) <= 1e-10);
  }
}

TEST_CASE("A sample with NaN changes no answer before it") {
  PlasticCase c{.plasticity = {.rule = OjaRule{}}, .ticks = 40};
  const ForcedForm products(PlasticForm::products);
  const OnEmulatedDevice emulated;
  const Array samples = samples_of(c).copy();
  samples.slice(1, 20, 21).fill(std::numeric_limits<double>::quiet_NaN());
  const Array weights = initial_weights_of(c);
  const Array answers = learn(c.plasticity, weights, initial_memory_of(c), samples);
  CHECK(first_not_finite(answers) == 20 * c.outputs);
  CHECK(first_not_finite(weights) == 0);
}

TEST_CASE("Over ten thousand steps products in float32 are as exact as they can be") {
  // Relative to the largest number.  The stepwise executor comes to 2e-5 here.
  const double decay = 1.0 / 1024;
  const std::tuple<PlasticityRule, double, double> all[] = {
      {HebbRule{.learning_rate = 1e-3, .decay = decay}, 2e-6, 1e-6},
      {OjaRule{.learning_rate = 1e-3}, 1e-6, 3e-6},
      {BcmRule{.learning_rate = 1e-3, .decay = decay}, 2e-5, 5e-6}};
  for (const auto& [rule, of_weights, of_answers] : all) {
    PlasticCase c{.plasticity = {.rule = rule, .activation = Activation::tanh},
                  .outputs = 5,
                  .inputs = 100,
                  .ticks = 10'000,
                  .dtype = DType::float32};
    const Outcome found = run_products(c);
    const Outcome exact = run_reference(c);
    INFO(c);
    CHECK(distance(found.weights, exact.weights, exact.initial_scale) <= of_weights);
    CHECK(distance(found.answers, exact.answers) <= of_answers);
  }
}

TEST_CASE("The order in which threads run changes no bit of what is learnt through products") {
  std::uint64_t seed = 95'000;
  for (const PlasticityRule& rule : single_rules()) {
    for (const std::int64_t streams : {1, 3}) {
      ++seed;
      const PlasticCase c{.plasticity = {.rule = rule,
                                         .control = all_controls()[seed % 8],
                                         .activation = Activation::tanh},
                          .outputs = 70,
                          .inputs = 19,
                          .streams = streams,
                          .ticks = 50,
                          .dtype = DType::float32,
                          .seed = seed};
      const Outcome first = run_products(c);
      for_each_schedule([&](const char* schedule) {
        INFO(c << ", " << schedule);
        const Outcome now = run_products(c);
        CHECK(now.answers == first.answers);
        CHECK(now.weights == first.weights);
        CHECK(now.memory == first.memory);
      });
    }
  }
}

}  // namespace gaia::test
