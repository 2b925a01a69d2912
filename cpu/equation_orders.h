// SPDX-License-Identifier: MIT
/// \file
/// Steps of rules for which the neurons of a layer are put in order.
#pragma once

#include <cstdint>
#include <vector>

#include "../src/formulas/equations/program.h"
#include "vector/equations.h"

namespace gaia::cpu {

/// rank, kwta and winner: to[i] from a[0 .. neurons) and, of kwta, from the number of winners:
/// b[0], or of a b_stride of 1 b[i] for neuron i.  `to` is not a.  Of equal numbers the one of the
/// lower index is ahead; NaN is behind all others.  A comparison is one of rank(a) with b[0].
template <class T>
void order_neurons(EquationOp op, T* to, const T* a, const T* b, std::int64_t b_stride,
                   std::int64_t neurons);

/// Ranks that are only compared with numbers of the layer, `rank(z) == 0`, need not be known: such
/// comparisons become selections of their own.  `ends` are the places that are read after the
/// steps; below `first_neuron` are those of constants and the layer.
void select_by_rank(std::vector<EquationCode>& codes, const std::vector<std::uint16_t>& ends,
                    std::size_t first_neuron);

}  // namespace gaia::cpu
