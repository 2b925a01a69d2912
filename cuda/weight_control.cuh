// SPDX-License-Identifier: MIT
/// \file
/// Homeostasis and normalisation of a neuron's weights in memory.
#pragma once

#include "../src/formulas/rules_control.h"
#include "rows.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Homeostasis, then normalisation, of the weights w [n], by one warp, each lane for those that it
/// has written itself.
template <class T>
__device__ void control_weights(const ControlFactors<T>& control, int lane, T mean_answer, T* w,
                                std::int64_t n) {
  T factor = control.homeostatic ? control.homeostatic_factor(mean_answer) : T(1);
  if (control.normalizes())
    factor *= control.normalizing(factor * factor * warp_dot(lane, w, w, n));
  if (factor == T(1)) return;
  for (std::int64_t j = lane; j < n; j += kWarp) w[j] *= factor;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
