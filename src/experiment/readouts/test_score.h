// SPDX-License-Identifier: MIT
/// \file
/// How good a network is on samples that it was not trained on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "readout_score.h"

namespace gaia {

/// The accuracy of classes compared with that of the most frequent one, of a series the score of
/// its regression.
struct TestScore : ReadoutScore {
  double loss = 0.0;

  Score beside() const { return baselines().front(); }
};

/// Sets the accuracy, and that of always saying the class that training had most often, of equals
/// the first.  Classes are numbers from 0.
void score_classes(TestScore& score, double accuracy, const std::vector<std::int64_t>& targets,
                   const std::vector<std::int64_t>& trained);

/// Baseline of a network on a series: persistence, the target as it is now, or, where
/// that is the target (horizon 0), a mean of targets.
struct SeriesBaseline {
  std::string name = "persistence";
  std::vector<double> answers = {};  ///< To the samples that are scored.
  std::int64_t overlap = 1;  ///< So many targets that follow each other depend on each other.
};

/// Sets nrmse and r2, and those of the baseline, from predictions of a series, the first of which
/// have targets.
void score_series(TestScore& score, const std::vector<double>& predictions,
                  const SeriesBaseline& baseline, const std::vector<double>& targets);

}  // namespace gaia
