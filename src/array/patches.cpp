// SPDX-License-Identifier: MIT
#include "patches.h"

#include <memory>
#include <utility>

#include "../core/message.h"
#include "create.h"
#include "operands.h"
#include "ops.h"
#include "padding.h"

namespace gaia {
namespace {

/// How often a window fits into a plane.
Pair count_places(const Pair& size, const SlidingWindow& window, const char* function) {
  return {count_windows(size[0], window, 0, false, function),
          count_windows(size[1], window, 1, false, function)};
}

/// Elements of x that windows see: [N, C, kh, kw, H', W'], a view.
Array patches_of(const Array& x, const Pair& places, const SlidingWindow& window) {
  const Strides& s = x.strides();
  const Shape shape = {x.shape(0),       x.shape(1), window.kernel[0],
                       window.kernel[1], places[0],  places[1]};
  const Strides strides = {s[0],
                           s[1],
                           s[2] * window.dilation[0],
                           s[3] * window.dilation[1],
                           s[2] * window.stride[0],
                           s[3] * window.stride[1]};
  return Array::borrowed(x.view().data, shape, strides, x.dtype(), x.device(),
                         std::make_shared<const Array>(x));
}

/// Positions start, start + stride, ... along an axis, `count` of them.
Array every(const Array& x, int axis, std::int64_t start, std::int64_t stride, std::int64_t count) {
  return x.slice(axis, start, start + (count - 1) * stride + 1, stride);
}

}  // namespace

Array unfold(const Array& x, const SlidingWindow& window) {
  if (x.rank() == 3) return unfold(x.expand_dims(0), window).squeeze({0});
  if (x.rank() != 4) {
    fail<ShapeError>("[unfold] expected x [N, C, H, W] or [C, H, W], got shape {}", x.shape());
  }
  const Pair places = count_places({x.shape(2), x.shape(3)}, window, "unfold");
  const auto [rows, columns] = window.padding;
  const Array here = on_current_device(x, "unfold");
  const Array padded = rows == 0 && columns == 0
                           ? here
                           : pad(here, {{0, 0}, {0, 0}, {rows, rows}, {columns, columns}});
  const Shape shape = {x.shape(0), x.shape(1) * window.kernel[0] * window.kernel[1],
                       places[0] * places[1]};
  if (count_elements(shape) == 0) return zeros(shape, x.dtype());
  return patches_of(padded, places, window).copy().reshape(shape);
}

Array fold(const Array& columns, const Pair& size, const SlidingWindow& window) {
  if (columns.rank() == 2) return fold(columns.expand_dims(0), size, window).squeeze({0});
  const Pair places = count_places(size, window, "fold");
  const auto [kh, kw] = window.kernel;
  const bool fits = columns.rank() == 3 && columns.shape(1) % (kh * kw) == 0 &&
                    columns.shape(2) == places[0] * places[1];
  if (!fits) {
    fail<ShapeError>(
        "[fold] expected columns [N, C x {}, {}] of windows {} by {} at {} by {} places, got shape "
        "{}",
        kh * kw, places[0] * places[1], kh, kw, places[0], places[1], columns.shape());
  }
  const DType dtype = computing(columns.dtype());
  const std::int64_t count = columns.shape(0);
  const std::int64_t channels = columns.shape(1) / (kh * kw);
  const auto [above, left] = window.padding;
  const Array sums = zeros({count, channels, size[0] + 2 * above, size[1] + 2 * left}, dtype);
  const Array parts =
      prepare(columns, dtype, "fold").reshape({count, channels, kh, kw, places[0], places[1]});
  for (std::int64_t a = 0; a < kh && parts.size() > 0; ++a) {
    const Array lines = every(sums, 2, a * window.dilation[0], window.stride[0], places[0]);
    for (std::int64_t b = 0; b < kw; ++b) {
      every(lines, 3, b * window.dilation[1], window.stride[1], places[1]) +=
          parts.select(2, a).select(2, b);
    }
  }
  if (above == 0 && left == 0) return sums;
  return sums.slice(2, above, above + size[0]).slice(3, left, left + size[1]).copy();
}

}  // namespace gaia
