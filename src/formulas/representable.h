// SPDX-License-Identifier: MIT
/// \file
/// Whether a parameter, given in double, is still a number of its kind in the dtype it is used in.
#pragma once

#include <string>

#include "dtype.h"

namespace gaia {

/// Why computations in `dtype` cannot use `value`: rounded to it, a number other than 0 is 0, or a
/// finite one infinite.  Empty where they can.  bfloat16 computes in float32; integers and bool are
/// computed with in float64.
std::string why_not_representable(double value, DType dtype);

/// \throws ArgumentError "`what`: expected ..., got ..." where there is such a reason; `what` names
///         the function and its parameter: "[clip] low".
void check_representable(const std::string& what, double value, DType dtype);

}  // namespace gaia
