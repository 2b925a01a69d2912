// SPDX-License-Identifier: MIT
/// \file
/// Whether the inputs of a run or of a stream are still such as those that its moments were
/// computed from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gaia {

/// The first block of a channel that its moments do not fit.
struct InputLeft {
  std::size_t channel = 0;
  std::int64_t step = 0;  ///< First of the block.
  double mean = 0.0;      ///< Mean of z over the block.
  double distance = 0.0;  ///< sqrt(Q) of the block.
  double limit = 0.0;     ///< sqrt of the limit that it passed.
};

/// Watches normalised rows, channel by channel, in blocks of kBlock values that are there.  With z
/// the distance of a value from the mean of the moments in their standard deviations, at most
/// kMost from it (of minmax, 6 (v - 1/2), so that the range is from -3 to 3), a channel has left
/// its moments at block j = 1, 2, ... if
///     Q = mean of z^2 over the block > max(kLeast^2, 1 + 2 sqrt(v x) + 2 l x),
///     x = ln(channels j (j + 1) / kAlarm),
///     v = min(1, (1 + r^2) / ((1 - r^2) kBlock)),  l = min(1, (1 + r) / ((1 - r) kBlock)),
///     r = 1 - (mean of (z_t - z_(t-1))^2 over all rows so far) / 2, at least 0:
/// r is the autocorrelation, and 1/v and 1/l are how many independent values a block has for
/// squares and for the mean.  For Gaussian AR(1) of these moments the bound of Laurent and Massart
/// (2000, Ann. Stat. 28, 1302-1338, lemma 1) on weighted sums of chi squares makes each block pass
/// by chance with a probability below kAlarm / (channels j (j + 1)), whose sum over all blocks and
/// channels is kAlarm, however long the series is.  One value alone, whatever it is, is no reason.
class InputRange {
 public:
  static constexpr std::int64_t kBlock = 64;  ///< Values.
  static constexpr double kLeast = 3.0;       ///< Standard deviations.
  static constexpr double kMost = 16.0;       ///< Standard deviations.
  static constexpr double kAlarm = 0.01;      ///< Probability of any false alarm.

  /// `names` of the channels.  `minmax`: rows are scaled by least and largest value, not by mean
  /// and standard deviation.
  explicit InputRange(std::vector<std::string> names, bool minmax = false);

  /// The next row does not follow on the last one.
  void begin_trial();

  /// Reads a row that is normalised, NaN where a value is missing; what there is to report of it is
  /// reported once for each channel.  \throws ShapeError for a row of another length.
  std::vector<InputLeft> read(std::int64_t step, std::span<const double> row);

  /// A sentence without its end: "channel flow: from step 640 on it has left what it is normalised
  /// by: its values are 5.2 standard deviations from the mean (root mean square of 64 values, whose
  /// mean is 5.1; up to 3 could be chance)".
  std::string text(const InputLeft& left) const;

  /// All that is carried from row to row, for a state.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);

  struct Channel {
    double before = 0.0;  // z of the row before, where `follows` is 1
    double follows = 0.0;
    double count = 0.0;       // values of the block
    double first_step = 0.0;  // step at which the block begins
    double sum = 0.0;         // sum of z over the block
    double squares = 0.0;     // sum of z^2
    double changes = 0.0;     // sum of (z_t - z_(t-1))^2 over all rows so far
    double pairs = 0.0;       // number of these
    double blocks = 0.0;      // blocks that were looked at
    double told = 0.0;        // 1: it has left its moments
  };
  std::optional<InputLeft> look_at(std::size_t channel);

  std::vector<std::string> names_;
  bool minmax_;
  std::vector<Channel> channels_;
};

}  // namespace gaia
