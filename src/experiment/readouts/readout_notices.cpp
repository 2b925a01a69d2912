// SPDX-License-Identifier: MIT
#include "readout_notices.h"

#include <fmt/format.h>

#include <algorithm>

namespace gaia {
namespace {

constexpr std::size_t kMostClasses = 5;

/// "class a", "classes a, b and 3 more".
std::string classes_text(const std::vector<std::string>& names) {
  std::string text = names.size() == 1 ? "class " : "classes ";
  const std::size_t told = std::min(kMostClasses, names.size());
  for (std::size_t i = 0; i < told; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > told) text += fmt::format(" and {} more", names.size() - told);
  return text;
}

/// How many test samples each class has; empty where they were not counted.
std::vector<std::int64_t> tested_by_class(const ReadoutScore& score, std::size_t classes) {
  std::vector<std::int64_t> tested;
  if (score.confusion.size() != classes * classes) return tested;
  for (std::size_t c = 0; c < classes; ++c) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += score.confusion[c * classes + k];
    tested.push_back(sum);
  }
  return tested;
}

void look_at_classes(const ReadoutSolution& solution, const std::vector<std::string>& classes,
                     const ReadoutScore& score, std::vector<std::string>& found) {
  const std::vector<std::int64_t> tested = tested_by_class(score, classes.size());
  if (tested.empty() || solution.target_means.size() != classes.size()) return;
  std::vector<std::string> untrained;
  std::vector<std::string> untested;
  std::int64_t lost = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool is_trained = solution.target_means[c] > 0.0;
    if (!is_trained && tested[c] > 0) {
      untrained.push_back(classes[c]);
      lost += tested[c];
    }
    if (is_trained && tested[c] == 0) untested.push_back(classes[c]);
  }
  const auto never = [](const std::vector<std::string>& names) {
    return classes_text(names) + (names.size() == 1 ? " never occurs" : " never occur");
  };
  if (!untrained.empty()) {
    found.push_back(fmt::format(
        "{} in the training part, so none of {} test sample{} can be told right; another split or "
        "folds may have all classes in both parts",
        never(untrained), lost, lost == 1 ? "" : "s"));
  }
  if (!untested.empty()) {
    found.push_back(never(untested) + " in the test part, so the score says nothing of " +
                    (untested.size() == 1 ? "it" : "them"));
  }
}

}  // namespace

std::vector<std::string> notices_of(const std::optional<ReadoutSolution>& solution,
                                    const std::vector<std::string>& classes,
                                    const ReadoutScore& score,
                                    const std::vector<ControlScore>& controls) {
  std::vector<std::string> found;
  if (solution) {
    const std::vector<double>& weights = solution->weights;
    if (!weights.empty() &&
        std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0.0; })) {
      found.emplace_back(
          "all its weights are 0, so it says the same of every sample: what it reads did not "
          "change "
          "in the training part");
    }
    if (score.task == ReadoutTask::classes) look_at_classes(*solution, classes, score, found);
  }
  if (!score.undefined.empty()) return found;
  const auto left_over = std::count(score.pairs.begin(), score.pairs.end(), -1);
  if (left_over > 0) {
    found.push_back(fmt::format(
        "it reads {} numbers for {} targets, so {} of them {} as 0",
        std::ssize(score.pairs) - left_over, score.pairs.size(), left_over,
        left_over == 1 ? "stays without one and counts" : "stay without one and count"));
  }
  for (const ControlScore& one : controls) {
    if (one.score.undefined.empty()) continue;
    found.push_back(fmt::format("its control {} has no score: {}",
                                one.title.empty() ? control_title(one.control) : one.title,
                                one.score.undefined));
  }
  return found;
}

std::vector<std::string> notices_of(const Readout& readout, const ReadoutScore& score,
                                    const std::vector<ControlScore>& controls) {
  if (!readout.config().predicts()) return readout.notices();
  std::vector<std::string> found =
      notices_of(readout.solution(), readout.classes(), score, controls);
  for (const std::string& one : readout.notices()) found.push_back(one);
  return found;
}

}  // namespace gaia
