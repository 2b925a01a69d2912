// SPDX-License-Identifier: MIT
#include "metrics.h"

#include <cmath>

#include "../array/ops.h"
#include "checkpoints.h"

namespace gaia {
namespace {

/// The weights [out, in] of a layer, which come first among its arrays.
Array weights_of(const HierarchicalLevel& level, std::size_t layer) {
  return level.layer(layer).arrays().front().value;
}

}  // namespace

LevelMetrics::LevelMetrics(const HierarchyManager& hierarchy) {
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    std::vector<Array> weights;
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      weights.push_back(weights_of(level, m).copy());
    }
    first_.push_back(weights);
    last_.push_back(std::move(weights));
  }
  const std::size_t levels = first_.size();
  mean_activity_.resize(levels);
  weight_norm_.resize(levels);
  weight_change_.resize(levels);
  activity_sum_.resize(levels);
  ticks_.resize(levels);
  neurons_.resize(levels);
}

double LevelMetrics::relative_change(const std::vector<Array>& from, const std::vector<Array>& to) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t m = 0; m < from.size(); ++m) {
    difference += sum(square(subtract(to[m], from[m]))).item();
    size += sum(square(from[m])).item();
  }
  return size > 0.0 ? std::sqrt(difference / size) : 0.0;
}

void LevelMetrics::update(const HierarchyBlock& block, const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < last_.size(); ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    const Array& ticks = block.levels[n].ticks;
    mean_activity_[n] = mean(abs(ticks)).item();
    activity_sum_[n] += ticks.size() > 0 ? sum(abs(ticks)).item() : 0.0;
    ticks_[n] += ticks.shape(1);
    neurons_[n] = level.output_size();
    double norm_sum = 0.0;
    std::int64_t rows = 0;
    std::vector<Array> now;
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      const bool learns = level.layer(m).is_plastic();
      now.push_back(learns ? weights_of(level, m).copy() : last_[n][m]);
      norm_sum += sum(norm(now.back(), {1})).item();
      rows += now.back().shape(0);
    }
    weight_norm_[n] = norm_sum / static_cast<double>(rows);
    weight_change_[n] = relative_change(last_[n], now);
    last_[n] = std::move(now);
  }
}

void LevelMetrics::add_state(ArrayMap& arrays) const {
  put_numbers(arrays, "metrics/activity_sum", activity_sum_);
  put_numbers(arrays, "metrics/ticks", std::vector<double>(ticks_.begin(), ticks_.end()));
  put_numbers(arrays, "metrics/weight_norm", weight_norm_);
}

void LevelMetrics::set_state(const ArrayMap& arrays, const HierarchyManager& hierarchy) {
  const std::size_t levels = last_.size();
  activity_sum_ = numbers_of(arrays, "metrics/activity_sum", levels);
  weight_norm_ = numbers_of(arrays, "metrics/weight_norm", levels);
  const std::vector<double> ticks = numbers_of(arrays, "metrics/ticks", levels);
  ticks_.assign(ticks.begin(), ticks.end());
  for (std::size_t n = 0; n < levels; ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    neurons_[n] = level.output_size();
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      last_[n][m] = weights_of(level, m).copy();
    }
  }
}

double LevelMetrics::overall_activity(std::size_t level) const {
  return activity_sum_[level] / static_cast<double>(ticks_[level] * neurons_[level]);
}

double LevelMetrics::overall_change(std::size_t level) const {
  return relative_change(first_[level], last_[level]);
}

}  // namespace gaia
