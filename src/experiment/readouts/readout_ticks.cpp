// SPDX-License-Identifier: MIT
#include "readout_ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../core/error.h"
#include "../../hierarchy/temporal_pool.h"

namespace gaia {
namespace {

/// Shares of the units at which the parts end.
struct Shares {
  double trained;
  double validated;
  double tested;
};

Shares shares_of(const ReadoutConfig& config) {
  const ReadoutSplit& split = config.split;
  if (split.is_map) {
    const double validated = split.train + split.validation;
    return {split.train, validated, validated + split.test};
  }
  const double standard = config.kind->is_online()                ? 0.0
                          : config.task() == ReadoutTask::anomaly ? 0.3
                                                                  : 0.7;
  const double train = split.share.value_or(standard);
  return {train, train, 1.0};
}

/// Ticks of that share of `count`, rounded down; `is_sum`: the share was added up, and its rounding
/// does not count.
std::int64_t share_of(double part, std::int64_t count, bool is_sum) {
  const double exact = part * static_cast<double>(count) + (is_sum ? 1e-9 : 0.0);
  return std::min(count, static_cast<std::int64_t>(std::floor(exact)));
}

ReadoutTicks::Units units_of(const ReadoutConfig& config, std::int64_t all) {
  if (!config.learn) return {.all = all, .tested = all};
  const Shares shares = shares_of(config);
  const auto border = [&](double share) { return share_of(share, all, config.split.is_map); };
  const std::int64_t skipped = border(config.skip.value_or(0.0));
  ReadoutTicks::Units units{.all = all,
                            .skipped = 0,
                            .trained = border(shares.trained),
                            .validated = border(shares.validated),
                            .tested = border(shares.tested)};
  if (config.kind->is_online()) {
    // All ticks are learnt from; those that are skipped are not scored.
    units.trained = std::max(units.trained, skipped);
    units.validated = std::max(units.validated, units.trained);
    units.tested = std::max(units.tested, units.validated);
  } else {
    units.skipped = std::min(skipped, units.trained);
  }
  return units;
}

std::int64_t spacing_of(const ReadoutConfig& readout, const ExperimentConfig& config) {
  // Where no level is read, the channels are, at every step.
  std::int64_t spacing = readout.levels.empty() ? 1 : std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t index : readout.levels) {
    const LevelConfig& level = config.hierarchy().levels[static_cast<std::size_t>(index)];
    spacing = std::min(spacing, level.temporal_resolution);
  }
  const Recording& recording = config.output.representations;
  return recording.what == Recording::What::every ? spacing * recording.every : spacing;
}

/// Step of the first tick of the fastest level.
std::int64_t phase_of(const ReadoutConfig& readout, const ExperimentConfig& config) {
  const LevelConfig* fastest = nullptr;
  for (const std::int64_t index : readout.levels) {
    const LevelConfig& level = config.hierarchy().levels[static_cast<std::size_t>(index)];
    const bool is_faster =
        fastest == nullptr || level.temporal_resolution < fastest->temporal_resolution;
    if (is_faster) fastest = &level;
  }
  return fastest == nullptr ? 0 : fastest->options.phase;
}

/// Rows that what a readout reads at a tick depends on at most, by windows, pools and held
/// representations.
std::int64_t past_of(const ReadoutConfig& readout, const ExperimentConfig& config,
                     std::int64_t spacing) {
  const std::vector<LevelConfig>& levels = config.hierarchy().levels;
  const std::int64_t highest = *std::max_element(readout.levels.begin(), readout.levels.end());
  std::int64_t at_tick = 0;  // steps before a tick of the level
  std::int64_t past = 0;
  std::int64_t below = 1;
  const bool any_phase =
      std::any_of(levels.begin(), levels.begin() + highest + 1,
                  [](const LevelConfig& level) { return level.options.phase > 0; });
  for (std::int64_t n = 0; n <= highest; ++n) {
    const std::int64_t resolution = levels[static_cast<std::size_t>(n)].temporal_resolution;
    // The oldest step that it pools, and how long the level below holds what it showed there.
    const bool in_step = resolution % below == 0 && !any_phase;
    const std::int64_t held = in_step ? (below > 1 ? 1 : 0) : below - 1;
    at_tick += resolution - 1 + held;
    const bool is_read =
        std::find(readout.levels.begin(), readout.levels.end(), n) != readout.levels.end();
    const std::int64_t fresh = any_phase ? 1 : std::gcd(resolution, spacing);
    if (is_read) past = std::max(past, at_tick + resolution - fresh);
    below = resolution;
  }
  return config.data.window + past;
}

}  // namespace

std::int64_t purge_of(const ReadoutConfig& readout, const ExperimentConfig& config) {
  if (readout.kind->is_online() || !readout.learn) return 0;
  if (!readout.fused.empty()) {
    std::int64_t purge = 0;
    for (const std::int64_t index : readout.fused) {
      purge = std::max(purge, purge_of(config.readouts[static_cast<std::size_t>(index)], config));
    }
    return purge;
  }
  const std::vector<LevelConfig>& levels = config.hierarchy().levels;
  const std::int64_t highest = *std::max_element(readout.levels.begin(), readout.levels.end());
  std::int64_t resolutions = 0;
  for (std::int64_t n = 0; n <= highest; ++n) {
    resolutions += levels[static_cast<std::size_t>(n)].temporal_resolution;
  }
  const ReadoutTarget& target = readout.target;
  const std::int64_t past = past_of(readout, config, spacing_of(readout, config));
  const bool are_pictures = std::holds_alternative<ImagesConfig>(config.data.source);
  if (are_pictures && past == 1 && target.horizon == 0) return readout.embargo;
  // The change from now is learnt by what there was up to now.
  const std::int64_t of_target = target.mean_over - (target.change ? 0 : target.horizon);
  return std::max({config.data.window + resolutions, past, of_target}) + target.horizon +
         readout.embargo;
}

TickOptions tick_options(const ReadoutConfig& readout, const ExperimentConfig& config) {
  return {spacing_of(readout, config), purge_of(readout, config), phase_of(readout, config)};
}

std::optional<TickOptions> common_tick_options(const std::vector<TickOptions>& all) {
  TickOptions common{.spacing = 1, .purge = 0, .phase = 0};
  for (const TickOptions& one : all) {
    const std::int64_t spacing = std::lcm(common.spacing, one.spacing);
    std::int64_t phase = common.phase;
    while (phase < spacing && phase % one.spacing != one.phase) phase += common.spacing;
    if (phase >= spacing) return {};
    common = {spacing, std::max(common.purge, one.purge), phase};
  }
  return common;
}

ReadoutTicks::ReadoutTicks(const ReadoutConfig& config, const Trials& trials,
                           const TickOptions& options)
    : spacing_(options.spacing),
      phase_(options.phase),
      reach_(options.purge / options.spacing),
      folds_(config.folds),
      by_(!trials.groups().empty() ? By::groups
          : trials.count() > 1     ? By::trials
                                   : By::ticks),
      begins_{0} {
  for (const Trial& trial : trials.all()) {
    const std::int64_t known =
        config.learn ? std::max<std::int64_t>(0, trial.steps - config.target.horizon) : trial.steps;
    const std::int64_t count = count_ticks(0, known, spacing_, phase_);
    begins_.push_back(begins_.back() +
                      (config.target.per_trial ? std::min<std::int64_t>(count, 1) : count));
  }
  if (by_ == By::groups) find_group_runs(trials);
  units_ = units_of(config, by_ == By::groups   ? trials.group_count()
                            : by_ == By::trials ? trials.count()
                                                : all());
  const Stretches training = ticks_of(units_.skipped, units_.trained);
  const Stretches validation = ticks_of(units_.trained, units_.validated);
  test_ = ticks_of(units_.validated, units_.tested);
  of_folds_ = ticks_of(units_.skipped, units_.all);
  const Stretches scored = ticks_of(units_.trained, units_.all);
  training_ = purged(training, scored);
  validation_ = purged(validation, ticks_of(units_.validated, units_.all));
  purged_ = count_of(training) - count_of(training_) + count_of(validation) - count_of(validation_);
  // What is skipped is not trained on, but may be learnt from otherwise.
  training_steps_ =
      steps_of(purged(ticks_of(0, units_.trained), scored), trials, config.target.per_trial);
  if (folds_ == 0) return;
  purged_ = 0;
  for (std::int64_t k = 0; k < folds_; ++k) {
    const Fold one = fold(k);
    purged_ = std::max(purged_, count_of(of_folds_) - count_of(one.test) - count_of(one.training));
  }
}

ReadoutTicks ReadoutTicks::common(const ReadoutConfig& config, const Trials& trials,
                                  const std::vector<const ReadoutTicks*>& fused) {
  std::vector<TickOptions> options;
  for (const ReadoutTicks* const one : fused) options.push_back({one->spacing_, 0, one->phase_});
  const std::optional<TickOptions> together = common_tick_options(options);
  if (!together) throw ArgumentError("[ReadoutTicks] readouts that never tick together");
  ReadoutTicks common(config, trials, *together);
  const auto in_all = [&](const auto& part_of) {
    std::optional<Stretches> part;
    for (const ReadoutTicks* const one : fused) {
      const Stretches own = common.own_of(*one, part_of(*one));
      part = part ? intersection(*part, own) : own;
    }
    return part.value_or(Stretches{});
  };
  const Stretches training = in_all([](const ReadoutTicks& one) { return one.training_; });
  common.validation_ = in_all([](const ReadoutTicks& one) { return one.validation_; });
  common.test_ = in_all([](const ReadoutTicks& one) { return one.test_; });
  common.of_folds_ = in_all([](const ReadoutTicks& one) { return one.of_folds_; });
  const bool is_given = !config.kind->measures_errors();
  common.training_ = is_given                     ? Stretches{}
                     : common.validation_.empty() ? training
                                                  : common.validation_;
  common.purged_ = 0;
  common.reach_ = 0;
  for (const ReadoutTicks* const one : fused) {
    const bool is_first = one == fused.front();
    common.training_steps_ = is_first ? one->training_steps_
                                      : intersection(common.training_steps_, one->training_steps_);
    common.purged_ = std::max(common.purged_, one->purged_);
    common.reach_ = std::max(common.reach_, one->reach_);
  }
  return common;
}

ReadoutTicks readout_ticks(const ReadoutConfig& readout, const ExperimentConfig& config,
                           const Trials& trials) {
  if (readout.fused.empty()) return {readout, trials, tick_options(readout, config)};
  if (readout.task() == ReadoutTask::change) {
    const ReadoutConfig& heard = config.readouts[static_cast<std::size_t>(readout.fused.front())];
    return readout_ticks(heard, config, trials);
  }
  std::vector<ReadoutTicks> fused;
  for (const std::int64_t index : readout.fused) {
    const ReadoutConfig& one = config.readouts[static_cast<std::size_t>(index)];
    fused.emplace_back(one, trials, tick_options(one, config));
  }
  std::vector<const ReadoutTicks*> all;
  for (const ReadoutTicks& one : fused) all.push_back(&one);
  return ReadoutTicks::common(readout, trials, all);
}

Stretches ReadoutTicks::own_of(const ReadoutTicks& other, const Stretches& theirs) const {
  if (other.spacing_ == spacing_ && other.phase_ == phase_) return theirs;
  // Tick k of a trial here is tick before + k each of it there.
  const std::int64_t each = spacing_ / other.spacing_;
  const std::int64_t before = (phase_ - other.phase_) / other.spacing_;
  Stretches own;
  for (const Stretch& part : theirs) {
    auto end = std::upper_bound(other.begins_.begin(), other.begins_.end(), part.begin);
    for (std::int64_t from = part.begin; from < part.end; from = *end++) {
      const auto trial = static_cast<std::size_t>(end - other.begins_.begin()) - 1;
      const std::int64_t to = std::min(part.end, *end);
      const std::int64_t ticks = begins_[trial + 1] - begins_[trial];
      // The first at or behind a tick of theirs.
      const auto behind = [&](std::int64_t tick) {
        const std::int64_t ahead = tick - other.begins_[trial] - before;
        return std::clamp<std::int64_t>((std::max<std::int64_t>(ahead, 0) + each - 1) / each, 0,
                                        ticks);
      };
      const Stretch mine{begins_[trial] + behind(from), begins_[trial] + behind(to)};
      if (mine.count() > 0) append(own, mine);
    }
  }
  return own;
}

std::int64_t ReadoutTicks::step_of(std::int64_t tick, const Trials& trials,
                                   const ReadoutTarget& target) const {
  const auto index = static_cast<std::size_t>(
                         std::upper_bound(begins_.begin(), begins_.end(), tick) - begins_.begin()) -
                     1;
  const Trial& trial = trials.all()[index];
  const std::int64_t in_trial = target.per_trial
                                    ? (trial.steps - target.horizon - 1 - phase_) / spacing_
                                    : tick - begins_[index];
  return trial.first_step + phase_ + in_trial * spacing_;
}

void ReadoutTicks::find_group_runs(const Trials& trials) {
  // With one prediction a trial, the group is that of the trial's first step.
  std::size_t i = 0;
  for (const Trials::GroupRun& run : trials.groups()) {
    while (trials.all()[i].end() <= run.steps.begin) ++i;
    const std::int64_t first_step = trials.all()[i].first_step;
    const auto tick_from = [&](std::int64_t step) {
      return std::min(begins_[i + 1],
                      begins_[i] + count_ticks(0, step - first_step, spacing_, phase_));
    };
    const Stretch ticks{tick_from(run.steps.begin), tick_from(run.steps.end)};
    if (ticks.count() > 0) runs_.push_back({ticks, run.group});
  }
}

std::int64_t ReadoutTicks::first_scored() const {
  std::int64_t first = all();
  for (const Stretches* const part : {&validation_, &test_}) {
    if (!part->empty()) first = std::min(first, part->front().begin);
  }
  return first;
}

Stretches ReadoutTicks::ticks_of(std::int64_t begin_unit, std::int64_t end_unit) const {
  Stretches ticks;
  switch (by_) {
    case By::ticks:
      append(ticks, {begin_unit, end_unit});
      break;
    case By::trials:
      append(ticks, {begins_[static_cast<std::size_t>(begin_unit)],
                     begins_[static_cast<std::size_t>(end_unit)]});
      break;
    case By::groups:
      for (const Run& run : runs_) {
        if (run.group >= begin_unit && run.group < end_unit) append(ticks, run.ticks);
      }
      break;
  }
  return ticks;
}

Stretches ReadoutTicks::purged(const Stretches& ticks, const Stretches& others) const {
  Stretches close;
  for (const Stretch& other : others) {
    // In each of its trials, and no further.
    auto end = std::upper_bound(begins_.begin(), begins_.end(), other.begin);
    for (std::int64_t from = other.begin; from < other.end; from = *end++) {
      const std::int64_t to = std::min(other.end, *end);
      append(close, {std::max(*(end - 1), from - reach_), std::min(*end, to + reach_)});
    }
  }
  return difference(ticks, close);
}

Stretches ReadoutTicks::steps_of(const Stretches& ticks, const Trials& trials,
                                 bool per_trial) const {
  Stretches steps;
  if (by_ == By::trials) {
    if (units_.trained > 0) {
      append(steps, {0, trials.all()[static_cast<std::size_t>(units_.trained - 1)].end()});
    }
    return steps;
  }
  for (const Stretch& stretch : ticks) {
    auto end = std::upper_bound(begins_.begin(), begins_.end(), stretch.begin);
    for (std::int64_t from = stretch.begin; from < stretch.end; from = *end++) {
      const std::int64_t to = std::min(stretch.end, *end);
      if (to == from) continue;  // a trial without a tick
      const auto index = static_cast<std::size_t>(end - begins_.begin()) - 1;
      const Trial& trial = trials.all()[index];
      const auto step_at = [&](std::int64_t tick) {
        return trial.first_step + phase_ + (tick - begins_[index]) * spacing_;
      };
      const bool to_end =
          by_ == By::groups && to == *end && trials.group_at(trial.end() - 1) < units_.trained;
      append(steps, {step_at(from), per_trial || to_end ? trial.end() : step_at(to - 1) + 1});
    }
  }
  return steps;
}

ReadoutTicks::Fold ReadoutTicks::fold(std::int64_t k) const {
  const std::int64_t dealt = units_.all - units_.skipped;
  Fold fold;
  fold.test =
      ticks_of(units_.skipped + dealt * k / folds_, units_.skipped + dealt * (k + 1) / folds_);
  fold.training = purged(of_folds_, fold.test);
  return fold;
}

}  // namespace gaia
