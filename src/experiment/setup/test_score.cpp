// SPDX-License-Identifier: MIT
#include "test_score.h"

namespace gaia {

void score_series(TestScore& score, const std::vector<double>& predictions,
                  const SeriesBaseline& baseline, const std::vector<double>& targets) {
  const auto n = static_cast<double>(targets.size());
  // Counted from the first target, so that the deviations of a constant are 0.
  double mean = 0.0;
  for (const double y : targets) mean += (y - targets.front()) / n;
  double error = 0.0;
  double baseline_error = 0.0;
  double variation = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double deviation = targets[i] - targets.front() - mean;
    error += (predictions[i] - targets[i]) * (predictions[i] - targets[i]);
    const double miss = baseline.answers[i] - targets[i];
    baseline_error += miss * miss;
    variation += deviation * deviation;
  }
  const Score own = score_of("", error, variation);
  const Score beside = score_of("", baseline_error, variation);
  score.nrmse = own.error;
  score.r2 = own.value;
  score.baseline = baseline.name;
  score.baseline_nrmse = beside.error;
  score.baseline_r2 = beside.value;
  score.undefined = why_undefined(n, error, variation);
}

}  // namespace gaia
