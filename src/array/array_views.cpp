// SPDX-License-Identifier: MIT
/// \file
/// The same elements, read with other shapes and strides.
#include <algorithm>

#include "../core/checked.h"
#include "../core/message.h"
#include "array.h"

namespace gaia {
namespace {

/// Position on an axis of `length`, counted from the front and clamped to [low, high], as Python
/// does.
std::int64_t clamp_position(std::int64_t position, std::int64_t length, std::int64_t low,
                            std::int64_t high) {
  if (position < 0) position += length;
  return std::clamp(position, low, high);
}

/// Strides that read the same elements, in the same order, in another shape; none where there are
/// no such strides.
std::optional<Strides> strides_after_reshape(const Shape& from, const Strides& strides,
                                             const Shape& to) {
  Shape lengths;
  Strides steps;
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] == 1) continue;
    const bool joins = !lengths.empty() && steps.back() == strides[axis] * from[axis];
    if (joins) {
      lengths.back() *= from[axis];
      steps.back() = strides[axis];
    } else {
      lengths.push_back(from[axis]);
      steps.push_back(strides[axis]);
    }
  }
  Strides result = Strides::filled(to.rank(), 1);
  int block = lengths.rank() - 1;
  std::int64_t done = 1;  // elements of the block that the axes so far cover
  for (int axis = to.rank() - 1; axis >= 0; --axis) {
    if (to[axis] == 1) continue;
    if (block < 0 || lengths[block] % (done * to[axis]) != 0) return std::nullopt;
    result[axis] = steps[block] * done;
    done *= to[axis];
    if (done == lengths[block]) {
      --block;
      done = 1;
    }
  }
  return result;
}

}  // namespace

Array Array::transpose(const Axes& axes) const {
  Axes order;
  if (axes.empty()) {
    for (int axis = rank() - 1; axis >= 0; --axis) order.push_back(axis);
  } else {
    order = normalize_axes(axes, rank(), "transpose");
    if (order.rank() != rank()) {
      fail<ShapeError>("[transpose] expected {} axes, got {}", rank(), axes);
    }
  }
  Shape shape;
  Strides strides;
  for (const std::int64_t axis : order) {
    shape.push_back(shape_[static_cast<int>(axis)]);
    strides.push_back(strides_[static_cast<int>(axis)]);
  }
  return with_layout(shape, strides, offset_);
}

Array Array::swapaxes(std::int64_t a, std::int64_t b) const {
  const int first = normalize_axis(a, rank(), "swapaxes");
  const int second = normalize_axis(b, rank(), "swapaxes");
  Shape shape = shape_;
  Strides strides = strides_;
  std::swap(shape[first], shape[second]);
  std::swap(strides[first], strides[second]);
  return with_layout(shape, strides, offset_);
}

Array Array::reshape(const Shape& wanted) const {
  Shape shape = wanted;
  int unknown = -1;
  std::int64_t known = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1 && unknown < 0) {
      unknown = axis;
    } else {
      known = checked_multiply(known, shape[axis]).value_or(-1);
    }
  }
  if (unknown >= 0) shape[unknown] = known > 0 && size_ % known == 0 ? size_ / known : -1;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; }) ||
      count_elements(shape) != size_) {
    fail<ShapeError>("[reshape] {} elements of shape {} do not fit into {}", size_, shape_, wanted);
  }
  if (size_ == 0) return with_layout(shape, row_major_strides(shape), offset_);
  if (const auto strides = strides_after_reshape(shape_, strides_, shape)) {
    return with_layout(shape, *strides, offset_);
  }
  return copy().with_layout(shape, row_major_strides(shape), 0);
}

Array Array::slice(std::int64_t axis, std::optional<std::int64_t> start,
                   std::optional<std::int64_t> stop, std::int64_t step) const {
  if (step == 0) throw ArgumentError("[slice] step must not be 0");
  const int which = normalize_axis(axis, rank(), "slice");
  const std::int64_t length = shape_[which];
  std::int64_t first = 0;
  std::int64_t count = 0;
  if (step > 0) {
    first = clamp_position(start.value_or(0), length, 0, length);
    const std::int64_t end = clamp_position(stop.value_or(length), length, 0, length);
    count = end > first ? (end - first - 1) / step + 1 : 0;
  } else {
    first = start ? clamp_position(*start, length, -1, length - 1) : length - 1;
    const std::int64_t end = stop ? clamp_position(*stop, length, -1, length - 1) : -1;
    count = first > end ? (end - first + 1) / step + 1 : 0;
  }
  Shape shape = shape_;
  Strides strides = strides_;
  shape[which] = count;
  strides[which] *= count > 1 ? step : 1;
  return with_layout(shape, strides, count > 0 ? offset_ + first * strides_[which] : offset_);
}

Array Array::operator[](std::int64_t index) const { return select(0, index); }

Array Array::select(std::int64_t axis, std::int64_t index) const {
  const int which = normalize_axis(axis, rank(), "select");
  const std::int64_t length = shape_[which];
  const std::int64_t position = index < 0 ? index + length : index;
  if (position < 0 || position >= length) {
    fail<ShapeError>("[select] index {} is out of range for axis {} of length {}", index, which,
                     length);
  }
  Shape shape = shape_;
  Strides strides = strides_;
  shape.erase(which);
  strides.erase(which);
  return with_layout(shape, strides, offset_ + position * strides_[which]);
}

Array Array::broadcast_to(const Shape& shape) const {
  return with_layout(shape, broadcast_strides(shape_, strides_, shape, "broadcast_to"), offset_);
}

Array Array::diagonal(std::int64_t offset, std::int64_t axis1, std::int64_t axis2) const {
  const int rows = normalize_axis(axis1, rank(), "diagonal");
  const int columns = normalize_axis(axis2, rank(), "diagonal");
  if (rows == columns) {
    fail<ShapeError>("[diagonal] expected two axes, got {} and {}", axis1, axis2);
  }
  // -offset itself may not exist.
  const Array from = offset < 0 ? slice(rows, std::min(-(offset + 1), shape_[rows] - 1) + 1)
                                : slice(columns, std::min(offset, shape_[columns]));
  Shape shape = shape_;
  Strides strides = strides_;
  for (const int axis : {std::max(rows, columns), std::min(rows, columns)}) {
    shape.erase(axis);
    strides.erase(axis);
  }
  shape.push_back(std::min(from.shape_[rows], from.shape_[columns]));
  strides.push_back(strides_[rows] + strides_[columns]);
  return with_layout(shape, strides, from.offset_);
}

Array Array::expand_dims(std::int64_t axis) const {
  const int which = normalize_axis(axis, rank() + 1, "expand_dims");
  Shape shape = shape_;
  Strides strides = strides_;
  shape.insert(which, 1);
  strides.insert(which, 1);
  return with_layout(shape, strides, offset_);
}

Array Array::squeeze(const Axes& axes) const {
  Axes drop;
  if (axes.empty()) {
    for (int axis = 0; axis < rank(); ++axis) {
      if (shape_[axis] == 1) drop.push_back(axis);
    }
  } else {
    drop = normalize_axes(axes, rank(), "squeeze");
  }
  Shape shape;
  Strides strides;
  for (int axis = 0; axis < rank(); ++axis) {
    if (std::find(drop.begin(), drop.end(), axis) == drop.end()) {
      shape.push_back(shape_[axis]);
      strides.push_back(strides_[axis]);
    } else if (shape_[axis] != 1) {
      fail<ShapeError>("[squeeze] axis {} of shape {} is not of length 1", axis, shape_);
    }
  }
  return with_layout(shape, strides, offset_);
}

Array Array::windows(std::int64_t rows, std::int64_t columns, std::int64_t row_stride) const {
  const bool fits = rank() == 1 && is_contiguous() && rows >= 0 && columns >= 1 &&
                    row_stride >= 1 && (rows == 0 || columns <= size_) &&
                    (rows <= 1 || (size_ - columns) / row_stride >= rows - 1);
  if (!fits) {
    fail<ShapeError>(
        "[windows] {} rows of {} at distance {} do not fit into a contiguous 1-d array; got shape "
        "{}",
        rows, columns, row_stride, shape_);
  }
  return with_layout({rows, columns}, {row_stride, 1}, offset_);
}

}  // namespace gaia
