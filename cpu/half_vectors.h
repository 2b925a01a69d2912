// SPDX-License-Identifier: MIT
/// \file
/// The choice of kernels that are faster with vectors of 32 bytes where those of 64 take two steps.
#pragma once

#include "instruction_set.h"

#if defined(__x86_64__) && !defined(GAIA_ONLY_SET)
/// The same as GAIA_VECTOR_KERNEL, but with 32-byte vectors in place of 64-byte ones on a processor
/// that prefers these: for kernels that widen to float64, and for those that load and store and do
/// little else.
#define GAIA_HALF_VECTOR_KERNEL(...)                                                        \
  (::gaia::cpu::chosen_kernel(&::gaia::cpu::v2::__VA_ARGS__, &::gaia::cpu::v3::__VA_ARGS__, \
                              &::gaia::cpu::v4::__VA_ARGS__, ::gaia::cpu::half_vector_set()))
#else
#define GAIA_HALF_VECTOR_KERNEL(...) GAIA_VECTOR_KERNEL(__VA_ARGS__)
#endif

namespace gaia::cpu {

#if defined(__x86_64__)
/// instruction_set(), or v3 in place of v4 on Zen 4.  That does half a vector of AVX-512 at a time,
/// widens to a whole one slower than to two halves, and moves less between its caches by whole
/// ones.
InstructionSet half_vector_set();
#endif

}  // namespace gaia::cpu
