// SPDX-License-Identifier: MIT
/// \file
/// What tests of a backend begin with.
#pragma once

#include "../../src/array/backend.h"
#include "../../src/array/device.h"

namespace gaia::test {

constexpr DType kAll[] = {DType::boolean,  DType::int32,   DType::int64,
                          DType::bfloat16, DType::float32, DType::float64};

inline Backend& here() { return backend(current_device()); }

}  // namespace gaia::test
