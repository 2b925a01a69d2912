// SPDX-License-Identifier: MIT
#include "readout_ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../hierarchy/temporal_pool.h"

namespace gaia {
namespace {

/// Shares of the ticks at which the parts end.
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

/// That share of `count`, rounded down; of shares that were added up, not for rounding alone.
std::int64_t share_of(double part, std::int64_t count, bool is_sum) {
  const double exact = part * static_cast<double>(count) + (is_sum ? 1e-9 : 0.0);
  return std::min(count, static_cast<std::int64_t>(std::floor(exact)));
}

}  // namespace

std::int64_t ReadoutTicks::fold_begin(std::int64_t k, std::int64_t folds) const {
  const auto trials = static_cast<std::int64_t>(begins.size()) - 1;
  if (trials == 1) return first + (all() - first) * k / folds;
  // The trials from `first` on, dealt in order.
  const auto begin = std::lower_bound(begins.begin(), begins.end(), first) - begins.begin();
  return begins[static_cast<std::size_t>(begin + (trials - begin) * k / folds)];
}

ReadoutTicks readout_ticks(const ReadoutConfig& config, const Trials& trials,
                           std::int64_t spacing) {
  ReadoutTicks ticks{.spacing = spacing};
  ticks.begins.push_back(0);
  for (const Trial& trial : trials.all()) {
    const std::int64_t known =
        config.learn ? std::max<std::int64_t>(0, trial.steps - config.target.horizon) : trial.steps;
    const std::int64_t count = count_ticks(0, known, spacing);
    ticks.begins.push_back(ticks.begins.back() +
                           (config.target.per_trial ? std::min<std::int64_t>(count, 1) : count));
  }
  if (!config.learn) {
    ticks.tested = ticks.all();
    return ticks;
  }
  const Shares shares = shares_of(config);
  const auto border = [&](double share) {
    const bool is_sum = config.split.is_map;
    if (trials.count() <= 1) return share_of(share, ticks.all(), is_sum);
    return ticks.begins[static_cast<std::size_t>(share_of(share, trials.count(), is_sum))];
  };
  ticks.trained = border(shares.trained);
  ticks.validated = border(shares.validated);
  ticks.tested = border(shares.tested);
  ticks.first = std::min(border(config.skip), ticks.trained);
  if (config.kind->is_online()) {
    // All ticks are learnt from; those that are skipped are not scored.
    ticks.first = 0;
    ticks.trained = std::max(ticks.trained, border(config.skip));
    ticks.validated = std::max(ticks.validated, ticks.trained);
    ticks.tested = std::max(ticks.tested, ticks.validated);
  }
  return ticks;
}

Stretches training_steps(const ReadoutTicks& ticks, const Trials& trials) {
  if (ticks.trained == 0) return {};
  const std::int64_t last = ticks.trained - 1;
  const auto after = std::upper_bound(ticks.begins.begin(), ticks.begins.end(), last);
  const auto index = static_cast<std::size_t>(after - ticks.begins.begin() - 1);
  const Trial& trial = trials.all()[index];
  if (trials.count() > 1) return {{0, trial.end()}};
  return {{0, trial.first_step + (last - ticks.begins[index]) * ticks.spacing + 1}};
}

std::int64_t readout_spacing(const ReadoutConfig& config, const std::vector<LevelConfig>& levels,
                             const Recording& recording) {
  std::int64_t spacing = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t index : config.levels) {
    spacing = std::min(spacing, levels[static_cast<std::size_t>(index)].temporal_resolution);
  }
  return recording.what == Recording::What::every ? spacing * recording.every : spacing;
}

}  // namespace gaia
