// SPDX-License-Identifier: MIT
#include "label_survey.h"

#include <algorithm>
#include <map>
#include <set>

#include "forecast_choice.h"

namespace gaia {
namespace {

/// Whether every class is in the rows from one share of all to another.
bool has_all_classes(const DataSurvey& survey, std::size_t label, double first, double end) {
  Series& series = *survey.series;
  std::vector<bool> seen(series.classes().size());
  const std::int64_t last = row_of_share(series, end);
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / series.channels());
  std::vector<double> block;
  for (std::int64_t from = row_of_share(series, first); from < last; from += piece) {
    const std::int64_t count = std::min(piece, last - from);
    block.resize(static_cast<std::size_t>(count * series.channels()));
    SideValues values;
    series.read_with_side(from, count, block, {&label, 1}, {&values, 1});
    for (const std::int64_t number : std::get<std::vector<std::int64_t>>(values)) {
      if (number >= 0) seen[static_cast<std::size_t>(number)] = true;
    }
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

/// The classes in each trial.
std::vector<std::set<std::int64_t>> classes_of_trials(const DataSurvey& survey, std::size_t label) {
  Series& series = *survey.series;
  const std::vector<std::int64_t>& starts = series.trial_starts();
  std::vector<std::set<std::int64_t>> classes(starts.size());
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / series.channels());
  std::vector<double> block;
  std::size_t trial = 0;
  for (std::int64_t from = 0; from < series.rows(); from += piece) {
    const std::int64_t count = std::min(piece, series.rows() - from);
    block.resize(static_cast<std::size_t>(count * series.channels()));
    SideValues values;
    series.read_with_side(from, count, block, {&label, 1}, {&values, 1});
    std::int64_t row = from;
    for (const std::int64_t number : std::get<std::vector<std::int64_t>>(values)) {
      while (trial + 1 < starts.size() && row >= starts[trial + 1]) ++trial;
      if (number >= 0) classes[trial].insert(number);
      ++row;
    }
  }
  return classes;
}

/// The number of folds, of the trials or their groups that are not skipped, by which every class is
/// in two of them at least; 0 if there is none.
std::int64_t choose_folds(const DataSurvey& survey, const std::vector<std::size_t>& groups,
                          const std::vector<std::set<std::int64_t>>& classes) {
  const std::size_t trials = classes.size();
  // In the order in which they come first, as folds take them.
  std::vector<std::size_t> units;
  std::map<std::size_t, std::size_t> known;
  for (std::size_t i = 0; i < trials; ++i) {
    const std::size_t named = groups.size() == trials ? groups[i] : i;
    units.push_back(known.emplace(named, known.size()).first->second);
  }
  const auto skipped = static_cast<std::size_t>(kLearningShare * static_cast<double>(known.size()));
  const std::size_t used = known.size() - skipped;
  for (const std::size_t most : {std::size_t{5}, std::size_t{10}}) {
    const std::size_t folds = std::min(most, used);
    if (folds < 2) return 0;
    // Fold k ends with the unit of this number, as that of readouts.
    const auto end_of = [&](std::size_t k) { return skipped + used * (k + 1) / folds; };
    std::vector<std::set<std::size_t>> folds_of(survey.series->classes().size());
    for (std::size_t i = 0; i < trials; ++i) {
      if (units[i] < skipped) continue;
      std::size_t fold = 0;
      while (units[i] >= end_of(fold)) ++fold;
      for (const std::int64_t number : classes[i]) {
        folds_of[static_cast<std::size_t>(number)].insert(fold);
      }
    }
    const bool are_taught = std::all_of(folds_of.begin(), folds_of.end(),
                                        [](const auto& in) { return in.size() != 1; });
    const auto count =
        std::count_if(folds_of.begin(), folds_of.end(), [](const auto& in) { return !in.empty(); });
    if (are_taught && count > 1) return static_cast<std::int64_t>(folds);
  }
  return 0;
}

}  // namespace

void look_at_classes(DataSurvey& survey, const std::vector<std::size_t>& groups) {
  const std::vector<SideColumn> side = survey.series->side_columns();
  const auto label = std::find_if(side.begin(), side.end(), [](const SideColumn& column) {
    return column.role == SideColumn::Role::label;
  });
  if (label == side.end()) return;
  const auto place = static_cast<std::size_t>(label - side.begin());
  if (survey.series->trial_starts().size() > 1) {
    const std::vector<std::set<std::int64_t>> classes = classes_of_trials(survey, place);
    survey.is_label_of_trial = std::all_of(classes.begin(), classes.end(),
                                           [](const auto& each) { return each.size() <= 1; });
    survey.folds = choose_folds(survey, groups, classes);
    survey.can_classify = survey.folds > 0;
    return;
  }
  survey.can_classify = has_all_classes(survey, place, kLearningShare, kTrainingShare) &&
                        has_all_classes(survey, place, kTrainingShare, 1.0);
}

}  // namespace gaia
