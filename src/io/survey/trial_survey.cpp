// SPDX-License-Identifier: MIT
#include "trial_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "../../core/text.h"
#include "../columns.h"
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
    const bool are_fewer =
        trial ? column.comes_back || column.stretches < table.columns[*trial].stretches
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
  // Each class has several trials.
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

/// Rows in memory, of two axes or of three.
class MemoryTable {
 public:
  MemoryTable(const MemoryRows& rows, const ArrayAxes& axes)
      : rows_(rows), view_(rows.table.view()) {
    const bool has_trials = rows.table.rank() == 3;
    if (has_trials && axes.trials) order_ = *axes.trials;
    if (!has_trials) order_ = {0, 0, 1};
    const auto length = [&](std::size_t i) {
      return rows.table.shape(static_cast<int>(order_[i]));
    };
    times_each_ = length(1);
    count_ = has_trials ? length(0) * times_each_ : times_each_;
    width_ = length(2);
  }

  std::int64_t rows() const { return count_; }
  std::int64_t times_each() const { return times_each_; }  // all where there are no trials
  std::int64_t width() const { return width_; }

  double number(std::int64_t row, std::size_t column) const {
    const auto stride = [&](std::size_t i) { return view_.strides[static_cast<int>(order_[i])]; };
    const std::int64_t trial = row / times_each_;  // 0 where there are none
    const std::int64_t at = trial * stride(0) + row % times_each_ * stride(1) +
                            static_cast<std::int64_t>(column) * stride(2);
    return view_.dtype == DType::float32 ? static_cast<double>(view_.as<float>()[at])
                                         : view_.as<double>()[at];
  }
  /// An integer that the table may have rounded, as text; else empty.
  std::string written(std::int64_t row, std::size_t column) const {
    for (const WideColumn& one : rows_.wide) {
      if (one.column == column) return std::to_string(one.values[static_cast<std::size_t>(row)]);
    }
    return "";
  }
  std::size_t hash(std::int64_t row, std::size_t column) const {
    const std::string exact = written(row, column);
    return exact.empty() ? std::hash<double>{}(number(row, column))
                         : std::hash<std::string>{}(exact);
  }
  const std::string& text(std::int64_t row, std::size_t column) const {
    const std::vector<std::string>& texts = rows_.texts[column].second;
    const bool is_of_trial = std::ssize(texts) < count_;
    return texts[static_cast<std::size_t>(is_of_trial ? row / times_each_ : row)];
  }
  double time(std::int64_t row) const {
    return std::visit(
        [&](const auto& times) {
          return static_cast<double>(times[static_cast<std::size_t>(row) % times.size()]);
        },
        *rows_.times);
  }

 private:
  const MemoryRows& rows_;
  View view_;
  std::array<std::size_t, 3> order_ = {0, 1, 2};  // order of trial, time and channel
  std::int64_t count_ = 0;
  std::int64_t times_each_ = 1;
  std::int64_t width_ = 1;
};

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

TableSurvey survey_memory(const MemoryRows& rows, const ArrayAxes& axes) {
  const MemoryTable table(rows, axes);
  std::vector<std::string> names =
      rows.columns.empty() ? numbered_names(table.width()) : rows.columns;
  const std::size_t numbers = names.size();
  for (const auto& [name, texts] : rows.texts) names.push_back(name);
  // Times stand beside the columns; whether they go on tells of trials.
  if (rows.times) names.push_back("time");
  const auto pass = [&](const TrialColumns& by) {
    TableSurveyor surveyor(by);
    surveyor.set_names(names);
    for (std::int64_t row = 0; row < table.rows(); ++row) {
      if (row % table.times_each() == 0) surveyor.begin_part();
      const auto hash_of = [&](const std::optional<std::size_t>& column) {
        if (!column) return std::size_t{0};
        return *column < numbers ? table.hash(row, *column)
                                 : std::hash<std::string>{}(table.text(row, *column - numbers));
      };
      surveyor.begin_row(hash_of(by.trial), hash_of(by.group));
      for (std::size_t i = 0; i < numbers; ++i) {
        const double value = table.number(row, i);
        if (std::isnan(value)) {
          surveyor.column(i).note_missing();
        } else {
          surveyor.column(i).note_number(value, table.written(row, i));
        }
      }
      for (std::size_t i = numbers; i < numbers + rows.texts.size(); ++i) {
        const std::string& value = table.text(row, i - numbers);
        if (value.empty()) {
          surveyor.column(i).note_missing();
        } else {
          surveyor.column(i).note_text(value, row);
        }
      }
      if (rows.times) surveyor.column(names.size() - 1).note_number(table.time(row));
    }
    return surveyor.result();
  };
  TableSurvey found = survey_in_trials(pass, rows.table.rank() == 3);
  if (rows.times) found.columns.pop_back();
  return found;
}

}  // namespace gaia
