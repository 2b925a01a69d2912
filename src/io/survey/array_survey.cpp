// SPDX-License-Identifier: MIT
#include "array_survey.h"

#include <array>

#include "../../core/error.h"

namespace gaia {
namespace {

/// Whether rows were taken for columns.
bool looks_transposed(std::int64_t rows, std::int64_t columns) {
  return columns > 64 && columns > 10 * rows;
}

/// All columns, with missing values only where there are some.
std::unique_ptr<Series> open_whole(FileSurvey& survey, const std::vector<std::string>& paths,
                                   const OpenFile& open) {
  FileOptions alone = survey.options;
  alone.side = {};
  alone.measured = 0;
  try {
    alone.missing = survey.options.missing = MissingPolicy::error;
    return open_files(paths, alone, open);
  } catch (const DataError&) {
    alone.missing = survey.options.missing = MissingPolicy::hold;
    return open_files(paths, alone, open);
  }
}

}  // namespace

void guess_axes(FileSurvey& survey, const std::vector<std::int64_t>& shape) {
  if (shape.size() != 3) return;
  survey.shape = shape;
  survey.options.axes.trials = shape[2] > shape[1] ? std::array<std::size_t, 3>{0, 2, 1}
                                                   : std::array<std::size_t, 3>{0, 1, 2};
}

void survey_arrays(FileSurvey& survey, const std::vector<std::string>& paths,
                   const OpenFile& open) {
  std::unique_ptr<Series> series = open_whole(survey, paths, open);
  if (survey.shape.empty() && looks_transposed(series->rows(), series->channels())) {
    survey.options.axes.transpose = true;
    series = open_whole(survey, paths, open);
  }
  survey.table = survey_series(*series, !survey.shape.empty());
}

FileSurvey survey_rows(const MemoryRows& rows) {
  FileSurvey survey{.names_columns = !rows.columns.empty()};
  if (rows.table.rank() == 3) {
    const std::vector<std::int64_t> shape = {rows.table.shape(0), rows.table.shape(1),
                                             rows.table.shape(2)};
    guess_axes(survey, shape);
    // Names are those of channels if there are as many as the last axis is long.
    if (std::ssize(rows.columns) == shape[2]) survey.options.axes.trials = {{0, 1, 2}};
  }
  survey.table = survey_memory(rows, survey.options.axes);
  return survey;
}

}  // namespace gaia
