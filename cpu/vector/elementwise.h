// SPDX-License-Identifier: MIT
/// \file
/// Functions of one or two numbers along runs of neighbours in memory.
#pragma once

#include <cstdint>

#include "../../src/formulas/elementwise.h"
#include "../instruction_set.h"
#include "stores.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// y = f(x).
    template <class T>
    void unary_run(const Unary& f, const T* x, T* y, std::int64_t n, Stores stores);
    /// dx = dy f'(x), where y = f(x).
    template <class T>
    void slope_run(const Unary& f, const T* x, const T* y, const T* dy, T* dx, std::int64_t n);
    /// y = f(a, b); an operand of stride 0 is one number for all.
    template <class T>
    void binary_run(const Binary& f, const T* a, std::int64_t a_stride, const T* b,
                    std::int64_t b_stride, T* y, std::int64_t n, Stores stores);)

}  // namespace gaia::cpu
