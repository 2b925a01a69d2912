// SPDX-License-Identifier: MIT
/// \file
/// Counts of what backends are called for, by families of kernels; `kernels.h` has what users see
/// of them.
#pragma once

#include <array>
#include <cstdint>

#include "backend.h"

namespace gaia {

/// Kernels of which every backend has its own; fused ones (FusedKernel) are counted one by one.
enum class KernelFamily : std::uint8_t {
  elementwise,
  reduction,
  scan,
  sorting,
  indexing,
  random,
  softmax,
  matmul,
  ternary_product,
  convolution,
  pooling,
  optimiser,
  plastic,
  equations,
  recurrent,
  temporal_pooling,
};
inline constexpr std::array<const char*, 16> kKernelFamilies = {
    "elementwise", "reduction",       "scan",        "sorting", "indexing",  "random",  "softmax",
    "matmul",      "ternary_product", "convolution", "pooling", "optimiser", "plastic", "equations",
    "recurrent",   "temporal_pooling"};

/// Counts a call of a kernel of `family`.  Each thread counts for itself, which costs a nanosecond.
void count_call(KernelFamily family);

/// The backend of the current device, for a call of a kernel of `family`, which is counted.
inline Backend& backend_for(KernelFamily family) {
  count_call(family);
  return backend(current_device());
}

}  // namespace gaia
