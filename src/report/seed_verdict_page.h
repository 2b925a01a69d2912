// SPDX-License-Identifier: MIT
/// \file
/// The page of what `gaia verdict` has written: one experiment with its controls over several
/// seeds.
#pragma once

#include <string>

#include "result.h"

namespace gaia::report {

/// Page with each readout's verdict, a table and the scores of all seeds, drawn.
std::string seed_verdict_page(const Result& result);

}  // namespace gaia::report
