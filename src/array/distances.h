// SPDX-License-Identifier: MIT
/// \file
/// Distances between all pairs of two sets of points.
#pragma once

#include "array.h"

namespace gaia {

/// torch.cdist: d[..., i, j] = (sum_k |a[..., i, k] - b[..., j, k]|^p)^(1/p) of points in rows, a
/// [..., P, M] and b [..., R, M], whose leading axes broadcast: [..., P, R].  p = 0 counts the
/// coordinates that differ, p = infinity takes the largest difference (scipy.spatial.distance:
/// p = 2 euclidean, 1 cityblock, infinity chebyshev).  Computed in float64, returned in the
/// floating dtype of both; of points that lie close together digits are not lost. \throws
/// ShapeError for shapes that do not fit, ArgumentError unless p is at least 0.
Array cdist(const Array& a, const Array& b, double p = 2.0);

}  // namespace gaia
