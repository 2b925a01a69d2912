// SPDX-License-Identifier: MIT
#include "test_score.h"

#include <memory>

namespace gaia {

void score_series(TestScore& score, const std::vector<double>& predictions,
                  const SeriesBaseline& baseline, const std::vector<double>& targets) {
  const std::int64_t overlap = baseline.overlap;
  const std::unique_ptr<Scorer> scorer =
      make_scorer(ReadoutTask::regression, 1, baseline.name,
                  ChanceBlocks(std::ssize(targets), overlap));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::span<const double> answer(&baseline.answers[i], 1);
    scorer->add({.prediction = {&predictions[i], 1},
                 .target = {&targets[i], 1},
                 .baseline = answer,
                 .mean = answer});
  }
  static_cast<ReadoutScore&>(score) = scorer->score();
}

}  // namespace gaia
