// SPDX-License-Identifier: MIT
#include <limits>

#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"
#include "../support/fake_device.h"
#include "random_hierarchy.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Values = std::map<std::string, std::vector<double>>;

Values values_of(const HierarchyManager& hierarchy) {
  Values values;
  for (const NamedArray& array : hierarchy.state()) {
    values[array.name] = array.value.to_vector<double>();
  }
  return values;
}

/// What a hierarchy makes of data from where it stands, learning, and how it stands then.
struct Course {
  std::map<int, std::vector<double>> ticks;
  Values state;
  std::int64_t step = 0;

  Course(HierarchyManager& hierarchy, const Array& data) {
    for (const auto& [id, made] : hierarchy.process_hierarchy(data, -1, {.learn = true})) {
      ticks[id] = made.ticks.to_vector<double>();
    }
    state = values_of(hierarchy);
    step = hierarchy.step();
  }
  friend bool operator==(const Course&, const Course&) = default;
};

}  // namespace

TEST_CASE("A clone goes on as the hierarchy would, and neither touches the other") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomHierarchy drawn(seed);
    INFO("seed " << seed << ": " << drawn.description);
    HierarchyManager& hierarchy = drawn.hierarchy;
    const std::int64_t seen = static_cast<std::int64_t>(seed % 19);  // 0: before its first step
    hierarchy.process_hierarchy(drawn.data.slice(1, 0, seen), -1, {.learn = true});
    const Array rest = drawn.data.slice(1, seen);

    HierarchyManager twin = hierarchy.clone();
    HierarchyManager late = hierarchy.clone();
    CHECK(twin.step() == seen);
    const Values before = values_of(hierarchy);
    CHECK(values_of(twin) == before);

    const Course of_twin(twin, rest);
    CHECK(values_of(hierarchy) == before);
    const Course of_hierarchy(hierarchy, rest);
    CHECK(of_hierarchy == of_twin);
    CHECK(values_of(late) == before);
    CHECK(Course(late, rest) == of_twin);
  }
}

TEST_CASE("A clone has the levels and layers of its hierarchy, but no observers") {
  RandomHierarchy drawn(5);
  int blocks = 0;
  drawn.hierarchy.add_observer([&](const HierarchyBlock&) { ++blocks; });
  HierarchyManager twin = drawn.hierarchy.clone();
  CHECK(twin.observers().empty());
  twin.process_hierarchy(drawn.data);
  CHECK(blocks == 0);
  REQUIRE(twin.levels().size() == drawn.hierarchy.levels().size());
  for (std::size_t i = 0; i < twin.levels().size(); ++i) {
    drawn.hierarchy.reset_state();
    twin.reset_state();
    // Which also compares kinds, sizes, rules and controls of all layers.
    CHECK(drawn.hierarchy.levels()[i].why_not_replica(twin.levels()[i]) == "");
  }
  const int id = twin.levels().back().id();
  drawn.hierarchy.remove_level(id);
  CHECK(twin.level(id).id() == id);
}

TEST_CASE("A clone holds back a representation that its hierarchy does, until the first tick") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 2, 1, 4, {.held_until_first = LevelOptions::UntilFirst::refuse});
  level.add_layer(ReactiveLayer(2, 1));
  hierarchy.add_level(std::move(level));
  HierarchyManager twin = hierarchy.clone();
  twin.set_step(1);
  twin.process_hierarchy(ones({2, 2}));
  CHECK_THROWS_WITH_TEXT(twin.level(0).representation(), Error, "held_until_first");
}

TEST_CASE("What diverged before it was cloned is found by the clone's own first block") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 1, 1);
  level.add_layer(HebbianLayer(1, 1, {.rule = HebbRule{}, .dtype = DType::float64}));
  hierarchy.add_level(std::move(level));
  const double infinity = std::numeric_limits<double>::infinity();
  hierarchy.process_hierarchy(full({3, 1}, infinity, DType::float64), -1, {.learn = true});
  CHECK_THROWS_AS(hierarchy.check_finite(), DivergedError);
  HierarchyManager twin = hierarchy.clone();
  twin.check_finite();
  CHECK_THROWS_AS(twin.process_hierarchy(ones({2, 1}, DType::float64), -1, {.check_finite = true}),
                  DivergedError);
}

TEST_CASE("A clone lies where its hierarchy lies, and works on another device") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomHierarchy drawn(seed);
    INFO("seed " << seed << ": " << drawn.description);
    const Array first = drawn.data.slice(1, 0, 9);
    const Array rest = drawn.data.slice(1, 9);
    const FakeDevice fake;
    HierarchyManager here = drawn.hierarchy.clone();
    here.process_hierarchy(first, -1, {.learn = true});
    HierarchyManager there = here.clone();
    const std::int64_t moved = 7;  // steps, in which every level ticks
    {
      const GPUContext scope(fake.device());
      there.process_hierarchy(rest.slice(1, 0, moved).to(fake.device()), -1, {.learn = true});
    }
    for (const HierarchicalLevel& level : there.levels()) {
      for (std::size_t i = 0; i < level.layer_count(); ++i) {
        for (const NamedArray& array : level.layer(i).arrays()) {
          CHECK((array.value.size() == 0 || array.value.device() == fake.device()));
        }
      }
    }
    for (const NamedArray& array : here.state()) CHECK(array.value.device().is_cpu());
    // On the device where the arrays lie, not on the one that is current.
    HierarchyManager back = there.clone();
    const auto mine = there.state();
    const auto copied = back.state();
    REQUIRE(copied.size() == mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      CHECK(copied[i].value.device() == mine[i].value.device());
    }
    const Array last = rest.slice(1, moved);
    here.process_hierarchy(rest.slice(1, 0, moved), -1, {.learn = true});
    const auto expected = here.process_hierarchy(last, -1, {.learn = true});
    const auto found = back.process_hierarchy(last, -1, {.learn = true});
    for (const auto& [id, made] : expected) {
      CHECK(distance(found.at(id).ticks, made.ticks) <= 1e-12);
    }
  }
}
