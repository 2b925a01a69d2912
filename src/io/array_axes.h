// SPDX-License-Identifier: MIT
/// \file
/// What the axes of an array in a file are.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace gaia {

struct ArrayAxes {
  bool transpose = false;  ///< Whether rows are channels, in an array of two axes.
  /// Numbers of the trial's, the time's and the channel's axis, in an array of three axes.
  std::optional<std::array<std::size_t, 3>> trials = {};
};

/// What only arrays have, asked of a table that is none.  \throws DataKeyError.
void refuse_axes(const std::string& path, const ArrayAxes& axes);

}  // namespace gaia
