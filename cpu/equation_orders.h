// SPDX-License-Identifier: MIT
/// \file
/// Steps of rules for which the neurons of a layer are put in order.
#pragma once

#include <cstdint>

#include "../src/formulas/equations/program.h"

namespace gaia::cpu {

/// rank, kwta and winner: to[i] from a[0 .. neurons) and b, which is the number of winners of kwta.
/// Of equal numbers the one of the lower index is ahead; NaN is behind all others.
template <class T>
void order_neurons(EquationOp op, T* to, const T* a, T b, std::int64_t neurons);

}  // namespace gaia::cpu
