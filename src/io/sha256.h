// SPDX-License-Identifier: MIT
/// \file
/// The hash by which results name the data they were made from, and checkpoints their content.
#pragma once

#include <span>
#include <string>

namespace gaia {

/// SHA-256 in lower-case hexadecimal.
std::string sha256_of(std::span<const char> bytes);

/// SHA-256 of a file's content, in lower-case hexadecimal.  \throws DataError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace gaia
