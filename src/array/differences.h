// SPDX-License-Identifier: MIT
/// \file
/// Differences between neighbours.
#pragma once

#include <cstdint>
#include <optional>

#include "array.h"

namespace gaia {

/// y[i] = x[i + 1] - x[i] along `axis`, n times: the axis is n shorter, and empty at least.  Of
/// bool, whether neighbours differ.  `prepend` and `append`, which have the shape of x beside the
/// axis or are one number, stand before and behind x first; dtypes promote.  n = 0: x itself.
/// \throws ShapeError for a 0-d array, ArgumentError for a negative n.
Array diff(const Array& x, std::int64_t n = 1, std::int64_t axis = -1,
           const std::optional<Array>& prepend = {}, const std::optional<Array>& append = {});

}  // namespace gaia
