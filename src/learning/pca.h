// SPDX-License-Identifier: MIT
/// \file
/// Principal components of data that come in blocks.
///
///     Covariance covariance(features);
///     covariance.add(rows);
///     const PrincipalComponents pca = principal_components(covariance, 8);
///     const std::vector<double> codes = pca.transform(rows);  // [rows, 8]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "covariance.h"

namespace gaia {

/// The directions in which data vary most (Pearson, 1901, Phil. Mag. 2, 559-572; Hotelling, 1933,
/// J. Educ. Psychol. 24, 417-441).
struct PrincipalComponents {
  std::vector<double> mean;        ///< [features]
  std::vector<double> components;  ///< [count, features]: orthonormal, by falling variance.
  std::vector<double> variances;   ///< [count]: of the data along each component, over rows - 1.
  double total_variance = 0.0;     ///< Sum over all components, also those that were left out.

  std::int64_t features() const { return static_cast<std::int64_t>(mean.size()); }
  std::int64_t count() const { return static_cast<std::int64_t>(variances.size()); }

  /// components . (x - mean) for rows [rows, features], as [rows, count].
  /// \throws ShapeError if the last row is not whole.
  std::vector<double> transform(std::span<const double> rows) const;
};

/// The first `count` eigenvectors of the covariance.  Of each the sign is that with which its
/// largest entry is positive: the first of them, where several are equally large but for rounding.
/// Where the data have fewer directions than that, the variances of the rest are 0 and their
/// components some directions at right angles to the others. \throws ArgumentError unless `count`
/// is between 1 and the number of features and there is a row.
PrincipalComponents principal_components(const Covariance& covariance, std::int64_t count);

/// What both of the above and whitening do to rows: matrix . (x - mean) for rows [rows, features]
/// and a matrix [outputs, features], as [rows, outputs].  `name` stands in the error. \throws
/// ShapeError if the last row is not whole.
std::vector<double> project(const char* name, std::span<const double> rows,
                            std::span<const double> mean, std::span<const double> matrix);

/// The eigenvalues of a symmetric matrix [n, n] of finite numbers, rising.
/// \throws ShapeError unless there are n n numbers.
std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, std::int64_t n);

}  // namespace gaia
