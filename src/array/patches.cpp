// SPDX-License-Identifier: MIT
#include "patches.h"

#include <memory>

#include "../core/checked.h"
#include "../core/message.h"
#include "create.h"
#include "operands.h"
#include "ops.h"
#include "padding.h"

namespace gaia {
namespace {

/// How many elements a window has, and in how many places it fits into a plane.
struct Places {
  std::int64_t elements = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t count = 0;
};

/// \throws ShapeError, ArgumentError as count_windows.
Places places_in(const Pair& size, const SlidingWindow& window, const char* function) {
  const std::int64_t rows = count_windows(size[0], window, 0, false, function);
  const std::int64_t columns = count_windows(size[1], window, 1, false, function);
  const auto elements = checked_multiply(window.kernel[0], window.kernel[1]);
  const auto count = checked_multiply(rows, columns);
  if (!elements || !count) {
    fail<ShapeError>("[{}] windows would be longer than 2^63 elements, or more than that",
                     function);
  }
  return {*elements, rows, columns, *count};
}

/// Elements of x that windows see: [N, C, kh, kw, H', W'], a view.
Array patches_of(const Array& x, const Places& places, const SlidingWindow& window) {
  const Strides& s = x.strides();
  const Shape shape = {x.shape(0),       x.shape(1),  window.kernel[0],
                       window.kernel[1], places.rows, places.columns};
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
  const Places places = places_in({x.shape(2), x.shape(3)}, window, "unfold");
  const auto [rows, columns] = window.padding;
  const Array here = on_current_device(x, "unfold");
  const Array padded = rows == 0 && columns == 0
                           ? here
                           : pad(here, {{0, 0}, {0, 0}, {rows, rows}, {columns, columns}});
  const Shape shape = {x.shape(0), x.shape(1) * places.elements, places.count};
  if (count_elements(shape) == 0) return zeros(shape, x.dtype());
  return patches_of(padded, places, window).copy().reshape(shape);
}

Array fold(const Array& columns, const Pair& size, const SlidingWindow& window) {
  if (columns.rank() == 2) return fold(columns.expand_dims(0), size, window).squeeze({0});
  if (size[0] < 1 || size[1] < 1) {
    fail<ArgumentError>("[fold] expected images of at least 1 by 1, got {} by {}", size[0],
                        size[1]);
  }
  const Places places = places_in(size, window, "fold");
  const auto [kh, kw] = window.kernel;
  const bool fits = columns.rank() == 3 && columns.shape(1) % places.elements == 0 &&
                    columns.shape(2) == places.count;
  if (!fits) {
    fail<ShapeError>(
        "[fold] expected columns [N, C x {}, {}] of windows {} by {} at {} by {} places, got shape "
        "{}",
        places.elements, places.count, kh, kw, places.rows, places.columns, columns.shape());
  }
  const DType dtype = computing(columns.dtype());
  const std::int64_t count = columns.shape(0);
  const std::int64_t channels = columns.shape(1) / places.elements;
  const auto [above, left] = window.padding;
  const Array sums = zeros({count, channels, size[0] + 2 * above, size[1] + 2 * left}, dtype);
  const Array parts = prepare(columns, dtype, "fold")
                          .reshape({count, channels, kh, kw, places.rows, places.columns});
  for (std::int64_t a = 0; a < kh && parts.size() > 0; ++a) {
    const Array lines = every(sums, 2, a * window.dilation[0], window.stride[0], places.rows);
    for (std::int64_t b = 0; b < kw; ++b) {
      every(lines, 3, b * window.dilation[1], window.stride[1], places.columns) +=
          parts.select(2, a).select(2, b);
    }
  }
  if (above == 0 && left == 0) return sums;
  return sums.slice(2, above, above + size[0]).slice(3, left, left + size[1]).copy();
}

}  // namespace gaia
