// SPDX-License-Identifier: MIT
/// \file
/// Numbers between those that are given, as of arrays (`array/interpolation.h`).
#pragma once

#include "../array/interpolation.h"
#include "tensor.h"

namespace gaia {

/// numpy.interp of points at `xp`, which are constants.  x gets the slope of the line that it lies
/// on, 0 beyond the points; of fp the two points of a line share its gradient.
Tensor interp(const Tensor& x, const Array& xp, const Tensor& fp,
              const InterpOptions& options = {});

/// torch.nn.functional.interpolate: elements get the sum of what was computed from them.
Tensor interpolate(const Tensor& x, const InterpolateOptions& options);

}  // namespace gaia
