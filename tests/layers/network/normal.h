// SPDX-License-Identifier: MIT
/// \file
/// Inputs of the networks' tests.
#pragma once

#include <cstdint>

#include "../../../src/array/random_arrays.h"

namespace gaia::test {

/// Normal numbers, others for each stream.
inline Array normal(const Shape& shape, std::uint64_t stream, double deviation = 1.0,
                    DType dtype = DType::float64) {
  return random_normal(shape, 0.0, deviation, dtype, {51, stream});
}

}  // namespace gaia::test
