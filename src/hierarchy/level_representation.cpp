// SPDX-License-Identifier: MIT
// What a level showed, tick by tick, as steps and as rows of every step.
#include <algorithm>
#include <vector>

#include "../array/create.h"
#include "../array/ops.h"
#include "../core/error.h"
#include "manager.h"

namespace gaia {

Array LevelRepresentation::tick_steps() const {
  const std::int64_t first = next_tick(first_step, temporal_resolution, phase);
  std::vector<std::int64_t> values(
      static_cast<std::size_t>(count_ticks(first_step, steps, temporal_resolution, phase)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = first + static_cast<std::int64_t>(i) * temporal_resolution;
  }
  return from_values(values, {static_cast<std::int64_t>(values.size())});
}

Array LevelRepresentation::expanded() const {
  const GPUContext here(ticks.device());
  // Streams, and replicas, one after another.
  const std::int64_t n = ticks.shape(-1);
  std::int64_t streams = 1;
  for (int axis = 0; axis < ticks.rank() - 2; ++axis) streams *= ticks.shape(axis);
  const Array rows = ticks.reshape({streams, ticks.shape(-2), n});
  Array result = Array::uninitialized({streams, steps, n}, rows.dtype());
  const std::int64_t lead =
      std::min(steps, next_tick(first_step, temporal_resolution, phase) - first_step);
  if (lead > 0) {
    if (before.size() == 0) {
      throw Error("[expanded] there is no representation before the first tick (held_until_first)");
    }
    result.slice(1, 0, lead).assign(before.reshape({streams, 1, n}));
  }
  // Whole periods in one strided copy, then the rest of the last.
  const std::int64_t whole = (steps - lead) / temporal_resolution;
  const std::int64_t end = lead + whole * temporal_resolution;
  if (whole > 0) {
    const Array target = result.slice(1, lead, end);
    for (std::int64_t stream = 0; stream < rows.shape(0); ++stream) {
      target[stream]
          .reshape({whole, temporal_resolution, n})
          .assign(rows[stream].slice(0, 0, whole).expand_dims(1));
    }
  }
  if (end < steps) result.slice(1, end, steps).assign(rows.slice(1, whole, whole + 1));
  Shape shape = ticks.shape();
  shape[shape.rank() - 2] = steps;
  return result.reshape(shape);
}

}  // namespace gaia
