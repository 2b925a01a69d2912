// SPDX-License-Identifier: MIT
/// \file
/// Random numbers by vectors: bit for bit those that random_formulas.h makes of a stream's words.
#pragma once

#include <cstdint>

#include "../../src/core/random.h"
#include "../../src/core/random_formulas.h"
#include "../instruction_set.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// What `draw`, a NormalDraw or a UniformDraw, makes of so many blocks of a stream, from number
    /// `first` of them on: kPerBlock numbers each.
    template <class Draw> void draw_blocks(const RandomStream& stream, const Draw& draw,
                                           std::uint64_t first, std::int64_t blocks,
                                           typename Draw::Number* out);)

}  // namespace gaia::cpu
