// SPDX-License-Identifier: MIT
#include "edf_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "../../core/error.h"
#include "../recordings/edf_annotations.h"
#include "../recordings/edf_series.h"
#include "../survey/array_survey.h"

namespace gaia {
namespace {

/// Whether annotations tell classes of rows: a few, that hold in half of the rows or more.
bool tells_classes(const std::string& path, const EdfHeader& header, std::int64_t per_record) {
  const InputFile file(path);
  const std::vector<EdfAnnotation> annotations = read_edf_annotations(file, header);
  std::set<std::string> texts;
  for (const EdfAnnotation& annotation : annotations) {
    texts.insert(annotation.text);
    if (texts.size() > kMostSurveyedClasses) return false;
  }
  if (texts.size() < 2) return false;
  const std::vector<std::string> labels =
      edf_labels(header, annotations, read_edf_stretches(file, header), per_record);
  const auto without = std::count(labels.begin(), labels.end(), std::string());
  return 2 * without <= std::ssize(labels);
}

/// All signals in the order of the file, also those that were not surveyed.
void tell_others(TableSurvey& table, const EdfHeader& header,
                 const std::vector<const EdfSignal*>& signals,
                 const std::vector<std::size_t>& chosen) {
  using Use = SurveyedColumn::Use;
  std::vector<SurveyedColumn> all;
  std::size_t surveyed = 0;
  for (const EdfSignal* const signal : signals) {
    if (surveyed < chosen.size() && chosen[surveyed] == all.size()) {
      all.push_back(table.columns[surveyed++]);
      continue;
    }
    const bool is_twin = signal->samples == signals[chosen.front()]->samples;
    all.push_back({.name = signal->label,
                   .use = is_twin ? Use::twice : Use::other_rate,
                   .note = is_twin ? "" : fmt::format("{} Hz", header.rate(*signal))});
  }
  if (table.group) table.group = chosen[*table.group];
  table.columns = std::move(all);
}

}  // namespace

std::unique_ptr<FileSeries> EdfFormat::open(const std::string& path,
                                            const FileOptions& options) const {
  return open_edf(path, options);
}

FileSurvey EdfFormat::survey(const std::vector<std::string>& paths) const {
  FileSurvey survey{.names_columns = true};
  const EdfHeader header = read_edf_header(InputFile(paths.front()));
  std::vector<const EdfSignal*> signals;
  for (const EdfSignal& signal : header.signals) {
    if (!signal.is_annotations) signals.push_back(&signal);
  }
  if (signals.empty()) throw DataError(paths.front() + ": has no signals but annotations");
  // The first of several signals with one label is taken; indices tell it from the others.
  std::set<std::string> labels;
  std::vector<std::size_t> chosen;
  for (const std::size_t i : signals_of_most_common_rate(header)) {
    if (labels.insert(signals[i]->label).second) chosen.push_back(i);
  }
  const auto has_twins = [&](const EdfSignal* signal) {
    return std::count_if(signals.begin(), signals.end(),
                         [&](const EdfSignal* other) { return other->label == signal->label; }) > 1;
  };
  for (const std::size_t i : chosen) {
    survey.options.columns.push_back(has_twins(signals[i]) ? std::to_string(i) : signals[i]->label);
  }
  survey_arrays(survey, paths, open_edf);
  survey.options.columns.clear();
  tell_others(survey.table, header, signals, chosen);
  const std::int64_t per_record = signals[chosen.front()]->samples;
  if (tells_classes(paths.front(), header, per_record)) survey.options.side.labels = "annotations";
  return survey;
}

}  // namespace gaia
