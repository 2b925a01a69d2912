// SPDX-License-Identifier: MIT
/// \file
/// Changes that readouts have reported, as the file has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "result.h"

namespace gaia::report {

/// Changes that one readout has reported.
struct ChangeFacts {
  std::string name;
  std::string watched;  ///< "errors of forecast", "levels", "channels"
  std::string method;   ///< "adwin"
  /// Steps at which a change was reported, in their order; of several series each once for each.
  std::vector<double> steps;
  std::int64_t count = 0;  ///< Number of changes, also where the file has too many to be read.
};

/// Whether a group of readouts/ is of one that tells of changes.
bool tells_changes(const Result& result, const std::string& path);

/// Everything that the file says of them.
std::vector<ChangeFacts> read_changes(const Result& result);

}  // namespace gaia::report
