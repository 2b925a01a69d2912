// SPDX-License-Identifier: MIT
#include "trial_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "../../core/text.h"
#include "../../io/columns.h"
#include "column_names.h"

namespace gaia {
namespace {

using Use = SurveyedColumn::Use;

/// Rows of a trial, on average: fewer in one that is called a trial, and it is none.
constexpr std::int64_t kFewestTrialRows = 3;
/// The same, and how many trials, where values alone tell.
constexpr std::int64_t kFewestUncalledRows = 8;
constexpr std::int64_t kFewestUncalledTrials = 4;

/// Whether a column could tell trials apart by what it holds.
bool has_stretches(const SurveyedColumn& column, const TableSurvey& table, std::int64_t rows) {
  return column.are_names && column.stretches > std::max<std::int64_t>(1, table.parts) &&
         rows * column.stretches <= table.rows;
}

/// Columns that could tell trials apart, from the finest that is called so to those that are called
/// anything.
std::vector<std::size_t> candidates(const TableSurvey& table) {
  std::vector<std::size_t> found;
  for (int rank = 0; rank <= 4; ++rank) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const SurveyedColumn& column = table.columns[i];
      if (trial_rank(column.name) == rank && has_stretches(column, table, kFewestTrialRows)) {
        found.push_back(i);
      }
    }
  }
  const bool time_goes_on =
      std::any_of(table.columns.begin(), table.columns.end(), [](const SurveyedColumn& column) {
        // A counter by ones numbers rows.
        const bool is_time =
            column.use == Use::time || (column.use == Use::counter && column.note != "1");
        return is_time && column.rises_evenly;
      });
  if (time_goes_on) return found;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const SurveyedColumn& column = table.columns[i];
    const bool is_called_otherwise = trial_rank(column.name) >= 0 ||
                                     is_called_calendar(column.name) ||
                                     is_called_label(column.name);
    if (!is_called_otherwise && !column.comes_back && column.stretches >= kFewestUncalledTrials &&
        has_stretches(column, table, kFewestUncalledRows)) {
      found.push_back(i);
    }
  }
  return found;
}

/// The column of subjects, or else of sessions, of which there are fewer than trials.  `trial`
/// tells those, or parts are.
std::optional<std::size_t> group_of(const TableSurvey& table, std::optional<std::size_t> trial) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const SurveyedColumn& column = table.columns[i];
    const int rank = group_rank(column.name);
    const bool are_fewer = trial ? column.stretches < table.columns[*trial].stretches
                                 : static_cast<std::int64_t>(column.values) < table.parts;
    const bool fits = trial != i && rank >= 0 && column.are_names && column.values > 1 && are_fewer;
    if (fits && (!found || rank < group_rank(table.columns[*found].name))) found = i;
  }
  return found;
}

/// How well a column tells the class of each row or trial; the least is the best, -1 is not at all.
int label_rank(const SurveyedColumn& column, const TableSurvey& table) {
  const bool are_texts = column.use == Use::label;
  const bool are_numbers = column.use == Use::channel && column.are_integers;
  const bool are_few = column.values > 1 && column.values <= kMostSurveyedClasses;
  if (!(are_texts || are_numbers) || !are_few || trial_rank(column.name) >= 0) return -1;
  const bool is_of_trial = table.trials > 1 && !column.changes_in_trials;
  const bool is_called = is_called_label(column.name) && (are_texts || column.comes_back);
  if (is_called) return is_of_trial ? 0 : 1;
  // Of each class there are several trials.
  const bool can_teach = 2 * static_cast<std::int64_t>(column.values) <= table.trials;
  if (is_of_trial && can_teach) return are_texts ? 2 : 3;
  return are_texts ? 4 : -1;
}

/// Whether its integers or texts are names, going by its own; a run of two kinds may be a switch.
bool is_name(const SurveyedColumn& column) {
  const bool is_sure = trial_rank(column.name) == 0 || group_rank(column.name) >= 0;
  return column.are_names && (is_sure || (trial_rank(column.name) > 0 && column.values > 2));
}

/// What the columns are for, where it is known how rows fall into trials.
void find_uses(TableSurvey& table, const TrialColumns& by) {
  std::optional<std::size_t> label;
  int best = 5;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (by.trial == i) continue;
    const int rank = label_rank(table.columns[i], table);
    if (rank < 0 || rank >= best) continue;
    best = rank;
    label = i;
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    SurveyedColumn& column = table.columns[i];
    const auto is = [&](Use use, std::string note) {
      column.use = use;
      column.note = std::move(note);
    };
    const bool is_plain = column.use == Use::channel || column.use == Use::label ||
                          column.use == Use::text || column.use == Use::counter;
    if (by.trial == i) {
      is(Use::trial, fmt::format("{} trials", grouped(table.trials)));
    } else if (label == i) {
      is(Use::label, fmt::format("{} classes", column.values));
    } else if (is_plain && by.group == i) {
      is(Use::group, "");
    } else if (is_plain && is_name(column)) {
      is(Use::name, "");
    } else if (column.use == Use::channel && table.trials > 1 && !column.changes_in_trials) {
      is(Use::of_trial, "");
    }
  }
}

/// A number of a table in memory, of two axes or of three: trial, time and channel.
double value_at(const Array& table, std::int64_t trial_rows, std::int64_t row,
                std::int64_t column) {
  const View view = table.view();
  const std::int64_t offset = trial_rows == 0 ? row * view.strides[0] + column * view.strides[1]
                                              : row / trial_rows * view.strides[0] +
                                                    row % trial_rows * view.strides[1] +
                                                    column * view.strides[2];
  return view.dtype == DType::float32 ? static_cast<double>(view.as<float>()[offset])
                                      : view.as<double>()[offset];
}

double time_at(const SideValues& times, std::int64_t row) {
  return std::visit(
      [&](const auto& values) {
        return static_cast<double>(values[static_cast<std::size_t>(row)]);
      },
      times);
}

}  // namespace

void TableSurveyor::set_names(const std::vector<std::string>& names) {
  names_ = names;
  columns_.resize(names.size());
}

void TableSurveyor::begin_trial() {
  for (ColumnSurvey& column : columns_) column.begin_trial();
}

void TableSurveyor::begin_part() {
  ++parts_;
  for (ColumnSurvey& column : columns_) column.begin_part();
  trials_.begin_part();
  trial_.reset();
  begin_trial();
}

void TableSurveyor::begin_row(std::size_t trial, std::size_t group) {
  ++rows_;
  const bool begins = !trial_ || (by_.trial && *trial_ != trial);
  if (trial_ && begins) begin_trial();
  if (begins && by_.group) groups_.push_back(group);
  trial_ = trial;
  if (by_.trial) trials_.note(trial ^ (group * 0x9e3779b97f4a7c15U));
}

TableSurvey TableSurveyor::result() const {
  TableSurvey table;
  table.rows = rows_;
  table.parts = parts_;
  table.trials = by_.trial ? trials_.stretches() : parts_;
  table.groups = groups_;
  table.trials_come_back = trials_.comes_back();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    table.columns.push_back(columns_[i].result(names_[i]));
  }
  return table;
}

TableSurvey survey_in_trials(const std::function<TableSurvey(const TrialColumns&)>& pass,
                             bool has_trials) {
  TableSurvey whole = pass({});
  const std::vector<std::size_t> found =
      has_trials ? std::vector<std::size_t>() : candidates(whole);
  for (const std::size_t trial : found) {
    TrialColumns by{.trial = trial, .group = group_of(whole, trial)};
    TableSurvey table = pass(by);
    const bool is_mixed = by.group && table.columns[*by.group].changes_in_trials;
    if (is_mixed) table = pass({.trial = trial, .group = {}});
    // What is called a run may be a switch; what is called a trial is one.
    if (table.trials_come_back && trial_rank(table.columns[trial].name) != 0) continue;
    if (is_mixed) by.group.reset();
    if (table.trials_come_back && !by.group) {
      by.group = trial;
      table = pass(by);
    }
    table.group = by.group;
    find_uses(table, by);
    return table;
  }
  // Parts are the trials.
  const std::optional<std::size_t> group = group_of(whole, {});
  if (group && !whole.columns[*group].changes_in_trials) {
    whole = pass({.trial = {}, .group = group});
    whole.group = group;
  }
  find_uses(whole, {.trial = {}, .group = whole.group});
  return whole;
}

TableSurvey survey_series(Series& series, bool has_trials) {
  const std::int64_t width = series.channels();
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / width);
  const std::vector<std::int64_t>& starts = series.trial_starts();
  const auto pass = [&](const TrialColumns& by) {
    TableSurveyor table(by);
    table.set_names(series.channel_names());
    std::vector<double> block;
    std::int64_t count = 0;
    auto next = starts.begin();
    for (std::int64_t first = 0; first < series.rows(); first += count) {
      if (next != starts.end() && *next == first) {
        table.begin_part();
        ++next;
      }
      count = std::min(piece, (next == starts.end() ? series.rows() : *next) - first);
      block.resize(static_cast<std::size_t>(count * width));
      series.read(first, count, block);
      for (std::int64_t row = 0; row < count; ++row) {
        const double* const values = &block[static_cast<std::size_t>(row * width)];
        const auto hash_of = [&](const std::optional<std::size_t>& column) {
          return column ? std::hash<double>{}(values[*column]) : 0;
        };
        table.begin_row(hash_of(by.trial), hash_of(by.group));
        for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
          table.column(i).note_number(values[i]);
        }
      }
    }
    return table.result();
  };
  return survey_in_trials(pass, has_trials);
}

TableSurvey survey_memory(const MemoryRows& rows) {
  const Array& table = rows.table;
  const std::int64_t width = table.shape(table.rank() - 1);
  std::vector<std::string> names = rows.columns.empty() ? numbered_names(width) : rows.columns;
  for (const auto& [name, texts] : rows.texts) names.push_back(name);
  // Times stand beside the columns; whether they go on tells of trials.
  if (rows.times) names.push_back("time");
  const std::int64_t trial_rows = table.rank() == 3 ? table.shape(1) : 0;
  const auto pass = [&](const TrialColumns& by) {
    TableSurveyor surveyor(by);
    surveyor.set_names(names);
    const auto numbers = static_cast<std::size_t>(width);
    const std::int64_t count = trial_rows > 0 ? table.shape(0) * trial_rows : table.shape(0);
    for (std::int64_t row = 0; row < count; ++row) {
      if (row == 0 || (trial_rows > 0 && row % trial_rows == 0)) surveyor.begin_part();
      const auto number = [&](std::size_t column) {
        return value_at(table, trial_rows, row, static_cast<std::int64_t>(column));
      };
      const auto text = [&](std::size_t column) -> const std::string& {
        const std::vector<std::string>& texts = rows.texts[column - numbers].second;
        const bool is_of_trial = std::ssize(texts) < count;
        return texts[static_cast<std::size_t>(is_of_trial ? row / trial_rows : row)];
      };
      const auto hash_of = [&](const std::optional<std::size_t>& column) {
        if (!column) return std::size_t{0};
        return *column < numbers ? std::hash<double>{}(number(*column))
                                 : std::hash<std::string>{}(text(*column));
      };
      surveyor.begin_row(hash_of(by.trial), hash_of(by.group));
      for (std::size_t i = 0; i < numbers; ++i) {
        const double value = number(i);
        std::isnan(value) ? surveyor.column(i).note_missing()
                          : surveyor.column(i).note_number(value);
      }
      for (std::size_t i = numbers; i < numbers + rows.texts.size(); ++i) {
        const std::string& value = text(i);
        value.empty() ? surveyor.column(i).note_missing()
                      : surveyor.column(i).note_text(value, row);
      }
      if (rows.times) {
        surveyor.column(names.size() - 1).note_number(time_at(*rows.times, row));
      }
    }
    return surveyor.result();
  };
  TableSurvey found = survey_in_trials(pass, trial_rows > 0);
  if (rows.times) found.columns.pop_back();
  return found;
}

}  // namespace gaia
