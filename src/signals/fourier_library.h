// SPDX-License-Identifier: MIT
/// \file
/// Fourier transforms of a CUDA device by cuFFT, opened when one is needed first; not for users.
///
/// Nothing is returned where cuFFT cannot be opened or used, or the current device is not a CUDA
/// device with memory of its own: then the host computes.
#pragma once

#include <cstdint>
#include <optional>

#include "../autograd/complex.h"

namespace gaia {

/// The functions of fourier_transforms.h; `dtype` is float32 or float64.
std::optional<Complex> transform_by_library(const Complex& x, DType dtype, bool inverse,
                                            double scale, const char* function);
std::optional<Complex> transform_real_by_library(const Array& x, DType dtype, double scale,
                                                 const char* function);
std::optional<Array> transform_to_real_by_library(const Complex& x, DType dtype, std::int64_t n,
                                                  double scale, const char* function);

}  // namespace gaia
