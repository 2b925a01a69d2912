// SPDX-License-Identifier: MIT
/// \file
/// Coordinates of the points of a grid, as of arrays (`array/grids.h`).
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <vector>

#include "../array/grids.h"
#include "tensor.h"

namespace gaia {

/// numpy.meshgrid: each coordinate gets the sum of the gradients of its points.
std::vector<Tensor> meshgrid(std::span<const Tensor> coordinates,
                             const MeshgridOptions& options = {});
// A template, so that {a, b} written out means tensors or arrays as its elements do.
template <std::same_as<Tensor> T>
std::vector<Tensor> meshgrid(std::initializer_list<T> coordinates,
                             const MeshgridOptions& options = {}) {
  return meshgrid(std::span<const Tensor>(coordinates.begin(), coordinates.size()), options);
}

}  // namespace gaia
