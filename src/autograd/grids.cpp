// SPDX-License-Identifier: MIT
#include "grids.h"

#include "../array/grids_steps.h"
#include "function.h"

namespace gaia {

std::vector<Tensor> meshgrid(std::span<const Tensor> coordinates, const MeshgridOptions& options) {
  const detail::GridShapes shapes = detail::grid_shapes(coordinates, options.indexing);
  std::vector<Array> values;
  for (const Tensor& x : coordinates) values.push_back(x.value());
  const std::vector<Array> grid = meshgrid(values, options);
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Tensor& x = coordinates[i];
    result.push_back(record("meshgrid", {x}, grid[i],
                            [alone = shapes.alone[i], shape = x.shape()](GradientFlow& flow) {
                              flow.give(0, sum_to_shape(flow.gradient(), alone).reshape(shape));
                            }));
  }
  return result;
}

}  // namespace gaia
