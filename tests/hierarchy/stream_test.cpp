// SPDX-License-Identifier: MIT
/// \file
/// Long series: blocks, observers, and what happens when weights run away.
#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"
#include "../support/complaint.h"

using namespace gaia;

namespace {

HierarchyManager learning_hierarchy() {
  HierarchyManager hierarchy;
  HierarchicalLevel first(0, 3, 4);
  first.add_layer(ReactiveLayer(
      3, 4, {.activation = Activation::tanh, .dtype = DType::float64, .random = {1, 1}}));
  hierarchy.add_level(std::move(first));
  HierarchicalLevel second(1, 4, 2, 3, {.pooling = Pooling::mean});
  second.add_layer(
      HebbianLayer(4, 2, {.rule = SangerRule{}, .dtype = DType::float64, .random = {1, 2}}));
  hierarchy.add_level(std::move(second));
  HierarchicalLevel third(2, 2, 2, 5);
  third.add_layer(
      HebbianLayer(2, 2, {.rule = OjaRule{}, .dtype = DType::float64, .random = {1, 3}}));
  hierarchy.add_level(std::move(third));
  return hierarchy;
}

const Array& data() {
  static const Array x = random_normal({100, 3}, 0.0, 1.0, DType::float64, {1, 4});
  return x;
}

/// Weights grow by 1 + 3 * 1^2 at every tick: beyond any float32 after some 64 of them.
HierarchicalLevel growing(int id, std::int64_t resolution) {
  HierarchicalLevel level(id, 1, 1, resolution);
  HebbianLayer layer(1, 1, {.rule = HebbRule{.learning_rate = 3.0}});
  layer.set_weights(ones({1, 1}));
  level.add_layer(std::move(layer));
  return level;
}

HierarchicalLevel passing(int id) { return {id, 1, 1, 1}; }

DivergedError divergence(HierarchyManager& hierarchy, std::int64_t steps,
                         std::int64_t block_steps) {
  try {
    hierarchy.process_hierarchy(ones({steps, 1}), -1,
                                {.learn = true, .block_steps = block_steps, .check_finite = true});
  } catch (const DivergedError& error) {
    return error;
  }
  return {"nothing diverged", -1, -1, -1};
}

}  // namespace

TEST_CASE("A stream gives its observers what process_hierarchy returns, block by block") {
  HierarchyManager whole = learning_hierarchy();
  const auto expected = whole.process_hierarchy(data(), -1, {.learn = true});
  const std::int64_t block = GENERATE(1, 7, 30, 100, 5000);
  HierarchyManager hierarchy = learning_hierarchy();
  std::int64_t asked = 0;
  std::map<int, std::vector<Array>> ticks;
  std::int64_t next_step = 0;
  hierarchy.add_observer([&](const HierarchyBlock& seen) {
    CHECK(seen.first_step == next_step);
    next_step += seen.steps;
    CHECK(hierarchy.step() == next_step);
    REQUIRE(seen.levels.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const LevelBlock& level = seen.levels[i];
      CHECK(level.id == static_cast<int>(i));
      const std::int64_t r = level.temporal_resolution;
      CHECK(level.first_tick == (seen.first_step + r - 1) / r * r);
      ticks[level.id].push_back(level.ticks);
    }
  });
  hierarchy.process_stream(
      [&](std::int64_t first, std::int64_t rows) {
        CHECK(first == asked);
        CHECK(rows <= block);
        asked += rows;
        return data().slice(0, first, first + rows);
      },
      100, {.learn = true, .block_steps = block});
  CHECK(asked == 100);
  CHECK(next_step == 100);
  for (const auto& [id, made] : expected) {
    INFO("level " << id << ", blocks of " << block);
    CHECK(all_close(concatenate(ticks[id], 1)[0], made.ticks, 0.0, 1e-12));
  }
}

TEST_CASE("Observers are called in the order in which they were added") {
  HierarchyManager hierarchy = learning_hierarchy();
  std::string order;
  hierarchy.add_observer([&](const HierarchyBlock&) { order += "a"; });
  hierarchy.add_observer([&](const HierarchyBlock&) { order += "b"; });
  hierarchy.process_hierarchy(data(), 10, {.block_steps = 5});
  hierarchy.process_time_step(data()[10]);
  CHECK(order == "ababab");
}

TEST_CASE("A stream may be a batch, and must give the rows it is asked for") {
  HierarchyManager hierarchy = learning_hierarchy();
  std::vector<Shape> shapes;
  hierarchy.add_observer(
      [&](const HierarchyBlock& block) { shapes.push_back(block.levels[1].ticks.shape()); });
  hierarchy.process_stream(
      [](std::int64_t, std::int64_t rows) { return zeros({2, rows, 3}, DType::float64); }, 10,
      {.block_steps = 6});
  CHECK(shapes == std::vector<Shape>{{2, 2, 2}, {2, 2, 2}});
  CHECK_THROWS_WITH_TEXT(
      hierarchy.process_stream([](std::int64_t, std::int64_t) { return zeros({2, 3, 3}); }, 10, {}),
      ShapeError, "[process_stream] asked for 10 rows from 0, got 3");
  CHECK_THROWS_WITH_TEXT(
      hierarchy.process_stream([](std::int64_t, std::int64_t) { return zeros({3}); }, 1, {}),
      ShapeError, "[process_stream] expected [steps, features]");
  CHECK_THROWS_WITH_TEXT(hierarchy.process_stream({}, -1), ArgumentError,
                         "[process_stream] steps must be at least 0, got -1");
  CHECK(hierarchy.step() == 10);
}

TEST_CASE("A level that runs away is named with its layer and the step at which it did") {
  // y_t = 4^t: 4^64 = 2^128 is the first that float32 does not hold.
  const std::int64_t block = GENERATE(1, 7, 64, 65, 4096);
  HierarchyManager hierarchy;
  hierarchy.add_level(passing(0));
  HierarchicalLevel level(5, 1, 1, 2);
  ReactiveLayer identity(1, 1, {.activation = Activation::linear});
  identity.weights().fill(1.0);
  level.add_layer(std::move(identity));
  HebbianLayer layer(1, 1, {.rule = HebbRule{.learning_rate = 3.0}, .chunk = 1});
  layer.set_weights(ones({1, 1}));
  level.add_layer(std::move(layer));
  hierarchy.add_level(std::move(level));
  const DivergedError error = divergence(hierarchy, 400, block);
  INFO(error.what());
  CHECK(error.level == 1);
  CHECK(error.layer == 1);
  // Step 126 leaves weights beyond float32, whatever blocks it lies in; the answer at step 128 is
  // the first that is.
  CHECK(error.step == 126);
  CHECK_SAYS(error.what(),
             " of level 5, layer 1 (hebbian [1, 1]) at step " + std::to_string(error.step));
}

TEST_CASE("Of several levels that run away in one block the earliest is named") {
  HierarchyManager hierarchy;
  hierarchy.add_level(growing(0, 4));
  HierarchicalLevel fast(1, 1, 1, 1);
  HebbianLayer layer(1, 1, {.rule = HebbRule{.learning_rate = 1e30}});
  layer.set_weights(ones({1, 1}));
  fast.add_layer(std::move(layer));
  hierarchy.add_level(std::move(fast));
  const DivergedError error = divergence(hierarchy, 1000, 1000);
  INFO(error.what());
  CHECK(error.level == 1);
  CHECK(error.step < 10);
}

TEST_CASE("Weights that run away after the last answer of a block are found") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 1, 1);
  HebbianLayer layer(1, 1, {.rule = HebbRule{.learning_rate = 1e30}});
  layer.set_weights(full({1, 1}, 1e20));
  level.add_layer(std::move(layer));
  hierarchy.add_level(std::move(level));
  const DivergedError error = divergence(hierarchy, 1, 1);
  CHECK(error.level == 0);
  CHECK(error.step == 0);
  CHECK_SAYS(error.what(),
             "[run] NaN or Inf in the weights of level 0, layer 0 (hebbian [1, 1]) at step 0; try "
             "a smaller learning_rate or homeostasis strength, decay, or a normalization");
}

TEST_CASE("Who asks for no check gets none, and after a divergence nothing is observed") {
  HierarchyManager hierarchy;
  hierarchy.add_level(growing(0, 1));
  int observed = 0;
  hierarchy.add_observer([&](const HierarchyBlock&) { ++observed; });
  const auto result =
      hierarchy.process_hierarchy(ones({200, 1}), -1, {.learn = true, .check_finite = false});
  CHECK(first_not_finite(result.at(0).ticks) >= 0);
  CHECK(observed == 1);
  const DivergedError error = test::thrown_by<DivergedError>([&] {
    hierarchy.check_finite();  // of the results, which are the caller's, it has seen the last
  });
  CHECK(error.step == 199);
  CHECK_THROWS_AS(hierarchy.process_hierarchy(ones({5, 1}), -1, {.check_finite = true}),
                  DivergedError);
  CHECK(observed == 1);
  CHECK(hierarchy.step() == 200);
}
