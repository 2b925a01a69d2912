// SPDX-License-Identifier: MIT
/// \file
/// Which vector instructions the kernels of cpu/vector/ use.
///
/// Those files are compiled once for each instruction set, each time in a namespace of its own, and
/// the one that this processor has is chosen when the program starts.  Nothing else is compiled for
/// more than the oldest processor, so a program built on one machine runs on another.  A build with
/// CMake's GAIA_ONLY_SET has the kernels of one set alone.
#pragma once

#include <string>

// Declares kernels in the namespace of each instruction set.
#if defined(GAIA_ONLY_SET)
#define GAIA_FOR_EACH_INSTRUCTION_SET(...) \
  namespace GAIA_ONLY_SET {                \
  __VA_ARGS__                              \
  }
#define GAIA_VECTOR_KERNEL(...) (&::gaia::cpu::GAIA_ONLY_SET::__VA_ARGS__)
#elif defined(__x86_64__)
#define GAIA_FOR_EACH_INSTRUCTION_SET(...) \
  namespace v2 {                           \
  __VA_ARGS__                              \
  }                                        \
  namespace v3 {                           \
  __VA_ARGS__                              \
  }                                        \
  namespace v4 {                           \
  __VA_ARGS__                              \
  }
// The function of that name in the instruction set in use.
#define GAIA_VECTOR_KERNEL(...)                                                             \
  (::gaia::cpu::chosen_kernel(&::gaia::cpu::v2::__VA_ARGS__, &::gaia::cpu::v3::__VA_ARGS__, \
                              &::gaia::cpu::v4::__VA_ARGS__))
#else
#define GAIA_FOR_EACH_INSTRUCTION_SET(...) \
  namespace plain {                        \
  __VA_ARGS__                              \
  }
#define GAIA_VECTOR_KERNEL(...) (&::gaia::cpu::plain::__VA_ARGS__)
#endif

namespace gaia::cpu {

/// The levels of x86-64 (its psABI, 2020): v2 has 16-byte vectors, v3 32 and fused
/// multiply-additions, v4 64 (AVX-512).  `plain` is what every other processor has: 16-byte
/// vectors, which on arm64 are those of NEON.
enum class InstructionSet { plain, v2, v3, v4 };

std::string to_string(InstructionSet set);

/// The best that this processor has, or what the environment variable GAIA_INSTRUCTION_SET names
/// (x86-64-v2, x86-64-v3, x86-64-v4; arm64-neon).
/// \throws ArgumentError if that is unknown or more than this processor has.
/// \throws DeviceError if this processor has none that this build has kernels for.
InstructionSet instruction_set();

#if defined(__x86_64__) && !defined(GAIA_ONLY_SET)
template <class Function>
Function chosen_kernel(Function v2, Function v3, Function v4,
                       InstructionSet set = instruction_set()) {
  switch (set) {
    case InstructionSet::v4:
      return v4;
    case InstructionSet::v3:
      return v3;
    default:
      return v2;
  }
}
#endif

}  // namespace gaia::cpu
