// SPDX-License-Identifier: MIT
/// \file
/// A series whose rows are filtered and thinned out (data.filter, data.resample).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../io/forwarding_series.h"
#include "row_filter.h"

namespace gaia {

/// Row j of a trial is row ⌊j · rate / to⌋ of that trial in the series within, filtered: with its
/// time, its targets, its label and its latents, which no filter touches.  A trial has one row at
/// least.  Its rate is that of the source, as data.sample_rate is.
///
/// The filter goes over all rows of a trial one after the other; anyone who reads rows before those
/// read last goes on from the nearest of some hundred places whose states are kept.  So the same
/// rows are the same numbers however they are asked for.
class FilteredSeries final : public ForwardingSeries {
 public:
  /// \throws DataKeyError for a filter or a rate that there cannot be.
  FilteredSeries(std::unique_ptr<Series> series, const DataConfig& data);

  std::int64_t rows() const override { return starts_.back(); }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;
  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override;
  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override;
  const std::vector<std::int64_t>& trial_starts() const override { return trial_starts_; }
  const RowRuns& groups() const override { return groups_; }
  std::optional<std::int64_t> training_rows() const override;
  std::int64_t source_row(std::int64_t row) const override {
    return within().source_row(row_within(row));
  }

 protected:
  void take_fill(std::span<const double> fill) override;

 private:
  /// A place from which reading goes on.
  struct Place {
    std::int64_t row = 0;     // row of this series
    std::int64_t within = 0;  // next row of the series within
    std::vector<double> state;
  };

  std::size_t trial_of(std::int64_t row) const;
  std::int64_t row_within(std::int64_t row) const;
  /// How many rows of this series come before a row of the series within.
  std::int64_t rows_before(std::int64_t row) const;
  /// Begins the trial at place_, or goes on in it.
  void enter_trial(std::size_t trial);
  void begin_trial(std::size_t trial);
  /// Brings the filter before `row`.
  void seek(std::int64_t row);
  void keep_place();
  /// Filters what is in block_, rows [place_.within, + count) of the series within, all of one
  /// trial; stops behind row `end` of this series.  Puts the rows that stay, from row `first` on,
  /// into `out`, and tells which of the block they are.
  void filter_block(std::int64_t count, std::int64_t first, std::span<double> out,
                    std::vector<std::size_t>& stayed);
  /// Reads on up to row `end`; rows before `first` are not shown.
  void read_on(std::int64_t first, std::int64_t end, std::span<double> out,
               std::span<const std::size_t> wanted, std::span<SideValues> side);

  RowFilter filter_;
  std::vector<std::int64_t> trial_starts_;
  std::vector<std::int64_t> starts_;         // the same, and rows()
  std::vector<std::int64_t> starts_within_;  // the same of the series within
  RowRuns groups_;

  Place place_;
  std::vector<std::int64_t> first_value_;  // row within of each channel's first value in the trial
  std::map<std::int64_t, Place> kept_;     // places by their rows
  std::int64_t keep_every_;
  std::vector<double> block_;
};

}  // namespace gaia
