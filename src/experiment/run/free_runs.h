// SPDX-License-Identifier: MIT
/// \file
/// Free runs of the readouts of a run, and what is reported of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../config/config.h"
#include "../readouts/control.h"

namespace gaia {

/// Steps of the series from which any readout goes on by itself, in order, each once.
std::vector<std::int64_t> free_run_starts(const std::vector<ReadoutConfig>& readouts);

/// The first of them behind `step`; `most` where there is none before it.
std::int64_t next_free_run(const std::vector<ReadoutConfig>& readouts, std::int64_t step,
                           std::int64_t most);

/// "free run: NRMSE 0.0005 at step 84, valid for 312 of 600 steps, over 50 starts (reservoir 0.01,
/// 120)"; empty where the readout never does.
std::string free_run_text(const ReadoutConfig& readout, const ReadoutScore& score,
                          const std::vector<ControlScore>& controls);

}  // namespace gaia
