// SPDX-License-Identifier: MIT
/// \file
/// What kernels of attention are given of its inputs.
#pragma once

#include <algorithm>
#include <limits>

#include "../src/array/backend_fused.h"
#include "../src/formulas/cast.h"
#include "attention_tiles.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// The scale in units of log 2, since exponentials are computed by powers of 2.  The largest number
/// stands for what would be infinite, and would make NaN of a score that lies 0 below the largest.
template <class T>
T scale_of_powers(double scale) {
  constexpr double log2_e = 1.44269504088896340736;
  return static_cast<T>(std::min(scale * log2_e, double{std::numeric_limits<T>::max()}));
}

template <class T>
AttentionArguments<T> attention_arguments(const AttentionInputs& inputs) {
  const int row = inputs.q.rank() - 2;
  const auto leading = [row](const Dims& dims) {
    return Dims(std::span(dims.begin(), static_cast<std::size_t>(row)));
  };
  // What strides say of a single row may be off every border, and the kernels copy by it.
  const auto step = [row](const View& x) { return x.shape[row] > 1 ? x.strides[row] : 0; };
  return {.scale = cast<T>(inputs.scale),
          .causal = inputs.causal,
          .queries = inputs.q.shape[row],
          .keys = inputs.k.shape[row],
          .size = inputs.q.shape[row + 1],
          .width = inputs.v.shape[row + 1],
          .batch = make_walk<4>(
              leading(inputs.q.shape),
              {leading(inputs.q.strides), leading(inputs.k.strides), leading(inputs.v.strides),
               inputs.key_lengths ? inputs.key_lengths->strides : Strides::filled(row, 0)}),
          .q_step = step(inputs.q),
          .k_step = step(inputs.k),
          .v_step = step(inputs.v),
          .q = inputs.q.as<T>(),
          .k = inputs.k.as<T>(),
          .v = inputs.v.as<T>(),
          .key_lengths = inputs.key_lengths ? inputs.key_lengths->as<std::int64_t>() : nullptr};
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
