// SPDX-License-Identifier: MIT
/// \file
/// Coordinates of the points of a grid.
#pragma once

#include <cstdint>
#include <vector>

#include "array.h"

namespace gaia {

/// Which of the first two coordinates runs along which axis.
enum class GridIndexing : std::uint8_t {
  xy,  ///< The first along axis 1, the second along axis 0, as points of a plane are drawn.
  ij,  ///< Coordinate i along axis i.
};

/// How `meshgrid` lays out its arrays.
struct MeshgridOptions {
  GridIndexing indexing = GridIndexing::xy;
  bool sparse = false;  ///< Whether each array has length 1 along the other axes, and broadcasts.
  bool copy = true;     ///< Else views, which show the elements of `coordinates` in many places.
};

/// numpy.meshgrid: of each of the lists of coordinates, 1-d arrays or numbers, an array of the
/// shape of the whole grid, whose elements change along one axis alone.
/// \throws ShapeError for an array of more dimensions, or for more than eight.
std::vector<Array> meshgrid(const std::vector<Array>& coordinates,
                            const MeshgridOptions& options = {});

}  // namespace gaia
