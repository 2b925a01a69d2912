// SPDX-License-Identifier: MIT
// What a level hears from above is the same whichever way a hierarchy comes by it: in blocks, from
// a state, as a clone or a replica, on any device and any number of threads.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/ops.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/replicas.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "top_down_cases.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("What is heard does not depend on how a series is cut into blocks") {
  const As as = GENERATE(As::gain, As::bias, As::prior);
  TopDownCase one{.as = as, .resolution = 4, .delay = 2, .streams = 3};
  if (as == As::bias) one.by_text = GENERATE(false, true);
  if (as == As::prior) one.activation = Activation::softmax;
  const TopDownData data = data_of(one, 60);
  HierarchyManager whole = hierarchy_of(one);
  const auto expected = whole.process_hierarchy(data.x, -1, {.signals = data.signals});
  for (const std::int64_t length : {1, 3, 4, 7, 59}) {
    INFO(length);
    HierarchyManager cut = hierarchy_of(one);
    double most = 0.0;
    for (std::int64_t first = 0; first < 60; first += length) {
      const std::int64_t end = std::min<std::int64_t>(60, first + length);
      const TopDownData here = part(data, first, end);
      const auto shown = cut.process_hierarchy(here.x, -1, {.signals = here.signals});
      for (const auto& [id, level] : shown) {
        const Array all = expected.at(id).ticks;
        const std::int64_t row = count_ticks(0, first, level.temporal_resolution);
        for (std::int64_t b = 0; b < 3 && level.ticks.shape(1) > 0; ++b) {
          most = std::max(most, apart(rows_of(level.ticks[b]),
                                      rows_of(all[b].slice(0, row, row + level.ticks.shape(1)))));
        }
      }
    }
    CHECK(most < 1e-10);
    CHECK(apart(rows_of(cut.level(0).top_down()->weights()),
                rows_of(whole.level(0).top_down()->weights())) < 1e-10);
    // The same as blocks of one call, and step by step.
    HierarchyManager blocks = hierarchy_of(one);
    blocks.process_hierarchy(data.x, -1, {.block_steps = length, .signals = data.signals});
    CHECK(apart(rows_of(blocks.level(0).top_down()->weights()),
                rows_of(whole.level(0).top_down()->weights())) < 1e-10);
  }
  if (as == As::gain) return;  // process_time_step has no signals
  HierarchyManager steps = hierarchy_of(one);
  double most = 0.0;
  for (std::int64_t t = 0; t < 60; ++t) {
    const auto shown = steps.process_time_step(data.x.select(1, t));
    most = std::max(most, apart(rows_of(shown.at(0)), rows_of(expected.at(0).ticks.select(1, t))));
  }
  CHECK(most < 1e-10);
}

TEST_CASE("A hierarchy that hears goes on from its state, its clone and after a failure") {
  const As as = GENERATE(As::gain, As::bias, As::prior);
  TopDownCase one{.as = as, .levels = 4, .resolution = 4, .delay = 2, .streams = 3};
  if (as == As::prior) one.activation = Activation::softmax;
  one.by_text = as == As::bias;
  const TopDownData data = data_of(one, 60);
  const TopDownData before = part(data, 0, 22);
  const TopDownData after = part(data, 22, 60);
  HierarchyManager first = hierarchy_of(one);
  first.process_hierarchy(before.x, -1, {.signals = before.signals});
  ArrayMap kept;
  for (const NamedArray& array : first.state()) kept[array.name] = array.value.copy();
  CHECK(kept.count("levels/0/top_down/weights") == 1);
  CHECK(kept.count("levels/0/top_down/heard") == 1);
  HierarchyManager twin = first.clone();
  HierarchyManager failing = first.clone();
  const auto go_on = [&](HierarchyManager& hierarchy) {
    std::vector<std::vector<double>> bytes;
    for (const auto& [id, level] :
         hierarchy.process_hierarchy(after.x, -1, {.signals = after.signals})) {
      bytes.push_back(level.ticks.to_vector<double>());
    }
    for (const NamedArray& array : hierarchy.state()) {
      bytes.push_back(array.value.astype(DType::float64).to_vector<double>());
    }
    return bytes;
  };
  // A hierarchy that has been used, and a call that fails in its middle.
  TopDownData bad = part(data, 22, 60);
  bad.x = bad.x.copy();
  bad.x.slice(1, 30, 32).fill(1e308);
  CHECK_THROWS_AS(failing.process_hierarchy(bad.x, -1, {.block_steps = 8, .signals = bad.signals}),
                  Error);
  const auto expected = go_on(first);
  const auto same = [](const auto& a, const auto& b) { return a == b; };
  CHECK(same(go_on(twin), expected));
  CHECK(same(go_on(failing), expected));
  HierarchyManager again = hierarchy_of(one, 9);
  again.set_state(kept, 22);
  CHECK(same(go_on(again), expected));
  // A first call that fails leaves no map behind.
  HierarchyManager fresh = hierarchy_of(one);
  CHECK_THROWS_AS(fresh.process_hierarchy(bad.x, -1, {.signals = bad.signals}), Error);
  HierarchyManager untouched = hierarchy_of(one);
  CHECK(same(go_on(fresh), go_on(untouched)));
}

TEST_CASE("Replicas hear what each hears alone, bit for bit") {
  const As as = GENERATE(As::gain, As::bias);
  const bool by_text = GENERATE(false, true);
  const TopDownCase one{.as = as, .resolution = 4, .delay = 2, .by_text = by_text};
  std::vector<HierarchyManager> together;
  std::vector<HierarchyManager> alone;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    together.push_back(hierarchy_of(one, seed));
    alone.push_back(hierarchy_of(one, seed));
  }
  const TopDownData data = data_of(one, 40);
  for (const auto& [first, end] : {std::pair{0, 17}, std::pair{17, 40}}) {
    TopDownData here = part(data, first, end);
    for (auto& [name, values] : here.signals) values = values[0];
    const auto made = process_replicas(together, here.x[0], -1, {.signals = here.signals});
    for (std::size_t r = 0; r < 3; ++r) {
      const auto own = alone[r].process_hierarchy(here.x[0], -1, {.signals = here.signals});
      for (const int level : {0, 1}) {
        CHECK(made.at(level).ticks[static_cast<std::int64_t>(r)].to_vector<double>() ==
              own.at(level).ticks.to_vector<double>());
      }
      CHECK(together[r].level(0).top_down()->weights().to_vector<double>() ==
            alone[r].level(0).top_down()->weights().to_vector<double>());
    }
  }
}

TEST_CASE("What is heard is the same on every device, in float32 and for any number of threads") {
  for (const As as : {As::gain, As::bias, As::prior}) {
    for (const bool by_text : {false, true}) {
      if (by_text && as == As::prior) continue;
      TopDownCase one{.as = as, .resolution = 4, .delay = 2, .streams = 3, .by_text = by_text};
      if (as == As::prior) one.activation = Activation::softmax;
      INFO(one.text());
      const TopDownData data = data_of(one, 30);
      HierarchyManager hierarchy = hierarchy_of(one);
      const auto expected = hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
      on_each_device([&] {
        for (const DType dtype : {DType::float64, DType::float32}) {
          HierarchyManager here = hierarchy_of(one, 3, dtype);
          double most = 0.0;
          for (const auto& [first, end] : {std::pair{0, 13}, std::pair{13, 30}}) {
            const TopDownData some = part(data, first, end);
            const auto shown = here.process_hierarchy(some.x.to(current_device()), -1,
                                                      {.block_steps = 6, .signals = some.signals});
            const Array ticks = to_cpu(shown.at(0).ticks).astype(DType::float64);
            for (std::int64_t b = 0; b < 3; ++b) {
              most = std::max(most, apart(rows_of(ticks[b]),
                                          rows_of(expected.at(0).ticks[b].slice(0, first, end))));
            }
          }
          CHECK(most < (dtype == DType::float64 ? 1e-10 : 2e-4));
        }
      });
      const auto by_threads = [&](int threads) {
        const Threads scope(threads);
        HierarchyManager here = hierarchy_of(one);
        return here.process_hierarchy(data.x, -1, {.signals = data.signals})
            .at(0)
            .ticks.to_vector<double>();
      };
      CHECK(by_threads(1) == by_threads(4));
    }
  }
}
