// SPDX-License-Identifier: MIT
#include "first_divergence.h"

#include <optional>
#include <utility>

#include "step_signals.h"

namespace gaia {
namespace {

/// Reads the steps [first, first + count); gives the error if they diverge.
std::optional<DivergedError> read_steps(HierarchyManager& hierarchy, const Array& x,
                                        std::int64_t first, std::int64_t count,
                                        const ProcessOptions& options) {
  ProcessOptions of_these = options;
  of_these.check_finite = true;
  of_these.undo_failures = false;
  of_these.signals =
      signals_of_steps(signals_by_stream(options.signals, x.shape(0), x.shape(1)), first, count);
  try {
    hierarchy.process_block(x.slice(1, first, first + count), of_these);
  } catch (const DivergedError& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace

DivergedError first_divergence(HierarchyManager before, const Array& x,
                               const ProcessOptions& options, const DivergedError& found) {
  std::int64_t first = 0;         // all is finite before it
  std::int64_t end = x.shape(1);  // and something is not after it
  while (end - first > 1) {
    const std::int64_t half = (end - first) / 2;
    HierarchyManager twin = before.clone();
    if (read_steps(twin, x, first, half, options)) {
      end = first + half;
    } else {
      first += half;
      before = std::move(twin);
    }
  }
  if (end <= first) return found;
  return read_steps(before, x, first, 1, options).value_or(found);
}

}  // namespace gaia
