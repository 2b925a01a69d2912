// SPDX-License-Identifier: MIT
#include "readout_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../core/error.h"
#include "../../io/checkpoint_file.h"
#include "../../learning/statistic_readout.h"
#include "feature_row.h"

namespace gaia {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoClass = -1.0;

/// What it reads of levels in place of what they show; nothing of those that read that.
std::optional<Reconstruction::Tells> told_of_levels(const ReadoutConfig& config) {
  if (config.kind->reads_reconstructions()) return Reconstruction::Tells::error;
  const auto* const statistic = config.kind.get_if<StatisticOptions>();
  if (statistic == nullptr) return std::nullopt;
  if (statistic->measured == Statistic::quantisation) return Reconstruction::Tells::distance;
  if (statistic->measured == Statistic::components) return Reconstruction::Tells::input;
  return std::nullopt;
}

}  // namespace

std::span<const double> rows_between(const std::vector<double>& values, std::int64_t begin,
                                     std::int64_t end, std::int64_t width) {
  return std::span(values).subspan(static_cast<std::size_t>(begin * width),
                                   static_cast<std::size_t>((end - begin) * width));
}

void ReadoutRows::append(const ReadoutRows& rows) {
  const auto join = [](auto& to, const auto& values) {
    to.insert(to.end(), values.begin(), values.end());
  };
  join(steps, rows.steps);
  join(times, rows.times);
  join(features, rows.features);
  join(targets, rows.targets);
  join(baseline, rows.baseline);
}

ReadoutRows ReadoutRows::part(std::int64_t begin, std::int64_t end) const {
  ReadoutRows rows;
  rows.first = first + begin;
  const auto take = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    const std::int64_t width = std::ssize(from) / count();
    to.assign(from.begin() + begin * width, from.begin() + end * width);
  };
  take(steps, rows.steps);
  take(times, rows.times);
  take(features, rows.features);
  take(targets, rows.targets);
  take(baseline, rows.baseline);
  return rows;
}

void ReadoutRows::add_state(const std::string& prefix, ArrayMap& arrays) const {
  put_numbers(arrays, prefix + "steps", {steps.begin(), steps.end()});
  // Whole numbers of 64 bits, as two doubles each.
  std::vector<double> halves;
  for (const std::int64_t time : times) {
    const std::int64_t high = time >> 32;
    halves.push_back(static_cast<double>(high));
    halves.push_back(static_cast<double>(time - (high << 32)));
  }
  put_numbers(arrays, prefix + "times", halves);
  put_numbers(arrays, prefix + "features", features);
  put_numbers(arrays, prefix + "targets", targets);
  put_numbers(arrays, prefix + "baseline", baseline);
}

void ReadoutRows::set_state(const std::string& prefix, const ArrayMap& arrays,
                            std::int64_t features_in_row, std::int64_t targets_in_row) {
  steps.clear();
  times.clear();
  for (const double step : numbers_of(arrays, prefix + "steps")) {
    steps.push_back(static_cast<std::int64_t>(step));
  }
  const std::vector<double> halves = numbers_of(arrays, prefix + "times");
  for (std::size_t i = 0; i + 1 < halves.size(); i += 2) {
    times.push_back((static_cast<std::int64_t>(halves[i]) << 32) +
                    static_cast<std::int64_t>(halves[i + 1]));
  }
  const auto take = [&](const char* name, std::int64_t width) {
    return numbers_of(arrays, prefix + name, static_cast<std::size_t>(count() * width));
  };
  features = take("features", features_in_row);
  targets = take("targets", targets_in_row);
  baseline = take("baseline", targets_in_row);
}

std::vector<ReadoutSource> readout_sources(const ReadoutConfig& config,
                                           const HierarchyManager& hierarchy) {
  std::vector<ReadoutSource> sources;
  const auto* const statistic = config.kind.get_if<StatisticOptions>();
  const bool reads_input = statistic != nullptr && statistic->measured == Statistic::components;
  for (const std::int64_t index : config.levels) {
    const HierarchicalLevel& level = hierarchy.levels()[static_cast<std::size_t>(index)];
    sources.push_back({index, reads_input ? level.input_size() : level.output_size()});
  }
  return sources;
}

SampleReader::Reach reach_of(const std::vector<ReadoutConfig>& readouts) {
  SampleReader::Reach reach;
  for (const ReadoutConfig& readout : readouts) {
    reach.back = std::max(reach.back, readout.target.mean_over - 1);
    reach.ahead = std::max(reach.ahead, readout.target.horizon);
  }
  return reach;
}

bool read_latents(const std::vector<ReadoutConfig>& readouts) {
  return std::any_of(readouts.begin(), readouts.end(), [](const ReadoutConfig& readout) {
    return readout.target.of == ReadoutTarget::Of::latent;
  });
}

ReadoutReader::ReadoutReader(const ReadoutConfig& config, std::vector<ReadoutSource> sources,
                             ReadoutTicks ticks, const Trials& trials, std::int64_t channels)
    : config_(config), sources_(std::move(sources)), trials_(trials), ticks_(std::move(ticks)) {
  if (const auto tells = told_of_levels(config_)) {
    std::vector<std::int64_t> levels;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      levels.push_back(sources_[i].level);
      sources_[i].level = static_cast<std::int64_t>(i);
      if (*tells != Reconstruction::Tells::input) sources_[i].size = 1;
    }
    reconstruction_.emplace(std::move(levels), *tells);
  }
  for (const ReadoutSource& source : sources_) {
    features_ += source.size;
    held_.emplace_back(static_cast<std::size_t>(source.size));
  }
  features_ += config_.features.beside();
  const ReadoutTask task = config_.task();
  if (task == ReadoutTask::regression || task == ReadoutTask::matching) {
    targets_ = std::max<std::int64_t>(1, std::ssize(config_.target.indices));
  } else if (task == ReadoutTask::anomaly) {
    channels_ = channels;
    features_ += channels;
  }
  if (task == ReadoutTask::change && sources_.empty() && !config_.kind->fuses()) {
    channels_ = channels;
    features_ = channels;
  }
  if (config_.kind->fuses()) features_ = std::ssize(config_.fused) * targets_;
}

void ReadoutReader::begin_trial() {
  for (std::vector<double>& level : held_) std::fill(level.begin(), level.end(), 0.0);
  if (reconstruction_) reconstruction_->begin_trial();
}

void ReadoutReader::before_block(const HierarchyManager& hierarchy, const Array& x) {
  if (reconstruction_) reconstruction_->before_block(hierarchy, x);
  if (config_.features.input) samples_ = x;
}

std::vector<double> ReadoutReader::gather(const HierarchyBlock& block, const SampleReader& samples,
                                          std::int64_t first_tick, std::int64_t ticks) {
  std::vector<double> features(static_cast<std::size_t>(ticks * features_),
                               config_.kind->fuses() ? kUnknown : 0.0);
  std::int64_t column = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const LevelBlock& level = block.levels[static_cast<std::size_t>(sources_[i].level)];
    std::vector<double>& held = held_[i];
    const auto n = static_cast<std::int64_t>(held.size());
    const std::vector<double> shown = level.ticks.to_vector<double>();
    for (std::int64_t k = 0; k < ticks; ++k) {
      const std::int64_t step = first_tick + k * ticks_.spacing();
      const std::int64_t row = (step - level.first_tick) / level.temporal_resolution;
      const double* from = step < level.first_tick ? held.data() : shown.data() + row * n;
      double* const to = features.data() + k * features_ + column;
      std::copy_n(from, n, to);
      if (config_.features.squares) square_every_second({to, held.size()});
    }
    if (!shown.empty()) std::copy_n(shown.end() - n, n, held.begin());
    column += n;
  }
  if (const std::int64_t beside = config_.features.beside(); beside > 0 && ticks > 0) {
    const std::int64_t size = config_.features.input ? config_.features.input_size : 0;
    const std::vector<double> read =
        size > 0 ? samples_.to_vector<double>() : std::vector<double>();
    if (std::ssize(read) != size * block.steps) {
      throw InternalError("[ReadoutReader] a block of other samples than it was told of");
    }
    for (std::int64_t k = 0; k < ticks; ++k) {
      const std::int64_t row = first_tick + k * ticks_.spacing() - block.first_step;
      const auto sample =
          size > 0 ? rows_between(read, row, row + 1, size) : std::span<const double>();
      write_beside(config_.features, sample,
                   {features.data() + k * features_ + column, static_cast<std::size_t>(beside)});
    }
    column += beside;
  }
  for (std::int64_t c = 0; c < channels_ && ticks > 0; ++c) {
    const std::int64_t first = samples.trial().first_step + first_tick;
    const std::int64_t steps = (ticks - 1) * ticks_.spacing() + 1;
    // What is watched is what level 0 reads.
    const std::vector<double> values = config_.task() == ReadoutTask::change
                                           ? samples.drifted(c, first, steps)
                                           : samples.channel(c, first, steps);
    for (std::int64_t k = 0; k < ticks; ++k) {
      features[static_cast<std::size_t>(k * features_ + column + c)] =
          values[static_cast<std::size_t>(k * ticks_.spacing())];
    }
  }
  return features;
}

std::vector<double> ReadoutReader::targets_at(const SampleReader& samples, std::int64_t first_tick,
                                              std::int64_t ticks, std::int64_t horizon,
                                              bool with_filled) const {
  std::vector<double> found(static_cast<std::size_t>(ticks * targets_));
  if (ticks == 0) return found;
  const std::int64_t spacing = ticks_.spacing();
  const std::int64_t newest = first_tick + horizon;  // step of the first target's newest value
  const std::int64_t span = config_.target.mean_over;
  const std::int64_t oldest = std::max<std::int64_t>(0, newest - span + 1);
  const std::int64_t steps = newest + (ticks - 1) * spacing + 1 - oldest;
  for (std::int64_t m = 0; m < targets_; ++m) {
    const std::vector<double> values =
        samples.target(config_.target, static_cast<std::size_t>(m),
                       samples.trial().first_step + oldest, steps, with_filled);
    for (std::int64_t k = 0; k < ticks; ++k) {
      const std::int64_t end = newest + k * spacing + 1 - oldest;
      const std::int64_t count = std::min(span, end);
      found[static_cast<std::size_t>(k * targets_ + m)] =
          std::accumulate(values.begin() + (end - count), values.begin() + end, 0.0) /
          static_cast<double>(count);
    }
  }
  return found;
}

std::vector<double> ReadoutReader::targets_of_ticks(const SampleReader& samples,
                                                    std::int64_t first_step,
                                                    std::int64_t steps) const {
  const std::int64_t first = next_tick(first_step, ticks_.spacing(), ticks_.phase());
  const std::int64_t count = count_ticks(first_step, steps, ticks_.spacing(), ticks_.phase());
  const std::int64_t last_known = samples.trial().steps - config_.target.horizon;
  const std::int64_t known = samples.has_target(config_.target) && last_known > first_step
                                 ? count_ticks(first_step, std::min(steps, last_known - first_step),
                                               ticks_.spacing(), ticks_.phase())
                                 : 0;
  std::vector<double> targets = targets_at(samples, first, known, config_.target.horizon);
  targets.resize(static_cast<std::size_t>(count * targets_), kUnknown);
  return targets;
}

ReadoutRows ReadoutReader::at_ticks(const HierarchyBlock& block, const SampleReader& samples) {
  const Trial& trial = samples.trial();
  const std::size_t index = samples.trial_index();
  const std::int64_t horizon = config_.target.horizon;
  const auto known_of = [&](std::int64_t ahead) {
    return count_ticks(0, std::max<std::int64_t>(0, trial.steps - ahead), ticks_.spacing(),
                       ticks_.phase());
  };
  const std::int64_t first = next_tick(block.first_step, ticks_.spacing(), ticks_.phase());
  const std::int64_t before = first / ticks_.spacing();  // ticks of the trial
  const std::int64_t in_block =
      count_ticks(block.first_step, block.steps, ticks_.spacing(), ticks_.phase());
  const std::int64_t usable = known_of(config_.learn ? horizon : 0);
  const std::int64_t count = std::clamp<std::int64_t>(usable - before, 0, in_block);
  ReadoutRows rows;
  rows.first = ticks_.begins()[index] + before;
  for (std::int64_t k = 0; k < count; ++k) {
    rows.steps.push_back(trial.first_step + first + k * ticks_.spacing());
  }
  if (count > 0) {
    const std::int64_t span = (count - 1) * ticks_.spacing() + 1;
    if (const auto times = samples.times(rows.steps.front(), span)) {
      std::visit(
          [&](const auto& values) {
            for (std::int64_t k = 0; k < span; k += ticks_.spacing()) {
              rows.times.push_back(
                  std::bit_cast<std::int64_t>(values[static_cast<std::size_t>(k)]));
            }
          },
          *times);
    }
  }
  rows.features = gather(block, samples, first, count);
  // Where the trial ends, or the series has no such column, targets are not known.
  const std::int64_t known = samples.has_target(config_.target)
                                 ? std::clamp<std::int64_t>(known_of(horizon) - before, 0, count)
                                 : 0;
  rows.targets = targets_at(samples, first, known, horizon);
  rows.targets.resize(static_cast<std::size_t>(count * targets_),
                      config_.target.is_label() ? kNoClass : kUnknown);
  // What there is now is known as long as the trial lasts; of a channel it is what the levels read,
  // filled or not.
  const bool is_there = config_.target.change && samples.has_target(config_.target);
  if (horizon > 0) rows.baseline = targets_at(samples, first, is_there ? count : known, 0, true);
  rows.baseline.resize(rows.targets.size(), kUnknown);
  if (config_.task() == ReadoutTask::anomaly) forget_unmeasured(rows, samples);
  return rows;
}

void ReadoutReader::forget_unmeasured(ReadoutRows& rows, const SampleReader& samples) const {
  if (rows.count() == 0) return;
  const std::int64_t first = rows.steps.front();
  const std::vector<bool> has = samples.has_measured(first, rows.steps.back() - first + 1);
  for (std::size_t k = 0; k < rows.steps.size(); ++k) {
    if (!has[static_cast<std::size_t>(rows.steps[k] - first)]) rows.targets[k] = kNoClass;
  }
}

ReadoutRows ReadoutReader::average(const ReadoutRows& rows, std::size_t trial) {
  const std::int64_t count = rows.count();
  if (summed_ == 0.0) {
    sums_ = {};
    sums_.features.resize(static_cast<std::size_t>(features_));
    sums_.targets.resize(static_cast<std::size_t>(targets_));
  }
  for (std::int64_t k = 0; k < count; ++k) {
    for (std::int64_t f = 0; f < features_; ++f) {
      sums_.features[static_cast<std::size_t>(f)] +=
          rows.features[static_cast<std::size_t>(k * features_ + f)];
    }
    for (std::int64_t m = 0; m < targets_; ++m) {
      sums_.targets[static_cast<std::size_t>(m)] +=
          rows.targets[static_cast<std::size_t>(k * targets_ + m)];
    }
    summed_ += 1.0;
  }
  const Trial& of = trials_.all()[trial];
  const std::int64_t usable = count_ticks(
      0, std::max<std::int64_t>(0, of.steps - (config_.learn ? config_.target.horizon : 0)),
      ticks_.spacing(), ticks_.phase());
  if (count == 0 || static_cast<std::int64_t>(summed_) < usable) return {};
  ReadoutRows one;
  one.first = ticks_.begins()[trial];
  one.steps = {rows.steps.back()};
  if (!rows.times.empty()) one.times = {rows.times.back()};
  one.features = sums_.features;
  for (double& feature : one.features) feature /= summed_;
  if (config_.target.is_label()) {
    one.targets = {rows.targets.back()};  // a trial's class is the one at its end
  } else {
    one.targets = sums_.targets;
    for (double& target : one.targets) target /= summed_;
  }
  one.baseline.assign(one.targets.size(), kUnknown);
  summed_ = 0.0;
  return one;
}

bool ReadoutReader::is_known(const ReadoutRows& rows, std::int64_t row) const {
  const auto is_missing = [&](double value) {
    return config_.target.is_label() ? value < 0.0 : std::isnan(value);
  };
  const auto target = rows_between(rows.targets, row, row + 1, targets_);
  if (std::any_of(target.begin(), target.end(), is_missing)) return false;
  if (!config_.target.change) return true;
  const auto now = rows_between(rows.baseline, row, row + 1, targets_);
  return std::none_of(now.begin(), now.end(), is_missing);
}

ReadoutRows ReadoutReader::read(const HierarchyBlock& block, const SampleReader& samples) {
  ReadoutRows rows = at_ticks(reconstruction_ ? reconstruction_->read(block) : block, samples);
  if (config_.target.per_trial) return average(rows, samples.trial_index());
  return rows;
}

std::vector<double> ReadoutReader::read_alone(const HierarchyBlock& block, const Array& x,
                                              const SampleReader& samples) {
  if (config_.features.input) samples_ = x;
  return gather(block, samples, block.first_step, 1);
}

std::int64_t ReadoutReader::held_size() const {
  std::int64_t size = 0;
  for (const std::vector<double>& level : held_) size += std::ssize(level);
  return size;
}

void ReadoutReader::add_state(const std::string& prefix, ArrayMap& arrays) const {
  std::vector<double> held;
  for (const std::vector<double>& level : held_)
    held.insert(held.end(), level.begin(), level.end());
  put_numbers(arrays, prefix + "held", held);
  put_numbers(arrays, prefix + "summed", {summed_});
  put_numbers(arrays, prefix + "sums/features", sums_.features);
  put_numbers(arrays, prefix + "sums/targets", sums_.targets);
  if (reconstruction_) reconstruction_->add_state(prefix + "reconstruction/", arrays);
}

void ReadoutReader::set_state(const std::string& prefix, const ArrayMap& arrays,
                              std::int64_t step) {
  const std::vector<double> held =
      numbers_of(arrays, prefix + "held", static_cast<std::size_t>(held_size()));
  auto from = held.begin();
  for (std::vector<double>& level : held_) {
    std::copy_n(from, level.size(), level.begin());
    from += static_cast<std::ptrdiff_t>(level.size());
  }
  summed_ = numbers_of(arrays, prefix + "summed", 1).front();
  sums_.features = numbers_of(arrays, prefix + "sums/features");
  sums_.targets = numbers_of(arrays, prefix + "sums/targets");
  if (reconstruction_) reconstruction_->set_state(prefix + "reconstruction/", arrays, step);
}

}  // namespace gaia
