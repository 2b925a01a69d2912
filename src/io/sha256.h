// SPDX-License-Identifier: MIT
/// \file
/// The hash by which results name the data they were made from.
#pragma once

#include <string>

namespace gaia {

/// SHA-256 of a file's content, in lower-case hexadecimal.  \throws DataError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace gaia
