// SPDX-License-Identifier: MIT
/// \file
/// Steps of rules for which the neurons of a layer are put in order.
#pragma once

#include <cstdint>

#include "../src/formulas/equations/program.h"

namespace gaia::cpu {

/// rank, kwta and winner: to[i] from a[0 .. neurons) and, of kwta, from the number of winners:
/// b[0], or of a b_stride of 1 b[i] for neuron i.  `to` is not a.  Of equal numbers the one of the
/// lower index is ahead; NaN is behind all others.
template <class T>
void order_neurons(EquationOp op, T* to, const T* a, const T* b, std::int64_t b_stride,
                   std::int64_t neurons);

}  // namespace gaia::cpu
