// SPDX-License-Identifier: MIT
/// \file
/// An experiment run from a program of one's own: the result is a file that `gaia report` and every
/// reader of HDF5 open.
///
///     experiment RESULT.h5
#include <gaia/gaia.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace gaia;
  if (argc != 2) {
    std::fprintf(stderr, "usage: experiment RESULT.h5\n");
    return 2;
  }
  try {
    Experiment experiment = load_experiment_text(R"(
experiment: consumer
device: cpu
data: {source: generator, kind: ornstein_uhlenbeck, tau: [20, 200], channels: 4, steps: 2000}
hierarchy:
  levels:
    - layers: [{type: hebbian, size: 2, rule: sanger, learning_rate: 0.005}]
    - temporal_resolution: 8
      pooling: mean
      layers: [{type: hebbian, size: 2, rule: oja_subspace}]
)",
                                                 "consumer.yaml", {.output = argv[1]});
    const HierarchySummary done = run_hierarchy(experiment, {.overwrite = true});
    std::printf("%lld steps in %s\n", static_cast<long long>(done.steps_done), done.file.c_str());
    for (const LevelSummary& level : done.levels) {
      std::printf("%lld ticks of %lld neurons\n", static_cast<long long>(level.ticks),
                  static_cast<long long>(level.neurons));
    }
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
