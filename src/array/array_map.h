// SPDX-License-Identifier: MIT
/// \file
/// Arrays by name: what networks and optimisers hand out as their state and files hold.
#pragma once

#include <map>
#include <string>

#include "array.h"

namespace gaia {

/// Names have parts, joined by '.': "0.weights", "encoder.2.bias".
using ArrayMap = std::map<std::string, Array>;

}  // namespace gaia
