// SPDX-License-Identifier: MIT
/// \file
/// Which gaia this is.
#pragma once

#include <string>

namespace gaia {

/// Version of the library, such as "0.2.0".
std::string version();

/// Short id of the commit that was built, with "-dirty" where files differed; "unknown" outside
/// git.
std::string git_commit();

/// Compiler and build type, e.g. "GCC 12.2.0, release".
std::string build_description();

}  // namespace gaia
