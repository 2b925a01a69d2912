// SPDX-License-Identifier: MIT
/// \file
/// Short texts of times; not for users.
#pragma once

#include <string>

namespace gaia {

/// "3.21 us", "120 ms", "12.3 s", "4 min 10 s".
std::string time_text(double seconds);

}  // namespace gaia
