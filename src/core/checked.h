// SPDX-License-Identifier: MIT
/// \file
/// Integer arithmetic that refuses to wrap around.
#pragma once

#include <cstdint>
#include <optional>

namespace gaia {

/// a * b, or nothing where the product does not fit into 64 bits.
inline std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// a + b, or nothing where the sum does not fit into 64 bits.
inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace gaia
