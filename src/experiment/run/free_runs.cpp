// SPDX-License-Identifier: MIT
#include "free_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gaia {

std::vector<std::int64_t> free_run_starts(const std::vector<ReadoutConfig>& readouts) {
  std::vector<std::int64_t> starts;
  for (const ReadoutConfig& readout : readouts) {
    const FreeRunConfig& run = readout.free_run;
    if (run.is_there) starts.insert(starts.end(), run.starts.begin(), run.starts.end());
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

std::int64_t next_free_run(const std::vector<ReadoutConfig>& readouts, std::int64_t step,
                           std::int64_t most) {
  for (const ReadoutConfig& readout : readouts) {
    if (!readout.free_run.is_there) continue;
    const std::vector<std::int64_t>& starts = readout.free_run.starts;
    const auto next = std::upper_bound(starts.begin(), starts.end(), step);
    if (next != starts.end()) most = std::min(most, *next);
  }
  return most;
}

std::string free_run_text(const ReadoutConfig& readout, const ReadoutScore& score,
                          const std::vector<ControlScore>& controls) {
  if (!score.free_run) return {};
  const FreeRunConfig& run = readout.free_run;
  if (std::isnan(score.free_run->valid_steps)) {
    return "free run: no score, none of its starts was followed to its end";
  }
  std::string text = fmt::format(
      "free run: NRMSE {:.3g} at step {}, valid for {:.4g} of {} steps, over {} start{}",
      score.free_run->nrmse_at, run.scored_at(), score.free_run->valid_steps, run.steps,
      run.starts.size(), run.starts.size() == 1 ? "" : "s");
  std::string others;
  for (const ControlScore& one : controls) {
    const auto& other = one.score.free_run;
    if (!other || std::isnan(other->valid_steps)) continue;
    others += fmt::format("{}{} {:.3g}, {:.4g}", others.empty() ? "" : "; ", one.title,
                          other->nrmse_at, other->valid_steps);
  }
  return others.empty() ? text : text + " (" + others + ")";
}

}  // namespace gaia
