// SPDX-License-Identifier: MIT
/// \file
/// What rules read beside a series, cut as its steps are.
#pragma once

#include <cstdint>

#include "../learning/equation_signals.h"

namespace gaia {

/// [streams, steps] of every signal: what is given as [steps] is the same for all streams.
/// \throws ShapeError for a signal of another shape.
TickSignals signals_by_stream(const TickSignals& signals, std::int64_t streams, std::int64_t steps);

/// Signals of every `spacing`-th of the steps [first, first + count).
TickSignals signals_of_steps(const TickSignals& signals, std::int64_t first, std::int64_t count,
                             std::int64_t spacing = 1);

}  // namespace gaia
