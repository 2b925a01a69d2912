// SPDX-License-Identifier: MIT
/// \file
/// A series that is a table of numbers in a file, with side columns in it or beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "file_options.h"
#include "whole_numbers.h"

namespace gaia {

/// Side columns that stand beside the table and are held in memory.
struct BesideTable {
  std::optional<SideValues> times;  ///< One a row.
  bool times_count = false;         ///< Whole times are numbers, no dates.
  std::vector<std::pair<std::string, std::vector<double>>> targets;  ///< The same; names as asked.
  /// One a row or, of an array of three axes, one a trial; "" where there is none.
  std::optional<std::vector<std::string>> labels;
  std::string labels_source;  ///< Source of the labels, for messages.
  /// What tells trials apart, one text a row, of which none is empty.
  std::optional<std::vector<std::string>> trials;
  /// Rows at which a trial begins, 0 first, where the file itself tells; else empty.
  std::vector<std::int64_t> trial_starts;
  /// Groups, as labels are there, of which none may be empty.
  std::optional<std::vector<std::string>> groups;
  std::string groups_source;  ///< Source of the groups, for messages.
};

class TableSeries : public FileSeries {
 public:
  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  const std::vector<std::string>& file_columns() const override { return all_names_; }
  bool has_moments() const override { return has_moments_ && FileSeries::has_moments(); }
  std::string place_of(std::int64_t row) override;

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;

 protected:
  /// The columns asked for, of rows [first, first + count): NaN where a value is missing.
  virtual void read_table(std::int64_t first, std::int64_t count,
                          std::span<const std::size_t> columns, double* out) = 0;
  /// Whether a column holds integers that read_table() may round.
  virtual Wide wide(std::size_t /*column*/) const { return Wide::no; }
  /// Such a column in rows [first, first + count) as it is; of unsigned integers the bits.
  virtual void read_wide(std::int64_t first, std::int64_t count, std::size_t column,
                         std::int64_t* out);
  /// \throws DataError if the file has changed since it was opened.
  virtual void check_unchanged() const = 0;
  /// What messages begin with.
  virtual std::string source() const = 0;

  /// Chooses columns and looks at all rows, if `can_miss` values or side columns are to be checked.
  /// `trial_rows`: of a trial, of an array of three axes; else 0.  `in_table`: the side columns
  /// asked for without those that stand beside the table.
  void open_table(std::int64_t rows, std::vector<std::string> names, std::int64_t trial_rows,
                  bool can_miss, const FileOptions& options, const SideOptions& in_table,
                  BesideTable beside);

 private:
  /// A column that tells stretches of rows apart, while the first pass goes on.
  struct Key {
    std::size_t column = 0;
    const char* key = "";         ///< "trials", "groups"
    double last = 0.0;            ///< The value of the stretch that goes on.
    std::int64_t last_exact = 0;  ///< The same beyond 2^53.
    bool told = false;            ///< Warned of what doubles cannot tell apart.
  };

  /// The source of the values of a side column.
  struct Side {
    SideColumn::Role role;
    std::optional<std::size_t> column;  // column of the table; else the value is held
    SideValues held = {};
    std::int64_t rows_each = 1;  // rows that a held value stands for
  };

  void add_sides(const SideOptions& all_sides, const BesideTable& beside, std::int64_t trial_rows);
  void take_trials(const std::vector<std::string>& trials);
  void take_labels(const BesideTable& beside, std::int64_t trial_rows);
  void take_groups(const BesideTable& beside, std::int64_t trial_rows);
  void look_through(const FileOptions& options, bool can_miss);
  void note_sides(std::int64_t first, std::int64_t count, const double* block, std::size_t width);
  /// Whether a stretch begins with this row.
  bool note_key(Key& key, double value, const std::int64_t* exact, std::int64_t row);
  void note_time(std::size_t column, double value, const std::int64_t* exact, std::int64_t row);
  void note_rounded(std::int64_t count, std::span<const std::size_t> columns, const double* block,
                    std::size_t width);
  /// The integers of a column whose doubles stand `stride` apart, if some go beyond 2^53; else
  /// empty.
  std::vector<std::int64_t> exact_of(std::size_t column, std::int64_t first, std::int64_t count,
                                     const double* values, std::size_t stride);
  /// The name of a label; `exact` is null where the double is.
  std::string class_of(double value, const std::int64_t* exact, std::int64_t row) const;
  void take_side(const Side& side, std::int64_t first, std::int64_t count, const double* values,
                 std::size_t stride, SideValues& to);

  std::int64_t rows_ = 0;
  std::vector<std::string> all_names_;
  std::vector<std::string> names_;
  std::vector<std::size_t> channels_;
  SidePlaces places_;
  std::vector<Side> sides_;  // columns in the order of side_columns_
  bool has_moments_ = false;
  // While the first pass goes on:
  std::vector<double> noted_times_;
  std::vector<std::int64_t> counted_times_;  // the same once one goes beyond 2^53
  std::vector<bool> target_found_;
  std::vector<Key> keys_;         // trial, group
  std::vector<bool> is_rounded_;  // for each column of the table
  std::vector<double> block_;
};

/// Warns where columns far outnumber rows, as they do when axes were mistaken.  `way_out` ends the
/// message.
void warn_of_transposed(const std::string& source, std::int64_t rows, std::int64_t columns,
                        const std::string& way_out);

}  // namespace gaia
