// SPDX-License-Identifier: MIT
/// \file
/// A small hierarchy in a program of one's own: it learns from a noisy wave, on the best device
/// there is, and tells what it came to.
#include <gaia/gaia.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace gaia;
  set_seed(42);

  // Four channels that share one slow wave, in white noise.
  constexpr std::int64_t steps = 4000;
  std::vector<double> wave(steps);
  for (std::size_t t = 0; t < wave.size(); ++t) {
    wave[t] = std::sin(0.01 * static_cast<double>(t));
  }
  const Array shared = from_values(wave, {steps, 1}).astype(DType::float32);
  const Array data = shared + 0.5 * random_normal({steps, 4});

  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, 4, 3, 1);
  fast.add_layer(HebbianLayer(4, 3, {.rule = SangerRule{.learning_rate = 0.005}}));
  HierarchicalLevel slow(1, 3, 2, 8, {.pooling = Pooling::mean});
  slow.add_layer(HebbianLayer(3, 2, {.rule = OjaSubspaceRule{.learning_rate = 0.01}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));

  {
    GPUContext scope("auto");  // the GPU if there is one, else the CPU; only in this scope
    const auto learnt = hierarchy.process_hierarchy(data, steps, {.learn = true});
    for (const auto& [id, level] : learnt) {
      std::printf("level %d: %lld ticks of %lld numbers\n", id,
                  static_cast<long long>(level.ticks.shape(0)),
                  static_cast<long long>(level.ticks.shape(1)));
    }
  }

  const auto& first = dynamic_cast<HebbianLayer&>(hierarchy.level(0).layer(0));
  std::printf("length of the first weights: %.2f\n", norm(first.weights()[0]).item());
  std::printf("computing on %s again\n", to_string(current_device()).c_str());
  return 0;
}
