// SPDX-License-Identifier: MIT
#include "metrics.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "../../array/ops.h"
#include "../../layers/hierarchy/layer_kind.h"
#include "../results/checkpoints.h"

namespace gaia {
namespace {

/// A matrix of weights, the first axis of which is the neurons.
struct Matrix {
  Array weights;
  bool can_learn;
  bool is_recurrent;
  std::int64_t layer;
  bool is_noise = false;  ///< Whether it is the noise of a filter, whose rows are no neurons.
};

/// The weights [out, in] that the layers of a level have, one after another: of each the first of
/// its arrays, of a stack all that are called "weights/...", and of a temporal layer that learns
/// also the recurrent ones.
std::vector<Matrix> weights_of(const HierarchicalLevel& level) {
  std::vector<Matrix> all;
  for (std::size_t m = 0; m < level.layer_count(); ++m) {
    const Layer& layer = level.layer(m);
    const std::vector<NamedArray> arrays = layer.arrays();
    const auto number = static_cast<std::int64_t>(m);
    const bool is_noise = arrays.front().role == NamedArray::Role::noise;
    all.push_back(
        {is_noise ? on_current_device(arrays.front().value, "metrics") : arrays.front().value,
         layer.is_plastic(), false, number, is_noise});
    for (std::size_t i = 1; i < arrays.size(); ++i) {
      const bool is_recurrent = arrays[i].name == "recurrent" && layer.is_plastic();
      if (is_recurrent || arrays[i].name.starts_with("weights/")) {
        all.push_back({arrays[i].value, layer.is_plastic(), is_recurrent, number});
      }
    }
  }
  return all;
}

/// Whether a layer learns numbers beside its weights of which its answers are computed, as gains
/// are.
bool learns_beside_weights(const Layer& layer) {
  const std::unique_ptr<LayerKind> kind = layer.is_plastic() ? layer.kind() : nullptr;
  if (kind == nullptr) return false;
  const std::vector<const PlasticityRule*> rules = kind->rules();
  return std::any_of(rules.begin(), rules.end(), [](const PlasticityRule* rule) {
    const auto* const text = std::get_if<EquationRule>(rule);
    if (text == nullptr) return false;
    const std::vector<bool> of_output = text->program().memories_of_output();
    for (std::size_t m = 0; m < of_output.size(); ++m) {
      if (of_output[m] && text->memories_kept().has(text->program().memories[m].name)) return true;
    }
    return false;
  });
}

std::string answers_prefix(std::size_t level) {
  return "metrics/answers/" + std::to_string(level) + "/";
}

}  // namespace

LevelMetrics::LayerWeights::LayerWeights(const Array& weights, bool can_learn, std::int64_t number)
    : first(weights.copy()), last(weights.copy()), is_plastic(can_learn), layer(number) {
  measure();
}

double LevelMetrics::LayerWeights::move_to(const Array& weights) {
  last -= weights;
  const double distance = norm(last).item();
  last.assign(weights);
  measure();
  return distance * distance;
}

void LevelMetrics::LayerWeights::measure() {
  const Array norms = norm(last, {1}).astype(DType::float64);
  norm_sum = sum(norms).item();
  squares = sum(square(norms)).item();
}

LevelMetrics::LevelMetrics(const HierarchyManager& hierarchy) {
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    std::vector<LayerWeights>& layers = weights_.emplace_back();
    for (const Matrix& matrix : weights_of(level)) {
      layers.emplace_back(matrix.weights, matrix.can_learn && !matrix.is_noise, matrix.layer);
    }
    bool learns_beside = false;
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      learns_beside = learns_beside || learns_beside_weights(level.layer(m));
    }
    learns_beside_weights_.push_back(learns_beside);
  }
  const std::size_t levels = weights_.size();
  mean_activity_.resize(levels);
  weight_norm_.resize(levels);
  weight_change_.resize(levels);
  activity_sum_.resize(levels);
  ticks_.resize(levels);
  neurons_.resize(levels);
  counts_.resize(levels);
}

void LevelMetrics::count_answers(const HierarchyBlock& block) {
  for (std::size_t n = 0; n < counts_.size(); ++n) counts_[n].add(block.levels[n].ticks);
}

void LevelMetrics::update(const HierarchyBlock& block, const HierarchyManager& hierarchy) {
  for (std::size_t n = 0; n < weights_.size(); ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    const Array& ticks = block.levels[n].ticks;
    const double activity = norm(ticks, {}, false, 1.0).item();  // the sum of |y|
    mean_activity_[n] = activity / static_cast<double>(ticks.size());
    activity_sum_[n] += activity;
    ticks_[n] += ticks.shape(1);
    neurons_[n] = level.output_size();
    double change = 0.0;
    double before = 0.0;
    double norm_sum = 0.0;
    std::int64_t rows = 0;
    const auto weights = weights_of(level);
    for (std::size_t m = 0; m < weights.size(); ++m) {
      LayerWeights& layer = weights_[n][m];
      before += layer.squares;
      if (weights[m].can_learn) change += layer.move_to(weights[m].weights);
      if (weights[m].is_recurrent) continue;
      norm_sum += layer.norm_sum;
      rows += layer.last.shape(0);
    }
    weight_norm_[n] = norm_sum / static_cast<double>(rows);
    weight_change_[n] = before > 0.0 ? std::sqrt(change / before) : 0.0;
  }
}

void LevelMetrics::add_state(ArrayMap& arrays) const {
  put_numbers(arrays, "metrics/activity_sum", activity_sum_);
  put_numbers(arrays, "metrics/ticks", std::vector<double>(ticks_.begin(), ticks_.end()));
  put_numbers(arrays, "metrics/weight_norm", weight_norm_);
  for (std::size_t n = 0; n < counts_.size(); ++n) counts_[n].add_state(arrays, answers_prefix(n));
}

void LevelMetrics::set_state(const ArrayMap& arrays, const HierarchyManager& hierarchy) {
  const std::size_t levels = weights_.size();
  activity_sum_ = numbers_of(arrays, "metrics/activity_sum", levels);
  weight_norm_ = numbers_of(arrays, "metrics/weight_norm", levels);
  const std::vector<double> ticks = numbers_of(arrays, "metrics/ticks", levels);
  ticks_.assign(ticks.begin(), ticks.end());
  for (std::size_t n = 0; n < levels; ++n) {
    const HierarchicalLevel& level = hierarchy.levels()[n];
    neurons_[n] = level.output_size();
    counts_[n].set_state(arrays, answers_prefix(n));
    const auto weights = weights_of(level);
    for (std::size_t m = 0; m < weights.size(); ++m) weights_[n][m].move_to(weights[m].weights);
  }
}

double LevelMetrics::overall_activity(std::size_t level) const {
  return activity_sum_[level] / static_cast<double>(ticks_[level] * neurons_[level]);
}

double LevelMetrics::overall_change(std::size_t level) const {
  double change = 0.0;
  double size = 0.0;
  for (const LayerWeights& layer : weights_[level]) {
    const double distance = norm(layer.last - layer.first).item();
    const double length = norm(layer.first).item();
    change += distance * distance;
    size += length * length;
  }
  return size > 0.0 ? std::sqrt(change / size) : 0.0;
}

NeuronAnswers LevelMetrics::answers(std::size_t level) const {
  NeuronAnswers found = counts_[level].answers();
  found.level = static_cast<std::int64_t>(level);
  bool can_learn = false;
  bool has_learnt = false;
  for (const LayerWeights& layer : weights_[level]) {
    if (!layer.is_plastic) continue;
    can_learn = true;
    const std::vector<double> moved = norm(layer.last - layer.first, {1}).to_vector<double>();
    NeuronAnswers::Unmoved unmoved{layer.layer, std::ssize(moved)};
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (moved[i] == 0.0) unmoved.which.push_back(static_cast<std::int64_t>(i));
    }
    if (unmoved.which.size() == moved.size()) continue;
    has_learnt = true;
    if (!unmoved.which.empty()) found.unmoved.push_back(std::move(unmoved));
  }
  found.has_stood_still = can_learn && !has_learnt && !learns_beside_weights_[level];
  return found;
}

}  // namespace gaia
