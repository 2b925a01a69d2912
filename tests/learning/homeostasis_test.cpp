// SPDX-License-Identifier: MIT
/// \file
/// Homeostasis where answers are far from their target, by every executor of every device: both
/// executors may be wrong alike, so each weight is held to the definition in long double.
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/forced_form.h"
#include "plastic_case.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Calls test(executor) on the CPU, and on an emulated GPU with each form of kernels.
template <class Test>
void by_each_executor(const Test& test) {
  for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
    INFO("CPU, " << to_string(executor));
    test(executor);
  }
  using cuda::emulated::PlasticForm;
  const OnEmulatedDevice emulated;
  for (const PlasticForm form :
       {PlasticForm::stationary, PlasticForm::phases, PlasticForm::products}) {
    INFO("emulated GPU, form " << static_cast<int>(form));
    const ForcedForm forced(form);
    test(Executor::chunkwise);
  }
}

/// A layer that homeostasis alone changes.
Plasticity only_homeostasis(const PlasticityRule& rule, Normalization normalization,
                            Executor executor, double target = 0.5) {
  return {.rule = rule,
          .control = {.homeostasis = Homeostasis{.target = target, .strength = 1.0},
                      .normalization = normalization,
                      .bound = 1e9},
          .executor = executor};
}

/// Weights of neurons with one input, after ticks at which all streams have these samples.
std::vector<double> weights_after(const Plasticity& plasticity, const std::vector<double>& weights,
                                  const std::vector<double>& samples, std::int64_t streams,
                                  DType dtype) {
  const auto neurons = static_cast<std::int64_t>(weights.size());
  const auto ticks = static_cast<std::int64_t>(samples.size());
  const Array w = from_values(weights, {neurons, 1}).astype(dtype);
  std::vector<double> of_all;
  for (std::int64_t b = 0; b < streams; ++b) {
    of_all.insert(of_all.end(), samples.begin(), samples.end());
  }
  learn(plasticity, w, zeros({neurons}, dtype),
        from_values(of_all, {streams, ticks, 1}).astype(dtype));
  return w.to_vector<double>();
}

/// The largest relative error of a weight after that.
double worst_error(const Plasticity& plasticity, const std::vector<double>& weights,
                   const std::vector<double>& samples, std::int64_t streams, DType dtype) {
  const std::vector<double> found = weights_after(plasticity, weights, samples, streams, dtype);
  const GPUContext cpu(Device::cpu());
  const auto neurons = static_cast<std::int64_t>(weights.size());
  PlasticityReference reference(plasticity, from_values(weights, {neurons, 1}),
                                zeros({neurons}, DType::float64));
  for (const double x : samples) reference.tick({{x}});
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(found[i] / reference.weights[i] - 1)));
  }
  return worst;
}

const std::vector<PlasticityRule> kStill = {HebbRule{.learning_rate = 0.0},
                                            SangerRule{.learning_rate = 0.0}};

}  // namespace

TEST_CASE("The factor of homeostasis keeps its digits however far answers are above the target") {
  // 1 + (exp(x) - 1) has lost all of float32 by x = -17, and of float64 by -37.
  const bool is_single = GENERATE(true, false);
  const DType dtype = is_single ? DType::float32 : DType::float64;
  for (const Normalization normalization : {Normalization::none, Normalization::max_norm}) {
    // With the sample 1 a neuron answers its weight.
    std::vector<double> weights = {0.25, 2, 7.5, 12, 17, 25, 36};
    if (!is_single) weights.insert(weights.end(), {37.5, 100, 330});
    if (normalization == Normalization::none) {
      weights.insert(weights.end(), {45, is_single ? 70.0 : 600.0});
    }
    for (const PlasticityRule& rule : kStill) {
      for (const std::int64_t streams : {1, 2}) {
        by_each_executor([&](Executor executor) {
          INFO(rule_name(rule) << ", " << to_string(normalization) << ", " << streams
                               << " streams, " << to_string(dtype));
          const Plasticity plasticity = only_homeostasis(rule, normalization, executor);
          CHECK(worst_error(plasticity, weights, {1, 0, 0}, streams, dtype) <=
                (is_single ? 1e-6 : 1e-14));
        });
      }
    }
  }
}

TEST_CASE("No tick of homeostasis makes weights vanish") {
  const bool is_single = GENERATE(true, false);
  const DType dtype = is_single ? DType::float32 : DType::float64;
  const std::vector<double> weights = {700, 1e4, 1e8};  // exp(-700) is 0 in float32
  for (const Normalization normalization : {Normalization::none, Normalization::max_norm}) {
    const double power = is_single ? -103 : -970;
    const double least = std::exp2(normalization == Normalization::none ? power : power / 2);
    for (const PlasticityRule& rule : kStill) {
      for (const std::int64_t streams : {1, 2}) {
        by_each_executor([&](Executor executor) {
          INFO(rule_name(rule) << ", " << to_string(normalization) << ", " << streams
                               << " streams, " << to_string(dtype));
          const std::vector<double> found = weights_after(
              only_homeostasis(rule, normalization, executor), weights, {1}, streams, dtype);
          for (std::size_t i = 0; i < weights.size(); ++i) {
            CHECK(std::abs(found[i] / (weights[i] * least) - 1) <= 2e-5);
          }
        });
      }
    }
  }
}

TEST_CASE("Neurons that answer far above their target live on") {
  const Array samples = multiply(
      abs(random_normal({1, 500, 50}, 0.0, 1.0, DType::float32, RandomStream::named(1, "samples"))),
      50.0);
  const Array start =
      abs(random_normal({20, 50}, 0.0, 0.14, DType::float32, RandomStream::named(1, "weights")));
  for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
    const Array weights = start.copy();
    learn({.rule = HebbRule{.learning_rate = 1e-4},
           .control = {.homeostasis = Homeostasis{}},
           .activation = Activation::relu,
           .executor = executor},
          weights, zeros({20}), samples);
    INFO(to_string(executor));
    for (const double length : norm(weights, {1}).to_vector<double>()) CHECK(length > 0);
  }
}

TEST_CASE("Weights that homeostasis takes far away and back within a chunk keep their digits") {
  // Two factors whose product is 0.9: what is missing to one cannot be summed on the way.
  for (const double k : {5.0, 7.0, 9.0}) {
    for (const double sign : {1.0, -1.0}) {
      const auto back = static_cast<float>(-(sign * k + std::log(0.9)) * std::exp(sign * k));
      for (const std::int64_t streams : {1, 2}) {
        by_each_executor([&](Executor executor) {
          INFO("by exp(" << -sign * k << "), " << streams << " streams");
          const Plasticity plasticity =
              only_homeostasis(kStill[0], Normalization::none, executor, 0.0);
          CHECK(worst_error(plasticity, {1}, {sign * k, back}, streams, DType::float32) <= 4e-6);
        });
      }
    }
  }
}
