// SPDX-License-Identifier: MIT
#include "instruction_set.h"

#include <cstdlib>

#include "../src/core/error.h"

namespace gaia::cpu {
namespace {

#if defined(__x86_64__)

bool has(InstructionSet set) {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  switch (set) {
    case InstructionSet::v4:
      return v4;
    case InstructionSet::v3:
      return v3;
    case InstructionSet::v2:
      return v2;
    case InstructionSet::plain:
      break;
  }
  return false;
}

InstructionSet choose_set() {
  constexpr InstructionSet sets[] = {InstructionSet::v4, InstructionSet::v3, InstructionSet::v2};
  const char* const wanted = std::getenv("GAIA_INSTRUCTION_SET");
  for (const InstructionSet set : sets) {
    if (wanted == nullptr || *wanted == '\0') {
      if (has(set)) return set;
    } else if (to_string(set) == wanted) {
      if (has(set)) return set;
      throw ArgumentError("[device] GAIA_INSTRUCTION_SET is '" + std::string(wanted) +
                          "', which this processor does not have; leave it unset");
    }
  }
  if (wanted != nullptr && *wanted != '\0') {
    throw ArgumentError("[device] GAIA_INSTRUCTION_SET is '" + std::string(wanted) +
                        "'; known: x86-64-v2, x86-64-v3, x86-64-v4");
  }
  throw DeviceError("[device] this processor lacks SSE4.2 (x86-64-v2), which gaia needs");
}

#else

InstructionSet choose_set() { return InstructionSet::plain; }

#endif

}  // namespace

std::string to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::v2:
      return "x86-64-v2";
    case InstructionSet::v3:
      return "x86-64-v3";
    case InstructionSet::v4:
      return "x86-64-v4";
    case InstructionSet::plain:
      break;
  }
  return "plain";
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = choose_set();
  return chosen;
}

}  // namespace gaia::cpu
