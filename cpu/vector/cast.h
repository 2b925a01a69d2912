// SPDX-License-Identifier: MIT
/// \file
/// Numbers in another type.
#pragma once

#include <cstdint>

#include "../instruction_set.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// y = cast<To>(x), n neighbours.  Any two types but bfloat16.
    template <class To, class From> void cast_row(const From* x, To* y, std::int64_t n);)

}  // namespace gaia::cpu
