// SPDX-License-Identifier: MIT
/// \file
/// What signals are beyond their ends, for convolutions of arrays and of tensors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../core/message.h"
#include "convolution.h"
#include "padding.h"

namespace gaia::detail {

template <class T>
void check_convolve1d(const T& x, const T& kernel) {
  if (x.rank() == 1 && kernel.rank() == 1 && x.size() > 0 && kernel.size() > 0) return;
  fail<ShapeError>("[convolve1d] expected two 1-d arrays with elements, got shapes {} and {}",
                   x.shape(), kernel.shape());
}

template <class T>
void check_temporal_convolution(const T& x, const T& kernel) {
  const bool fits =
      x.rank() >= 2 && x.shape(-2) > 0 &&
      (kernel.rank() == 1 || (kernel.rank() == 2 && kernel.shape(1) == x.shape(-1))) &&
      kernel.shape(0) > 0;
  if (fits) return;
  fail<ShapeError>(
      "[temporal_convolution] expected x [..., T, F] and a kernel [K] or [K, F], T and K > 0, got "
      "shapes {} and {}",
      x.shape(), kernel.shape());
}

/// Whether anything but zeros is read beyond the ends of x.
inline bool reads_beyond(ConvolutionMode mode, ConvolutionBoundary boundary) {
  return boundary != ConvolutionBoundary::zero && mode != ConvolutionMode::valid;
}

inline PadMode pad_mode(ConvolutionBoundary boundary) {
  switch (boundary) {
    case ConvolutionBoundary::edge:
      return PadMode::edge;
    case ConvolutionBoundary::reflect:
      return PadMode::reflect;
    case ConvolutionBoundary::symmetric:
      return PadMode::symmetric;
    case ConvolutionBoundary::wrap:
      return PadMode::wrap;
    case ConvolutionBoundary::zero:
      break;
  }
  return PadMode::constant;
}

/// x with as much more at the ends of `axis` that the mode valid, with a kernel of m elements,
/// gives what `mode` means with that boundary.
template <class T>
T extended(const T& x, std::int64_t m, int axis, ConvolutionMode mode,
           ConvolutionBoundary boundary) {
  const std::int64_t n = x.shape(axis);
  std::int64_t start = 0;  // first of the sums that are returned, among all n + m - 1
  std::int64_t count = n;
  if (mode == ConvolutionMode::full) count = n + m - 1;
  if (mode == ConvolutionMode::same) {
    start = (std::min(n, m) - 1) / 2;
    count = std::max(n, m);
  }
  std::vector<PadWidth> widths(static_cast<std::size_t>(x.rank()));
  widths[static_cast<std::size_t>(axis)] = {m - 1 - start, start + count - n};
  return pad(x, widths, {.mode = pad_mode(boundary)});
}

}  // namespace gaia::detail
