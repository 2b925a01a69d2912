// SPDX-License-Identifier: MIT
/// \file
/// Numbers of elements taken apart into positions.
#pragma once

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

struct Quotient {
  std::int64_t quotient;
  std::int64_t rest;
};

/// Quotient and rest of numbers that are not negative.  32-bit division is several times as fast as
/// 64-bit.
__device__ inline Quotient divide(std::int64_t number, std::int64_t by) {
  if (((number | by) >> 32) == 0) {
    const auto low = static_cast<std::uint32_t>(number);
    const auto divisor = static_cast<std::uint32_t>(by);
    const std::uint32_t quotient = low / divisor;
    return {quotient, low - quotient * divisor};
  }
  const std::int64_t quotient = number / by;
  return {quotient, number - quotient * by};
}
__device__ inline std::int64_t quotient(std::int64_t number, std::int64_t by) {
  return divide(number, by).quotient;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
