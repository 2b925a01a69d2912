// SPDX-License-Identifier: MIT
/// \file
/// Lists of events, such as the spikes of neurons, as a series: how many of each channel fall into
/// each bin of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file_series.h"

namespace gaia {

/// A file of events: a row each, in any format of data that gaia reads.
struct EventOptions {
  std::string time = "time";        ///< Column of times, in any order, in any unit.
  std::string channel = "channel";  ///< Column of channels: texts, or whole numbers from 0.
  std::string trial = {};          ///< Column of trials: stretches of rows; their times begin anew.
  std::string labels = {};         ///< Column of classes, one for each trial.
  double dt = 1.0;                 ///< Width of a bin, in the unit of time.
  double begin = 0.0;              ///< Time of the first bin's left edge, in every trial.
  std::optional<double> end = {};  ///< Time at which bins end; if not given, behind the last event.
  /// Number of channels that are numbers; if not given, one more than the greatest.
  std::optional<std::int64_t> channels = {};
  std::vector<std::string> columns = {};  ///< Names of the channels to count; empty: all.
  std::string dataset = {};               ///< HDF5 only.
  char decimal = '.';                     ///< CSV only.
  bool trusted = false;                   ///< HDF5 only: read within gaia itself.

  friend bool operator==(const EventOptions&, const EventOptions&) = default;
};

/// Row k of a trial counts the events with floor((t - begin) / dt + 1e-8) = k: those at
/// begin + k dt <= t < begin + (k + 1) dt, where a time within 1e-8 bins of the next bin is taken
/// for a rounded one in it.  The time of row k is begin + k dt.
class EventSeries final : public Series {
 public:
  /// Reads all events, of which it keeps 16 bytes each.
  /// \throws DataError for content that cannot be used, ArgumentError or DataKeyError for columns
  ///         that the file does not have or that cannot be what they are for.
  EventSeries(const std::string& path, const EventOptions& options);

  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  bool reads_at_random() const override { return true; }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override;
  std::vector<SideColumn> side_columns() const override;
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override;
  const std::vector<std::int64_t>& trial_starts() const override { return starts_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::string sha256() override { return sha256_; }
  std::vector<std::string> paths() const override { return {path_}; }

  /// Number of events before `begin`, from `end` on, or of channels that are not counted.
  std::int64_t left_out() const { return left_out_; }
  std::int64_t events() const { return static_cast<std::int64_t>(events_.size()); }

 private:
  struct Event {
    std::int64_t row;
    std::int32_t channel;
  };

  void read_events(FileSeries& file, const EventOptions& options);
  void read_labels(FileSeries& file, const std::string& column);
  /// Tells the names of the channels; returns which of them each of those that the file has is, -1
  /// for one that is not counted.
  std::vector<std::int32_t> number_channels(const std::vector<std::string>& found,
                                            const EventOptions& options);
  /// Puts the events of a trial, whose rows are counted from its own start, behind the others, and
  /// ends the trial.
  void end_trial(std::size_t first_event, std::int64_t bins);
  std::size_t trial_of(std::int64_t row) const;

  std::string path_;
  std::string time_name_;
  std::string label_name_;
  double dt_;
  double begin_;
  std::vector<std::string> names_;
  std::vector<std::string> classes_;
  std::vector<std::int64_t> labels_;  // class of each trial
  std::vector<std::int64_t> starts_;  // first rows of the trials
  std::int64_t rows_ = 0;
  std::vector<Event> events_;  // events in the order of rows
  std::int64_t left_out_ = 0;
  std::string sha256_;
};

}  // namespace gaia
