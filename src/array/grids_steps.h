// SPDX-License-Identifier: MIT
/// \file
/// The shapes of a grid, for arrays and for tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "../core/message.h"
#include "grids.h"

namespace gaia::detail {

/// The shape of each array of a grid, alone and spread over the grid.
struct GridShapes {
  std::vector<Shape> alone;
  Shape whole;
};

/// \throws as meshgrid.
template <class Coordinates>
GridShapes grid_shapes(const Coordinates& coordinates, GridIndexing indexing) {
  const std::size_t count = coordinates.size();
  if (count > static_cast<std::size_t>(kMaxRank)) {
    fail<ShapeError>("[meshgrid] expected at most {} coordinates, got {}", kMaxRank, count);
  }
  const int rank = static_cast<int>(count);
  GridShapes shapes{{}, Shape::filled(rank, 1)};
  for (int i = 0; i < rank; ++i) {
    const auto& x = coordinates[static_cast<std::size_t>(i)];
    if (x.rank() > 1) {
      fail<ShapeError>("[meshgrid] expected coordinates of 1 dimension, got shape {}", x.shape());
    }
    const bool turned = indexing == GridIndexing::xy && rank > 1 && i < 2;
    const int axis = turned ? 1 - i : i;
    Shape shape = Shape::filled(rank, 1);
    shape[axis] = x.size();
    shapes.alone.push_back(shape);
    shapes.whole[axis] = x.size();
  }
  return shapes;
}

}  // namespace gaia::detail
