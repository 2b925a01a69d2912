// SPDX-License-Identifier: MIT
/// \file
/// Levels that tick at a phase: steps of ticks, held rows, pieces of a series, states.
#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/random_arrays.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

HierarchyManager phased() {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 3, 2, 2, {.pooling = Pooling::mean, .phase = 1});
  fast.add_layer(HebbianLayer(3, 2, {.rule = OjaRule{}, .dtype = DType::float64, .random = {1, 1}}));
  HierarchicalLevel slow(1, 6, 2, 5, {.pooling = Pooling::legendre, .legendre = 3, .phase = 3});
  slow.add_layer(HebbianLayer(6, 2, {.rule = OjaRule{}, .dtype = DType::float64, .random = {1, 2}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));
  return hierarchy;
}

}  // namespace

TEST_CASE("Levels at a phase tick there, show zeros before, and are the same in pieces") {
  const Array data = random_normal({30, 3}, 0.0, 1.0, DType::float64, {4, 4});
  HierarchyManager whole = phased();
  const auto all = whole.process_hierarchy(data);
  CHECK(all.at(0).tick_steps().to_vector<double>().front() == 1.0);
  CHECK(all.at(1).tick_steps().to_vector<double>() ==
        std::vector<double>{3, 8, 13, 18, 23, 28});
  const Array expanded = all.at(1).expanded();
  REQUIRE(expanded.shape() == Shape{30, 2});
  for (std::int64_t t = 0; t < 30; ++t) {
    INFO("step " << t);
    const std::vector<double> held =
        t < 3 ? std::vector<double>(2, 0.0)
              : all.at(1).ticks[(t - 3) / 5].to_vector<double>();
    CHECK(expanded[t].to_vector<double>() == held);
  }
  for (const std::int64_t cut : {1, 2, 3, 4, 9, 29}) {
    HierarchyManager pieces = phased();
    const auto first = pieces.process_hierarchy(data.slice(0, 0, cut));
    HierarchyManager twin = phased();
    twin.allocate_state(1, 3, DType::float64);
    ArrayMap state;
    for (const NamedArray& array : pieces.state()) state.emplace(array.name, array.value.copy());
    twin.set_state(state, cut);
    for (HierarchyManager* const one : {&pieces, &twin}) {
      const auto second = one->process_hierarchy(data.slice(0, cut, 30));
      for (const int id : {0, 1}) {
        INFO("cut " << cut << ", level " << id);
        CHECK(concatenate({first.at(id).ticks, second.at(id).ticks}, 0).to_vector<double>() ==
              all.at(id).ticks.to_vector<double>());
      }
    }
  }
}
