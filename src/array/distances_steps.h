// SPDX-License-Identifier: MIT
/// \file
/// Pairs of points as batches of matrices, and the gradient of their distances.
#pragma once

#include "array.h"

namespace gaia::detail {

/// Points in float64: a [B, P, M] and b [B, R, M].
struct PointSets {
  Array a;
  Array b;
  Shape batch;  ///< What B stands for.
};

/// \throws as cdist.
PointSets point_sets(const Array& a, const Array& b, double p);

/// The gradients by a and b, [..., P, M] and [..., R, M], of distances d with gradient dy, both
/// [..., P, R]: 0 where points are one, as in PyTorch.
struct DistanceGradients {
  Array a;
  Array b;
};
DistanceGradients distance_gradients(const Array& a, const Array& b, double p, const Array& d,
                                     const Array& dy);

}  // namespace gaia::detail
