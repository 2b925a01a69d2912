// SPDX-License-Identifier: MIT
/// \file
/// Arrays as text, as NumPy 1.24 prints them by default: eight digits after the point, lines of 75
/// columns, and beyond 1000 elements only the first and last three along each axis.
#pragma once

#include <iosfwd>
#include <string>

#include "array.h"

namespace gaia {

/// Text as of Python's str: "[1.  2.5]".
std::string to_string(const Array& x);

/// Text as of Python's repr: "array([1. , 2.5], dtype=float32)".
std::string repr(const Array& x);

// Each writes to_string of what is printed.

std::ostream& operator<<(std::ostream& out, const Array& x);
std::ostream& operator<<(std::ostream& out,
                         const Dims& dims);  ///< Shapes, strides, axes: "[2, 3]".
std::ostream& operator<<(std::ostream& out, DType dtype);
std::ostream& operator<<(std::ostream& out, Device device);

}  // namespace gaia
