// SPDX-License-Identifier: MIT
// A factor on the learning rates of a hierarchy does what other rates would do.
#include <cmath>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/replicas.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

constexpr double kFactor = 0.3;

/// A rule with `times` its rate, and a decay, which no factor changes.
PlasticityRule rule_of(const std::string& name, double times) {
  PlasticityRule rule = rule_from_name(name);
  learning_rate_of(rule) = 0.01 * times;
  decay_of(rule) = 0x1p-8;
  return rule;
}

HierarchyManager make(const std::string& rule, Executor executor, double times,
                      std::uint64_t seed = 1) {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 6, 5);
  fast.add_layer(HebbianLayer(
      6, 5, {.rule = rule_of(rule, times), .executor = executor, .random = {seed, 0}}));
  hierarchy.add_level(std::move(fast));
  HierarchicalLevel slow(1, 5, 3, 4, {.pooling = Pooling::mean});
  slow.add_layer(ReactiveLayer(5, 7, {.random = {seed, 1}}));
  slow.add_layer(HebbianLayer(7, 3,
                              {.rule = rule_of(rule, times),
                               .control = {.homeostasis = Homeostasis{0.2, 0.001},
                                           .normalization = Normalization::max_norm,
                                           .bound = 0.9},
                               .executor = executor,
                               .random = {seed, 2}}));
  hierarchy.add_level(std::move(slow));
  return hierarchy;
}

Array series(std::int64_t steps, std::uint64_t stream) {
  return random_normal({steps, 6}, 0.0, 1.0, DType::float32, {9, stream});
}

std::vector<double> numbers_of(const HierarchyManager& hierarchy) {
  std::vector<double> all;
  for (const NamedArray& array : hierarchy.state()) {
    for (const double value : array.value.to(Device::cpu()).to_vector<double>()) {
      all.push_back(value);
    }
  }
  return all;
}

}  // namespace

DEVICE_TEST_CASE("a factor on the rates does what layers with other rates do, on every device") {
  for (const char* const rule : {"hebbian", "oja", "bcm", "sanger", "oja_subspace"}) {
    for (const Executor executor : {Executor::chunkwise, Executor::stepwise}) {
      INFO(rule << ", " << to_string(executor));
      HierarchyManager scaled = make(rule, executor, 1.0);
      HierarchyManager other = make(rule, executor, kFactor);
      HierarchyManager plain = make(rule, executor, 1.0);
      scaled.scale_learning_rate(kFactor);
      for (HierarchyManager* one : {&scaled, &other, &plain}) {
        one->process_hierarchy(series(200, 1));
      }
      CHECK(numbers_of(scaled) == numbers_of(other));
      CHECK(numbers_of(scaled) != numbers_of(plain));
      // It stays, until another is given; a clone has it.
      HierarchyManager twin = scaled.clone();
      for (HierarchyManager* one : {&scaled, &twin, &other}) {
        one->process_hierarchy(series(90, 2));
      }
      CHECK(numbers_of(scaled) == numbers_of(other));
      CHECK(numbers_of(twin) == numbers_of(other));
    }
  }
}

TEST_CASE("a factor is on the rates that layers were made with, not on one before it") {
  HierarchyManager scaled = make("oja", Executor::chunkwise, 1.0);
  scaled.scale_learning_rate(0.5);
  scaled.scale_learning_rate(kFactor);
  HierarchyManager other = make("oja", Executor::chunkwise, kFactor);
  for (HierarchyManager* one : {&scaled, &other}) one->process_hierarchy(series(100, 1));
  CHECK(numbers_of(scaled) == numbers_of(other));
}

DEVICE_TEST_CASE("replicas have a factor each, on every device") {
  const std::vector<double> factors = {1.0, kFactor, 0.0};
  std::vector<HierarchyManager> together;
  std::vector<HierarchyManager> alone;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    together.push_back(make("oja", Executor::stepwise, 1.0, i));
    together.back().scale_learning_rate(factors[i]);
    alone.push_back(make("oja", Executor::stepwise, factors[i], i));
    alone.back().process_hierarchy(series(100, 1));
  }
  process_replicas(together, series(100, 1), {.learn = true});
  for (std::size_t i = 0; i < factors.size(); ++i) {
    INFO("factor " << factors[i]);
    CHECK(numbers_of(together[i]) == numbers_of(alone[i]));
  }
}

TEST_CASE("a factor on the rates is finite and not negative") {
  HierarchyManager hierarchy = make("oja", Executor::chunkwise, 1.0);
  for (const double wrong : {-0.5, std::nan(""), HUGE_VAL}) {
    CHECK_THROWS_WITH_TEXT(hierarchy.scale_learning_rate(wrong), ArgumentError,
                           "[scale_learning_rate] expected a finite factor of at least 0, got");
  }
}

}  // namespace gaia::test
