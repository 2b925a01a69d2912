// SPDX-License-Identifier: MIT
/// \file
/// What a processor can do at most, as loops of nothing else: compiled once for each instruction
/// set (see cpu/instruction_set.h).
#pragma once

#include <cstdint>

#include "../cpu/instruction_set.h"

namespace gaia::cpu {

// multiply_adds: as many independent chains x <- x a + b as fill the registers, `rounds` times,
// from *sum on.  Returns the number of operations, two for each element of each step; the chains'
// sum goes to *sum, which keeps the work alive. copy: y = x.  triad: y = x + 3 z.  The streaming
// forms write past the caches.  Arrays are aligned to 64 bytes and n is a multiple of 8.
GAIA_FOR_EACH_INSTRUCTION_SET(double multiply_adds_float(std::int64_t rounds, double* sum);
                              double multiply_adds_double(std::int64_t rounds, double* sum);
                              void copy(double* y, const double* x, std::int64_t n);
                              void copy_streaming(double* y, const double* x, std::int64_t n);
                              void triad(double* y, const double* x, const double* z,
                                         std::int64_t n);
                              void triad_streaming(double* y, const double* x, const double* z,
                                                   std::int64_t n);)

}  // namespace gaia::cpu
