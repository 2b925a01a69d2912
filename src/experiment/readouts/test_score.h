// SPDX-License-Identifier: MIT
/// \file
/// How good a network is on samples that it was not trained on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verdict.h"

namespace gaia {

struct TestScore {
  double loss = 0.0;
  double accuracy = 0.0;  ///< Classes only.
  double nrmse = 0.0;     ///< Series only: root mean square error over the targets' deviation.
  double r2 = 0.0;        ///< 1 - nrmse^2.
  double baseline_nrmse = 0.0;  ///< Of the baseline, on the same targets.
  double baseline_r2 = 0.0;
  std::string undefined = {};  ///< Series only: why nrmse and r2 are NaN; empty where they are not.
  std::string baseline = {};   ///< Series only: its name.
  /// Series only: r2 and that of the baseline without each block (chance.h).
  std::vector<double> without = {};
  std::vector<double> baseline_without = {};

  Score own() const { return {.error = nrmse, .value = r2, .without = without}; }
  Score beside() const {
    return {.name = baseline,
            .error = baseline_nrmse,
            .value = baseline_r2,
            .without = baseline_without};
  }
};

/// What a network on a series is scored beside: persistence, the target as it is now, or, where
/// that is the target (horizon 0), a mean of targets.
struct SeriesBaseline {
  std::string name = "persistence";
  std::vector<double> answers = {};  ///< To the samples that are scored.
  std::int64_t overlap = 1;          ///< So many targets that follow each other depend on each other.
};

/// Sets nrmse and r2, and those of the baseline, from predictions of a series, the first of which
/// have targets.
void score_series(TestScore& score, const std::vector<double>& predictions,
                  const SeriesBaseline& baseline, const std::vector<double>& targets);

}  // namespace gaia
