// SPDX-License-Identifier: MIT
/// \file
/// A series that is read from one file, with what stands beside its channels there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "class_table.h"
#include "missing.h"
#include "series.h"

namespace gaia {

/// A column that a file does not have, or that cannot be what a key says.
class DataKeyError : public ArgumentError {
 public:
  DataKeyError(std::string key_of_data, std::string asked, const std::string& what)
      : ArgumentError(what), key(std::move(key_of_data)), column(std::move(asked)) {}

  std::string key;     ///< "time", "targets", ...
  std::string column;  ///< Column as it was asked for.
};

/// Columns that no level reads, by name or by index where no column is called so.
struct SideOptions {
  std::string time = {};                  ///< When each row was taken.
  std::vector<std::string> targets = {};  ///< What is to be predicted.
  std::string labels = {};                ///< The class of each row, text or an integer.
  std::string trial = {};                 ///< A trial is a stretch of rows with the same value.
  std::int64_t trial_length = 0;          ///< Or so many rows; 0: it is not.
  std::string group = {};                 ///< What rows with the same value belong to.

  bool empty() const {
    return time.empty() && targets.empty() && labels.empty() && trial.empty() && group.empty();
  }
};

/// Which fields of a file the side columns are.
struct SidePlaces {
  std::optional<std::size_t> time;
  std::vector<std::size_t> targets;
  std::optional<std::size_t> labels;
  std::optional<std::size_t> trial;
  std::optional<std::size_t> group;

  bool has(std::size_t column) const;
};

/// Finds side columns by their names.  `source` begins the messages.  \throws DataKeyError for
/// those that are not there, and for one that is two things at a time.
SidePlaces find_side_columns(const std::string& source, const SideOptions& asked,
                             const std::vector<std::string>& names);

/// \throws DataKeyError if a channel is a side column too.
void check_channels_apart(const std::string& source, const std::vector<std::size_t>& channels,
                          const SidePlaces& side, const std::vector<std::string>& names);

/// What a message says of a file with more groups than kMostRowNames.
std::string too_many_groups(const std::string& source);

/// The nouns of a message: "column 'x' (data.time)".
std::string side_name(std::string_view column, const char* key);

class FileSeries : public Series {
 public:
  std::vector<SideColumn> side_columns() const override { return side_columns_; }
  const std::vector<std::int64_t>& trial_starts() const override { return trial_starts_; }
  const RowRuns& groups() const override { return groups_; }
  std::optional<RowRuns::Return> returning_trial() const override {
    return trial_names_.first_return();
  }
  const std::vector<std::string>& classes() const override { return classes_.names(); }

  /// Names of all columns of the file.
  virtual const std::vector<std::string>& file_columns() const = 0;
  /// The place where a user finds a row: "FILE:LINE" or "FILE: row R".
  virtual std::string place_of(std::int64_t row) = 0;
  /// Whether the pass that opened it found the moments of its channels.
  virtual bool has_moments() const { return !is_split_ && !needs_fill(); }
  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override;
  bool needs_fill() const override;
  /// From here on no value is carried over the beginnings of these trials either, which were found
  /// after it was opened.  \throws DataError for a column that has no value in a trial.
  void split_gaps(std::span<const std::int64_t> starts);
  bool has_times() const { return times_.has_value(); }

  /// The times of all rows as the first pass found them, once; nothing without a column of times.
  std::optional<SideValues> take_times() { return std::exchange(times_, std::nullopt); }

 protected:
  void take_fill(std::span<const double> fill) override;

  /// Tells side_columns(): time, targets, labels, each if it is there.
  void set_side_columns(const SideOptions& options, const std::vector<std::string>& targets);
  /// Makes room for `count` rows of each side column that is wanted.  \throws ArgumentError for one
  /// that there is not.
  void make_room(std::int64_t count, std::span<const std::size_t> wanted,
                 std::span<SideValues> side, bool has_dates) const;

  std::vector<SideColumn> side_columns_;
  std::vector<std::int64_t> trial_starts_ = {0};
  RowRuns trial_names_;  // names of trials, where a column tells them apart
  RowRuns groups_;
  ClassTable classes_;
  std::optional<SideValues> times_;
  std::vector<Gaps> gaps_;  // gaps of each channel; empty if surely no value is missing

 private:
  bool is_split_ = false;  // after the pass that opened it
};

}  // namespace gaia
