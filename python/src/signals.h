// SPDX-License-Identifier: MIT
/// \file
/// Complex numbers between C++ and Python: a pair there, a tuple of two here.
#pragma once

#include <nanobind/nanobind.h>

#include "../../src/autograd/complex.h"

namespace gaia::python {

template <class T>
nanobind::tuple pair_of(const ComplexOf<T>& z) {
  return nanobind::make_tuple(z.real, z.imag);
}

}  // namespace gaia::python
