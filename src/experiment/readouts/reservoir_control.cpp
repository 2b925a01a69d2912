// SPDX-License-Identifier: MIT
#include "reservoir_control.h"

#include "../../layers/hierarchy/temporal.h"
#include "carried_state.h"

namespace gaia {
namespace {

std::int64_t neurons_of(const ControlSetup& setup) {
  std::int64_t neurons = 0;
  for (const LevelConfig& level : setup.config.hierarchy().levels) {
    neurons += level.layers.back().size;
  }
  return neurons;
}

std::string prefix_of(std::size_t variant) { return "leaks/" + std::to_string(variant) + "/"; }

}  // namespace

std::string ReservoirControl::why_left_out(const ControlSetup& setup,
                                           const ReadoutConfig& readout) {
  if (readout.task() == ReadoutTask::anomaly) {
    return "its leak is chosen by predictions, and there are none of anomalies";
  }
  if (readout.folds > 0) return "all of its folds are tested, and none is left to choose a leak by";
  if (steps_of_training(setup, readout).empty() && setup.ticks(readout).validation().empty()) {
    return "nothing comes before its test part to choose a leak by";
  }
  return too_many_features(neurons_of(setup));
}

double ReservoirControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  const auto neurons = static_cast<double>(neurons_of(setup));
  const auto features = static_cast<double>(setup.features);
  return static_cast<double>(kLeaks.size()) *
         (neurons * (neurons + features) + 2.0 * static_cast<double>(block_steps) * neurons);
}

ReservoirControl::ReservoirControl(const ControlSetup& setup)
    : features_(setup.features), spacing_(common_spacing(setup)), dtype_(setup.config.dtype) {
  const std::int64_t neurons = neurons_of(setup);
  const RandomStream random = RandomStream::named(static_cast<std::uint64_t>(setup.config.seed),
                                                  "controls/reservoir/weights");
  for (const double leak : kLeaks) {
    HierarchicalLevel level(0, features_, neurons);
    level.add_layer(TemporalLayer(features_, neurons,
                                  {.activation = Activation::tanh,
                                   .leak = leak,
                                   .spectral_radius = kSpectralRadius,
                                   .dtype = dtype_,
                                   .random = random}));
    reservoirs_.emplace_back().add_level(std::move(level));
  }
  begin_trial();
}

std::vector<ReadoutSource> ReservoirControl::sources(const ReadoutConfig& /*readout*/,
                                                     std::size_t variant) const {
  return {{static_cast<std::int64_t>(variant), reservoirs_[variant].levels()[0].output_size()}};
}

HierarchyBlock ReservoirControl::process(const RunBlock& run) {
  HierarchyBlock all;
  for (HierarchyManager& reservoir : reservoirs_) {
    const HierarchyBlock block = reservoir.process_block(run.x.expand_dims(0), {.learn = false});
    all.first_step = block.first_step;
    all.steps = block.steps;
    all.levels.push_back(thinned(block.levels[0], spacing_));
  }
  return all;
}

void ReservoirControl::begin_trial() {
  for (HierarchyManager& reservoir : reservoirs_) {
    forget_carried_state(reservoir, features_, dtype_);
  }
}

void ReservoirControl::add_state(ArrayMap& arrays) const {
  for (std::size_t i = 0; i < reservoirs_.size(); ++i) {
    add_carried_state(reservoirs_[i], prefix_of(i), arrays);
  }
}

void ReservoirControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  for (std::size_t i = 0; i < reservoirs_.size(); ++i) {
    set_carried_state(reservoirs_[i], prefix_of(i), arrays, step);
  }
}

}  // namespace gaia
