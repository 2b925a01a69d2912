// SPDX-License-Identifier: MIT
/// \file
/// Whitening: the linear map after which features have variance 1 and no correlations.
///
///     Covariance covariance(pixels);
///     covariance.add(images);
///     const Whitening zca = zca_whitening(covariance, 0.01);
///     const std::vector<double> white = zca.transform(images);  // [images, pixels]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "covariance.h"

namespace gaia {

/// With U the eigenvectors of the covariance, v their variances and m the mean variance of the
/// features,
///     pca: W = D U^T,   zca: W = U D U^T,   D = diag(1 / sqrt(v + epsilon m))
/// (Bell & Sejnowski, 1997, Vision Res. 37, 3327-3338).  An epsilon above 0 keeps directions of
/// little variance, which are noise in images, from being blown up; it is relative, so that images
/// of 0 to 255 and of 0 to 1 need the same.  A little (the rounding of the covariance) is always
/// there.
struct Whitening {
  std::vector<double> mean;    ///< [features]
  std::vector<double> matrix;  ///< W, [outputs, features]; symmetric for zca.

  std::int64_t features() const { return static_cast<std::int64_t>(mean.size()); }
  std::int64_t outputs() const {
    return mean.empty() ? 0 : static_cast<std::int64_t>(matrix.size() / mean.size());
  }

  /// W (x - mean) for rows [rows, features], as [rows, outputs].
  /// \throws ShapeError if the last row is not whole.
  std::vector<double> transform(std::span<const double> rows) const;
};

/// The whitening that changes data least: its outputs are pixels as its inputs are.
/// \throws ArgumentError unless epsilon is finite and not negative and there is a row.
Whitening zca_whitening(const Covariance& covariance, double epsilon);

}  // namespace gaia
