// SPDX-License-Identifier: MIT
/// \file
/// Whether numbers are equal but for rounding, as NumPy asks it.
#pragma once

#include "array.h"
#include "scalar.h"

namespace gaia {

/// How far two numbers may be apart: |a - b| <= absolute + relative |b|.  b is the one that is
/// known.
struct Closeness {
  double relative = 1e-5;
  double absolute = 1e-8;
  bool equal_nan = false;  ///< Whether NaN is close to NaN; else to nothing.
};

/// Whether the elements of a are close to those of b: bool.  Shapes broadcast; integers and bool
/// are compared in float64, floating numbers in the dtype of a - b.  An infinity is close to itself
/// alone.
Array isclose(const Array& a, const Array& b, const Closeness& closeness = {});
Array isclose(const Array& a, Scalar b, const Closeness& closeness = {});

/// Whether all are.  The answer comes to the host; arrays of different devices are compared there.
bool allclose(const Array& a, const Array& b, const Closeness& closeness = {});
bool allclose(const Array& a, Scalar b, const Closeness& closeness = {});

/// The same, with the numbers in a row.
inline bool all_close(const Array& a, const Array& b, double relative = 1e-5,
                      double absolute = 1e-8) {
  return allclose(a, b, {.relative = relative, .absolute = absolute});
}

}  // namespace gaia
