// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers side by side on the CUDA backend: one launch, and the bits of each alone.
#include "../../cuda/plastic_form.h"
#include "../../src/array/joining.h"
#include "../emulator/schedules.h"
#include "../learning/plastic_case.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"

namespace gaia::test {
namespace {

/// Layers of one shape whose rates, bounds and weights differ.
std::vector<Learner> learners(const Plasticity& like, std::int64_t count, std::int64_t outputs,
                              std::int64_t inputs, DType dtype) {
  std::vector<Learner> made;
  for (std::int64_t i = 0; i < count; ++i) {
    const PlasticCase c{.plasticity = like,
                        .outputs = outputs,
                        .inputs = inputs,
                        .dtype = dtype,
                        .seed = static_cast<std::uint64_t>(i)};
    Learner learner{like, initial_weights_of(c), initial_memory_of(c)};
    const double more = 1.0 + 0.1 * static_cast<double>(i);
    learning_rate_of(learner.plasticity.rule) *= more;
    learner.plasticity.control.bound *= more;
    if (auto& homeostasis = learner.plasticity.control.homeostasis) homeostasis->strength *= more;
    made.push_back(std::move(learner));
  }
  return made;
}

std::vector<double> numbers(const Array& x) { return x.to_vector<double>(); }

/// Everything that layers leave, and `answers`.
std::vector<std::vector<double>> left(const std::vector<Learner>& layers, const Array& answers) {
  std::vector<std::vector<double>> all = {numbers(answers)};
  for (const Learner& layer : layers) {
    all.push_back(numbers(layer.weights));
    all.push_back(numbers(layer.memory));
  }
  return all;
}

/// Layers side by side against each alone, bit for bit.  samples [layers x streams, ticks, inputs].
void check_like_alone(const Plasticity& like, std::int64_t count, std::int64_t outputs,
                      const Array& samples) {
  const auto make = [&] {
    return learners(like, count, outputs, samples.shape(2), samples.dtype());
  };
  const std::vector<Learner> together = make();
  const Array answers = learn_together(together, samples);
  const std::vector<Learner> alone = make();
  const std::int64_t streams = samples.shape(0) / count;
  std::vector<Array> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const Learner& one = alone[static_cast<std::size_t>(i)];
    parts.push_back(learn(one.plasticity, one.weights, one.memory,
                          samples.slice(0, i * streams, (i + 1) * streams)));
  }
  INFO(rule_name(like.rule) << ", " << count << " layers, samples " << to_string(samples.shape())
                            << ", " << to_string(samples.dtype()));
  CHECK(left(together, answers) == left(alone, concatenate(parts, 0)));
}

Array some_samples(std::int64_t streams, std::int64_t ticks, std::int64_t inputs, DType dtype) {
  return series(streams * ticks, inputs, 5).astype(dtype).reshape({streams, ticks, inputs});
}

}  // namespace

TEST_CASE("Layers side by side learn the bits that each learns alone") {
  const OnEmulatedDevice emulated;
  std::uint64_t seed = 0;
  for (const auto form :
       {cuda::emulated::PlasticForm::stationary, cuda::emulated::PlasticForm::products}) {
    cuda::emulated::forced_plastic_form() = form;
    for (const PlasticityRule& rule : lively_rules()) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        const Plasticity like{.rule = rule,
                              .control = all_controls()[++seed % 8],
                              .activation = kActivations[seed % kActivations.size()]};
        const std::int64_t streams = seed % 3 == 0 ? 2 : 1;
        const std::int64_t inputs = seed % 2 == 0 ? 12 : 9;
        check_like_alone(like, 3, 9, some_samples(3 * streams, 40, inputs, dtype));
        // The same samples for all.
        const Array shared = some_samples(1, 40, inputs, dtype).broadcast_to({3, 40, inputs});
        if (dtype == DType::float32) check_like_alone(like, 3, 5, shared);
      }
    }
    cuda::emulated::forced_plastic_form().reset();
  }
}

TEST_CASE("More layers than the parameters of a kernel hold take one launch for their numbers") {
  const OnEmulatedDevice emulated;
  const Array samples = some_samples(100, 7, 6, DType::float32);
  const Plasticity like{.rule = BcmRule{}};
  check_like_alone(like, 100, 3, samples);
  const std::vector<Learner> layers = learners(like, 100, 3, 6, DType::float32);
  const std::int64_t before = emulator::launches();
  learn_together(layers, samples);
  const std::int64_t hundred = emulator::launches() - before;
  CHECK(hundred < 10);  // a few write down where the layers lie, and one learns
}

TEST_CASE("Layers side by side whose samples lie unevenly go through products too") {
  const OnEmulatedDevice emulated;
  cuda::emulated::forced_plastic_form() = cuda::emulated::PlasticForm::products;
  const Plasticity like{.rule = OjaRule{}};
  const auto layers = learners(like, 3, 4, 6, DType::float64);
  const auto alone = learners(like, 3, 4, 6, DType::float64);
  const Array all = some_samples(6, 40, 6, DType::float64);
  std::vector<PlasticRun> runs;
  std::vector<Array> answers;
  for (const std::int64_t at : {0, 1, 5}) {
    const Learner& layer = layers[answers.size()];
    answers.push_back(Array::uninitialized({1, 40, 4}, DType::float64));
    runs.push_back({{.control = {},
                     .samples = all.slice(0, at, at + 1).view(),
                     .weights = layer.weights.view(),
                     .outputs = answers.back().view()},
                    std::get<Rule>(layer.plasticity.rule),
                    layer.memory.view()});
  }
  backend(current_device()).plastic(runs);
  for (const std::int64_t i : {0, 1, 2}) {
    const Learner& one = alone[static_cast<std::size_t>(i)];
    const std::int64_t at = i == 2 ? 5 : i;
    const Array expected = learn(one.plasticity, one.weights, one.memory, all.slice(0, at, at + 1));
    CHECK(numbers(answers[static_cast<std::size_t>(i)]) == numbers(expected));
    CHECK(numbers(layers[static_cast<std::size_t>(i)].weights) == numbers(one.weights));
  }
  cuda::emulated::forced_plastic_form().reset();
}

TEST_CASE("The order in which threads run changes no bit of what replicas learn") {
  const Plasticity like{.rule = BcmRule{.learning_rate = 0.02, .tau = 10.0},
                        .control = {.normalization = Normalization::max_norm, .bound = 0.8},
                        .activation = Activation::tanh};
  const auto run = [&] {
    const OnEmulatedDevice emulated;
    const auto layers = learners(like, 3, 19, 37, DType::float32);
    const Array answers = learn_together(layers, some_samples(6, 20, 37, DType::float32));
    return left(layers, answers);
  };
  const auto first = run();
  for_each_schedule([&](const char* schedule) {
    INFO(schedule);
    CHECK(run() == first);
  });
}

}  // namespace gaia::test
