// SPDX-License-Identifier: MIT
/// \file
/// How good a network is on samples that it was not trained on.
#pragma once

#include <string>
#include <vector>

#include "verdict.h"

namespace gaia {

struct TestScore {
  double loss = 0.0;
  double accuracy = 0.0;  ///< Classes only.
  double nrmse = 0.0;     ///< Series only: root mean square error over the targets' deviation.
  double r2 = 0.0;        ///< 1 - nrmse^2.
  double baseline_nrmse = 0.0;  ///< Of persistence.
  double baseline_r2 = 0.0;
  std::string undefined = {};  ///< Series only: why nrmse and r2 are NaN; empty where they are not.

  RegressionScore own() const { return {"", nrmse, r2}; }
  RegressionScore persistence() const { return {"persistence", baseline_nrmse, baseline_r2}; }
};

/// Sets nrmse and r2, and those of the baseline, from predictions of a series, the first of which
/// have targets.
void score_series(TestScore& score, const std::vector<double>& predictions,
                  const std::vector<double>& baseline, const std::vector<double>& targets);

}  // namespace gaia
