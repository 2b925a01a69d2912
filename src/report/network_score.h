// SPDX-License-Identifier: MIT
/// \file
/// The score of a network compared with what one gets without it.
#pragma once

#include <string>

#include "readouts.h"

namespace gaia::report {

/// What the test part of a network's series says of it, compared with persistence, the mean and
/// ridge regression on its windows; `without_ridge` is set to the reason where the data for that
/// are not at hand or there are too many.
ReadoutFacts read_network_score(const Result& result, std::string& without_ridge);

}  // namespace gaia::report
