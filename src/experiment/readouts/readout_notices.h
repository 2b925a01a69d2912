// SPDX-License-Identifier: MIT
/// \file
/// What a reader should know of a readout beside its score: what passes in silence otherwise.
#pragma once

#include <string>
#include <vector>

#include "control.h"
#include "readout.h"

namespace gaia {

/// What is known of a readout that has ended, in sentences without their ends: that all its weights
/// are 0, so that it says the same of every sample; classes that only its training or only its test
/// part has; controls without a score, and why they have none.
std::vector<std::string> notices_of(const Readout& readout, const ReadoutScore& score,
                                    const std::vector<ControlScore>& controls);

/// The same of what it has found and of the names of its classes.
std::vector<std::string> notices_of(const std::optional<ReadoutSolution>& solution,
                                    const std::vector<std::string>& classes,
                                    const ReadoutScore& score,
                                    const std::vector<ControlScore>& controls);

}  // namespace gaia
