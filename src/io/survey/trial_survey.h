// SPDX-License-Identifier: MIT
/// \file
/// By which columns a table falls into trials, and which of them tell what a trial is of.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../memory_series.h"
#include "../series.h"
#include "column_survey.h"

namespace gaia {

/// Columns by index, that a pass over a table has an eye on.
struct TrialColumns {
  std::optional<std::size_t> trial;
  std::optional<std::size_t> group;
};

/// What a pass over a table has found.
struct TableSurvey {
  std::vector<SurveyedColumn> columns;
  std::int64_t rows = 0;
  std::int64_t parts = 0;   ///< Files, or trials of an array of three axes.
  std::int64_t trials = 0;  ///< Stretches of the trial column, or parts where there is none.
  /// Column by which trials belong together: of subjects, or that of the trials themselves where
  /// they come back.
  std::optional<std::size_t> group;
  std::vector<std::size_t> groups;  ///< Hash of each trial's group; empty without groups.
  bool trials_come_back =
      false;  ///< A trial, of its group if there is one, stands in two stretches.
};

/// Takes a table from the first row to the last.
class TableSurveyor {
 public:
  explicit TableSurveyor(TrialColumns by) : by_(by) {}

  /// Columns of these names, or more rows of them.
  void set_names(const std::vector<std::string>& names);
  const std::vector<std::string>& names() const { return names_; }
  ColumnSurvey& column(std::size_t index) { return columns_[index]; }
  const TrialColumns& by() const { return by_; }

  /// Another file begins, or another trial of an array.
  void begin_part();
  /// A row begins, before its values come; of which trial and group, by hashes.
  void begin_row(std::size_t trial, std::size_t group);

  TableSurvey result() const;

 private:
  void begin_trial();

  TrialColumns by_;
  std::vector<std::string> names_;
  std::vector<ColumnSurvey> columns_;
  StretchSurvey trials_;
  std::optional<std::size_t> trial_;
  std::vector<std::size_t> groups_;
  std::int64_t rows_ = 0;
  std::int64_t parts_ = 0;
};

/// Surveys a table by passes over it: once, and once more for a column by which it seems to fall
/// into trials.  That is one that is called so, or whose integers or texts stand in stretches that
/// never come back, where no time goes on evenly from each to the next.  Columns get their uses:
/// trial, group, label, of_trial, name.  `has_trials`: parts are its trials, and no column is
/// looked for.
TableSurvey survey_in_trials(const std::function<TableSurvey(const TrialColumns&)>& pass,
                             bool has_trials = false);

/// The same of numbers, all of which are read; `has_trials`: those of the series are its trials.
TableSurvey survey_series(Series& series, bool has_trials);

/// The same of rows in memory: the columns of the table, then those of texts.
TableSurvey survey_memory(const MemoryRows& rows, const ArrayAxes& axes);

}  // namespace gaia
