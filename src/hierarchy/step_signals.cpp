// SPDX-License-Identifier: MIT
#include "step_signals.h"

#include <vector>

#include "../array/joining.h"
#include "../core/message.h"

namespace gaia {

TickSignals signals_by_stream(const TickSignals& signals, std::int64_t streams,
                              std::int64_t steps) {
  const GPUContext host(Device::cpu());  // signals are there, whatever computes
  TickSignals all;
  for (const auto& [name, values] : signals) {
    const Array numbers = values.astype(DType::float64);
    const Array rows = numbers.rank() == 1 ? numbers.expand_dims(0) : numbers;
    if (rows.rank() != 2 || (rows.shape(0) != 1 && rows.shape(0) != streams) ||
        rows.shape(1) != steps) {
      fail<ShapeError>(
          "[process] the signal '{}' must be [steps] or [streams, steps], {} here, got {}", name,
          Shape{streams, steps}, values.shape());
    }
    all[name] = rows.shape(0) == streams
                    ? rows
                    : concatenate(std::vector<Array>(static_cast<std::size_t>(streams), rows), 0);
  }
  return all;
}

TickSignals signals_of_steps(const TickSignals& signals, std::int64_t first, std::int64_t count,
                             std::int64_t spacing) {
  TickSignals part;
  for (const auto& [name, values] : signals) {
    part[name] = values.slice(1, first, first + count, spacing);
  }
  return part;
}

}  // namespace gaia
