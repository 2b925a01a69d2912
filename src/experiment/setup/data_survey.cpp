// SPDX-License-Identifier: MIT
#include "data_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/csv_header.h"
#include "../../io/csv_records.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../io/input_file.h"
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

// CSV

/// The decimal mark by which more of the first records are numbers.
char decimal_of(const InputFile& file) {
  constexpr int kLooked = 100;
  const auto numbers_by = [&](char decimal) {
    std::int64_t numbers = 0;
    try {
      CsvRecords records(file, decimal);
      for (int i = 0; i < kLooked && records.next(); ++i) {
        for (const std::string_view field : records.fields()) {
          if (is_number(field, decimal)) ++numbers;
        }
      }
    } catch (const DataError&) {  // which is told when the file is read by the mark that is chosen
    }
    return numbers;
  };
  return numbers_by(',') > numbers_by('.') ? ',' : '.';
}

std::int64_t survey_csv(DataSurvey& survey) {
  const InputFile file(survey.path);
  survey.source.decimal = decimal_of(file);
  CsvRecords records(file, survey.source.decimal);
  const CsvHeader header = read_csv_header(records, survey.path, survey.source.decimal);
  check_csv_separator(records, survey.source.decimal);
  records.seek(header.data);
  std::vector<ColumnSurvey> surveys(header.names.size());
  std::int64_t rows = 0;
  for (; records.next(); ++rows) {
    const auto fields = records.fields();
    if (records.is_blank()) {
      if (surveys.size() == 1) surveys[0].note_missing();
      continue;
    }
    if (fields.size() != surveys.size()) {
      records.fail(fmt::format("expected {} fields as in the first line, got {}", surveys.size(),
                               fields.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Cell cell = parse_cell(fields[i], survey.source.decimal);
      if (cell.kind == CellKind::number) {
        surveys[i].note_number(cell.value);
      } else if (cell.kind == CellKind::missing) {
        surveys[i].note_missing();
      } else {
        surveys[i].note_text(std::string(fields[i]), records.place().line);
      }
    }
  }
  for (std::size_t i = 0; i < surveys.size(); ++i) {
    survey.columns.push_back(surveys[i].result(header.names[i]));
  }
  return rows;
}

// HDF5

std::int64_t numbers_in(const hdf5::DatasetDescription& dataset) {
  return dataset.shape[0] * (dataset.shape.size() == 2 ? dataset.shape[1] : 1);
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
    const bool fits = (dataset.shape.size() == 1 || dataset.shape.size() == 2) &&
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
    refuse(survey.path, fmt::format("has no dataset of numbers, [rows] or [rows, columns], with at "
                                    "least {} rows{}",
                                    kFewestRows, why_not));
  }
  std::erase(survey.other_datasets, chosen->path);
  survey.source.dataset = chosen->path;
  const std::string scale = chosen->scales.empty() ? "" : chosen->scales.front();
  const hdf5::DatasetDescription* const time = scale.empty() ? nullptr : contents.dataset(scale);
  const bool is_time = time != nullptr && time->path != chosen->path && time->shape.size() == 1;
  if (is_time) survey.source.time = time->path;
}

// Arrays

/// All columns, with missing values only where there are some.
std::unique_ptr<Series> open_whole(DataSurvey& survey) {
  FileConfig alone = survey.source;
  alone.time.clear();
  try {
    alone.missing = survey.source.missing = MissingPolicy::error;
    return open_series_file(survey.path, alone);
  } catch (const DataError&) {
    alone.missing = survey.source.missing = MissingPolicy::interpolate;
    return open_series_file(survey.path, alone);
  }
}

std::int64_t survey_array(DataSurvey& survey) {
  std::unique_ptr<Series> series = open_whole(survey);
  if (looks_transposed(series->rows(), series->channels())) {
    survey.source.transpose = true;
    series = open_whole(survey);
  }
  const std::int64_t width = series->channels();
  std::vector<ColumnSurvey> surveys(static_cast<std::size_t>(width));
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / width);
  std::vector<double> block;
  for (std::int64_t first = 0; first < series->rows(); first += piece) {
    const std::int64_t count = std::min(piece, series->rows() - first);
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
    survey.source.missing = has_missing ? MissingPolicy::interpolate : MissingPolicy::error;
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
      survey.series = open_series_file(survey.path, survey.source);
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

/// Whether every class is in the rows [first, end) of all, as shares.
bool has_all_classes(const DataSurvey& survey, std::size_t label, double first, double end) {
  Series& series = *survey.series;
  std::vector<bool> seen(series.classes().size());
  const auto row = [&](double share) {
    return static_cast<std::int64_t>(share * static_cast<double>(series.rows()));
  };
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / series.channels());
  std::vector<double> block;
  for (std::int64_t from = row(first); from < row(end); from += piece) {
    const std::int64_t count = std::min(piece, row(end) - from);
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

}  // namespace

DataSurvey survey_data(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ConfigError(path + ": no such file");
  if (fs::is_directory(path, error)) {
    throw ConfigError(path + ": is a folder; name one file of data in it");
  }
  if (!fs::is_regular_file(path, error)) throw ConfigError(path + ": is not a regular file");
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".yaml" || ending == ".yml") {
    throw ConfigError(path + ": is an experiment by its name; `gaia run` runs it");
  }
  DataSurvey survey;
  survey.path = path;
  survey.kind = kind_of_file(path);
  std::int64_t rows = 0;
  switch (survey.kind) {
    case FileKind::csv:
      rows = survey_csv(survey);
      break;
    case FileKind::hdf5:
      choose_dataset(survey);
      rows = survey_array(survey);
      break;
    case FileKind::npy:
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
