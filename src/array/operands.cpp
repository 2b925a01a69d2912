// SPDX-License-Identifier: MIT
#include "operands.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../core/message.h"
#include "reductions.h"

namespace gaia {
namespace {

/// First byte and end of what a view touches.
std::pair<std::uintptr_t, std::uintptr_t> bytes_of(const View& view) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (int axis = 0; axis < view.rank(); ++axis) {
    const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
    (reach < 0 ? lowest : highest) += reach;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(view.data);
  const auto at = [&](std::int64_t element) {
    return start + static_cast<std::uintptr_t>(element * size_of(view.dtype));
  };
  return {at(lowest), at(highest + 1)};
}

}  // namespace

DType computing(DType dtype) { return dtype == DType::bfloat16 ? DType::float32 : dtype; }

Array prepare(const Array& x, DType dtype, const char* function) {
  return on_current_device(x, function).astype(dtype);
}

Axes reduced_axes(const Axes& axes, int rank, const char* function) {
  if (rank > 0 || axes.rank() != 1) return normalize_axes(axes, rank, function);
  normalize_axes(axes, 1, function);
  return {};
}

void check_writable(const Array& x, const char* function) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] > 1 && x.strides()[axis] == 0) {
      fail<ArgumentError>(
          "[{}] the array of shape {} is a broadcast view that repeats elements along axis {}; use "
          "copy() first",
          function, x.shape(), axis);
    }
  }
  if (x.is_contiguous() || x.size() == 0) return;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // the distance and length of axes
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.shape()[axis] > 1) steps.emplace_back(std::abs(x.strides()[axis]), x.shape()[axis]);
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 0;  // reach of the axes with shorter steps
  for (const auto& [distance, length] : steps) {
    if (distance <= reach) {
      fail<ArgumentError>(
          "[{}] the array of shape {} is a view that may show an element more than once, as "
          "overlapping windows do; use copy() first",
          function, x.shape());
    }
    reach += (length - 1) * distance;
  }
}

bool may_overlap(const Array& a, const Array& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const auto [first_a, end_a] = bytes_of(a.view());
  const auto [first_b, end_b] = bytes_of(b.view());
  return first_a < end_b && first_b < end_a;
}

Array sum_to_shape(const Array& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int extra = x.rank() - shape.rank();
  Axes axes;
  bool fits = extra >= 0;
  for (int axis = 0; fits && axis < x.rank(); ++axis) {
    const std::int64_t length = axis < extra ? 1 : shape[axis - extra];
    if (axis < extra || length != x.shape()[axis]) axes.push_back(axis);
    fits = length == 1 || length == x.shape()[axis];
  }
  if (!fits) {
    fail<ShapeError>("[sum_to_shape] expected a shape that {} broadcasts to, got {}", shape,
                     x.shape());
  }
  return sum(x, axes, true).reshape(shape);
}

}  // namespace gaia
