// SPDX-License-Identifier: MIT
/// \file
/// What the score of a regression is worth, beside those of simple forecasts.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gaia {

struct RegressionScore {
  std::string name = {};  ///< "persistence", "mean", "ridge on the samples", ...
  /// Root mean square error over the standard deviation of the targets; NaN: not defined.
  double nrmse = std::numeric_limits<double>::quiet_NaN();
  double r2 = std::numeric_limits<double>::quiet_NaN();  ///< 1 - nrmse^2.

  bool is_defined() const { return std::isfinite(nrmse) && std::isfinite(r2); }
};

/// The baseline that knows nothing but the mean of the targets that were trained on.
inline constexpr const char* kMeanBaseline = "mean";

/// The score of `error`, a sum of squared errors, where `variation` is the sum of the squared
/// deviations of the same targets from their mean.
RegressionScore score_of(std::string name, double error, double variation);

/// Why there is no score over `targets` targets with these sums; empty where there is one.
std::string why_undefined(double targets, double error, double variation);

/// "NRMSE 0.8114, R2 0.3416", or "not defined".
std::string score_text(const RegressionScore& score);

/// The baseline with the least error; null where none is defined.
const RegressionScore* best_of(const std::vector<RegressionScore>& baselines);

/// Whether the error is smaller by more than a hundredth, and not by chance or rounding.
bool is_clearly_better(const RegressionScore& score, const RegressionScore& than);

/// "does worse than the mean of its target (R2 -17.3) and is beaten by persistence (R2 1)"; empty
/// where the score is better than the mean and no baseline is clearly better, or where there is
/// none.
std::string shortcoming(const RegressionScore& score,
                        const std::vector<RegressionScore>& baselines);

/// "channel 0", or "channel 0 (temperature)" where the name says more than the index.
std::string series_text(const char* kind, std::int64_t index, const std::string& name);

}  // namespace gaia
