// SPDX-License-Identifier: MIT
/// \file
/// From rows that come one by one to samples, as SampleReader makes them of a series.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../data/row_filter.h"
#include "live_plan.h"

namespace gaia {

/// Rows that are filled, filtered, whitened, scaled and put together to samples of data.window
/// rows.  A row is prepared first, which changes nothing that is seen, and then accepted.
///
/// Missing values (NaN) are what data.missing of the result says: an error; the last value of the
/// trial, before the first one what the result held there; or kept.  Moments are those of the
/// result, or go on from them: those count as many rows as the series of the result had, a value is
/// taken into the mean and the squares (Welford 1962, Technometrics 4, 419) or the least and the
/// most before it is scaled by them, and missing values are not.
class LiveSamples {
 public:
  LiveSamples(const LivePlan& plan, StreamMoments moments);

  void begin_trial();
  /// Takes a row [channels] in its own units.  Whether a sample will be there, or only the window
  /// grows.  \throws DataError naming the channel.
  bool prepare(std::span<const double> row);
  /// The sample of the row that was prepared, [features].
  std::span<const double> sample() const;
  /// The row itself, scaled, [channels].
  std::span<const double> newest() const;
  /// Whether a channel of it was there, and not filled.
  bool has(std::size_t channel) const { return !is_missing_[channel]; }
  bool has_filter() const { return filter_.has_value(); }
  /// Whether the filter has let it through.
  bool comes_out() const { return comes_out_; }
  /// Goes on behind that row.
  void accept();
  /// Withdraws that row, which was no use after all: it never came.
  void reject();

  /// Which channel of the newest row, or of one before it in the window, entry `index` of a sample
  /// is of.
  const std::string& channel_at(std::size_t index) const {
    return channels_[index % channels_.size()];
  }
  /// Whether NaN in samples is a value that is missing.
  bool keeps_missing() const { return policy_ == MissingPolicy::keep; }

  void add_state(ArrayMap& arrays) const;
  /// \throws ArgumentError or ShapeError unless add_state of such samples has added it.
  void set_state(const ArrayMap& arrays);

 private:
  /// Numbers that moments are computed from, per channel.
  struct Moved {
    std::vector<double> count;
    std::vector<double> mean;     // minmax: the least
    std::vector<double> squares;  // minmax: the most
  };

  void fill(std::span<const double> row);
  void move_moments();
  void scale();

  std::vector<std::string> channels_;
  std::size_t window_;
  MissingPolicy policy_;
  bool looks_ahead_;  // missing values were interpolated in the training
  Whitening whitening_;
  Normalize normalize_;
  bool moves_;
  std::vector<double> fill_;
  std::vector<double> offset_;
  std::vector<double> scale_;
  std::optional<RowFilter> filter_;  // data.filter and data.resample

  std::vector<double> last_;  // last values of the trial in their own units; NaN: none yet
  Moved moved_;
  std::size_t rows_ = 0;        // rows of the trial in the window, window_ - 1 at most
  std::size_t place_ = 0;       // row of buffer_ where the next one goes
  std::vector<double> buffer_;  // [2 window_, channels]

  // Values of the row that is prepared:
  std::vector<double> given_;  // row in its own units
  std::vector<double> raw_;    // on its way
  std::vector<char> is_missing_;
  Moved next_;
  bool comes_out_ = true;
  std::vector<double> filter_before_;
};

}  // namespace gaia
