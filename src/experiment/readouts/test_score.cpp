// SPDX-License-Identifier: MIT
#include "test_score.h"

#include <algorithm>
#include <memory>

namespace gaia {

void score_classes(TestScore& score, double accuracy, const std::vector<std::int64_t>& targets,
                   const std::vector<std::int64_t>& trained) {
  score.task = ReadoutTask::classes;
  score.accuracy = accuracy;
  score.tested = std::ssize(targets);
  if (targets.empty() || trained.empty()) return;
  std::vector<std::int64_t> counts(
      static_cast<std::size_t>(*std::max_element(trained.begin(), trained.end()) + 1));
  for (const std::int64_t c : trained) ++counts[static_cast<std::size_t>(c)];
  const std::int64_t most = std::max_element(counts.begin(), counts.end()) - counts.begin();
  score.majority_accuracy = static_cast<double>(std::count(targets.begin(), targets.end(), most)) /
                            static_cast<double>(targets.size());
}

void score_series(TestScore& score, const std::vector<double>& predictions,
                  const SeriesBaseline& baseline, const std::vector<double>& targets) {
  const std::int64_t overlap = baseline.overlap;
  const std::unique_ptr<Scorer> scorer = make_scorer(ReadoutTask::regression, 1, baseline.name,
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
