// SPDX-License-Identifier: MIT
#include "readout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../io/checkpoint_file.h"

namespace gaia {

ReadoutTicks readout_ticks(const ReadoutConfig& config, std::int64_t steps, std::int64_t spacing) {
  ReadoutTicks ticks;
  if (!config.learn) {
    ticks.all = count_ticks(0, steps, spacing);
    return ticks;
  }
  ticks.all = count_ticks(0, std::max<std::int64_t>(0, steps - config.horizon), spacing);
  const auto share = [&](double part) {
    return static_cast<std::int64_t>(std::floor(part * static_cast<double>(ticks.all)));
  };
  ticks.end = share(config.split);
  ticks.first = std::min(share(config.skip), ticks.end);
  return ticks;
}

Readout::Readout(const ReadoutConfig& config, const HierarchyManager& hierarchy, std::int64_t steps,
                 const Recording& recording, const ReadoutSolution& stored)
    : config_(config), steps_(steps) {
  spacing_ = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t index : config_.levels) {
    const HierarchicalLevel& level = hierarchy.levels()[static_cast<std::size_t>(index)];
    spacing_ = std::min(spacing_, level.temporal_resolution());
    features_ += level.output_size();
    held_.emplace_back(static_cast<std::size_t>(level.output_size()));
  }
  if (recording.what == Recording::What::every) spacing_ *= recording.every;
  model_ = config_.kind->make(features_);
  ticks_ = readout_ticks(config_, steps, spacing_);
  if (!config_.learn) model_->set_solution(stored);
}

std::vector<double> Readout::gather(const HierarchyBlock& block, std::int64_t first_tick,
                                    std::int64_t ticks) {
  std::vector<double> features(static_cast<std::size_t>(ticks * features_));
  std::int64_t column = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const LevelBlock& level = block.levels[static_cast<std::size_t>(config_.levels[i])];
    std::vector<double>& held = held_[i];
    const auto n = static_cast<std::int64_t>(held.size());
    const std::vector<double> shown = level.ticks.to_vector<double>();
    for (std::int64_t k = 0; k < ticks; ++k) {
      const std::int64_t step = first_tick + k * spacing_;
      const std::int64_t row = (step - level.first_tick) / level.temporal_resolution;
      const double* from = step < level.first_tick ? held.data() : shown.data() + row * n;
      std::copy_n(from, n, features.data() + k * features_ + column);
    }
    if (!shown.empty()) std::copy_n(shown.end() - n, n, held.begin());
    column += n;
  }
  return features;
}

std::vector<double> Readout::targets(const SampleReader& samples, std::int64_t first_tick,
                                     std::int64_t ticks, std::int64_t horizon) const {
  std::vector<double> means(static_cast<std::size_t>(ticks));
  if (ticks == 0) return means;
  const std::int64_t newest = first_tick + horizon;  // step of the first target's newest value
  const std::int64_t oldest = std::max<std::int64_t>(0, newest - config_.mean_over + 1);
  const std::int64_t span = newest + (ticks - 1) * spacing_ + 1 - oldest;
  const std::vector<double> values = config_.of_latent
                                         ? samples.latent(config_.target, oldest, span)
                                         : samples.channel(config_.target, oldest, span);
  for (std::int64_t k = 0; k < ticks; ++k) {
    const std::int64_t end = newest + k * spacing_ + 1 - oldest;
    const std::int64_t count = std::min(config_.mean_over, end);
    means[static_cast<std::size_t>(k)] =
        std::accumulate(values.begin() + (end - count), values.begin() + end, 0.0) /
        static_cast<double>(count);
  }
  return means;
}

Readout::Added Readout::process(const HierarchyBlock& block, const SampleReader& samples) {
  const std::int64_t first = next_tick(block.first_step, spacing_);
  const std::int64_t in_block = count_ticks(block.first_step, block.steps, spacing_);
  const std::int64_t ticks = std::clamp<std::int64_t>(ticks_.all - done_, 0, in_block);
  const std::vector<double> features = gather(block, first, ticks);
  // Where the series ends, or has no such latent, targets are not known.
  const bool is_known = !config_.of_latent || samples.has_latents();
  const std::int64_t known =
      is_known ? std::clamp<std::int64_t>(
                     count_ticks(0, std::max<std::int64_t>(0, steps_ - config_.horizon), spacing_) -
                         done_,
                     0, ticks)
               : 0;
  std::vector<double> later = targets(samples, first, known, config_.horizon);
  later.resize(static_cast<std::size_t>(ticks), std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> now =
      config_.horizon > 0 ? targets(samples, first, known, 0) : std::vector<double>();
  const std::int64_t begin = std::clamp<std::int64_t>(ticks_.first - done_, 0, ticks);
  const std::int64_t end = std::clamp<std::int64_t>(ticks_.end - done_, 0, ticks);
  const auto rows = [&](const std::vector<double>& values, std::int64_t from, std::int64_t to,
                        std::int64_t width) {
    return std::span(values).subspan(static_cast<std::size_t>(from * width),
                                     static_cast<std::size_t>((to - from) * width));
  };
  model_->add(rows(features, begin, end, features_), rows(later, begin, end, 1));
  done_ += ticks;
  Added added;
  if (end == ticks) return added;
  if (!model_->is_solved()) model_->solve();
  const std::vector<double> predictions = model_->predict(rows(features, end, ticks, features_));
  const double target_mean = model_->solution().target_mean;
  for (std::int64_t k = end; k < ticks; ++k) {
    const double prediction = predictions[static_cast<std::size_t>(k - end)];
    const double target = later[static_cast<std::size_t>(k)];
    added.steps.push_back(first + k * spacing_);
    added.predictions.push_back(prediction);
    added.targets.push_back(target);
    ++predicted_;
    if (k >= known) continue;
    if (scored_ == 0) first_target_ = target;
    const double baseline = config_.horizon > 0 ? now[static_cast<std::size_t>(k)] : target_mean;
    squared_error_ += (prediction - target) * (prediction - target);
    baseline_squared_error_ += (baseline - target) * (baseline - target);
    mean_squared_error_ += (target_mean - target) * (target_mean - target);
    const double deviation = target - first_target_;
    target_sum_ += deviation;
    target_square_sum_ += deviation * deviation;
    ++scored_;
  }
  return added;
}

std::optional<ReadoutSolution> Readout::solution() const {
  if (!model_->is_solved()) return {};
  return model_->solution();
}

void Readout::add_state(ArrayMap& arrays) const {
  const std::string prefix = "readouts/" + config_.name + "/";
  put_numbers(arrays, prefix + "regression", model_->state());
  std::vector<double> held;
  for (const std::vector<double>& level : held_)
    held.insert(held.end(), level.begin(), level.end());
  put_numbers(arrays, prefix + "held", held);
  put_numbers(arrays, prefix + "sums",
              {static_cast<double>(done_), static_cast<double>(predicted_), squared_error_,
               baseline_squared_error_, mean_squared_error_, first_target_, target_sum_,
               target_square_sum_, static_cast<double>(scored_)});
}

void Readout::set_state(const ArrayMap& arrays) {
  const std::string prefix = "readouts/" + config_.name + "/";
  const auto count = static_cast<std::size_t>(features_);
  model_->set_state(numbers_of(arrays, prefix + "regression"));
  const std::vector<double> held = numbers_of(arrays, prefix + "held", count);
  auto from = held.begin();
  for (std::vector<double>& level : held_) {
    std::copy_n(from, level.size(), level.begin());
    from += static_cast<std::ptrdiff_t>(level.size());
  }
  const std::vector<double> sums = numbers_of(arrays, prefix + "sums", 9);
  done_ = static_cast<std::int64_t>(sums[0]);
  predicted_ = static_cast<std::int64_t>(sums[1]);
  squared_error_ = sums[2];
  baseline_squared_error_ = sums[3];
  mean_squared_error_ = sums[4];
  first_target_ = sums[5];
  target_sum_ = sums[6];
  target_square_sum_ = sums[7];
  scored_ = static_cast<std::int64_t>(sums[8]);
}

std::vector<RegressionScore> ReadoutScore::baselines() const {
  std::vector<RegressionScore> scores = {{baseline, baseline_nrmse, baseline_r2}};
  if (baseline != kMeanBaseline) scores.push_back({kMeanBaseline, mean_nrmse, mean_r2});
  return scores;
}

ReadoutScore Readout::score() const {
  const auto n = static_cast<double>(scored_);
  const double variation = scored_ > 0 ? target_square_sum_ - target_sum_ * target_sum_ / n : 0.0;
  const RegressionScore own = score_of("", squared_error_, variation);
  const RegressionScore baseline = score_of("", baseline_squared_error_, variation);
  const RegressionScore mean = score_of("", mean_squared_error_, variation);
  const bool is_unknown = scored_ == 0 && predicted_ > 0;
  return {.nrmse = own.nrmse,
          .r2 = own.r2,
          .baseline_nrmse = baseline.nrmse,
          .baseline_r2 = baseline.r2,
          .baseline = config_.horizon > 0 ? "persistence" : kMeanBaseline,
          .mean_nrmse = mean.nrmse,
          .mean_r2 = mean.r2,
          .undefined = is_unknown ? "no targets to compare its predictions with"
                                  : why_undefined(n, squared_error_, variation)};
}

}  // namespace gaia
