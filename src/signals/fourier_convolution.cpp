// SPDX-License-Identifier: MIT
#include "fourier_convolution.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "../array/create.h"
#include "../array/ops.h"
#include "../autograd/ops.h"
#include "../core/message.h"
#include "fourier.h"
#include "fourier_rows.h"

namespace gaia {
namespace {

constexpr const char* kConvolve = "fftconvolve";

/// The axes along which neither has length 1: along the others they broadcast.
std::vector<int> convolved_axes(const Shape& a, const Shape& b, const Axes& axes) {
  std::vector<int> kept;
  const Axes all = normalize_axes(axes, a.rank(), kConvolve);
  for (int axis = 0; axis < a.rank(); ++axis) {
    const bool named = std::find(all.begin(), all.end(), axis) != all.end();
    if (named && a[axis] != 1 && b[axis] != 1) {
      kept.push_back(axis);
    } else if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) {
      fail<ShapeError>("[fftconvolve] expected shapes that broadcast along axis {}, got {} and {}",
                       axis, a, b);
    }
  }
  return kept;
}

/// Transforms along all axes: real numbers along the last one.
template <class T>
ComplexOf<T> spectrum_along(const T& x, const std::vector<int>& axes, const Shape& lengths) {
  ComplexOf<T> z = rfft(x, {.n = lengths[axes.back()], .axis = axes.back()});
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    z = fft(z, {.n = lengths[axes[i]], .axis = axes[i]});
  }
  return z;
}

template <class T>
T convolved(const T& given_a, const T& given_b, ConvolutionMode mode, const Axes& given_axes) {
  if (mode == ConvolutionMode::causal) {
    throw ArgumentError("[fftconvolve] expected the mode full, same or valid, got causal");
  }
  if (given_a.rank() != given_b.rank()) {
    fail<ShapeError>("[fftconvolve] expected as many axes of both, got shapes {} and {}",
                     given_a.shape(), given_b.shape());
  }
  const DType dtype = floating_result(promote(given_a.dtype(), given_b.dtype()));
  T a = given_a.astype(dtype);
  T b = given_b.astype(dtype);
  if (a.rank() == 0) return multiply(a, b);
  if (a.size() == 0 || b.size() == 0) return T(zeros({0}, dtype));  // as SciPy's
  const std::vector<int> axes = convolved_axes(a.shape(), b.shape(), given_axes);
  if (mode == ConvolutionMode::valid) {
    const auto reaches = [&](const Shape& x, const Shape& y) {
      return std::all_of(axes.begin(), axes.end(), [&](int axis) { return x[axis] >= y[axis]; });
    };
    if (!reaches(a.shape(), b.shape())) {
      if (!reaches(b.shape(), a.shape())) {
        fail<ShapeError>(
            "[fftconvolve] expected one at least as long as the other along all axes for the mode "
            "valid, got shapes {} and {}",
            a.shape(), b.shape());
      }
      std::swap(a, b);
    }
  }
  if (axes.empty()) return multiply(a, b);
  Shape lengths = a.shape();
  for (const int axis : axes) lengths[axis] = fast_length(a.shape(axis) + b.shape(axis) - 1);
  ComplexOf<T> z = multiply(spectrum_along(a, axes, lengths), spectrum_along(b, axes, lengths));
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    z = ifft(z, {.n = lengths[axes[i]], .axis = axes[i]});
  }
  T y = irfft(z, {.n = lengths[axes.back()], .axis = axes.back()});
  for (const int axis : axes) {
    const std::int64_t n = a.shape(axis);
    const std::int64_t m = b.shape(axis);
    std::int64_t count = n + m - 1;
    std::int64_t start = 0;
    if (mode == ConvolutionMode::same) {
      count = n;
      start = (m - 1) / 2;
    } else if (mode == ConvolutionMode::valid) {
      count = n - m + 1;
      start = m - 1;
    }
    y = y.slice(axis, start, start + count);
  }
  return y;
}

}  // namespace

Array fftconvolve(const Array& a, const Array& b, ConvolutionMode mode, const Axes& axes) {
  return convolved(a, b, mode, axes);
}

Tensor fftconvolve(const Tensor& a, const Tensor& b, ConvolutionMode mode, const Axes& axes) {
  return convolved(a, b, mode, axes);
}

}  // namespace gaia
