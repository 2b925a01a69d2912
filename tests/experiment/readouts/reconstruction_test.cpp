// SPDX-License-Identifier: MIT
#include "../../../src/experiment/readouts/reconstruction.h"

#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/layers/hierarchy/reactive.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

/// y = W x, without bias.
ReactiveLayer layer_with(const std::vector<double>& weights, std::int64_t inputs,
                         std::int64_t outputs) {
  ReactiveLayer layer(inputs, outputs, {.activation = Activation::linear, .dtype = DType::float64});
  for (const NamedArray& array : layer.arrays()) {
    if (array.name == "weights") array.value.assign(from_values(weights, {outputs, inputs}));
    if (array.name == "bias") array.value.assign(zeros({outputs}, DType::float64));
  }
  return layer;
}

}  // namespace

TEST_CASE("the error of a level is what its weights do not bring back, of each tick") {
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 3, 2);
  fast.add_layer(layer_with({1, 0, 0, 0, 0.5, 0}, 3, 2));
  hierarchy.add_level(std::move(fast));
  // Reads the mean of two ticks of the level below, through two layers.
  HierarchicalLevel slow(1, 2, 1, 2, {.pooling = Pooling::mean});
  slow.add_layer(layer_with({1, 0, 0, 2}, 2, 2));
  slow.add_layer(layer_with({1, 0}, 2, 1));
  hierarchy.add_level(std::move(slow));

  const std::vector<double> x = {1, 2, 3, -1, 0, 1, 0, 4, 2, 2, 2, 2, 5, 0, 1};
  for (const std::int64_t block : {5, 2}) {
    Reconstruction reconstruction({0, 1});
    hierarchy.reset_state();
    std::vector<double> of_fast;
    std::vector<double> of_slow;
    for (std::int64_t first = 0; first < 5; first += block) {
      const std::int64_t count = std::min<std::int64_t>(block, 5 - first);
      const Array samples = from_values(x, {5, 3}).slice(0, first, first + count);
      reconstruction.before_block(hierarchy, samples);
      const HierarchyBlock errors =
          reconstruction.read(hierarchy.process_block(samples.expand_dims(0), {.learn = false}));
      for (const double e : errors.levels[0].ticks.to_vector<double>()) of_fast.push_back(e);
      for (const double e : errors.levels[1].ticks.to_vector<double>()) of_slow.push_back(e);
    }
    // y = (x0, x1 / 2), x' = (x0, x1 / 4, 0).
    REQUIRE(of_fast.size() == 5);
    for (std::size_t t = 0; t < 5; ++t) {
      const double second = 0.75 * x[3 * t + 1];
      const double third = x[3 * t + 2];
      CHECK(of_fast[t] == Approx((second * second + third * third) / 3.0));
    }
    // Of what it reads, (p, q), p comes back as p and q not at all.  It ticks at the steps 0, 2, 4.
    const auto q = [&](std::size_t t) { return 0.5 * x[3 * t + 1]; };
    const std::vector<double> pooled = {q(0), (q(1) + q(2)) / 2.0, (q(3) + q(4)) / 2.0};
    REQUIRE(of_slow.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) CHECK(of_slow[k] == Approx(pooled[k] * pooled[k] / 2.0));
    // A trial begins with an empty pool: its first tick has seen one step, and not the one behind
    // the last tick of the trial before.
    const Array behind = from_values(x, {5, 3}).slice(0, 0, 1);
    reconstruction.before_block(hierarchy, behind);
    reconstruction.read(hierarchy.process_block(behind.expand_dims(0), {.learn = false}));
    reconstruction.begin_trial();
    hierarchy.reset_state();
    const Array again = from_values(x, {5, 3}).slice(0, 1, 2);
    reconstruction.before_block(hierarchy, again);
    const HierarchyBlock anew =
        reconstruction.read(hierarchy.process_block(again.expand_dims(0), {.learn = false}));
    CHECK(anew.levels[1].ticks.item() == Approx(q(1) * q(1) / 2.0));
  }
}
