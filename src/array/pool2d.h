// SPDX-License-Identifier: MIT
/// \file
/// Maxima and means of windows of images [N, C, H, W] and of signals [N, C, L], as PyTorch defines
/// them, with their gradients.
///
/// H' = floor((H + 2 padding - dilation (kernel - 1) - 1) / stride) + 1; with ceil_mode rounded up,
/// but the last window begins inside the plane or its padding before it.
/// Floating; integers give float64, bfloat16 gives float32.
/// \throws ShapeError for shapes that do not fit, ArgumentError for options out of range, which
///         includes a padding above half of the kernel.
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/sliding.h"
#include "array.h"

namespace gaia {

struct MaxPool2dOptions {
  Pair kernel = {2, 2};
  std::optional<Pair> stride = {};  ///< Step from window to window; `kernel` if not given.
  Pair padding = {0, 0};            ///< Never the largest.
  Pair dilation = {1, 1};
  bool ceil_mode = false;
};

struct MaxPool {
  Array values;   ///< [N, C, H', W']
  Array indices;  ///< Position of each in its plane [H, W], row-major; int64.
};

/// The largest element of each window; the first of equal ones; NaN if any is.
MaxPool max_pool2d(const Array& x, const MaxPool2dOptions& options = {});

/// The gradient with respect to x: each dy added where its maximum came from.
Array max_pool2d_gradient(const Array& dy, const Array& indices, const Shape& x_shape);

struct AvgPool2dOptions {
  Pair kernel = {2, 2};
  std::optional<Pair> stride = {};  ///< Step from window to window; `kernel` if not given.
  Pair padding = {0, 0};
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< Whether the zeros of the padding count in the mean.
};

/// The mean of each window.
Array avg_pool2d(const Array& x, const AvgPool2dOptions& options = {});

/// The gradient with respect to x: each dy spread evenly over its window.
Array avg_pool2d_gradient(const Array& dy, const Shape& x_shape,
                          const AvgPool2dOptions& options = {});

struct MaxPool1dOptions {
  std::int64_t kernel = 2;
  std::optional<std::int64_t> stride = {};
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  bool ceil_mode = false;
};

/// The same for x [N, C, L]; indices are positions along L.
MaxPool max_pool1d(const Array& x, const MaxPool1dOptions& options = {});
Array max_pool1d_gradient(const Array& dy, const Array& indices, const Shape& x_shape);

struct AvgPool1dOptions {
  std::int64_t kernel = 2;
  std::optional<std::int64_t> stride = {};
  std::int64_t padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;
};

Array avg_pool1d(const Array& x, const AvgPool1dOptions& options = {});
Array avg_pool1d_gradient(const Array& dy, const Shape& x_shape,
                          const AvgPool1dOptions& options = {});

}  // namespace gaia
