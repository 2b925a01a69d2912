// SPDX-License-Identifier: MIT
/// \file
/// What a program is told of weights that run away when it has asked for nothing, who learns, and
/// levels whose layers do not fit.
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/replicas.h"
#include "../../src/layers/hierarchy/hebbian_core.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/devices.h"

using namespace gaia;

namespace {

/// The example of GAIA 4's guide, at a tenth of its size, with plastic layers built by `make`.
template <class Make>
HierarchyManager example_of_the_guide(const Make& make) {
  HierarchyManager manager;
  HierarchicalLevel level0(0, 10, 20, 1);
  level0.add_layer(ReactiveLayer(10, 20, {.random = {1, 1}}));
  manager.add_level(std::move(level0));
  HierarchicalLevel level1(1, 20, 40, 2);
  level1.add_layer(make(20, 40));
  manager.add_level(std::move(level1));
  HierarchicalLevel level2(2, 40, 80, 4);
  level2.add_layer(make(40, 80));
  manager.add_level(std::move(level2));
  return manager;
}

/// A hierarchy whose weights are infinite after its first tick.
HierarchyManager runaway() {
  HierarchicalLevel level(0, 1, 1);
  HebbianLayer layer(1, 1, {.rule = HebbRule{.learning_rate = 1e30}});
  layer.set_weights(full({1, 1}, 1e20));
  level.add_layer(std::move(layer));
  HierarchyManager hierarchy;
  hierarchy.add_level(std::move(level));
  return hierarchy;
}

HebbianLayer by_default(std::int64_t inputs, std::int64_t outputs) {
  return {inputs, outputs, {.random = {1, static_cast<std::uint64_t>(outputs)}}};
}

Array noise(const Shape& shape) { return random_normal(shape, 0.0, 1.0, DType::float32, {1, 2}); }

/// An Oja layer of one neuron on level `id`.
HierarchicalLevel oja_level(int id, const LevelOptions& options = {}, bool layer_learns = true) {
  HierarchicalLevel level(id, 1, 1, 1, options);
  HebbianLayer layer(1, 1, {.rule = OjaRule{}, .learn = layer_learns, .dtype = DType::float64});
  layer.set_weights(full({1, 1}, 0.5, DType::float64));
  level.add_layer(std::move(layer));
  return level;
}

double weight_of(const HierarchyManager& hierarchy, int id) {
  return dynamic_cast<const HebbianLayer&>(hierarchy.level(id).layer(0)).weights().item();
}

}  // namespace

DEVICE_TEST_CASE(
    "Default layers that run away are told by level, layer and step, without being asked") {
  HierarchyManager manager = example_of_the_guide(by_default);
  ProcessOptions options;
  if (!current_device().is_cpu()) options.check_finite = true;  // where the host would wait
  const DivergedError error = test::thrown_by<DivergedError>(
      [&] { manager.process_hierarchy(noise({400, 10}), 400, options); });
  CHECK(error.level >= 1);
  CHECK(error.layer == 0);
  CHECK(error.step < 400);
  CHECK_SAYS(error.what(), "NaN or Inf in the ", "layer 0 (hebbian [",
             "try a smaller learning_rate");
}

TEST_CASE("What is found without being asked is what a full check finds in that block") {
  const auto told = [](std::optional<bool> check) {
    HierarchyManager manager = example_of_the_guide(by_default);
    try {
      manager.process_hierarchy(noise({2000, 10}), {.block_steps = 64, .check_finite = check});
    } catch (const DivergedError& error) {
      return std::pair(error.level, error.step);
    }
    return std::pair(-1, std::int64_t{-1});
  };
  CHECK(told(true).first >= 1);
  CHECK(told({}) == told(true));
  CHECK(told(false).first == -1);
}

TEST_CASE("Weights that run away at the very last tick are told, and in streams too") {
  CHECK_THROWS_WITH_TEXT(runaway().process_hierarchy(ones({1, 1})), DivergedError,
                         "in the weights");
  HierarchyManager stream = runaway();
  CHECK_THROWS_AS(
      stream.process_stream([](std::int64_t, std::int64_t rows) { return ones({rows, 1}); }, 1),
      DivergedError);
  CHECK_THROWS_WITH_TEXT(runaway().process_time_step(ones({1})), DivergedError, "in the weights");
  const auto replicas = [] {
    std::vector<HierarchyManager> two;
    two.push_back(runaway());
    two.push_back(runaway());
    process_replicas(two, ones({1, 1}));
  };
  CHECK_THROWS_WITH_TEXT(replicas(), DivergedError, "replica 0 diverged");
}

DEVICE_TEST_CASE(
    "Data that are not finite are told as such, with the step, the stream and the feature") {
  const auto hierarchy = [](std::int64_t resolution) {
    HierarchicalLevel level(0, 2, 1, resolution, {.pooling = Pooling::mean});
    level.add_layer(HebbianLayer(2, 1, {.rule = OjaRule{}, .dtype = DType::float64}));
    HierarchyManager made;
    made.add_level(std::move(level));
    return made;
  };
  std::vector<double> numbers(2 * 9 * 2, 0.5);
  numbers[9 * 2 + 3 * 2 + 1] = std::numeric_limits<double>::quiet_NaN();
  const Array data = from_values(numbers, {2, 9, 2});
  const std::string told =
      "expected finite numbers in the data, got NaN at step 3, stream 1, "
      "feature 1; ";
  const ProcessOptions asked{.block_steps = 2, .check_finite = true};
  CHECK_THROWS_WITH_TEXT(hierarchy(1).process_hierarchy(data, -1, asked), ArgumentError, told);
  CHECK_THROWS_WITH_TEXT(hierarchy(1).process_block(data, asked), ArgumentError, told);
  // The tick at step 4 reads the mean of the steps since the last.
  CHECK_THROWS_WITH_TEXT(hierarchy(4).process_hierarchy(data, -1, asked), ArgumentError, told);
  const auto read = [&data](std::int64_t first, std::int64_t rows) {
    return data.slice(1, first, first + rows);
  };
  CHECK_THROWS_WITH_TEXT(hierarchy(1).process_stream(read, 9, asked), ArgumentError, told);
  if (!current_device().is_cpu()) return;
  CHECK_THROWS_WITH_TEXT(hierarchy(1).process_hierarchy(data), ArgumentError, told);
  const auto stepwise = [&] {
    HierarchyManager one = hierarchy(1);
    one.set_step(3);
    one.process_time_step(data.slice(1, 3, 4).squeeze({1}));
  };
  CHECK_THROWS_WITH_TEXT(stepwise(), ArgumentError, told);
  const auto replicas = [&] {
    std::vector<HierarchyManager> two;
    two.push_back(hierarchy(1));
    two.push_back(hierarchy(1));
    process_replicas(two, data);
  };
  CHECK_THROWS_WITH_TEXT(replicas(), ArgumentError, told);
}

TEST_CASE("Data are looked at before anything is learnt from, whatever learning would come to") {
  const std::vector<double> numbers = {1.0, 1.0, 1.0, std::numeric_limits<double>::infinity()};
  CHECK_THROWS_WITH_TEXT(
      runaway().process_hierarchy(from_values(numbers, {4, 1}), {.block_steps = 2}), ArgumentError,
      "got Inf at step 3, stream 0, feature 0");
}

TEST_CASE("A hierarchy that does not learn answers NaN with NaN") {
  HierarchyManager hierarchy;
  hierarchy.add_level(oja_level(0));
  const Array data = full({3, 1}, std::numeric_limits<double>::quiet_NaN());
  CHECK(first_not_finite(hierarchy.process_hierarchy(data, {.learn = false}).at(0).ticks) == 0);
  CHECK(weight_of(hierarchy, 0) == 0.5);
}

TEST_CASE("HebbianCore has the rule, the rates and the rows of length 1 of its guide") {
  HierarchyManager manager = example_of_the_guide(
      [](std::int64_t inputs, std::int64_t outputs) { return HebbianCore(inputs, outputs); });
  const auto made = manager.process_hierarchy(noise({1000, 10}), 1000);
  CHECK(first_not_finite(made.at(2).expanded()) < 0);
  const auto& core = dynamic_cast<const HebbianLayer&>(manager.level(1).layer(0));
  CHECK(all_close(matmul(core.weights() * core.weights(), ones({20, 1})), ones({40, 1})));
  CHECK(rule_name(core.plasticity().rule) == "hebbian");
  CHECK(std::get<HebbRule>(std::get<Rule>(core.plasticity().rule)).decay == 0.001);
  CHECK(rule_name(HebbianCore(2, 2, "bcm", {.learning_rate = 0.5}).plasticity().rule) == "bcm");
  CHECK_THROWS_WITH_TEXT(HebbianCore(2, 2, "stdp"), ArgumentError,
                         "expected the rule hebbian, oja or bcm, got 'stdp'");
}

TEST_CASE("ltp and ltd of HebbianCore are read") {
  const RandomStream random{3, 1};
  const Array x = noise({200, 4});
  const auto learnt = [&](const HebbianCoreOptions& options) {
    HebbianLayer core = HebbianCore(4, 3, "hebbian", options);
    HebbianLayer same(4, 3, {.init = Init::orthogonal, .random = random});
    core.set_weights(same.weights());
    core.process(x.expand_dims(0), true);
    return core.weights().copy();
  };
  const Array plain = learnt({});
  CHECK(all_close(learnt({.ltp = 1.0, .ltd = 1.0}), plain, 0.0, 0.0));
  const Array weighed = learnt({.ltd = 0.5});
  CHECK_FALSE(all_close(weighed, plain, 1e-3, 1e-3));
  CHECK(all_close(matmul(weighed * weighed, ones({4, 1})), ones({3, 1})));
  CHECK_FALSE(all_close(learnt({.ltp = 2.0}), plain, 1e-3, 1e-3));
  CHECK_THROWS_WITH_TEXT(HebbianCore(2, 2, "oja", {.ltd = 0.8}), ArgumentError,
                         "expected ltp and ltd of 1 for the rule 'oja'");
}

TEST_CASE("Hierarchy, level and layer all have to learn, as in YAML") {
  HierarchyManager hierarchy;
  hierarchy.add_level(oja_level(0));
  hierarchy.add_level(oja_level(1, {.learn = false}));
  hierarchy.add_level(oja_level(2, {}, false));
  hierarchy.process_hierarchy(ones({5, 1}));
  CHECK(weight_of(hierarchy, 0) != 0.5);
  CHECK(weight_of(hierarchy, 1) == 0.5);
  CHECK(weight_of(hierarchy, 2) == 0.5);
  CHECK_FALSE(hierarchy.clone().level(1).learns());
  HierarchicalLevel alone = oja_level(0);
  alone.process_time_step(ones({1}), 0);
  CHECK(dynamic_cast<const HebbianLayer&>(alone.layer(0)).weights().item() != 0.5);

  std::vector<HierarchyManager> replicas(2);
  replicas[0].add_level(oja_level(0));
  replicas[1].add_level(oja_level(0, {.learn = false}));
  CHECK_THROWS_WITH_TEXT(process_replicas(replicas, ones({5, 1}), {.block_steps = 2}),
                         ArgumentError, "level 0 does not learn, where the first does");
}

TEST_CASE("A level whose layers do not fit it is told when it is added, with the way out") {
  HierarchyManager hierarchy;
  HierarchicalLevel wide(0, 4, 3);
  CHECK_THROWS_WITH_TEXT(wide.add_layer(HebbianLayer(5, 3)), ShapeError,
                         "layer 0 (hebbian) reads 5 numbers, but what comes before it has 4, the "
                         "input_size of the level; make the layer with 4 inputs");
  const auto add_wide = [&hierarchy] {
    HierarchicalLevel level(0, 4, 3);
    level.add_layer(HebbianLayer(4, 6));
    hierarchy.add_level(std::move(level));
  };
  CHECK_THROWS_WITH_TEXT(add_wide(), ShapeError,
                         "[level 0] output_size is 3, but its last layer answers with 6 numbers; "
                         "make the level with output_size 6, or add a layer from 6 to 3 numbers");
  CHECK(hierarchy.levels().empty());
  HierarchicalLevel chained(0, 4, 3);
  chained.add_layer(HebbianLayer(4, 6));
  chained.add_layer(HebbianLayer(6, 3));
  hierarchy.add_level(std::move(chained));
}
