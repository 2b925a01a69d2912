// SPDX-License-Identifier: MIT
/// \file
/// The sign test of paired numbers.
#pragma once

#include <cstdint>

namespace gaia {

/// The two-sided p-value of `ahead` pairs in which the first is larger and `behind` in which the
/// second is, pairs that are equal left out (Arbuthnott, 1710, Phil. Trans. 27, 186-190): how
/// probable it is that a fair coin falls on one side so often or more.  1 without pairs.
/// \throws ArgumentError for a negative number.
double sign_test(std::int64_t ahead, std::int64_t behind);

}  // namespace gaia
