// SPDX-License-Identifier: MIT
/// \file
/// How unusual a row is: scores that grow with it.  What is usual comes from rows that are added
/// first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "covariance.h"

namespace gaia {

/// The distance of Mahalanobis (1936, Proc. Natl. Inst. Sci. India 2, 49-55) from the rows that
/// were added,
///     d(x) = sqrt((x - mean)^T (C + ridge s I)^-1 (x - mean)),
/// with C their covariance (over rows - 1) and s the mean of its diagonal.
class MahalanobisDistance {
 public:
  /// \throws ArgumentError unless ridge is finite and not negative, or as Covariance does.
  explicit MahalanobisDistance(std::int64_t features, double ridge = 1e-6);

  /// Takes usual rows [rows, features].  \throws ShapeError if the last is not whole.
  void add(std::span<const double> rows) { covariance_.add(rows); }

  /// Ends the training; a little is always added to C, so that silent features do not make it
  /// singular.  \throws ArgumentError for no rows, or if one held NaN or infinity.
  void solve();
  bool is_solved() const { return !factor_.empty(); }

  /// The scores [rows] of rows [rows, features].
  /// \throws ArgumentError before solve(), ShapeError if the last row is not whole.
  std::vector<double> scores(std::span<const double> rows) const;

  /// All that it has taken, as numbers in one list, from which another with the same ridge goes on
  /// bit for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length, ArgumentError for one that is no such state.
  void set_state(std::span<const double> state);

 private:
  double ridge_;
  Covariance covariance_;
  std::vector<double> mean_;    // [features], that of solve()
  std::vector<double> factor_;  // [features, features]: Cholesky's of C + ridge s I, lower part
};

/// How far channels are from their running means,
///     s(x) = mean over channels of |x_c - m_c| / scale_c,
/// where m is that before the row: of n rows so far m <- m + (x - m) / min(n, rows).  The scale of
/// a channel is the root mean square of x_c - m_c over the rows that were added; one that was
/// always at its mean has that of the others together, or 1 if all were.  The simplest detector,
/// which others have to beat.
class RunningMeanScore {
 public:
  /// `rows` is the time constant of the mean.
  /// \throws ArgumentError unless both are 1 or more.
  explicit RunningMeanScore(std::int64_t channels, std::int64_t rows = 100);

  /// Takes usual rows [rows, channels].  \throws ShapeError if the last is not whole.
  void add(std::span<const double> rows);

  /// The scores [rows] of rows [rows, channels] that follow; they move the mean, and leave the
  /// scale.
  /// \throws ShapeError if the last is not whole.
  std::vector<double> scores(std::span<const double> rows);

  /// What follows has nothing to do with what was before: the first row of it is the mean.
  void restart() { since_restart_ = 0; }

  /// All of it, as numbers in one list, from which another for the same time constant goes on bit
  /// for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length, ArgumentError for one that is no such state.
  void set_state(std::span<const double> state);

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  std::size_t channels() const { return mean_.size(); }
  void expect_whole(std::size_t numbers) const;
  void move_mean(std::span<const double> row);
  std::vector<double> scales() const;

  std::int64_t rows_;
  std::int64_t since_restart_ = 0;
  std::int64_t added_ = 0;       // rows in squares_
  std::vector<double> mean_;     // [channels]
  std::vector<double> squares_;  // [channels]: sum of (x - mean)^2 over added rows
};

/// Errors of any kind as standard deviations from their mean over the part that was added.
class ErrorScale {
 public:
  void add(std::span<const double> errors) { moments_.add(errors); }

  std::int64_t count() const { return moments_.count(); }
  double mean() const { return moments_.mean()[0]; }
  /// Over count - 1; of errors that do not vary, and of fewer than two, 1.
  double deviation() const;

  /// (error - mean) / deviation of each.
  std::vector<double> scores(std::span<const double> errors) const;

  std::vector<double> state() const { return moments_.state(); }
  /// \throws ShapeError for a list of another length, ArgumentError for one that is no such state.
  void set_state(std::span<const double> state) { moments_.set_state(state); }

 private:
  Covariance moments_{1};
};

}  // namespace gaia
