// SPDX-License-Identifier: MIT
/// \file
/// Complex numbers as two real arrays, or tensors, of one shape and dtype.
///
/// Fourier transforms and the eigenvalues of matrices that are not symmetric are such pairs.  gaia
/// has no complex dtype: every function that arrays have works on the two parts.
#pragma once

#include "../array/array.h"
#include "../array/functions.h"
#include "../array/ops.h"
#include "ops.h"
#include "tensor.h"

namespace gaia {

/// real + i imag.
template <class T>
struct ComplexOf {
  T real;
  T imag;
};

using Complex = ComplexOf<Array>;
using ComplexTensor = ComplexOf<Tensor>;

/// |z| = sqrt(real^2 + imag^2), without overflow between.
template <class T>
T abs(const ComplexOf<T>& z) {
  return hypot(z.real, z.imag);
}

/// The angle of z in (-pi, pi], in radians.
template <class T>
T angle(const ComplexOf<T>& z) {
  return arctan2(z.imag, z.real);
}

/// real - i imag.
template <class T>
ComplexOf<T> conj(const ComplexOf<T>& z) {
  return {z.real, negative(z.imag)};
}

/// a b, element by element; shapes broadcast.
template <class T>
ComplexOf<T> multiply(const ComplexOf<T>& a, const ComplexOf<T>& b) {
  return {subtract(multiply(a.real, b.real), multiply(a.imag, b.imag)),
          add(multiply(a.real, b.imag), multiply(a.imag, b.real))};
}

}  // namespace gaia
