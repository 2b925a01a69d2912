// SPDX-License-Identifier: MIT
/// \file
/// The example of docs/cpp.md, which shows these lines and their output.
#include <gaia/gaia.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace gaia;
  set_seed(1);
  const Array samples = random_normal({20000, 4}) * array({2.0, 1.0, 0.7, 0.5});
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 4, 2);
  level.add_layer(HebbianLayer(4, 2, {.rule = SangerRule{.learning_rate = 0.002}}));
  hierarchy.add_level(std::move(level));
  hierarchy.process_hierarchy(samples, -1, {.learn = true});
  const auto& layer = dynamic_cast<HebbianLayer&>(hierarchy.level(0).layer(0));
  for (int i = 0; i < 2; ++i) {  // row i has turned to principal component i, with length 1
    std::printf("|w[%d][%d]| = %.2f\n", i, i, std::abs(layer.weights().item({i, i})));
  }
}
