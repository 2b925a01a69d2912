// SPDX-License-Identifier: MIT
/// \file
/// The parts of a program beside its steps, by numbers alone.
#pragma once

#include <cstdint>

#include "../src/formulas/equations/operations.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// factor * vector, with places by number; `kOnes` stands for a vector of ones.
struct EquationTermCode {
  static constexpr std::uint16_t kOnes = 0xffff;
  std::uint16_t vector, factor;
};

struct EquationBackCode {
  std::uint16_t factors;
  std::uint16_t upto;  ///< Whether of a neuron only those up to itself count.
};

/// A random number of neurons that the tick reads.
struct EquationDrawCode {
  std::uint16_t call;  ///< Number of the call in the text.
  std::uint16_t place;
  EquationDraw draw;
};

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
