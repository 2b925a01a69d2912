// SPDX-License-Identifier: MIT
#include "reconstruction.h"

#include <algorithm>
#include <limits>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/parallel.h"

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

std::vector<double> Reconstruction::numbers_of(std::size_t i, const Array& given,
                                               const Array& shown) const {
  const std::vector<double> x = given.to_vector<double>();
  const auto n = static_cast<std::size_t>(given.shape(1));
  std::vector<double> numbers(x.size() / n);
  if (tells_ == Tells::error) {
    Array rebuilt = shown;
    for (auto weights = weights_[i].rbegin(); weights != weights_[i].rend(); ++weights) {
      rebuilt = matmul(rebuilt, *weights);
    }
    const std::vector<double> made = rebuilt.to_vector<double>();
    for (std::size_t k = 0; k < x.size(); ++k) {
      numbers[k / n] += (x[k] - made[k]) * (x[k] - made[k]) / static_cast<double>(n);
    }
    return numbers;
  }
  const std::vector<double> weights = weights_[i].front().to_vector<double>();
  std::fill(numbers.begin(), numbers.end(), std::numeric_limits<double>::infinity());
  parallel_for(std::ssize(numbers), [&](std::int64_t row) {
    const double* const at = x.data() + static_cast<std::size_t>(row) * n;
    double& least = numbers[static_cast<std::size_t>(row)];
    for (auto w = weights.begin(); w != weights.end(); w += static_cast<std::ptrdiff_t>(n)) {
      double distance = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        const double apart = at[k] - w[static_cast<std::ptrdiff_t>(k)];
        distance += apart * apart;
      }
      least = std::min(least, distance);
    }
  });
  return numbers;
}

HierarchyBlock Reconstruction::read(const HierarchyBlock& block) {
  HierarchyBlock found{.first_step = block.first_step, .steps = block.steps, .levels = {}};
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const auto index = static_cast<std::size_t>(levels_[i]);
    const LevelBlock& level = block.levels[index];
    const Array& source = index == 0 ? samples_ : block.levels[index - 1].ticks;
    const LevelBlock read =
        pools_[i].process_block(source, source_steps_[i], block.first_step, block.steps, false);
    const std::int64_t ticks = level.ticks.shape(1);
    const bool is_one = tells_ != Tells::input;
    const Array told =
        !is_one      ? read.ticks
        : ticks == 0 ? zeros({1, 0, 1}, DType::float64)
                     : from_values(numbers_of(i, read.ticks[0], level.ticks[0]), {1, ticks, 1});
    found.levels.push_back(
        {level.id, level.temporal_resolution, level.first_tick, told, level.phase});
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
  stored_ = arrays_below(arrays, prefix);
  stored_step_ = step;
}

}  // namespace gaia
