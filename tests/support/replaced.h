// SPDX-License-Identifier: MIT
/// \file
/// A text with a part of it replaced.
#pragma once

#include <string>

#include "catch.h"

namespace gaia::test {

/// `text` with the first `from`, which has to be there, replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace gaia::test
