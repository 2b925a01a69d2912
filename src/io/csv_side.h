// SPDX-License-Identifier: MIT
/// \file
/// What the cells of the side columns of a CSV file say: times, targets, labels, trials, groups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "csv_records.h"
#include "file_series.h"

namespace gaia {

class CsvSide {
 public:
  /// \throws DataKeyError as find_side_columns() does.
  CsvSide(const std::string& path, const SideOptions& options,
          const std::vector<std::string>& names, char decimal);

  const SidePlaces& places() const { return places_; }
  bool empty() const { return is_empty_; }

  /// Takes a row of the first pass; whether a trial begins with it.  \throws DataError
  /// "file:line:field: ..." for a cell that cannot be used: without a time or a trial, no date, no
  /// number, no class.
  bool note(const CsvRecords& records);
  /// When all rows are noted.  \throws DataError for a target without any value.
  void end_of_rows();

  // What the pass found:
  SideValues take_times();
  ClassTable take_classes() { return std::move(classes_); }
  RowRuns take_groups() { return std::move(groups_); }
  RowRuns take_trial_names() { return std::move(trial_names_); }

  // Values of one record, once end_of_rows() has been called:
  std::int64_t date(const CsvRecords& records) const;
  double time(const CsvRecords& records) const;
  double target(const CsvRecords& records, std::size_t index) const;
  /// Nothing where there is none.
  std::string_view label(const CsvRecords& records, std::string& buffer) const;
  bool has_dates() const { return time_kind_ == TimeKind::date; }
  /// Whether times are whole numbers, of which some go beyond 2^53.
  bool has_counts() const { return time_kind_ == TimeKind::count; }
  /// A time that is one.
  std::int64_t count(const CsvRecords& records) const;

 private:
  enum class TimeKind { unknown, date, number, count };

  std::string_view cell(const CsvRecords& records, std::size_t field) const {
    return records.fields()[field];
  }
  void note_time(const CsvRecords& records);
  void note_label(const CsvRecords& records);
  void warn_of_labels() const;
  bool note_trial(const CsvRecords& records);
  void note_group(const CsvRecords& records);
  /// The name that a field is: an integer as people write it, else its text; empty where it is
  /// missing.
  std::string_view name_in(const CsvRecords& records, std::size_t field, std::string& buffer) const;
  [[noreturn]] void fail_number(const CsvRecords& records, std::size_t field,
                                const char* key) const;

  std::string path_;
  std::vector<std::string> names_;  // names of all columns
  SidePlaces places_;
  bool is_empty_;
  char decimal_;

  TimeKind time_kind_ = TimeKind::unknown;
  std::vector<std::int64_t> dates_;  // or counts
  std::vector<double> times_;
  bool can_count_ = true;  // the times so far are whole and exact
  std::string trial_;      // the value of the one that goes on
  std::string group_;      // the same of a group
  RowRuns trial_names_;
  RowRuns groups_;
  std::vector<bool> target_found_;  // for each target, whether it has a value
  std::vector<bool> rounded_;       // and whether one is rounded
  ClassTable classes_;
  std::string rewritten_label_;      // the first like "01"
  std::string rewritten_class_;      // and its class, 1
  std::string missing_label_;        // the first word for a missing value, as NA
  std::int64_t missing_labels_ = 0;  // rows with such a word
  std::int64_t rows_ = 0;
};

}  // namespace gaia
