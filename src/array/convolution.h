// SPDX-License-Identifier: MIT
/// \file
/// Convolution of signals as in signal processing (the kernel is mirrored), and of images as in
/// networks (it is not), with the gradients of the latter.
///
/// Floating; integers give float64, bfloat16 gives float32.
/// \throws ShapeError for shapes that do not fit, ArgumentError for options out of range.
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/sliding.h"
#include "array.h"

namespace gaia {

// Signals

/// Which part of the full convolution (x * k)[t] = sum_j k[j] x[t - j], t in [0, n + m - 1), is
/// returned, n and m being the lengths.
enum class ConvolutionMode : std::uint8_t {
  full,    ///< All n + m - 1 sums; x is 0 outside.
  same,    ///< The max(n, m) in the middle, from t = (min(n, m) - 1) / 2 on.
  valid,   ///< The max(n, m) - min(n, m) + 1 that read nothing outside.
  causal,  ///< The first n: y[t] reads x up to t.
};

/// What x is beyond its ends, by the names of `pad`'s modes (SciPy's ndimage calls them in other
/// ways).
enum class ConvolutionBoundary : std::uint8_t {
  zero,       ///< 0 0 | a b c d | 0 0
  edge,       ///< a a | a b c d | d d, SciPy's nearest.
  reflect,    ///< c b | a b c d | c b, SciPy's mirror.
  symmetric,  ///< b a | a b c d | d c, SciPy's reflect.
  wrap,       ///< c d | a b c d | a b
};

/// numpy.convolve of two 1-d arrays, and the causal mode.  A boundary other than zero says what the
/// first of them, x, is beyond its ends, which the mode valid never reads.
/// \throws ShapeError if one is empty.
Array convolve1d(const Array& x, const Array& kernel, ConvolutionMode mode = ConvolutionMode::full,
                 ConvolutionBoundary boundary = ConvolutionBoundary::zero);

/// Convolves each column of x [T, F], or of each of a batch [..., T, F], with `kernel` [K], or with
/// its column of `kernel` [K, F].  [..., T', F], T' as `mode` says.
Array temporal_convolution(const Array& x, const Array& kernel,
                           ConvolutionMode mode = ConvolutionMode::causal,
                           ConvolutionBoundary boundary = ConvolutionBoundary::zero);

// Images, as in PyTorch and ONNX

struct Conv2dOptions {
  Pair stride = {1, 1};
  Pair padding = {0, 0};  ///< Zeros before and behind rows and columns.
  Pair dilation = {1, 1};
  std::int64_t groups = 1;  ///< Channels fall into so many groups that do not see each other.
};

/// y[n, o, i, j] = bias[o] + sum_{c, a, b} weights[o, c, a, b]
///                 x[n, c + group(o) C / groups, i s - p + a d, j s - p + b d].
/// x [N, C, H, W], weights [O, C / groups, kh, kw], bias [O]: y [N, O, H', W'] with
/// H' = floor((H + 2 p - d (kh - 1) - 1) / s) + 1.
Array conv2d(const Array& x, const Array& weights, const std::optional<Array>& bias = {},
             const Conv2dOptions& options = {});

/// The gradient of conv2d with respect to x, from that with respect to y: the shape of x.
Array conv2d_input_gradient(const Array& dy, const Array& weights, const Shape& x_shape,
                            const Conv2dOptions& options = {});

/// The gradient of conv2d with respect to the weights.  (That of the bias is sum(dy, {0, 2, 3}).)
Array conv2d_weight_gradient(const Array& x, const Array& dy, const Shape& weights_shape,
                             const Conv2dOptions& options = {});

struct Conv1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

/// conv2d with one row: x [N, C, L], weights [O, C / groups, k], bias [O] give [N, O, L'].
Array conv1d(const Array& x, const Array& weights, const std::optional<Array>& bias = {},
             const Conv1dOptions& options = {});
Array conv1d_input_gradient(const Array& dy, const Array& weights, const Shape& x_shape,
                            const Conv1dOptions& options = {});
Array conv1d_weight_gradient(const Array& x, const Array& dy, const Shape& weights_shape,
                             const Conv1dOptions& options = {});

}  // namespace gaia
