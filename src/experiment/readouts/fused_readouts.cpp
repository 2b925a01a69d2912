// SPDX-License-Identifier: MIT
#include "fused_readouts.h"

#include <iterator>
#include <optional>
#include <utility>

namespace gaia {
namespace {

/// In which turn readouts are built and read a block: those that read levels, those that fuse
/// these, and what watches any of them.
int turn_of(const ReadoutConfig& config) {
  return !config.kind->fuses() ? 0 : config.predicts() ? 1 : 2;
}

}  // namespace

std::vector<const Readout*> fused_by(const ReadoutConfig& config,
                                     const std::function<const Readout*(std::size_t)>& at) {
  std::vector<const Readout*> fused;
  for (const std::int64_t index : config.fused)
    fused.push_back(at(static_cast<std::size_t>(index)));
  return fused;
}

std::vector<Readout> make_readouts(
    const std::vector<ReadoutConfig>& configs, const std::function<Readout(std::size_t)>& make,
    const std::function<Readout(std::size_t, const std::vector<const Readout*>&)>& fuse) {
  std::vector<std::optional<Readout>> made(configs.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (!configs[i].kind->fuses()) made[i].emplace(make(i));
  }
  for (const int turn : {1, 2}) {
    for (std::size_t i = 0; i < configs.size(); ++i) {
      if (turn_of(configs[i]) != turn) continue;
      made[i].emplace(fuse(i, fused_by(configs[i], [&](std::size_t j) { return &*made[j]; })));
    }
  }
  std::vector<Readout> readouts;
  for (std::optional<Readout>& one : made) readouts.push_back(std::move(*one));
  return readouts;
}

std::vector<Readout::Added> process_readouts(std::vector<Readout>& readouts,
                                             const HierarchyBlock& block,
                                             const SampleReader& samples) {
  std::vector<Readout::Added> added(readouts.size());
  for (const int turn : {0, 1, 2}) {
    for (std::size_t i = 0; i < readouts.size(); ++i) {
      const ReadoutConfig& config = readouts[i].config();
      if (turn_of(config) != turn) continue;
      added[i] = readouts[i].process(block, samples,
                                     fused_by(config, [&](std::size_t j) { return &readouts[j]; }));
    }
  }
  return added;
}

}  // namespace gaia
