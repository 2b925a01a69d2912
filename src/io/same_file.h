// SPDX-License-Identifier: MIT
/// \file
/// Whether what is written would replace what is read.
#pragma once

#include <string>

namespace gaia {

/// Whether two paths lead to one file, once folders are created that do not exist yet.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace gaia
