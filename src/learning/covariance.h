// SPDX-License-Identifier: MIT
/// \file
/// Mean and covariance of rows that come in blocks.
///
///     Covariance covariance(features);
///     covariance.add(rows);                               // [rows, features], as often as wanted
///     const std::vector<double> c = covariance.matrix();  // [features, features]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// Takes every row once.  Blocks are joined by the formula of Chan, Golub & LeVeque (1983), Am.
/// Stat. 37, 242-247, and rows are counted from the first of all, so that large means cost no
/// digits and a feature that never changes has a variance of exactly 0.  The result does not depend
/// on the number of threads; how rows are cut into blocks changes it by rounding alone.
class Covariance {
 public:
  /// \throws ArgumentError unless there is a feature, or if there are more than 32 768.
  explicit Covariance(std::int64_t features);

  /// Takes rows [rows, features].  \throws ShapeError if the last is not whole.
  void add(std::span<const double> rows);

  std::int64_t features() const { return features_; }
  /// Rows so far.
  std::int64_t count() const { return count_; }

  /// [features]; of no rows 0.
  std::vector<double> mean() const;
  /// sum (x - mean) (x - mean)^T / (count - 1), [features, features]; of fewer than two rows 0.
  /// \throws ArgumentError if a row held NaN or infinity.
  std::vector<double> matrix() const;
  /// The diagonal of matrix(), [features].
  std::vector<double> variances() const;
  /// The mean of variances().
  double mean_variance() const;

  /// All that it has taken, as numbers in one list, from which another goes on bit for bit.
  std::vector<double> state() const;
  /// \throws ShapeError for a list of another length, ArgumentError for one that is no such state.
  void set_state(std::span<const double> state);
  std::size_t state_size() const;

 private:
  friend class StateFields;
  static void fields(auto& self, auto& state);
  void add_block(const double* rows, std::int64_t count);
  double divisor() const { return count_ > 1 ? static_cast<double>(count_ - 1) : 1.0; }

  std::int64_t features_;
  std::int64_t count_ = 0;
  std::vector<double> origin_;   // [features]: the first row
  std::vector<double> shift_;    // [features]: mean - origin
  std::vector<double> scatter_;  // [features, features]: sum of (x - mean) (x - mean)^T, lower part
};

}  // namespace gaia
