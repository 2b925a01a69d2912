// SPDX-License-Identifier: MIT
/// \file
/// Functions of float32 that are one instruction of the chip, for loops in which each more counts.
/// Under a C++ compiler each has a twin.  For float64 the same names are ordinary functions.
#pragma once

#include <cmath>
#include <limits>

#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// 2^x to within 2 units of the last place; 0 where that is below the smallest normal number.
__device__ inline float exp2_flushed(float x) {
#ifdef __CUDACC__
  float y = 0;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  const float y = std::exp2(x);
  return y < std::numeric_limits<float>::min() ? 0.0f : y;
#endif
}
__device__ inline double exp2_flushed(double x) { return std::exp2(x); }

/// The larger, NaN if one is.
struct LargerOrNan {
  __device__ float operator()(float a, float b) const {
#ifdef __CUDACC__
    float y = 0;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
#else
    return a >= b || a != a ? a : b;
#endif
  }
  __device__ double operator()(double a, double b) const { return a >= b || a != a ? a : b; }
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
