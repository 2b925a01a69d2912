// SPDX-License-Identifier: MIT
/// \file
/// The wires between data and layer, where they were swapped (data.drift).
#pragma once

#include <cstdint>
#include <vector>

#include "decimate.h"
#include "result.h"

namespace gaia::report {

/// Channel whose wire leads to each of `inputs` inputs of level 0 at the end of what is in the
/// file; empty where none was to be swapped, or the file does not say it as it should.
std::vector<std::int64_t> wires_at_end(const Result& result, std::int64_t inputs);

/// Weights [neurons, inputs] in the places of the channels that lead to them.
Matrix with_wires_put_back(const Matrix& weights, const std::vector<std::int64_t>& wires);

}  // namespace gaia::report
