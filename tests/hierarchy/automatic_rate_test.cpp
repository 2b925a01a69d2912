// SPDX-License-Identifier: MIT
// Layers that find their rates learn as layers would that are told these rates tick by tick.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/replicas.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

constexpr std::int64_t kSteps = 400;
constexpr std::int64_t kTraining = 300;

/// Under a rule without memory, or with one, of a level that reads `inputs` numbers.
HebbianLayer layer_of(const std::string& rule, std::int64_t inputs, std::int64_t outputs,
                      bool automatic, std::uint64_t seed = 1) {
  PlasticityRule made = rule_from_name(rule);
  learning_rate_of(made) = 1.0;
  return {inputs,
          outputs,
          {.rule = made,
           .automatic_rate = automatic,
           .dtype = DType::float64,
           .random = {seed, static_cast<std::uint64_t>(inputs)}}};
}

HierarchyManager single(const std::string& rule, std::int64_t inputs, std::int64_t outputs,
                        bool automatic) {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, inputs, outputs);
  level.add_layer(layer_of(rule, inputs, outputs, automatic));
  hierarchy.add_level(std::move(level));
  return hierarchy;
}

HierarchyManager two_levels(const std::string& rule, std::uint64_t seed = 1) {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 6, 4);
  fast.add_layer(layer_of(rule, 6, 4, true, seed));
  hierarchy.add_level(std::move(fast));
  HierarchicalLevel slow(1, 4, 3, 5, {.pooling = Pooling::mean});
  slow.add_layer(layer_of(rule, 4, 3, true, seed));
  hierarchy.add_level(std::move(slow));
  hierarchy.fall_over(kTraining);
  return hierarchy;
}

Array series(std::int64_t features = 6, std::uint64_t stream = 1) {
  Array x = random_normal({kSteps, features}, 0.0, 1.0, DType::float64, {9, stream});
  x.slice(0, 50, 51).assign(x.slice(0, 50, 51) * 20.0);
  return x;
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

std::vector<double> weights_of(const HierarchyManager& hierarchy, int level = 0) {
  const auto& layer = dynamic_cast<const HebbianLayer&>(hierarchy.level(level).layer(0));
  return layer.weights().to(Device::cpu()).to_vector<double>();
}

}  // namespace

DEVICE_TEST_CASE(
    "a layer that finds its rate learns as one that is told it tick by tick, on every device") {
  for (const char* const rule :
       {"oja", "oja_subspace", "sanger", "bcm", "anti_hebbian", "law_cooper"}) {
    INFO(rule);
    HierarchyManager found = single(rule, 6, 3, true);
    found.fall_over(kTraining);
    const auto shown = found.process_hierarchy(series());
    HierarchyManager told = single(rule, 6, 3, false);
    AutoRate rate(stability_limit(rule_from_name(rule)).value());
    rate.begin({.ticks = kTraining});
    Array answers = Array::uninitialized({kSteps, 3}, DType::float64);
    for (std::int64_t i = 0; i < kSteps; ++i) {
      const Array row = series().slice(0, i, i + 1);
      const auto stretches = rate.read(row.expand_dims(0), 1.0);
      told.scale_learning_rate(stretches.front().rate);
      answers.slice(0, i, i + 1).assign(told.process_hierarchy(row).at(0).ticks);
    }
    CHECK(max(abs(shown.at(0).ticks - answers)).item() < 1e-9);
    const std::vector<double> a = weights_of(found);
    const std::vector<double> b = weights_of(told);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-9));
  }
}

TEST_CASE("a level above measures what it reads while the one below it learns") {
  HierarchyManager both = two_levels("oja_subspace");
  const auto shown = both.process_hierarchy(series());
  // It reads means of five ticks of what the first one shows, learnt; the first mean is of one.
  const std::vector<double> fast = shown.at(0).ticks.to_vector<double>();
  double sum = 0.0;
  const std::int64_t ticks = kTraining / 5;
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    const std::int64_t first = std::max<std::int64_t>(0, 5 * tick - 4);
    for (std::int64_t k = 0; k < 4; ++k) {
      double mean = 0.0;
      for (std::int64_t step = first; step <= 5 * tick; ++step) {
        mean += fast[static_cast<std::size_t>(4 * step + k)];
      }
      mean /= static_cast<double>(5 * tick + 1 - first);
      sum += mean * mean / static_cast<double>(ticks);
    }
  }
  const AutoRate* const rate = std::as_const(both).level(1).layer(0).automatic_rate();
  CHECK(rate->ticks() == kSteps / 5);
  CHECK(rate->mean_square() == Approx(sum).epsilon(1e-9));
  CHECK(rate->rate() == Approx(0.1 / sum / 101.0).epsilon(1e-9));
}

TEST_CASE("rates are the same however the series comes, and go on in a clone and from a state") {
  HierarchyManager whole = two_levels("sanger");
  whole.process_hierarchy(series());
  for (const std::int64_t cut : {std::int64_t{1}, std::int64_t{77}, std::int64_t{300}}) {
    HierarchyManager pieces = two_levels("sanger");
    pieces.process_hierarchy(series().slice(0, 0, cut));
    HierarchyManager twin = pieces.clone();
    HierarchyManager restored = two_levels("sanger");
    restored.fall_over(7);  // what it was told is part of the state
    ArrayMap state;
    for (const NamedArray& array : pieces.state()) state.emplace(array.name, array.value.copy());
    restored.set_state(state, cut);
    for (HierarchyManager* one : {&pieces, &twin, &restored}) {
      one->process_hierarchy(series().slice(0, cut, kSteps));
      for (const int level : {0, 1}) {
        const AutoRate* const mine = std::as_const(*one).level(level).layer(0).automatic_rate();
        const AutoRate* const other = std::as_const(whole).level(level).layer(0).automatic_rate();
        CHECK(mine->rate() == Approx(other->rate()).epsilon(1e-12));
      }
    }
    CHECK(numbers_of(twin) == numbers_of(pieces));
    CHECK(numbers_of(restored) == numbers_of(pieces));
  }
}

DEVICE_TEST_CASE("replicas find a rate each, and learn as each does alone, on every device") {
  for (const char* const rule : {"oja", "bcm", "sanger"}) {
    for (const bool same_data : {true, false}) {
      INFO(rule << ", same data: " << same_data);
      std::vector<HierarchyManager> together;
      std::vector<HierarchyManager> alone;
      std::vector<Array> data;
      for (std::uint64_t i = 0; i < 3; ++i) {
        data.push_back(series(6, same_data ? 1 : i));
        together.push_back(two_levels(rule, i));
        alone.push_back(two_levels(rule, i));
        alone.back().process_hierarchy(data.back());
      }
      process_replicas(together, same_data ? data[0] : stack(data, 0), {.learn = true});
      for (std::size_t i = 0; i < alone.size(); ++i) {
        CHECK(numbers_of(together[i]) == numbers_of(alone[i]));
      }
    }
  }
}

TEST_CASE("a rule by its equations finds its rate, and reads the signals of its ticks") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 6, 2);
  level.add_layer(layer_of("delta", 6, 2, true));
  hierarchy.add_level(std::move(level));
  hierarchy.fall_over(kSteps);
  std::vector<double> w = weights_of(hierarchy);
  const Array x = series();
  std::vector<double> labels(kSteps);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<double>(i / 3 % 2);
  hierarchy.process_hierarchy(x, {.signals = {{"labels", from_values(labels, {kSteps})}}});

  AutoRate rate(2.0);
  rate.begin({.ticks = kSteps});
  const std::vector<double> values = x.to_vector<double>();
  for (const auto& [first, end, r] : rate.read(x.expand_dims(0), 1.0)) {
    for (std::int64_t i = first; i < end; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        const double* const row = &values[static_cast<std::size_t>(6 * i)];
        double error = labels[static_cast<std::size_t>(i)] == static_cast<double>(k) ? 1.0 : 0.0;
        for (std::size_t j = 0; j < 6; ++j) error -= w[6 * k + j] * row[j];
        for (std::size_t j = 0; j < 6; ++j) w[6 * k + j] += r * error * row[j];
      }
    }
  }
  const std::vector<double> found = weights_of(hierarchy);
  for (std::size_t i = 0; i < w.size(); ++i) CHECK(found[i] == Approx(w[i]).margin(1e-9));
}

TEST_CASE("a block that fails leaves what was measured as it was") {
  HierarchyManager hierarchy = two_levels("oja");
  hierarchy.process_hierarchy(series().slice(0, 0, 100));
  HierarchyManager twin = hierarchy.clone();
  Array wrong = series().slice(0, 100, 150).copy();
  wrong.slice(0, 20, 21).fill(std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(hierarchy.process_hierarchy(wrong), ArgumentError);
  CHECK(numbers_of(hierarchy) == numbers_of(twin));
  for (HierarchyManager* one : {&hierarchy, &twin}) {
    for (std::int64_t i = 100; i < 140; ++i) one->process_time_step(series()[i]);
  }
  CHECK(numbers_of(hierarchy) == numbers_of(twin));
}

TEST_CASE("a rule without a limit has no automatic rate") {
  CHECK_THROWS_WITH_TEXT(
      HebbianLayer(3, 2, {.rule = HebbRule{}, .automatic_rate = true}), ArgumentError,
      "[hebbian layer] an automatic rate needs a rule with a known limit, got hebbian; give it a "
      "learning_rate");
  HierarchyManager hierarchy = two_levels("oja");
  CHECK_THROWS_AS(hierarchy.fall_over(0), ArgumentError);
  CHECK_THROWS_AS(hierarchy.fall_over(5, 0), ArgumentError);
}

}  // namespace gaia::test
