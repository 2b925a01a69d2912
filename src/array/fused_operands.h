// SPDX-License-Identifier: MIT
/// \file
/// What fused operations do with their operands; not for users.
#pragma once

#include <initializer_list>
#include <optional>

#include "array.h"
#include "backend_fused.h"

namespace gaia {

/// The dtype of operands that meet, before bfloat16 is computed in float32.
DType common_dtype(std::initializer_list<DType> dtypes);

/// Whether the current device has such a kernel for such operands: then it is counted as launched,
/// else as a fallback, which is logged the first time.
/// \throws DeviceError for a fallback under `set_strict_kernels`.
bool runs_fused(FusedKernel kernel, DType dtype);

/// Counts a kernel that nothing can replace as launched.
void count_launch(FusedKernel kernel);

/// x on the current device, in `dtype`, contiguous.
Array dense(const Array& x, DType dtype, const char* function);

/// The view of an array that may not be there.
std::optional<View> view_of(const std::optional<Array>& x);

/// \throws ShapeError unless `x`, called `name`, has the shape `expected`.
void check_shape(const Array& x, const Shape& expected, const char* name, const char* function);

}  // namespace gaia
