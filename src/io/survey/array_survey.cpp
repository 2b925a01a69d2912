// SPDX-License-Identifier: MIT
#include "array_survey.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "../../core/error.h"
#include "../npy.h"
#include "../npy_file.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

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

/// A second array beside one of trials, by its name: labels of eeg.npy in eeg_labels.npy,
/// labels.npy, y.npy, or those of X_train.npy in y_train.npy.
void find_label_file(FileSurvey& survey, const fs::path& path) {
  const std::string stem = path.stem().string();
  std::vector<std::string> names = {stem + "_labels", stem + "_y", "labels", "y"};
  if (stem.starts_with("X")) names.insert(names.begin(), "y" + stem.substr(1));
  const std::int64_t trials = survey.shape[survey.options.axes.trials->front()];
  for (const std::string& name : names) {
    const fs::path file = path.parent_path() / (name + ".npy");
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::equivalent(file, path, error)) continue;
    try {
      const NpyHeader header = NpyFile(file.string()).header();
      if (header.shape != std::vector<std::int64_t>{trials}) continue;
    } catch (const DataError&) {
      continue;  // no array after all
    }
    survey.options.side.labels = file.string();
    return;
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

FileSurvey survey_npy(const std::vector<std::string>& paths) {
  FileSurvey survey{.takes_label_file = true};
  guess_axes(survey, NpyFile(paths.front()).header().shape);
  if (!survey.shape.empty() && paths.size() == 1) find_label_file(survey, paths.front());
  survey_arrays(survey, paths, open_npy);
  return survey;
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
