// SPDX-License-Identifier: MIT
#include "edf_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

/// All signals in the order of the file, which those of other rates are of too.
void tell_other_rates(TableSurvey& table, const EdfHeader& header,
                      const std::vector<std::size_t>& chosen) {
  std::vector<SurveyedColumn> all;
  std::size_t surveyed = 0;
  for (const EdfSignal& signal : header.signals) {
    if (signal.is_annotations) continue;
    if (surveyed < chosen.size() && chosen[surveyed] == all.size()) {
      all.push_back(table.columns[surveyed++]);
      continue;
    }
    all.push_back({.name = signal.label,
                   .use = SurveyedColumn::Use::other_rate,
                   .note = fmt::format("{} Hz", header.rate(signal))});
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
  const std::vector<std::size_t> chosen = signals_of_most_common_rate(header);
  std::vector<const EdfSignal*> signals;
  for (const EdfSignal& signal : header.signals) {
    if (!signal.is_annotations) signals.push_back(&signal);
  }
  std::set<std::string> labels;
  for (const EdfSignal* const signal : signals) labels.insert(signal->label);
  // Where a label is there twice, indices and not labels find signals.
  const bool by_name = labels.size() == signals.size();
  for (const std::size_t i : chosen) {
    survey.options.columns.push_back(by_name ? signals[i]->label : std::to_string(i));
  }
  survey_arrays(survey, paths, open_edf);
  survey.options.columns.clear();
  tell_other_rates(survey.table, header, chosen);
  const std::int64_t per_record = chosen.empty() ? 1 : signals[chosen.front()]->samples;
  if (tells_classes(paths.front(), header, per_record)) survey.options.side.labels = "annotations";
  return survey;
}

}  // namespace gaia
