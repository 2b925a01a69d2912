// SPDX-License-Identifier: MIT
#include "../../src/hierarchy/manager.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// Passes on what it reads.
HierarchicalLevel bare(int id, std::int64_t size, std::int64_t resolution,
                       const LevelOptions& options = {}) {
  return {id, size, size, resolution, options};
}

/// A hierarchy of bare levels with ids 0, 1, ...
HierarchyManager bare_levels(const std::vector<std::int64_t>& resolutions,
                             const LevelOptions& options = {}) {
  HierarchyManager hierarchy;
  for (std::size_t i = 0; i < resolutions.size(); ++i) {
    hierarchy.add_level(bare(static_cast<int>(i), 1, resolutions[i], options));
  }
  return hierarchy;
}

/// [steps, 1]: every row is its step.
Array steps_as_data(std::int64_t first, std::int64_t steps) {
  return arange(static_cast<double>(first), static_cast<double>(first + steps), 1.0, DType::float64)
      .reshape({steps, 1});
}

std::vector<double> numbers(const Array& x) { return x.to_vector<double>(); }

}  // namespace

TEST_CASE("Levels run in the order of their ids, whatever the order in which they came") {
  HierarchyManager hierarchy;
  for (const int id : {7, -2, 3}) hierarchy.add_level(bare(id, 1, id == -2 ? 1 : 2));
  REQUIRE(hierarchy.levels().size() == 3);
  CHECK(hierarchy.levels()[0].id() == -2);
  CHECK(hierarchy.levels()[1].id() == 3);
  CHECK(hierarchy.levels()[2].id() == 7);
  CHECK(&hierarchy.level(3) == &hierarchy.levels()[1]);
  const auto result = hierarchy.process_hierarchy(steps_as_data(0, 4));
  CHECK(numbers(result.at(-2).ticks) == std::vector<double>{0, 1, 2, 3});
  CHECK(numbers(result.at(7).ticks) == std::vector<double>{0, 2});
}

TEST_CASE("An id is taken once, and one that is none is answered with the known ones") {
  HierarchyManager hierarchy;
  CHECK_THROWS_WITH_TEXT(hierarchy.level(0), ArgumentError,
                         "[hierarchy] there is no level 0; known: none");
  hierarchy.add_level(bare(0, 1, 1));
  hierarchy.add_level(bare(4, 1, 1));
  CHECK_THROWS_WITH_TEXT(hierarchy.add_level(bare(4, 1, 1)), ArgumentError,
                         "[add_level] there is a level 4 already");
  CHECK_THROWS_WITH_TEXT(hierarchy.level(2), ArgumentError, "no level 2; known: 0, 4");
  CHECK_THROWS_WITH_TEXT(hierarchy.remove_level(2), ArgumentError, "no level 2; known: 0, 4");
  hierarchy.remove_level(0);
  CHECK(hierarchy.levels().size() == 1);
  hierarchy.add_level(bare(0, 1, 1));
  CHECK(hierarchy.levels()[0].id() == 0);
}

TEST_CASE("Sizes must chain from the series to the last level") {
  HierarchyManager hierarchy;
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 4})), ArgumentError,
                         "[hierarchy] has no levels; use add_level");
  HierarchicalLevel first(0, 4, 6);
  first.add_layer(ReactiveLayer(4, 6));
  hierarchy.add_level(std::move(first));
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 5})), ShapeError,
                         "[hierarchy] level 0 reads 4 numbers, but the series has 5");
  hierarchy.add_level(bare(1, 5, 2));
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 4})), ShapeError,
                         "[hierarchy] level 1 reads 5 numbers, but the level below has 6");
  hierarchy.remove_level(1);
  // With concat a level reads its resolution times what is below.
  hierarchy.add_level(bare(1, 18, 3, {.pooling = Pooling::concat}));
  hierarchy.check_sizes(4);
  CHECK(hierarchy.process_hierarchy(ones({4, 4})).at(1).ticks.shape() == Shape{2, 18});
  HierarchicalLevel unfinished(2, 18, 2);
  unfinished.add_layer(ReactiveLayer(18, 3));
  CHECK_THROWS_WITH_TEXT(unfinished.check_complete(), ShapeError,
                         "[level 2] output_size is 2, but its last layer answers with 3");
  CHECK_THROWS_AS(hierarchy.add_level(std::move(unfinished)), ShapeError);
}

TEST_CASE("Data must be a series or a batch of series, and steps within it") {
  HierarchyManager hierarchy = bare_levels({1});
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3})), ShapeError,
                         "[process_hierarchy] expected [steps, features] or [streams, steps, "
                         "features], got [3]");
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 1}), 4), ArgumentError,
                         "steps must be in [0, 3], the rows of data, or -1 for all; got 4");
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 1}), -2), ArgumentError, "got -2");
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 1}), 3, {.block_steps = -1}),
                         ArgumentError, "block_steps must be at least 0, got -1");
  CHECK_THROWS_WITH_TEXT(hierarchy.process_time_step(ones({1, 1, 1})), ShapeError,
                         "[process_time_step] expected [features] or [streams, features]");
  CHECK_THROWS_WITH_TEXT(hierarchy.process_block(ones({3, 1})), ShapeError,
                         "[process_block] expected [streams, steps, features], got [3, 1]");
  CHECK_THROWS_WITH_TEXT(hierarchy.set_step(-1), ArgumentError,
                         "[set_step] step must be at least 0");
  CHECK(hierarchy.step() == 0);
}

TEST_CASE("Fewer steps than there are rows may be asked for, also none") {
  HierarchyManager hierarchy = bare_levels({1, 2});
  auto result = hierarchy.process_hierarchy(steps_as_data(0, 9), 3);
  CHECK(numbers(result.at(0).ticks) == std::vector<double>{0, 1, 2});
  CHECK(numbers(result.at(1).expanded()) == std::vector<double>{0, 0, 2});
  CHECK(hierarchy.step() == 3);
  result = hierarchy.process_hierarchy(steps_as_data(3, 9), 0);
  CHECK(result.at(1).ticks.shape() == Shape{0, 1});
  CHECK(result.at(1).expanded().shape() == Shape{0, 1});
  CHECK(result.at(1).tick_steps().size() == 0);
  CHECK(hierarchy.step() == 3);
}

TEST_CASE("A series may be given in several calls, and each knows what was held before it") {
  HierarchyManager hierarchy = bare_levels({1, 3, 5});
  hierarchy.process_hierarchy(steps_as_data(0, 7));
  const auto result = hierarchy.process_hierarchy(steps_as_data(7, 6));
  const LevelRepresentation& middle = result.at(1);
  CHECK(middle.first_step == 7);
  CHECK(middle.steps == 6);
  CHECK(middle.temporal_resolution == 3);
  CHECK(numbers(middle.tick_steps()) == std::vector<double>{9, 12});
  CHECK(numbers(middle.ticks) == std::vector<double>{9, 12});
  CHECK(numbers(middle.before) == std::vector<double>{6});
  CHECK(numbers(middle.expanded()) == std::vector<double>{6, 6, 9, 9, 9, 12});
  // Level 2 reads what level 1 holds: at step 5 what that showed at 3, at step 10 at 9.
  CHECK(numbers(result.at(2).expanded()) == std::vector<double>{3, 3, 3, 9, 9, 9});
}

TEST_CASE("Results are the caller's: changing them changes nothing in the hierarchy") {
  const auto make = [] {
    HierarchyManager hierarchy = bare_levels({1, 1});
    HierarchicalLevel level(2, 1, 1, 2);
    level.add_layer(ReactiveLayer(1, 1, {.dtype = DType::float64, .random = {1, 1}}));
    hierarchy.add_level(std::move(level));
    return hierarchy;
  };
  for (const std::int64_t block : {0, 3}) {
    HierarchyManager hierarchy = make();
    HierarchyManager twin = make();
    for (std::int64_t call = 0; call < 3; ++call) {
      const Array data = steps_as_data(7 * call, 7);
      const auto result = hierarchy.process_hierarchy(data, -1, {.block_steps = block});
      const auto expected = twin.process_hierarchy(data);
      for (const auto& [id, level] : result) {
        INFO("level " << id << ", call " << call << ", blocks of " << block);
        CHECK(numbers(level.expanded()) == numbers(expected.at(id).expanded()));
        level.ticks.fill(std::numeric_limits<double>::quiet_NaN());
      }
      CHECK_NOTHROW(hierarchy.check_finite());
      CHECK(numbers(data) == numbers(steps_as_data(7 * call, 7)));
    }
  }
}

TEST_CASE("A hierarchy may start at any step, showing zeros until its levels have ticked") {
  HierarchyManager hierarchy = bare_levels({1, 4});
  hierarchy.set_step(6);
  const auto result = hierarchy.process_hierarchy(steps_as_data(6, 7));
  CHECK(numbers(result.at(1).tick_steps()) == std::vector<double>{8, 12});
  CHECK(numbers(result.at(1).expanded()) == std::vector<double>{0, 0, 8, 8, 8, 8, 12});
  CHECK(hierarchy.step() == 13);
}

TEST_CASE("A hierarchy that is told to refuses to be read before its levels have ticked") {
  const LevelOptions refuse{.held_until_first = LevelOptions::UntilFirst::refuse};
  SECTION("by a level above") {
    HierarchyManager hierarchy = bare_levels({4, 1}, refuse);
    hierarchy.set_step(6);
    CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(steps_as_data(6, 7)), Error,
                           "[level 1] reads level 0 at step 6, before that level's first tick "
                           "(held_until_first)");
    CHECK(hierarchy.step() == 6);
    hierarchy.set_step(8);
    CHECK(numbers(hierarchy.process_hierarchy(steps_as_data(8, 5)).at(1).ticks) ==
          std::vector<double>{8, 8, 8, 8, 12});
  }
  SECTION("by whoever wants its rows") {
    HierarchyManager hierarchy = bare_levels({1, 4}, refuse);
    hierarchy.set_step(6);
    const auto result = hierarchy.process_hierarchy(steps_as_data(6, 4));
    CHECK(numbers(result.at(1).ticks) == std::vector<double>{8});
    CHECK(result.at(1).before.size() == 0);
    CHECK_THROWS_WITH_TEXT(result.at(1).expanded(), Error, "held_until_first");
    CHECK(numbers(result.at(0).expanded()) == std::vector<double>{6, 7, 8, 9});
  }
  SECTION("step by step") {
    HierarchyManager hierarchy = bare_levels({1, 4}, refuse);
    hierarchy.set_step(6);
    CHECK_THROWS_WITH_TEXT(hierarchy.process_time_step(zeros({1})), Error, "[level 1]");
  }
  SECTION("but not where the start is a tick") {
    HierarchyManager hierarchy = bare_levels({2, 4}, refuse);
    hierarchy.set_step(8);
    CHECK(numbers(hierarchy.process_hierarchy(steps_as_data(8, 5)).at(1).expanded()) ==
          std::vector<double>{8, 8, 8, 8, 12});
  }
}

TEST_CASE("Rows of a batch are expanded stream by stream") {
  HierarchyManager hierarchy = bare_levels({3});
  hierarchy.set_step(2);
  const Array one = steps_as_data(2, 6);
  const Array batch = concatenate({one.expand_dims(0), (-one).expand_dims(0)});
  const LevelRepresentation result = hierarchy.process_hierarchy(batch).at(0);
  CHECK(result.ticks.shape() == Shape{2, 2, 1});
  CHECK(result.before.shape() == Shape{2, 1});
  CHECK(numbers(result.expanded()) == std::vector<double>{0, 3, 3, 3, 6, 6, 0, -3, -3, -3, -6, -6});
}

TEST_CASE("A reset takes a hierarchy back to step 0 and keeps what it has learnt") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 1, 2, 2, {.pooling = Pooling::mean});
  level.add_layer(HebbianLayer(1, 2, {.rule = OjaRule{}, .dtype = DType::float64}));
  hierarchy.add_level(std::move(level));
  hierarchy.add_level(bare(1, 2, 3, {.pooling = Pooling::ema}));
  const Array data = steps_as_data(1, 11);
  const auto first = hierarchy.process_hierarchy(data, {.learn = false});
  hierarchy.reset_state();
  CHECK(hierarchy.step() == 0);
  const auto second = hierarchy.process_hierarchy(data, -1, {.learn = true});
  for (const int id : {0, 1})
    CHECK(numbers(first.at(id).ticks).front() == numbers(second.at(id).ticks).front());
  const auto& layer = dynamic_cast<const HebbianLayer&>(hierarchy.level(0).layer(0));
  const std::vector<double> learnt = numbers(layer.weights());
  hierarchy.reset_state();
  CHECK(numbers(layer.weights()) == learnt);
  CHECK(numbers(hierarchy.process_hierarchy(data).at(0).ticks) != numbers(first.at(0).ticks));
}

TEST_CASE("A hierarchy learns unless it is told not to, as in YAML") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 1, 2);
  level.add_layer(HebbianLayer(1, 2));
  hierarchy.add_level(std::move(level));
  const auto& layer = dynamic_cast<const HebbianLayer&>(hierarchy.level(0).layer(0));
  const std::vector<double> before = numbers(layer.weights());
  hierarchy.process_hierarchy(steps_as_data(0, 5), {.learn = false});
  hierarchy.process_time_step(ones({1}), false);
  CHECK(numbers(layer.weights()) == before);
  hierarchy.process_time_step(ones({1}));
  const std::vector<double> then = numbers(layer.weights());
  CHECK(then != before);
  hierarchy.process_hierarchy(steps_as_data(0, 5));
  CHECK(numbers(layer.weights()) != then);
}

TEST_CASE("A level that joins later reads what the level below holds") {
  HierarchyManager hierarchy = bare_levels({4});
  hierarchy.process_hierarchy(steps_as_data(0, 6));
  hierarchy.add_level(bare(1, 1, 1));
  const auto result = hierarchy.process_hierarchy(steps_as_data(6, 4));
  CHECK(numbers(result.at(1).ticks) == std::vector<double>{4, 4, 8, 8});
}

TEST_CASE("When a level goes, the one above reads what the next below holds") {
  HierarchyManager hierarchy = bare_levels({2, 8, 1});
  hierarchy.process_hierarchy(steps_as_data(0, 7));
  hierarchy.remove_level(1);
  // Level 0 has been holding 6; level 1 was still at 0.
  const auto result = hierarchy.process_hierarchy(steps_as_data(7, 3));
  CHECK(numbers(result.at(2).ticks) == std::vector<double>{6, 8, 8});
}

TEST_CASE("Levels of different dtypes give what each of them computes in") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 1, 2);
  level.add_layer(ReactiveLayer(1, 2, {.dtype = DType::float64}));
  hierarchy.add_level(std::move(level));
  hierarchy.add_level(bare(1, 2, 2));
  const auto result = hierarchy.process_hierarchy(ones({3, 1}));
  CHECK(result.at(0).ticks.dtype() == DType::float64);
  CHECK(result.at(1).ticks.dtype() == DType::float64);
  CHECK(numbers(result.at(1).ticks[0]) == numbers(result.at(0).ticks[0]));
}

TEST_CASE("A series of integers is pooled as numbers") {
  HierarchyManager hierarchy = bare_levels({1, 2}, {.pooling = Pooling::mean});
  const auto result = hierarchy.process_hierarchy(arange(5).reshape({5, 1}));
  CHECK(result.at(1).ticks.dtype() == DType::float64);
  CHECK(numbers(result.at(1).ticks) == std::vector<double>{0, 1.5, 3.5});
}

TEST_CASE("The number of streams may change only after a reset") {
  HierarchyManager hierarchy = bare_levels({1, 2});
  hierarchy.process_hierarchy(ones({2, 3, 1}));
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(ones({3, 3, 1})), ShapeError,
                         "[level 0] its state is of 2 stream(s), got 3; reset its state first");
  hierarchy.process_hierarchy(ones({2, 3, 1}));
  hierarchy.reset_state();
  CHECK(hierarchy.process_hierarchy(ones({3, 3, 1})).at(1).ticks.shape() == Shape{3, 2, 1});
}

TEST_CASE("Operations per step count each level as often as it ticks") {
  HierarchyManager hierarchy;
  HierarchicalLevel first(0, 4, 3);
  first.add_layer(ReactiveLayer(4, 3));
  hierarchy.add_level(std::move(first));
  HierarchicalLevel second(1, 3, 2, 4);
  second.add_layer(HebbianLayer(3, 2));
  hierarchy.add_level(std::move(second));
  CHECK(hierarchy.operations_per_step(false) == 30.0 + 12.0 / 4.0);
  CHECK(hierarchy.operations_per_step(true) == 30.0 + 24.0 / 4.0);
}

TEST_CASE("All that a hierarchy carries is there before the first step, in its final shape") {
  const auto made = [] {
    HierarchyManager hierarchy;
    HierarchicalLevel first(0, 2, 2, 2, {.pooling = Pooling::concat});
    first.add_layer(HebbianLayer(2, 2, {.rule = BcmRule{}}));
    hierarchy.add_level(std::move(first));
    HierarchicalLevel second(3, 2, 4, 3, {.pooling = Pooling::mean});
    second.add_layer(TemporalLayer(2, 4));
    hierarchy.add_level(std::move(second));
    return hierarchy;
  };
  HierarchyManager hierarchy = made();
  hierarchy.allocate_state(2, 1, DType::float32);
  const std::vector<NamedArray> before = hierarchy.state();
  hierarchy.process_hierarchy(ones({2, 7, 1}), -1, {.learn = true});
  const std::vector<NamedArray> after = hierarchy.state();
  REQUIRE(before.size() == after.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < before.size(); ++i) {
    names.push_back(before[i].name);
    CHECK(after[i].name == before[i].name);
    CHECK(after[i].value.shape() == before[i].value.shape());
    CHECK(after[i].value.dtype() == before[i].value.dtype());
  }
  for (const char* name : {"levels/0/layers/0/theta", "levels/0/window", "levels/3/held_source",
                           "levels/3/layers/0/state", "levels/3/representation"}) {
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
  // To have made room beforehand changes nothing.
  HierarchyManager other = made();
  for (const int id : {0, 3}) {
    const std::vector<NamedArray> from = hierarchy.level(id).layer(0).arrays();
    const std::vector<NamedArray> to = other.level(id).layer(0).arrays();
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i].role != NamedArray::Role::state) to[i].value.assign(from[i].value);
    }
  }
  hierarchy.reset_state();
  hierarchy.allocate_state(2, 1, DType::float32);
  const Array data = random_normal({2, 9, 1}, 0.0, 1.0, DType::float32, {1, 1});
  const auto expected = other.process_hierarchy(data, {.learn = false});
  for (const auto& [id, found] : hierarchy.process_hierarchy(data, {.learn = false})) {
    CHECK(numbers(found.ticks) == numbers(expected.at(id).ticks));
  }
}

TEST_CASE("Epochs of a batch of streams go on with the weights and nothing else") {
  const Array data = random_normal({3, 50, 4}, 0.0, 1.0, DType::float64, {5, 1});
  const auto make = [] {
    HierarchyManager hierarchy;
    HierarchicalLevel level(0, 4, 2, 3, {.pooling = Pooling::mean});
    level.add_layer(TemporalLayer(4, 5, {.leak = 0.4, .dtype = DType::float64, .random = {5, 2}}));
    level.add_layer(HebbianLayer(
        5, 2, {.rule = OjaRule{.learning_rate = 0.02}, .dtype = DType::float64, .random = {5, 3}}));
    hierarchy.add_level(std::move(level));
    return hierarchy;
  };
  HierarchyManager epochs = make();
  epochs.process_hierarchy(data, -1, {.learn = true});
  const auto& learnt = dynamic_cast<const HebbianLayer&>(epochs.level(0).layer(1));
  const Array after_one = learnt.weights().copy();
  epochs.reset_state();
  CHECK(epochs.step() == 0);
  const Array second = epochs.process_hierarchy(data, -1, {.learn = true}).at(0).ticks;

  HierarchyManager fresh = make();
  auto& layer = dynamic_cast<HebbianLayer&>(fresh.level(0).layer(1));
  layer.set_weights(after_one);
  CHECK(numbers(fresh.process_hierarchy(data, -1, {.learn = true}).at(0).ticks) == numbers(second));
  CHECK(numbers(layer.weights()) == numbers(learnt.weights()));
  CHECK(numbers(layer.weights()) != numbers(after_one));
}
