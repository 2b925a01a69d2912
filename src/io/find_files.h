// SPDX-License-Identifier: MIT
/// \file
/// Files by a pattern of their names.
#pragma once

#include <string>
#include <vector>

namespace gaia {

/// Whether a path has *, ? or [ in it.
bool is_pattern(const std::string& path);

/// Regular files that a pattern of the shell (*, ? and [...]) fits, sorted by their names, byte by
/// byte; none where it fits nothing.  What stands in `folder`, which a relative pattern begins in,
/// is taken as it is.  \throws DataError where a folder cannot be read.
std::vector<std::string> find_files(const std::string& pattern, const std::string& folder);

}  // namespace gaia
