// SPDX-License-Identifier: MIT
/// \file
/// From the rows of a series to the samples that level 0 receives: normalised, then windowed.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "../../array/array.h"
#include "../../core/work_queue.h"
#include "../../io/series.h"
#include "../../learning/equation_state.h"
#include "../config/config.h"
#include "drift.h"
#include "trials.h"

namespace gaia {

/// Sample t of window k is the rows [t, t + k) of the series, oldest first, channels innermost; of
/// several trials, in each of them.
/// Normalisation comes before, per channel over the rows that are measured (DataConfig::measured;
/// where there are none, all that the steps use):
/// zscore (x - mean) / population standard deviation, minmax (x - min) / (max - min); a scale of 0
/// counts as 1; stored: by the offsets and scales of another run.  What stands beside the channels
/// of the series (Series::side_columns) is at hand for targets and is no part of a sample.
/// Drift (DataConfig::drift) changes the normalised rows of samples, and not those that are
/// targets: a row as of the step whose sample is the first that reads it, counted through all
/// epochs.
class SampleReader {
 public:
  /// Steps that can be asked for as targets beside those of a block.
  struct Reach {
    std::int64_t back = 0;
    std::int64_t ahead = 0;
  };

  /// Passes over the data once if it is to be normalised by what it is like itself, and anyone who
  /// opened the series has not measured it.  Latents cost a generator time, and come along only
  /// where they are needed.
  SampleReader(Series& series, const DataConfig& data, const Trials& trials, DType dtype,
               Reach reach, bool needs_latents);
  SampleReader(const SampleReader&) = delete;
  SampleReader& operator=(const SampleReader&) = delete;

  /// From here on a thread of its own reads the rows of the next block while the last one is used.
  /// Nobody else may read the series as long as this reader lives.
  void read_ahead() { ahead_.emplace(true); }

  /// From here on samples are those of this epoch, from 0: they drift on from one to the next.
  void begin_epoch(std::int64_t epoch);

  std::int64_t steps() const { return trials_.steps(); }
  const Trials& trials() const { return trials_; }
  std::int64_t features() const { return window_ * channels_; }

  /// What is subtracted (mean or min) and divided by, per channel; empty without normalisation.
  const std::vector<double>& offset() const { return offset_; }
  const std::vector<double>& scale() const { return scale_; }
  const std::vector<Drift>& drifts() const { return drifts_; }

  /// Samples [first, first + count), of one trial, as [count, features], on the current device.
  /// Following on the last call is cheap.  \throws DataError for content that cannot be used or
  /// does not fit the dtype.
  Array read(std::int64_t first, std::int64_t count);

  /// The newest row of the samples first, first + 1, ... in the block last read or within reach of
  /// it in its trial: channel `channel`, normalised.
  std::vector<double> channel(std::int64_t channel, std::int64_t first, std::int64_t count) const;
  /// Newest rows of these samples, [count, channels], normalised, as samples have them; they stand
  /// until the next block is read.
  std::span<const double> newest_rows(std::int64_t first, std::int64_t count) const;
  /// The same values as samples have them, which may drift.
  std::vector<double> drifted(std::int64_t channel, std::int64_t first, std::int64_t count) const;
  /// The values of `channel`, NaN where one was missing and has been filled.
  std::vector<double> measured(std::int64_t channel, std::int64_t first, std::int64_t count) const;
  /// Whether each of these rows has a value of any channel that was not missing.
  std::vector<bool> has_measured(std::int64_t first, std::int64_t count) const;

  /// Whether the series has times, and of what kind.
  enum class TimeKind { none, dates, numbers, counts };
  TimeKind time_kind() const { return time_kind_; }
  /// When the newest rows of these samples were taken; empty if that is not known.
  std::optional<SideValues> times(std::int64_t first, std::int64_t count) const;

  /// The trial that was read last, and its number.
  const Trial& trial() const { return trial_; }
  std::size_t trial_index() const { return trials_.index_at(trial_.first_step); }

  /// Whether the series has what `target` is of.
  bool has_target(const ReadoutTarget& target) const;
  /// Number `which` of what `target` names, in the newest rows of the samples first, first + 1,
  /// ...; of a class its number, and where that is to be told from a normal one whether it is
  /// another. NaN where it was missing: what fills a channel is no target, unless `with_filled`.
  std::vector<double> target(const ReadoutTarget& target, std::size_t which, std::int64_t first,
                             std::int64_t count, bool with_filled = false) const;

  /// What rules read beside the same samples, by column of data.targets or "labels": those of the
  /// columns that the series has.  Labels are numbers of neurons (DataConfig::class_numbers).
  TickSignals signals(const std::vector<std::string>& columns, std::int64_t first,
                      std::int64_t count) const;

  /// The side columns that are at hand, in the order of the series; in the same rows, column
  /// `column` of them, and latent `latent`.
  const std::vector<SideColumn>& side_columns() const { return side_; }
  SideValues side(std::size_t column, std::int64_t first, std::int64_t count) const;
  std::vector<double> latent(std::int64_t latent, std::int64_t first, std::int64_t count) const;

 private:
  /// Rows [begin, end) of the series.
  struct Rows {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::vector<double> values;    // [rows, channels_], normalised
    std::vector<double> drifted;   // the same as samples have them; empty where nothing drifts
    std::vector<SideValues> side;  // [rows] of each of side_
  };

  /// Place among the side columns at hand of number `which` of a role; nothing if there is none.
  std::optional<std::size_t> place_of(SideColumn::Role role, std::int64_t which) const;
  void measure(const DataConfig& data);
  /// Index in held_ of the newest row of a sample of the trial that was read last.
  std::int64_t held_row(std::int64_t step) const {
    return trial_.newest_row(step, window_) - held_.begin;
  }
  /// Rows [first, first + rows.size() / channels_) as of their steps.
  void drift(std::int64_t first, std::span<double> rows) const;
  /// Makes `to` hold the rows [begin, end), those that held_ has from there.
  void fill(Rows& to, std::int64_t begin, std::int64_t end) const;
  /// Makes held_ hold the rows [begin, end) at least.
  void hold(std::int64_t begin, std::int64_t end);
  /// Begins to read the rows [begin, end), or those of them that held_ lacks.
  void begin_rows_ahead(std::int64_t begin, std::int64_t end);

  Series& series_;
  Trials trials_;
  std::int64_t window_;
  std::int64_t channels_;
  Reach reach_;
  DType dtype_;
  std::vector<double> class_numbers_;  // for each class of the series; empty: they are as they are
  bool keeps_missing_;                 // whether what is missing stays NaN
  std::vector<SideColumn> side_;
  std::vector<std::size_t> side_indices_;  // places of these among the columns of the series
  std::vector<double> offset_;
  std::vector<double> scale_;
  std::vector<Drift> drifts_;
  std::int64_t epoch_ = 0;
  TimeKind time_kind_ = TimeKind::none;
  Trial trial_;  // trial that was read last
  Rows held_;
  Rows next_;  // read ahead, if it is; kept for its memory
  bool has_next_ = false;
  std::exception_ptr ahead_error_;  // error of reading ahead, which may never be asked for
  std::optional<WorkQueue> ahead_;  // last: its thread uses the others
};

}  // namespace gaia
