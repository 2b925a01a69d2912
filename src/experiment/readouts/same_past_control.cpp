// SPDX-License-Identifier: MIT
#include "same_past_control.h"

#include <algorithm>

#include "carried_state.h"

namespace gaia {

std::vector<std::int64_t> past_sizes(const ControlSetup& setup) {
  std::vector<std::int64_t> sizes;
  std::int64_t below = setup.features;
  for (const LevelConfig& level : setup.config.hierarchy().levels) {
    const auto size = pooled_size(level.options.pooling, level.temporal_resolution, below,
                                  level.options.legendre);
    if (!size || *size > kMostControlFeatures) break;
    sizes.push_back(*size);
    below = *size;
  }
  return sizes;
}

HierarchyManager past_of(const ControlSetup& setup) {
  HierarchyManager past;
  const std::vector<std::int64_t> sizes = past_sizes(setup);
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const LevelConfig& level = setup.config.hierarchy().levels[n];
    past.add_level(
        {static_cast<int>(n), sizes[n], sizes[n], level.temporal_resolution, level.options});
  }
  return past;
}

std::string SamePastControl::why_left_out(const ControlSetup& setup, const ReadoutConfig& readout) {
  const std::vector<std::int64_t> sizes = past_sizes(setup);
  std::int64_t features = 0;
  for (const std::int64_t level : readout.levels) {
    // Beyond the end of the chain are more than can be read.
    features += level < std::ssize(sizes) ? sizes[static_cast<std::size_t>(level)]
                                          : kMostControlFeatures + 1;
  }
  return too_many_features(features);
}

double SamePastControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  double numbers = 0.0;
  const std::vector<std::int64_t> sizes = past_sizes(setup);
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const auto resolution =
        static_cast<double>(setup.config.hierarchy().levels[n].temporal_resolution);
    numbers += static_cast<double>(block_steps) / resolution * static_cast<double>(sizes[n]);
  }
  return numbers;
}

namespace {

/// Whether every level would show one picture and nothing else.
bool shows_pictures(const ControlSetup& setup) {
  const std::vector<LevelConfig>& levels = setup.config.hierarchy().levels;
  return setup.has_pictures && setup.config.data.window == 1 &&
         std::all_of(levels.begin(), levels.end(),
                     [](const LevelConfig& level) { return level.temporal_resolution == 1; });
}

}  // namespace

SamePastControl::SamePastControl(const ControlSetup& setup)
    : title_(shows_pictures(setup) ? kTitleOfPictures : kTitle),
      past_(past_of(setup)),
      features_(setup.features),
      dtype_(setup.config.dtype) {
  begin_trial();
}

void SamePastControl::begin_trial() { forget_carried_state(past_, features_, dtype_); }

HierarchyBlock SamePastControl::process(const RunBlock& run) {
  return past_.process_block(run.x.expand_dims(0), {.learn = false});
}

void SamePastControl::add_state(ArrayMap& arrays) const { add_carried_state(past_, "", arrays); }

void SamePastControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  set_carried_state(past_, "", arrays, step);
}

}  // namespace gaia
