// SPDX-License-Identifier: MIT
#include "reconstruction.h"

#include "../../array/create.h"
#include "../../array/ops.h"

namespace gaia {
namespace {

std::string prefix_of(std::int64_t level) { return "levels/" + std::to_string(level) + "/"; }

}  // namespace

void Reconstruction::make_pools(const HierarchyManager& hierarchy, DType dtype) {
  for (const std::int64_t index : levels_) {
    const HierarchicalLevel& level = hierarchy.levels()[static_cast<std::size_t>(index)];
    pools_.emplace_back(static_cast<int>(index), level.input_size(), level.input_size(),
                        level.temporal_resolution(), level.options());
    source_steps_.push_back(
        index == 0 ? TickTimes{}
                   : hierarchy.levels()[static_cast<std::size_t>(index - 1)].tick_times());
    pools_.back().allocate_state(1, source_steps_.back(), dtype);
    if (!stored_.empty()) pools_.back().set_state(stored_, prefix_of(index), stored_step_);
  }
  stored_.clear();
}

void Reconstruction::before_block(const HierarchyManager& hierarchy, const Array& x) {
  if (pools_.empty()) make_pools(hierarchy, x.dtype());
  samples_ = x.expand_dims(0);
  weights_.clear();
  for (const std::int64_t index : levels_) {
    const HierarchicalLevel& level = hierarchy.levels()[static_cast<std::size_t>(index)];
    std::vector<Array>& of_level = weights_.emplace_back();
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      for (const NamedArray& array : level.layer(m).arrays()) {
        if (array.name == "weights") of_level.push_back(array.value.copy());
      }
    }
  }
}

HierarchyBlock Reconstruction::errors(const HierarchyBlock& block) {
  HierarchyBlock found{.first_step = block.first_step, .steps = block.steps, .levels = {}};
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const auto index = static_cast<std::size_t>(levels_[i]);
    const LevelBlock& level = block.levels[index];
    const Array& source = index == 0 ? samples_ : block.levels[index - 1].ticks;
    const LevelBlock read =
        pools_[i].process_block(source, source_steps_[i], block.first_step, block.steps, false);
    const std::int64_t ticks = level.ticks.shape(1);
    std::vector<double> errors(static_cast<std::size_t>(ticks));
    if (ticks > 0) {
      Array rebuilt = level.ticks[0];
      for (auto weights = weights_[i].rbegin(); weights != weights_[i].rend(); ++weights) {
        rebuilt = matmul(rebuilt, *weights);
      }
      const std::vector<double> given = read.ticks.to_vector<double>();
      const std::vector<double> made = rebuilt.to_vector<double>();
      const std::size_t n = given.size() / static_cast<std::size_t>(ticks);
      for (std::size_t k = 0; k < given.size(); ++k) {
        errors[k / n] += (given[k] - made[k]) * (given[k] - made[k]) / static_cast<double>(n);
      }
    }
    found.levels.push_back({level.id, level.temporal_resolution, level.first_tick,
                            from_values(errors, {1, ticks, 1}), level.phase});
  }
  return found;
}

void Reconstruction::begin_trial() {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    pools_[i].reset_state();
    pools_[i].allocate_state(1, source_steps_[i], samples_.dtype());
  }
}

void Reconstruction::add_state(const std::string& prefix, ArrayMap& arrays) const {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    for (const NamedArray& array : pools_[i].state()) {
      const bool is_here = array.value.device().is_cpu();
      arrays.emplace(prefix + prefix_of(levels_[i]) + array.name,
                     is_here ? array.value.copy() : array.value.to(Device::cpu()));
    }
  }
}

void Reconstruction::set_state(const std::string& prefix, const ArrayMap& arrays,
                               std::int64_t step) {
  pools_.clear();
  source_steps_.clear();
  stored_.clear();
  for (const auto& [name, array] : arrays) {
    if (name.starts_with(prefix)) stored_.emplace(name.substr(prefix.size()), array);
  }
  stored_step_ = step;
}

}  // namespace gaia
