// SPDX-License-Identifier: MIT
/// \file
/// One of two numbers without a branch.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../core/host_device.h"

namespace gaia {

/// holds ? a : b, by their bits.  Where `holds` is as good as random (signs, masks) a branch costs
/// more than either result, and compilers make one even of a conditional expression.  Both a and b
/// are computed: not for what is expensive or may fail.
template <class T>
GAIA_HOST_DEVICE T choose(bool holds, T a, T b) {
  using Bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  static_assert(sizeof(T) == sizeof(Bits) && std::is_trivially_copyable_v<T>);
  Bits in_a;
  Bits in_b;
  std::memcpy(&in_a, &a, sizeof a);
  std::memcpy(&in_b, &b, sizeof b);
  const Bits all_or_none = static_cast<Bits>(Bits(0) - Bits(holds));
  const Bits chosen = static_cast<Bits>(in_b ^ ((in_a ^ in_b) & all_or_none));
  T result;
  std::memcpy(static_cast<void*>(&result), &chosen, sizeof result);  // bfloat16 has a constructor
  return result;
}

}  // namespace gaia
