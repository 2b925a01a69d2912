// SPDX-License-Identifier: MIT
/// \file
/// Covariances of more observations than are at hand at once.
#pragma once

#include <cstdint>

#include "array.h"

namespace gaia {

/// Mean and covariance of observations that come in blocks, and of parts that were seen apart
/// (Chan, Golub and LeVeque 1983): with n observations before and m of a block, whose means are d
/// apart, the scatter is S + S_block + d d^T n m / (n + m).  Computed in float64 on the device of
/// the first block; the order of blocks changes rounding alone.
class StreamingCovariance {
 public:
  /// \throws ArgumentError unless there is a variable.
  explicit StreamingCovariance(std::int64_t variables);
  /// One that goes on from what another had come to.
  /// \throws ArgumentError for a negative count, ShapeError unless mean is [v] and scatter [v, v].
  StreamingCovariance(std::int64_t count, const Array& mean, const Array& scatter);

  /// Observations [n, variables], or one [variables].  \throws ShapeError for another shape.
  void add(const Array& observations);
  /// What another has seen, as if it had been seen here.  \throws ShapeError for other variables.
  void merge(const StreamingCovariance& other);

  std::int64_t variables() const { return variables_; }
  std::int64_t count() const { return count_; }  ///< Observations so far.
  Array mean() const;                            ///< [variables]; NaN of none.
  Array scatter() const;                         ///< sum (x - mean) (x - mean)^T.
  /// scatter / (count - ddof): [variables, variables]; NaN or infinity for count <= ddof.
  Array covariance(std::int64_t ddof = 1) const;
  /// Pearson's, within [-1, 1].
  Array corrcoef() const;

 private:
  void join(std::int64_t count, const Array& mean, const Array& scatter);

  std::int64_t variables_;
  std::int64_t count_ = 0;
  Array mean_;  ///< Zeros as long as there is no observation.
  Array scatter_;
};

}  // namespace gaia
