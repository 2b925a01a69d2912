// SPDX-License-Identifier: MIT
/// \file
/// Convolutions by Fourier transforms, of arrays and of tensors.
#pragma once

#include "../array/convolution.h"
#include "../autograd/tensor.h"

namespace gaia {

/// The convolution of a and b along `axes` (all if empty) as scipy.signal.fftconvolve: full, n + m
/// - 1 numbers; same, the n in the middle, where a is n long; valid, those that read nothing
/// outside, for which one of the two must be at least as long as the other along all axes.  Along
/// the other axes, and where one has length 1, they broadcast.  The work grows as N log N, so that
/// it takes less than a sum over a long b does, and rounding is that of the largest number of a
/// row. Floating; integers give float64, bfloat16 gives float32. \throws ShapeError for different
/// ranks, or lengths that do not fit; ArgumentError for the mode
///         causal.
Array fftconvolve(const Array& a, const Array& b, ConvolutionMode mode = ConvolutionMode::full,
                  const Axes& axes = {});
Tensor fftconvolve(const Tensor& a, const Tensor& b, ConvolutionMode mode = ConvolutionMode::full,
                   const Axes& axes = {});

}  // namespace gaia
