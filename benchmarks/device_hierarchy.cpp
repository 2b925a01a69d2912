// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies that read a time series: a reactive level, then plastic ones.
#include <memory>
#include <string>
#include <vector>

#include "../src/array/random_arrays.h"
#include "../src/hierarchy/replicas.h"
#include "../src/layers/hierarchy/hebbian.h"
#include "cases.h"
#include "levels.h"

namespace gaia::bench {
namespace {

/// inputs -> 2 inputs -> 4 inputs ... at resolutions 1, 2, 4 ...
struct HierarchySize {
  std::int64_t inputs = 10;
  int levels = 2;
  std::int64_t steps = 1000;
  std::int64_t streams = 1;
  bool learn = false;
  /// More than one: hierarchies with weights of their own that read the same series side by side.
  std::int64_t replicas = 1;
  /// Steps that levels work on at a time, side by side; 0: as many as suit the device.
  std::int64_t block_steps = 0;
};

/// The inputs, then the outputs of each level.
std::vector<std::int64_t> sizes_of(const HierarchySize& size) {
  std::vector<std::int64_t> sizes;
  for (int n = 0; n <= size.levels; ++n) sizes.push_back(size.inputs << n);
  return sizes;
}

/// Multiplications and additions of one step, without making the hierarchy.
double operations_per_step(const HierarchySize& size) {
  double total = 0.0;
  double inputs = static_cast<double>(size.inputs);
  for (int n = 0; n < size.levels; ++n, inputs *= 2.0) {
    const double passes = size.learn && n > 0 ? 2.0 : 1.0;  // learning: the update too
    total += passes * 2.0 * inputs * (2.0 * inputs) / static_cast<double>(std::int64_t(1) << n);
  }
  return total;
}

/// A layer that learns by Oja's rule, chunk by chunk or sample by sample.  On a GPU the first goes
/// through matrix products where it is large, the second keeps weights in registers: which is
/// faster at which size decides that rule.
Case plastic_case(std::int64_t inputs, std::int64_t outputs, std::int64_t steps,
                  Executor executor) {
  const double weights = static_cast<double>(inputs) * static_cast<double>(outputs);
  return {
      .name = std::string("plastic/") +
              (executor == Executor::chunkwise ? "chunkwise/" : "stepwise/") +
              joined_sizes({inputs, outputs}) + "/steps:" + std::to_string(steps),
      .what = "the answers of one layer that learns",
      .inputs =
          [=] {
            return Arrays{random_normal({1, steps, inputs}, 0.0, 0.3, DType::float32, {42, 1001})};
          },
      .prepare = [=](const Arrays& x) -> Task {
        const auto layer = std::make_shared<HebbianLayer>(
            inputs, outputs,
            HebbianOptions{.rule = OjaRule{.learning_rate = 1e-3},
                           .control = {.normalization = Normalization::l2},
                           .executor = executor,
                           .random = {42, 0}});
        return {.run = [layer, data = x[0]] { return layer->process(data, true); }};
      },
      .flops = 4.0 * weights* static_cast<double>(steps),
      .tolerance = 1e-3};
}

Case hierarchy_case(const std::string& name, const HierarchySize& size) {
  const Shape shape = size.streams == 1 ? Shape{size.steps, size.inputs}
                                        : Shape{size.streams, size.steps, size.inputs};
  const double steps = static_cast<double>(size.steps * size.streams * size.replicas);
  return {
      .name = name,
      .what = std::string("the last level's answers to a series, weights ") +
              (size.learn ? "learning" : "fixed") +
              (size.replicas > 1 ? ", of hierarchies side by side" : ""),
      .inputs =
          [shape] { return Arrays{random_normal(shape, 0.0, 0.3, DType::float32, {42, 1000})}; },
      .prepare = [size](const Arrays& x) -> Task {
        const Levels levels{
            sizes_of(size), size.steps, false, size.learn, OjaRule{.learning_rate = 1e-3},
            DType::float32};
        const auto replicas = std::make_shared<std::vector<HierarchyManager>>();
        for (std::int64_t r = 0; r < size.replicas; ++r) {
          replicas->push_back(make_hierarchy(levels, 42 + static_cast<std::uint64_t>(r)));
        }
        return {.run = [size, replicas, data = x[0]] {
          for (HierarchyManager& hierarchy : *replicas) hierarchy.reset_state();
          const ProcessOptions options{.learn = size.learn, .block_steps = size.block_steps};
          const auto made = size.replicas > 1
                                ? process_replicas(*replicas, data, -1, options)
                                : replicas->front().process_hierarchy(data, -1, options);
          return made.at(size.levels - 1).ticks;
        }};
      },
      .flops = operations_per_step(size) * steps,
      // Learning carries roundings on from step to step: after 10 000 of them the CPU's own two
      // executors differ by 1.6e-3 of the largest output.  Some start near a point where two
      // ways part, and there rounding decides: of 64 replicas one differs by 9 % after 1000
      // steps. After 100 steps none does by more than 1e-6, so of replicas these are compared.
      .tolerance = !size.learn || size.replicas > 1 ? 1e-5
                   : size.steps > 1000              ? 1e-2
                                                    : 1e-3,
      .compared = size.learn && size.replicas > 1
                      ? [last = std::int64_t(1) << (size.levels - 1)](
                            const Array& ticks) { return ticks.slice(1, 0, 100 / last); }
                      : std::function<Array(const Array&)>()};
}

}  // namespace

Case device_hierarchy_case(const std::string& name, std::int64_t inputs, std::int64_t steps) {
  return hierarchy_case(name, {.inputs = inputs, .levels = 2, .steps = steps});
}

std::vector<Case> device_hierarchy_cases(bool quick) {
  std::vector<Case> cases;
  const auto add = [&](const HierarchySize& size, std::optional<Claim> claim = {}) {
    std::string name = std::string("hierarchy/") + (size.learn ? "learning/" : "");
    for (const std::int64_t n : sizes_of(size)) {
      name += (n == size.inputs ? "" : "-") + std::to_string(n);
    }
    name += "/steps:" + std::to_string(size.steps);
    if (size.streams > 1) name += "/streams:" + std::to_string(size.streams);
    if (size.replicas > 1) name += "/replicas:" + std::to_string(size.replicas);
    if (size.block_steps > 0) name += "/block_steps:" + std::to_string(size.block_steps);
    cases.push_back(hierarchy_case(name, size));
    cases.back().claim = claim;
  };
  add({.inputs = 10, .levels = 2}, Claim{2.0, 2.0, 0.08, 0.08});
  if (quick) {
    add({.inputs = 100, .levels = 3, .steps = 100, .learn = true});
    add({.inputs = 10, .levels = 3, .steps = 100, .learn = true, .replicas = 4});
    cases.push_back(plastic_case(100, 200, 100, Executor::chunkwise));
    return cases;
  }
  const HierarchySize complete{.inputs = 100, .levels = 3, .steps = 10000};
  add(complete, Claim{20.0, 30.0, 0.8, 1.2});
  HierarchySize learning = complete;
  learning.learn = true;
  add(learning);
  learning.block_steps = learning.steps;  // one block: no level works beside another
  add(learning);
  learning.block_steps = 0;
  learning.replicas = 64;
  add(learning);
  learning.replicas = 1;
  learning.streams = 64;
  learning.steps = 1000;
  add(learning);
  for (const Executor executor : {Executor::chunkwise, Executor::stepwise}) {
    cases.push_back(plastic_case(1024, 4096, 1000, executor));  // may stay on the chip
    cases.push_back(plastic_case(2048, 8192, 500, executor));   // more than it holds
  }
  return cases;
}

}  // namespace gaia::bench
