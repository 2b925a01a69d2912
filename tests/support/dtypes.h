// SPDX-License-Identifier: MIT
/// \file
/// Short names of the dtypes, as NumPy's with their bytes, for tests that list many.
#pragma once

#include "../../src/formulas/dtype.h"

namespace gaia::test {

inline constexpr DType b1 = DType::boolean;
inline constexpr DType i4 = DType::int32;
inline constexpr DType i8 = DType::int64;
inline constexpr DType bf = DType::bfloat16;
inline constexpr DType f4 = DType::float32;
inline constexpr DType f8 = DType::float64;

}  // namespace gaia::test
