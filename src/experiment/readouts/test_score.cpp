// SPDX-License-Identifier: MIT
#include "test_score.h"

#include <memory>
#include <utility>

#include "readout_score.h"

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
  ReadoutScore found = scorer->score();
  score.nrmse = found.nrmse;
  score.r2 = found.r2;
  score.baseline = baseline.name;
  score.baseline_nrmse = found.baseline_nrmse;
  score.baseline_r2 = found.baseline_r2;
  score.undefined = std::move(found.undefined);
  score.without = std::move(found.without);
  score.baseline_without = std::move(found.baseline_without);
}

}  // namespace gaia
