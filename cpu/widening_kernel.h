// SPDX-License-Identifier: MIT
/// \file
/// The choice of kernels whose time goes into making float64 of float32.
#pragma once

#include "instruction_set.h"

#if defined(__x86_64__)
/// As GAIA_VECTOR_KERNEL, but with 32-byte vectors in place of 64-byte ones where those are slow to
/// widen.
#define GAIA_WIDENING_KERNEL(...)                               \
  (::gaia::cpu::chosen_widening_kernel(&::gaia::cpu::v2::__VA_ARGS__, \
                                       &::gaia::cpu::v3::__VA_ARGS__, \
                                       &::gaia::cpu::v4::__VA_ARGS__))
#else
#define GAIA_WIDENING_KERNEL(...) GAIA_VECTOR_KERNEL(__VA_ARGS__)
#endif

namespace gaia::cpu {

#if defined(__x86_64__)
/// Whether this is a Zen 4: it has AVX-512, but widens half as many numbers at a time to a 64-byte
/// vector as to two of 32 bytes.
bool widens_in_halves();

template <class Function>
Function chosen_widening_kernel(Function v2, Function v3, Function v4) {
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::v4) return widens_in_halves() ? v3 : v4;
  return set == InstructionSet::v3 ? v3 : v2;
}
#endif

}  // namespace gaia::cpu
