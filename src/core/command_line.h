// SPDX-License-Identifier: MIT
/// \file
/// Command lines that a person is told to type.
#pragma once

#include <string>

namespace gaia {

/// An argument of a command line as one would type it: in quotes where a shell would change it.
std::string as_typed(const std::string& argument);

}  // namespace gaia
