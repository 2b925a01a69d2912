// SPDX-License-Identifier: MIT
/// \file
/// The three transforms along the last axis that all others are made of; not for users.
#pragma once

#include <cstdint>

#include "../autograd/complex.h"

namespace gaia {

/// scale sum_j x[..., j] exp(-+2 pi i j k / n), the sign being + for an inverse one.
Complex transform_last(const Complex& x, bool inverse, double scale, const char* function);
ComplexTensor transform_last(const ComplexTensor& x, bool inverse, double scale,
                             const char* function);

/// The first n / 2 + 1 of them, of real numbers.
Complex transform_real_last(const Array& x, double scale, const char* function);
ComplexTensor transform_real_last(const Tensor& x, double scale, const char* function);

/// The inverse one of n / 2 + 1 numbers, the others being their conjugates: n real numbers.
Array transform_to_real_last(const Complex& x, std::int64_t n, double scale, const char* function);
Tensor transform_to_real_last(const ComplexTensor& x, std::int64_t n, double scale,
                              const char* function);

}  // namespace gaia
