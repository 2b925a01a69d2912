// SPDX-License-Identifier: MIT
#include "data_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/find_files.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../io/npy_file.h"
#include "../data/column_names.h"
#include "../data/open_series.h"
#include "csv_survey.h"
#include "label_survey.h"

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

/// Rows that an array has if its longest axis, but for that of trials, is time.
std::int64_t most_rows(const std::vector<std::int64_t>& shape) {
  const bool has_trials = shape.size() == 3;
  const std::int64_t longest = *std::max_element(shape.begin() + (has_trials ? 1 : 0), shape.end());
  return has_trials ? shape[0] * longest : longest;
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

bool holds_classes(const hdf5::DatasetDescription& dataset) {
  const bool is_integer = dataset.type == hdf5::Type::int32 || dataset.type == hdf5::Type::int64 ||
                          dataset.type == hdf5::Type::uint8;
  const std::string name = dataset.path.substr(dataset.path.rfind('/') + 1);
  return dataset.holds_texts || (dataset.refusal.empty() && is_integer && is_called_label(name));
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
                      dataset.type != hdf5::Type::other && most_rows(dataset.shape) >= kFewestRows;
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
    const bool fits = dataset.path != chosen->path && holds_classes(dataset) &&
                      dataset.shape.size() == 1 &&
                      (dataset.shape[0] == chosen->shape[0] ||
                       (!is_table && dataset.shape[0] == chosen->shape[time_axis]));
    if (!fits || hdf5::is_coordinate(contents, dataset)) continue;
    survey.source.labels = dataset.path;
    std::erase(survey.other_datasets, dataset.path);
    return;
  }
}

// Arrays

/// A second array beside one of trials, by its name: labels of eeg.npy in eeg_labels.npy,
/// labels.npy, y.npy, or those of X_train.npy in y_train.npy.
void find_label_file(DataSurvey& survey, const std::vector<std::int64_t>& shape) {
  if (shape.size() != 3 || survey.paths.size() != 1) return;
  const fs::path path(survey.path);
  const std::string stem = path.stem().string();
  std::vector<std::string> names = {stem + "_labels", stem + "_y", "labels", "y"};
  if (stem.starts_with("X")) names.insert(names.begin(), "y" + stem.substr(1));
  const std::size_t trial = static_cast<std::size_t>(
      std::find(survey.source.trials.axes.begin(), survey.source.trials.axes.end(), "trial") -
      survey.source.trials.axes.begin());
  for (const std::string& name : names) {
    const fs::path file = path.parent_path() / (name + ".npy");
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::equivalent(file, path, error)) continue;
    try {
      const NpyHeader header = NpyFile(file.string()).header();
      if (header.shape != std::vector<std::int64_t>{shape[trial]}) continue;
    } catch (const DataError&) {
      continue;  // no array after all
    }
    survey.source.labels = file.string();
    return;
  }
}

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

TableSurvey survey_array(DataSurvey& survey) {
  std::unique_ptr<Series> series = open_whole(survey);
  if (survey.shape.empty() && looks_transposed(series->rows(), series->channels())) {
    survey.source.transpose = true;
    series = open_whole(survey);
  }
  return survey_series(*series, !survey.shape.empty());
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

void choose_channels(DataSurvey& survey, const TableSurvey& table) {
  const std::int64_t rows = table.rows;
  survey.columns = table.columns;
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
    if (table.group == i) survey.groups = called;
    if (column.use == Use::trial) {
      survey.source.trials.by = TrialsConfig::By::column;
      survey.source.trials.column = called;
    }
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
  if (survey.kind == FileKind::csv || survey.rows) {
    survey.source.missing = has_missing ? MissingPolicy::hold : MissingPolicy::error;
  }
  // In an array without names, all columns are read, if they can be.
  const bool has_names =
      survey.kind == FileKind::csv || (survey.rows && !survey.rows->columns.empty());
  if (!is_all || has_names) survey.source.columns = std::move(chosen);
}

/// Opens what was chosen; without times or labels where it cannot be opened with them.
void open_chosen(DataSurvey& survey) {
  const auto drop = [&](std::string& key, const char* what, const std::string& why) {
    survey.dropped.push_back(fmt::format("{} {}: {}", what, in_quotes(key), why));
    key.clear();
  };
  while (!survey.series) {
    try {
      survey.series = survey.rows ? open_series_rows(survey.rows, survey.source)
                                  : open_series_files(survey.paths, survey.source, "");
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

/// Chooses of what was found, and opens it.
void look_at(DataSurvey& survey, const TableSurvey& table) {
  choose_channels(survey, table);
  open_chosen(survey);
  if (survey.series->rows() < kFewestRows) {
    refuse(survey.path, fmt::format("has {} rows; at least {} are needed to learn from some and to "
                                    "predict others",
                                    survey.series->rows(), kFewestRows));
  }
  look_at_classes(survey, table.groups);
  // A forecast takes its trials as they come.
  if (!survey.can_classify) survey.groups.clear();
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

DataSurvey survey_data(std::shared_ptr<const MemoryRows> rows) {
  DataSurvey survey;
  survey.path = rows->name;
  survey.paths = {survey.path};
  ArrayAxes axes;
  if (rows->table.rank() == 3) {
    const std::vector<std::int64_t> shape = {rows->table.shape(0), rows->table.shape(1),
                                             rows->table.shape(2)};
    guess_axes(survey, shape);
    // Names are those of channels if there are as many as the last axis is long.
    const bool has_channels_last =
        survey.source.trials.axes.back() == "channel" || std::ssize(rows->columns) == shape[2];
    survey.source.trials.axes = {"trial", has_channels_last ? "time" : "channel",
                                 has_channels_last ? "channel" : "time"};
    axes.trials = has_channels_last ? std::array<std::size_t, 3>{0, 1, 2}
                                    : std::array<std::size_t, 3>{0, 2, 1};
  }
  const TableSurvey table = survey_memory(*rows, axes);
  survey.rows = std::move(rows);
  look_at(survey, table);
  return survey;
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
  TableSurvey table;
  switch (survey.kind) {
    case FileKind::csv:
      survey.source.decimal = decimal_of(path);
      table = survey_csv(survey.paths, survey.source.decimal);
      break;
    case FileKind::hdf5:
      choose_dataset(survey);
      table = survey_array(survey);
      break;
    case FileKind::npy:
      guess_axes(survey, NpyFile(path).header().shape);
      find_label_file(survey, NpyFile(path).header().shape);
      table = survey_array(survey);
      break;
    case FileKind::unknown:
      refuse(path, "is of no known kind; known: .csv, .npy, .h5, .hdf5, .nc (netCDF-4)");
  }
  look_at(survey, table);
  return survey;
}

}  // namespace gaia
