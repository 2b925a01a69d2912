// SPDX-License-Identifier: MIT
#include "../../src/array/create.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/io/arrays.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;

namespace {

HierarchyManager drawn(std::uint64_t seed) {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 4, 5);
  fast.add_layer(TemporalLayer(4, 5, {.leak = 0.3, .random = {seed, 0}}));
  HierarchicalLevel slow(1, 5, 3, 4, {.pooling = Pooling::mean});
  slow.add_layer(HebbianLayer(5, 3, {.rule = BcmRule{.learning_rate = 0.01}, .random = {seed, 1}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));
  return hierarchy;
}

std::vector<float> ticks(HierarchyManager& hierarchy, const Array& data) {
  return hierarchy.process_hierarchy(data, -1, {.learn = true}).at(1).ticks.to_vector<float>();
}

}  // namespace

FOLDER_TEST_CASE("A hierarchy goes on from a state that was saved to a file and loaded") {
  const std::string path = folder.path("state.h5");
  const std::int64_t streams = GENERATE(1, 3);
  const Array data = random_normal({streams, 30, 4}, 0.0, 1.0, DType::float32, {5, 0});
  HierarchyManager first = drawn(1);
  ticks(first, data.slice(1, 0, 14));  // into the middle of a tick of level 1
  ArrayMap kept;
  for (const NamedArray& array : first.state()) kept[array.name] = array.value.copy();
  io::save(path, kept);
  const std::vector<float> expected = ticks(first, data.slice(1, 14));

  for (const bool from_file : {false, true}) {
    HierarchyManager again = drawn(2);
    again.set_state(from_file ? io::load(path, {.trusted = true}) : kept, 14);
    CHECK(again.step() == 14);
    CHECK(ticks(again, data.slice(1, 14)) == expected);
  }
}

TEST_CASE("A hierarchy goes back to the state that it had before the first data") {
  const Array data = random_normal({1, 30, 4}, 0.0, 1.0, DType::float32, {5, 0});
  const auto made = [] {
    HierarchyManager hierarchy = drawn(1);
    HierarchicalLevel written(2, 3, 2);
    written.add_layer(HebbianLayer(
        3, 2,
        {.rule = EquationRule("m = m + 0.1*(y - m) + 0.01*uniform()\nde = y*q - e/3\ndw = 0.01*m*e",
                              {.memory = {{"m", 0.4}}, .traces = {{"q", 3.0}}}),
         .random = {1, 2}}));
    hierarchy.add_level(std::move(written));
    return hierarchy;
  };
  const auto answers = [&](HierarchyManager& hierarchy) {
    return hierarchy.process_hierarchy(data, -1, {.learn = true}).at(2).ticks.to_vector<float>();
  };
  HierarchyManager hierarchy = made();
  ArrayMap kept;
  for (const NamedArray& array : hierarchy.state()) kept[array.name] = array.value.copy();
  const std::vector<float> expected = answers(hierarchy);
  hierarchy.set_state(kept, 0);
  CHECK(hierarchy.step() == 0);
  CHECK(answers(hierarchy) == expected);
}

TEST_CASE("A state that does not fit is refused") {
  HierarchyManager one = drawn(1);
  one.allocate_state(1, 4, DType::float32);
  ArrayMap kept;
  for (const NamedArray& array : one.state()) kept[array.name] = array.value;
  HierarchyManager three = drawn(1);
  three.allocate_state(3, 4, DType::float32);
  CHECK_THROWS_WITH_TEXT(three.set_state(kept, 0), ShapeError,
                         "[level 0] its state is of 3 stream(s), got 1; reset its state first");
  kept.erase("levels/1/layers/0/weights");
  HierarchyManager other = drawn(1);
  CHECK_THROWS_WITH_TEXT(
      other.set_state(kept, 0), ArgumentError,
      "[level 1] expected an array 'levels/1/layers/0/weights' in the state, got none");
}
