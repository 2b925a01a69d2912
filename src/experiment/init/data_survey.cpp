// SPDX-License-Identifier: MIT
#include "data_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "../../core/error.h"
#include "../../io/columns.h"
#include "../../io/find_files.h"
#include "../../io/formats/file_format.h"
#include "../../io/survey/array_survey.h"
#include "../data/open_series.h"
#include "label_survey.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

using Use = SurveyedColumn::Use;

/// Fewer for each column that is read, and readouts would fit noise.
constexpr std::int64_t kRowsPerChannel = 50;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw DataError(fmt::format("{}: {}", path, why));
}

/// How an experiment asks for what a survey has found.
FileConfig source_of(const FileOptions& found) {
  FileConfig source{.dataset = found.dataset,
                    .time = found.side.time,
                    .labels = found.side.labels,
                    .transpose = found.axes.transpose,
                    .missing = found.missing,
                    .decimal = found.decimal};
  if (found.axes.trials) {
    source.trials.by = TrialsConfig::By::axes;
    source.trials.axes.resize(3);
    constexpr std::array words = {"trial", "time", "channel"};
    for (std::size_t i = 0; i < 3; ++i) source.trials.axes[(*found.axes.trials)[i]] = words[i];
  }
  return source;
}

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

void choose_channels(DataSurvey& survey) {
  const TableSurvey& table = survey.found.table;
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
  if (has_missing) survey.source.missing = MissingPolicy::hold;
  if (!is_all || survey.found.names_columns) survey.source.columns = std::move(chosen);
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
void look_at(DataSurvey& survey) {
  survey.source = source_of(survey.found.options);
  choose_channels(survey);
  open_chosen(survey);
  if (survey.series->rows() < kFewestSurveyedRows) {
    refuse(survey.path, fmt::format("has {} rows; at least {} are needed to learn from some and to "
                                    "predict others",
                                    survey.series->rows(), kFewestSurveyedRows));
  }
  look_at_classes(survey, survey.found.table.groups);
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
  survey.found = survey_rows(*rows);
  survey.rows = std::move(rows);
  look_at(survey);
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
  const FileFormat* const format = format_of_file(path);
  for (const std::string& other : survey.paths) {
    if (format_of_file(other) == format) continue;
    refuse(other, "is of another kind than " + path + "; name files of one kind");
  }
  if (format == nullptr) refuse(path, of_no_known_kind());
  survey.found = format->survey(survey.paths);
  look_at(survey);
  return survey;
}

}  // namespace gaia
