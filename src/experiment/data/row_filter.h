// SPDX-License-Identifier: MIT
/// \file
/// Rows that come one by one, filtered and thinned out as data.filter and data.resample say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../../formulas/butterworth.h"
#include "../config/config.h"

namespace gaia {

/// Most rows of a source for each that stays.
inline constexpr double kMostSpacing = 10000.0;

/// Which rows of a trial stay: row j of those that stay is row ⌊j · rate / to⌋ of the trial.
class KeptRows {
 public:
  /// All.
  KeptRows() = default;
  /// \throws ArgumentError for more rows than come.
  KeptRows(double rate, double to);

  bool keeps_all() const { return rate_ == to_; }
  /// Rows that come for each that stays, on the mean.
  double spacing() const { return rate_ / to_; }
  /// Row of the trial that row `kept` of those that stay is.
  std::int64_t row_of(std::int64_t kept) const;
  /// How many of the first `rows` rows of a trial stay; at least one of one row.
  std::int64_t count(std::int64_t rows) const;

 private:
  double rate_ = 1.0;
  double to_ = 1.0;
};

/// Those that data.resample says; all where it needs a rate that is not known.
/// \throws DataKeyError for a rate that there cannot be.
KeptRows kept_rows(const DataConfig& data);

/// Rows as they come from the source, raw, before they are whitened or scaled: what a series reads
/// in blocks and a stream row by row.
///
///     RowFilter filter(config.data, channels);   // as a result has it, with its sample_rate
///     filter.begin_trial();
///     if (filter.change(row)) use(row);          // in place; false: no sample at this row
///
/// A filter begins in each trial, and for each channel, at the first value that is not missing
/// (NaN), as if this had come for ever; what comes before it stays missing.  From there on it goes
/// on as if the last value were held where one is missing, and shows that, unless missing values
/// are kept: then they stay missing in what comes out.
class RowFilter {
 public:
  /// `data`: resolved, so that its `sample_rate` is known where one is needed.
  RowFilter(const DataConfig& data, std::int64_t channels);

  /// Whether `data` have either of the two.
  static bool is_needed(const DataConfig& data);

  /// The next row begins a trial.
  void begin_trial();
  /// Filters a row in place, [channels].  Returns whether it stays.
  bool change(std::span<double> row);
  /// Whether the next row will stay.
  bool keeps_next() const;

  /// What it goes on from: numbers to keep in a state and to put back, of one size.
  std::vector<double> state() const;
  /// \throws ShapeError for another number of values, or counts that are none.
  void set_state(std::span<const double> state);

  const std::vector<SosSection>& sections() const { return sections_; }
  const std::vector<SosSection>& antialias() const { return antialias_; }
  const KeptRows& kept() const { return kept_; }

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);

  std::int64_t channels_ = 0;
  std::vector<SosSection> sections_;   // sections of data.filter
  std::vector<SosSection> antialias_;  // sections of data.resample
  KeptRows kept_;
  bool keeps_missing_ = false;
  std::vector<SosFilter> filters_;  // for each channel, both one behind the other
  std::vector<double> last_;        // value of each channel, NaN before the first of the trial
  std::int64_t row_ = 0;            // row of the trial that comes next
  std::int64_t next_kept_ = 0;      // number of the next row that stays
};

}  // namespace gaia
