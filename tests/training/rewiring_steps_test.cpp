// SPDX-License-Identifier: MIT
#include "../../src/training/rewiring_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/layers/network/sequential.h"
#include "../../src/training/fit.h"
#include "../support/complaint.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kIn = 6;
constexpr std::int64_t kOut = 4;
const RandomStream kStream{17, 3};
const Loss kMseOfMask = loss_from_name("mse");

RewireOptions every_second(RewireOptions::By by) {
  return {.density = 0.4, .every = 2, .by = by, .share = 0.3, .until = 40};
}

DenseOptions of_masks() { return {.bias = false, .dtype = DType::float64, .random = kStream}; }

}  // namespace

TEST_CASE("a rewired layer under Adam is what loops over single weights make of it") {
  const auto by = GENERATE(RewireOptions::By::random, RewireOptions::By::products);
  on_each_device([&] {
    const Array x = random_normal({8, kIn}, 0.0, 1.0, DType::float64, {5, 1});
    const Array y = random_normal({8, kOut}, 0.0, 1.0, DType::float64, {5, 2});
    const RewireOptions options = every_second(by);
    NeuralNetwork net;
    net.add<RewiredDense>(kIn, kOut, options, of_masks());
    const auto& layer = dynamic_cast<const RewiredDense&>(net[0]);
    std::vector<double> w = layer.weights().value().to_vector<double>();
    std::vector<double> mask = layer.mask().to_vector<double>();
    const AdamRule rule{.learning_rate = 0.05};
    Optimiser optimiser(net.parameters(), rule);
    fit(net, DataLoader(x, y, {.batch_size = 8}), kMseOfMask, optimiser, {.epochs = 12});

    const auto there = static_cast<std::int64_t>(std::llround(0.4 * kIn * kOut));
    REQUIRE(std::count(mask.begin(), mask.end(), 1.0) == there);
    const std::vector<double> xs = x.to_vector<double>();
    const std::vector<double> ys = y.to_vector<double>();
    const RandomStream masks =
        RandomStream::named(kStream.seed, "synapses/" + std::to_string(kStream.stream));
    std::vector<double> m(w.size(), 0.0);
    std::vector<double> v(w.size(), 0.0);
    std::int64_t changed = 0;
    for (std::int64_t step = 1; step <= 12; ++step) {
      std::vector<double> g(w.size(), 0.0);
      for (std::size_t n = 0; n < 8; ++n) {
        for (std::size_t i = 0; i < kOut; ++i) {
          double e = -ys[n * kOut + i];
          for (std::size_t j = 0; j < kIn; ++j) e += w[i * kIn + j] * xs[n * kIn + j];
          for (std::size_t j = 0; j < kIn; ++j) {
            g[i * kIn + j] += 2.0 * e * xs[n * kIn + j] / (8.0 * kOut);
          }
        }
      }
      for (std::size_t k = 0; k < w.size(); ++k) {
        const double held = g[k] * mask[k];
        m[k] = rule.beta1 * m[k] + (1.0 - rule.beta1) * held;
        v[k] = rule.beta2 * v[k] + (1.0 - rule.beta2) * held * held;
        const double t = static_cast<double>(step);
        const double first = m[k] / (1.0 - std::pow(rule.beta1, t));
        const double second = v[k] / (1.0 - std::pow(rule.beta2, t));
        w[k] -= rule.learning_rate * first / (std::sqrt(second) + rule.epsilon);
      }
      if (step % 2 != 0) continue;
      std::vector<double> order(w.size());
      if (by == RewireOptions::By::random) {
        masks.uniforms(static_cast<std::uint64_t>(step / 2 * kIn * kOut), order);
      } else {
        for (std::size_t k = 0; k < w.size(); ++k) order[k] = -std::abs(g[k]);
      }
      const double part = std::numbers::pi * static_cast<double>(step) / 40.0;
      const auto count =
          std::llround(0.3 * (1.0 + std::cos(part)) / 2.0 * static_cast<double>(there));
      std::vector<double> next = mask;
      for (int turn = 0; turn < count; ++turn) {
        std::size_t gone = w.size();
        std::size_t come = w.size();
        for (std::size_t k = 0; k < w.size(); ++k) {
          const bool may_go = mask[k] == 1.0 && next[k] == 1.0;
          const bool may_come = mask[k] == 0.0 && next[k] == 0.0;
          if (may_go && (gone == w.size() || std::abs(w[k]) < std::abs(w[gone]))) gone = k;
          if (may_come && (come == w.size() || order[k] < order[come])) come = k;
        }
        next[gone] = 0.0;
        next[come] = 1.0;
        for (const std::size_t k : {gone, come}) w[k] = m[k] = v[k] = 0.0;
        ++changed;
      }
      mask = next;
    }
    CHECK(changed > 5);
    CHECK(layer.mask().to_vector<double>() == mask);
    const std::vector<double> found = layer.weights().value().to_vector<double>();
    for (std::size_t k = 0; k < w.size(); ++k) {
      CHECK(found[k] == Approx(w[k]).epsilon(1e-10));
      if (mask[k] == 0.0) CHECK(found[k] == 0.0);
    }
  });
}

TEST_CASE("every: 0 holds a mask, under every optimiser, and with a pull to earlier weights") {
  for (const std::string& name : optimiser_names()) {
    INFO(name);
    const Array x = random_normal({9, kIn}, 0.0, 1.0, DType::float32, {5, 1});
    const Array y = random_normal({9, kOut}, 0.0, 1.0, DType::float32, {5, 2});
    NeuralNetwork net;
    net.add<RewiredDense>(kIn, kOut, RewireOptions{.density = 0.5, .every = 0},
                          DenseOptions{.random = kStream});
    const auto& layer = dynamic_cast<const RewiredDense&>(net[0]);
    const std::vector<double> mask = layer.mask().to_vector<double>();
    const std::vector<double> begun = layer.weights().value().to_vector<double>();
    Optimiser optimiser(net.parameters(), optimiser_from_name(name));
    Consolidation held(net.parameters(), {.strength = 1.0});
    held.end_task(net, x, y, kMseOfMask);
    fit(net, DataLoader(x, y, {.batch_size = 3}), kMseOfMask, optimiser,
        {.epochs = 3, .parallel = {.members = 3}, .consolidation = &held});
    CHECK(layer.mask().to_vector<double>() == mask);
    const std::vector<double> w = layer.weights().value().to_vector<double>();
    for (std::size_t k = 0; k < w.size(); ++k) {
      CHECK((w[k] == 0.0) == (mask[k] == 0.0));
      CHECK((w[k] == begun[k]) == (mask[k] == 0.0));
    }
  }
}

TEST_CASE("a rewired layer complains of its options, an optimiser of what it is to forget") {
  CHECK_THROWS_AS(RewiredDense(3, 2, {.density = 0.0}), ArgumentError);
  CHECK_THROWS_AS(RewiredDense(0, 2, {}), ArgumentError);
  CHECK_THROWS_AS(RewiredDense(3, 2, {}, {.dtype = DType::int64}), DTypeError);
  RewiredDense layer(3, 2, {});
  Optimiser optimiser(layer.parameters(), AdamRule{});
  CHECK_THROWS_AS(optimiser.forget(2, zeros({2, 3})), ArgumentError);
  CHECK_THROWS_AS(optimiser.forget(0, zeros({3, 2})), ShapeError);
}
