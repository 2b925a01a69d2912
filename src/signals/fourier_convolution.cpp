// SPDX-License-Identifier: MIT
#include "fourier_convolution.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "../array/create.h"
#include "../array/operands.h"
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

/// Numbers of a full convolution.
struct Part {
  std::int64_t start;
  std::int64_t count;
};

Part part_of(ConvolutionMode mode, std::int64_t n, std::int64_t m) {
  if (mode == ConvolutionMode::same) return {(m - 1) / 2, n};
  if (mode == ConvolutionMode::valid) return {m - 1, n - m + 1};
  return {0, n + m - 1};
}

/// Convolutions along one axis of arrays on the host, row by row in the cache, if the other axes
/// are those of both, or b has length 1 along them.
std::optional<Array> convolved_in_place(const Array& a, const Array& b, int axis, Part part,
                                        std::int64_t length) {
  if (!current_device().is_cpu()) return std::nullopt;
  const std::int64_t m = b.shape(axis);
  const bool has_one_b = b.size() == m;
  Shape rest = a.shape();
  rest[axis] = m;
  if (!has_one_b && !(rest == b.shape())) return std::nullopt;
  const Array from = prepare(a, a.dtype(), kConvolve).swapaxes(axis, -1).contiguous();
  const Array by = prepare(b, a.dtype(), kConvolve).swapaxes(axis, -1).contiguous();
  Shape shape = from.shape();
  shape.back() = part.count;
  const Array y = Array::uninitialized(shape, a.dtype());
  const std::int64_t n = from.shape(-1);
  const auto run = [&]<class T>(T) {
    const RowConvolution<T> rows{.rows = from.size() / n,
                                 .n = n,
                                 .m = m,
                                 .has_one_b = has_one_b,
                                 .length = length,
                                 .start = part.start,
                                 .kept = part.count};
    convolve_rows<T>(rows, from.elements<T>().data(), by.elements<T>().data(),
                     y.elements<T>().data());
  };
  a.dtype() == DType::float32 ? run(float()) : run(double());
  return y.swapaxes(axis, -1);
}
std::optional<Tensor> convolved_in_place(const Tensor&, const Tensor&, int, Part, std::int64_t) {
  return std::nullopt;  // gradients go through its steps
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
  if (a.size() == 0 || b.size() == 0) return T(zeros({0}, dtype));  // SciPy's is empty too
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
  if (axes.size() == 1) {
    const int axis = axes.front();
    const Part part = part_of(mode, a.shape(axis), b.shape(axis));
    if (const auto y = convolved_in_place(a, b, axis, part, lengths[axis])) return *y;
  }
  ComplexOf<T> z = multiply(spectrum_along(a, axes, lengths), spectrum_along(b, axes, lengths));
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    z = ifft(z, {.n = lengths[axes[i]], .axis = axes[i]});
  }
  T y = irfft(z, {.n = lengths[axes.back()], .axis = axes.back()});
  for (const int axis : axes) {
    const Part part = part_of(mode, a.shape(axis), b.shape(axis));
    y = y.slice(axis, part.start, part.start + part.count);
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
