// SPDX-License-Identifier: MIT
/// \file
/// What is in a data file, for those who have no experiment with it yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../io/memory_series.h"
#include "../../io/series.h"
#include "../../io/survey/file_survey.h"
#include "../config/config.h"

namespace gaia {

struct DataSurvey {
  std::string path;                        ///< Path of the first file, or the only one.
  std::vector<std::string> paths;          ///< Paths of all, in the order of reading.
  std::string pattern;                     ///< Pattern that they fit, if one was given.
  std::shared_ptr<const MemoryRows> rows;  ///< Data in memory in place of files; else null.
  FileSurvey found;                        ///< What the data tell of themselves.
  /// How it is read: dataset, columns, time, labels, trials, decimal mark, missing values.
  FileConfig source;
  std::vector<SurveyedColumn> columns;  ///< All of the file, or of its dataset, in their order.
  std::vector<std::string> dropped;     ///< Why times or labels are not read, if they are not.
  /// Column of subjects or sessions, whose trials belong together; or that of the trials, where one
  /// name stands for several.
  std::string groups;
  bool is_label_of_trial = false;  ///< Whether each trial has one label.
  /// Parts of a cross-validation of whole trials, or groups, in which every class is in at least
  /// two; 0 where there is none, or a series is no trials.
  std::int64_t folds = 0;
  /// Whether every class of the labels is in the part that readouts are trained on, and in that
  /// which they are judged on; or there are folds.
  bool can_classify = false;
  /// Whether the class of a whole trial is what the data are of.
  bool tells_trials() const { return can_classify && is_label_of_trial; }
  std::int64_t left_over = 0;      ///< Columns that could be channels beyond those read.
  std::unique_ptr<Series> series;  ///< The channels.
};

/// Channels that are read at most.
constexpr std::int64_t kMostSurveyedChannels = 256;

/// The first row of the part that begins, or ends, at this share of a series: of several trials
/// parts are whole ones, as those of readouts are.
std::int64_t row_of_share(const Series& series, double share);

/// Reads files once and finds what of them an experiment can read.  `data` are paths, or one
/// pattern (*, ? and [...]) that files fit; each file is a trial, or holds several.
/// \throws ConfigError for a file that is not there, or is an experiment; DataError for one that is
///         no data, is a result of gaia, cannot be read, has no column of numbers that change, or
///         fewer than 50 rows.
DataSurvey survey_data(const std::vector<std::string>& data);

/// The same of rows in memory.
DataSurvey survey_data(std::shared_ptr<const MemoryRows> rows);

}  // namespace gaia
