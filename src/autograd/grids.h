// SPDX-License-Identifier: MIT
/// \file
/// Coordinates of the points of a grid, as of arrays (`array/grids.h`).
#pragma once

#include <vector>

#include "../array/grids.h"
#include "tensor.h"

namespace gaia {

/// numpy.meshgrid: each coordinate gets the sum of the gradients of its points.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& coordinates,
                             const MeshgridOptions& options = {});

}  // namespace gaia
