// SPDX-License-Identifier: MIT
#include "instruction_set.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <iterator>
#include <string>

#include "../src/core/error.h"
#include "half_vectors.h"

namespace gaia::cpu {
namespace {

#if defined(__x86_64__)

/// What x86-64-v3 has beside, which older compilers have no names for.  A machine within a machine
/// may lack them: lzcnt then counts something else, and says nothing.
bool has_rest_of_v3() {
  constexpr unsigned movbe = 1U << 22;
  constexpr unsigned f16c = 1U << 29;
  constexpr unsigned lzcnt = 1U << 5;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & movbe) == 0 || (c & f16c) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & lzcnt) != 0;
}

bool has(InstructionSet set) {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  has_rest_of_v3();
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

#if defined(GAIA_ONLY_SET)
constexpr InstructionSet kBuilt[] = {InstructionSet::GAIA_ONLY_SET};
#else
constexpr InstructionSet kBuilt[] = {InstructionSet::v4, InstructionSet::v3, InstructionSet::v2};
#endif

std::string built_sets() {
  std::string names;
  for (auto set = std::rbegin(kBuilt); set != std::rend(kBuilt); ++set) {
    names += (names.empty() ? "" : ", ") + to_string(*set);
  }
  return names;
}

InstructionSet choose_set() {
  const char* const wanted = std::getenv("GAIA_INSTRUCTION_SET");
  for (const InstructionSet set : kBuilt) {
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
                        "'; known: " + built_sets());
  }
  if (std::size(kBuilt) == 1 && has(InstructionSet::v2)) {
    throw DeviceError("[device] this build has kernels for " + built_sets() +
                      " alone, which this processor does not have; build gaia on this machine, or "
                      "for all (-DGAIA_ONLY_SET=)");
  }
  throw DeviceError("[device] this processor lacks SSE4.2 (x86-64-v2), which gaia needs");
}

#else

InstructionSet choose_set() {
  const char* const wanted = std::getenv("GAIA_INSTRUCTION_SET");
  if (wanted == nullptr || *wanted == '\0' || to_string(InstructionSet::plain) == wanted) {
    return InstructionSet::plain;
  }
  throw ArgumentError("[device] GAIA_INSTRUCTION_SET is '" + std::string(wanted) +
                      "'; known: " + to_string(InstructionSet::plain));
}

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
#if defined(__aarch64__)
  return "arm64-neon";
#else
  return "plain";
#endif
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = choose_set();
  return chosen;
}

#if defined(__x86_64__)
InstructionSet half_vector_set() {
  static const InstructionSet chosen = [] {
    __builtin_cpu_init();
    const bool zen4 = __builtin_cpu_is("amdfam19h") != 0;  // no other of AMD's then has AVX-512
    return zen4 && instruction_set() == InstructionSet::v4 ? InstructionSet::v3 : instruction_set();
  }();
  return chosen;
}
#endif

}  // namespace gaia::cpu
