// SPDX-License-Identifier: MIT
#include "../../src/array/joining.h"
#include "../support/catch.h"
#include "../support/fake_device.h"
#include "random_hierarchy.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("A hierarchy does on another device what it does on the CPU") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomHierarchy here(seed);
    const auto expected = here.hierarchy.process_hierarchy(here.data, -1, {.learn = true});
    const FakeDevice fake;
    RandomHierarchy there(seed);  // built on the CPU, moved by the first step on the device
    std::map<int, LevelRepresentation> found;
    {
      const GPUContext scope(fake.device());
      found = there.hierarchy.process_hierarchy(there.data.to(fake.device()), -1,
                                                {.learn = true, .check_finite = true});
      for (auto& [id, made] : found) {
        CHECK(made.ticks.device() == fake.device());
        made.ticks = to_cpu(made.expanded());
        made.before = Array();
      }
    }
    for (const auto& [id, made] : expected) {
      INFO("seed " << seed << ", level " << id << ": " << here.description);
      CHECK(distance(found.at(id).ticks, made.expanded()) <= 1e-13);
    }
  }
}

TEST_CASE("A hierarchy may change the device between two blocks") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomHierarchy here(seed);
    const auto expected = here.hierarchy.process_hierarchy(here.data, -1, {.learn = true});
    const FakeDevice fake;
    RandomHierarchy moving(seed);
    std::map<int, std::vector<Array>> rows;
    const std::int64_t steps = here.data.shape(1);
    for (const auto& [first, end] :
         {std::pair<std::int64_t, std::int64_t>{0, 7}, {7, 15}, {15, steps}}) {
      const GPUContext scope(first == 7 ? fake.device() : Device::cpu());
      for (const auto& [id, made] : moving.hierarchy.process_hierarchy(
               here.data.slice(1, first, end), -1, {.learn = true})) {
        rows[id].push_back(to_cpu(made.expanded()));
      }
    }
    for (const auto& [id, made] : expected) {
      INFO("seed " << seed << ", level " << id << ": " << here.description);
      CHECK(distance(concatenate(rows[id], 1), made.expanded()) <= 1e-12);
    }
  }
}
