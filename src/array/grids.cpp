// SPDX-License-Identifier: MIT
#include "grids.h"

#include "grids_steps.h"

namespace gaia {

std::vector<Array> meshgrid(const std::vector<Array>& coordinates, const MeshgridOptions& options) {
  const detail::GridShapes shapes = detail::grid_shapes(coordinates, options.indexing);
  std::vector<Array> grid;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    Array x = on_current_device(coordinates[i], "meshgrid").reshape(shapes.alone[i]);
    if (!options.sparse) x = x.broadcast_to(shapes.whole);
    grid.push_back(options.copy ? x.copy() : x);
  }
  return grid;
}

}  // namespace gaia
