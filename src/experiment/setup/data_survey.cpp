// SPDX-License-Identifier: MIT
#include "data_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/find_files.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../io/npy_file.h"
#include "csv_survey.h"
#include "forecast_choice.h"
#include "load.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

using Use = SurveyedColumn::Use;

constexpr std::int64_t kFewestRows = 50;

/// Fewer for each column that is read, and readouts would fit noise.
constexpr std::int64_t kRowsPerChannel = 50;

/// Whether rows were taken for columns.
bool looks_transposed(std::int64_t rows, std::int64_t columns) {
  return columns > 64 && columns > 10 * rows;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw DataError(fmt::format("{}: {}", path, why));
}

// HDF5

std::int64_t numbers_in(const hdf5::DatasetDescription& dataset) {
  std::int64_t count = 1;
  for (const std::int64_t length : dataset.shape) count *= length;
  return count;
}

/// Of three axes the first is taken for that of trials, and the longer of the others for time.
void guess_axes(DataSurvey& survey, const std::vector<std::int64_t>& shape) {
  if (shape.size() != 3) return;
  survey.shape = shape;
  survey.source.trials.by = TrialsConfig::By::axes;
  survey.source.trials.axes = shape[2] > shape[1]
                                  ? std::vector<std::string>{"trial", "channel", "time"}
                                  : std::vector<std::string>{"trial", "time", "channel"};
}

/// The dataset with the most numbers that could be a series; notes the others.
void choose_dataset(DataSurvey& survey) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(survey.path);
  const hdf5::Contents& contents = reader->contents();
  if (contents.root().has("gaia_version") && contents.root().has("config")) {
    refuse(survey.path,
           "is a result of gaia, expected data; `gaia report` makes a page of it, `gaia apply` "
           "applies what it has learnt");
  }
  const hdf5::DatasetDescription* chosen = nullptr;
  std::string why_not;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    const bool fits = !dataset.shape.empty() && dataset.shape.size() <= 3 &&
                      dataset.type != hdf5::Type::other &&
                      *std::max_element(dataset.shape.begin(), dataset.shape.end()) >= kFewestRows;
    if (!dataset.refusal.empty() || !fits || hdf5::is_coordinate(contents, dataset)) {
      if (why_not.empty()) {
        why_not =
            fmt::format("; {} is [{}]{}", printable(dataset.path), fmt::join(dataset.shape, ", "),
                        dataset.refusal.empty() ? "" : ", and " + dataset.refusal);
      }
      continue;
    }
    if (chosen == nullptr || numbers_in(dataset) > numbers_in(*chosen)) chosen = &dataset;
    survey.other_datasets.push_back(dataset.path);
  }
  if (chosen == nullptr) {
    refuse(survey.path, fmt::format("has no dataset of numbers, [rows], [rows, columns] or "
                                    "[trial, time, channel], with at least {} rows{}",
                                    kFewestRows, why_not));
  }
  std::erase(survey.other_datasets, chosen->path);
  survey.source.dataset = chosen->path;
  guess_axes(survey, chosen->shape);
  const auto time_axis = static_cast<std::size_t>(
      std::find(survey.source.trials.axes.begin(), survey.source.trials.axes.end(), "time") -
      survey.source.trials.axes.begin());  // 0 of tables
  const std::string scale = time_axis < chosen->scales.size() ? chosen->scales[time_axis] : "";
  const hdf5::DatasetDescription* const time = scale.empty() ? nullptr : contents.dataset(scale);
  const bool is_time = time != nullptr && time->path != chosen->path && time->shape.size() == 1;
  if (is_time) survey.source.time = time->path;
  // A class for each row, or for each trial of an array.
  const bool is_table = chosen->shape.size() < 3;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    const bool fits = dataset.holds_texts && dataset.shape.size() == 1 &&
                      (dataset.shape[0] == chosen->shape[0] ||
                       (!is_table && dataset.shape[0] == chosen->shape[time_axis]));
    if (!fits || hdf5::is_coordinate(contents, dataset)) continue;
    survey.source.labels = dataset.path;
    return;
  }
}

// Arrays

/// All columns, with missing values only where there are some.
std::unique_ptr<Series> open_whole(DataSurvey& survey) {
  FileConfig alone = survey.source;
  alone.time.clear();
  alone.labels.clear();
  try {
    alone.missing = survey.source.missing = MissingPolicy::error;
    return open_series_files(survey.paths, alone, "");
  } catch (const DataError&) {
    alone.missing = survey.source.missing = MissingPolicy::hold;
    return open_series_files(survey.paths, alone, "");
  }
}

std::int64_t survey_array(DataSurvey& survey) {
  std::unique_ptr<Series> series = open_whole(survey);
  if (survey.shape.empty() && looks_transposed(series->rows(), series->channels())) {
    survey.source.transpose = true;
    series = open_whole(survey);
  }
  const std::int64_t width = series->channels();
  std::vector<ColumnSurvey> surveys(static_cast<std::size_t>(width));
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / width);
  const std::vector<std::int64_t>& starts = series->trial_starts();
  auto next = starts.begin();
  std::vector<double> block;
  std::int64_t count = 0;
  for (std::int64_t first = 0; first < series->rows(); first += count) {
    if (next != starts.end() && *next == first) {
      for (ColumnSurvey& column : surveys) column.begin_trial();
      ++next;
    }
    const std::int64_t end = next == starts.end() ? series->rows() : *next;
    count = std::min(piece, end - first);
    block.resize(static_cast<std::size_t>(count * width));
    series->read(first, count, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      surveys[i % surveys.size()].note_number(block[i]);
    }
  }
  for (std::size_t i = 0; i < surveys.size(); ++i) {
    survey.columns.push_back(surveys[i].result(series->channel_names()[i]));
  }
  return series->rows();
}

// All of them

/// Leaves out columns that are called as one before them.  Whether there are none: else indices,
/// not names, find columns.
bool find_twins(std::vector<SurveyedColumn>& columns) {
  std::set<std::string> names;
  bool are_different = true;
  for (SurveyedColumn& column : columns) {
    if (names.insert(column.name).second) continue;
    column.use = Use::twice;
    column.note.clear();
    are_different = false;
  }
  return are_different;
}

void choose_channels(DataSurvey& survey, std::int64_t rows) {
  const bool by_name = find_twins(survey.columns);
  const std::int64_t most =
      std::clamp<std::int64_t>(rows / kRowsPerChannel, 1, kMostSurveyedChannels);
  std::vector<std::string> chosen;
  bool is_all = true;
  bool has_missing = false;
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    const SurveyedColumn& column = survey.columns[i];
    const std::string called = by_name ? column.name : std::to_string(i);
    if (column.use == Use::time && survey.source.time.empty()) survey.source.time = called;
    if (column.use == Use::label && survey.source.labels.empty()) survey.source.labels = called;
    if (column.use != Use::channel) {
      is_all = false;
      continue;
    }
    if (std::ssize(chosen) == most) {
      ++survey.left_over;
      is_all = false;
      continue;
    }
    chosen.push_back(called);
    has_missing = has_missing || column.missing > 0;
  }
  if (chosen.empty()) {
    refuse(survey.path, "has no column of numbers that change, which levels could learn from");
  }
  if (survey.kind == FileKind::csv) {
    survey.source.missing = has_missing ? MissingPolicy::hold : MissingPolicy::error;
  }
  if (!is_all || survey.kind == FileKind::csv) survey.source.columns = std::move(chosen);
}

/// Opens what was chosen; without times or labels where it cannot be opened with them.
void open_chosen(DataSurvey& survey) {
  const auto drop = [&](std::string& key, const char* what, const std::string& why) {
    survey.dropped.push_back(fmt::format("{} {}: {}", what, in_quotes(key), why));
    key.clear();
  };
  while (!survey.series) {
    try {
      survey.series = open_series_files(survey.paths, survey.source, "");
      const std::size_t classes = survey.series->classes().size();
      if (classes <= kMostSurveyedClasses || survey.source.labels.empty()) continue;
      survey.series.reset();
      drop(survey.source.labels, "labels", fmt::format("are of {} kinds", classes));
    } catch (const Error& error) {
      if (!survey.source.time.empty()) {
        drop(survey.source.time, "times", error.what());
      } else if (!survey.source.labels.empty()) {
        drop(survey.source.labels, "labels", error.what());
      } else if (dynamic_cast<const DataError*>(&error) != nullptr) {
        throw;
      } else {
        throw DataError(error.what());
      }
    }
  }
}

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

void look_at_classes(DataSurvey& survey) {
  const std::vector<SideColumn> side = survey.series->side_columns();
  const auto label = std::find_if(side.begin(), side.end(), [](const SideColumn& column) {
    return column.role == SideColumn::Role::label;
  });
  if (label == side.end()) return;
  const auto place = static_cast<std::size_t>(label - side.begin());
  survey.can_classify = has_all_classes(survey, place, kLearningShare, kTrainingShare) &&
                        has_all_classes(survey, place, kTrainingShare, 1.0);
}

void check_is_data(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ConfigError(path + ": no such file");
  if (fs::is_directory(path, error)) {
    throw ConfigError(path + ": is a folder; name files of data in it");
  }
  if (!fs::is_regular_file(path, error)) throw ConfigError(path + ": is not a regular file");
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".yaml" || ending == ".yml") {
    throw ConfigError(path + ": is an experiment by its name; `gaia run` runs it");
  }
}

}  // namespace

std::int64_t row_of_share(const Series& series, double share) {
  const std::vector<std::int64_t>& starts = series.trial_starts();
  const auto part = [&](std::size_t count) {
    return static_cast<std::int64_t>(share * static_cast<double>(count));
  };
  if (starts.size() <= 1) return part(static_cast<std::size_t>(series.rows()));
  const auto trial = static_cast<std::size_t>(part(starts.size()));
  return trial < starts.size() ? starts[trial] : series.rows();
}

DataSurvey survey_data(const std::vector<std::string>& data) {
  DataSurvey survey;
  std::error_code error;
  survey.paths = data;
  if (data.size() == 1 && is_pattern(data.front()) && !fs::exists(data.front(), error)) {
    survey.pattern = data.front();
    survey.paths = find_files(survey.pattern, "");
    if (survey.paths.empty()) throw ConfigError("no file fits '" + survey.pattern + "'");
  }
  for (const std::string& path : survey.paths) check_is_data(path);
  const std::string& path = survey.path = survey.paths.front();
  survey.kind = kind_of_file(path);
  for (const std::string& other : survey.paths) {
    if (kind_of_file(other) == survey.kind) continue;
    refuse(other, "is of another kind than " + path + "; name files of one kind");
  }
  std::int64_t rows = 0;
  switch (survey.kind) {
    case FileKind::csv:
      survey.source.decimal = decimal_of(path);
      rows = survey_csv(survey.paths, survey.source.decimal, survey.columns);
      break;
    case FileKind::hdf5:
      choose_dataset(survey);
      rows = survey_array(survey);
      break;
    case FileKind::npy:
      guess_axes(survey, NpyFile(path).header().shape);
      rows = survey_array(survey);
      break;
    case FileKind::unknown:
      refuse(path, "is of no known kind; known: .csv, .npy, .h5, .hdf5, .nc (netCDF-4)");
  }
  choose_channels(survey, rows);
  open_chosen(survey);
  if (survey.series->rows() < kFewestRows) {
    refuse(path, fmt::format("has {} rows; at least {} are needed to learn from some and to "
                             "predict others",
                             survey.series->rows(), kFewestRows));
  }
  look_at_classes(survey);
  return survey;
}

}  // namespace gaia
