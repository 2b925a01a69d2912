// SPDX-License-Identifier: MIT
/// \file
/// Numbers that tests ask for by name.
#pragma once

#include <limits>

namespace gaia::test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace gaia::test
