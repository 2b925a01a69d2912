// SPDX-License-Identifier: MIT
#include "test_score.h"

#include <cmath>

namespace gaia {

void score_series(TestScore& score, const std::vector<double>& predictions,
                  const std::vector<double>& baseline, const std::vector<double>& targets) {
  const auto rate = [&](const std::vector<double>& predicted, double& nrmse, double& r2) {
    double mean = 0.0;
    for (const double y : targets) mean += y / static_cast<double>(targets.size());
    double error = 0.0;
    double variance = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      error += (predicted[i] - targets[i]) * (predicted[i] - targets[i]);
      variance += (targets[i] - mean) * (targets[i] - mean);
    }
    nrmse = std::sqrt(error / variance);
    r2 = 1.0 - error / variance;
  };
  rate(predictions, score.nrmse, score.r2);
  rate(baseline, score.baseline_nrmse, score.baseline_r2);
}

}  // namespace gaia
