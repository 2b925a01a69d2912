// SPDX-License-Identifier: MIT
/// \file
/// Distances between all pairs of two sets of points, as of arrays (`array/distances.h`).
#pragma once

#include "../array/distances.h"
#include "tensor.h"

namespace gaia {

/// torch.cdist.  Points that are one have gradient 0; for p = infinity every coordinate that
/// differs most gets the whole gradient, for p = 0 none gets any.
Tensor cdist(const Tensor& a, const Tensor& b, double p = 2.0);

}  // namespace gaia
