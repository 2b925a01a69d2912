// SPDX-License-Identifier: MIT
#include "joining.h"

#include "../core/checked.h"
#include "../core/message.h"
#include "operands.h"

namespace gaia {
namespace {

/// a b as the length of an axis.
std::int64_t length_of(std::int64_t a, std::int64_t b, const char* function) {
  const auto length = checked_multiply(a, b);
  if (!length) fail<ShapeError>("[{}] an axis would be longer than 2^63", function);
  return *length;
}

void check_count(std::int64_t count, const char* function) {
  if (count >= 0) return;
  fail<ArgumentError>("[{}] expected counts of at least 0, got {}", function, count);
}

/// Every block of `inner` elements `count` times in a row; contiguous.
Array repeat_blocks(const Array& x, std::int64_t inner, std::int64_t count) {
  const std::int64_t blocks = x.size() / inner;
  return x.reshape({blocks, 1, inner}).broadcast_to({blocks, count, inner}).copy();
}

/// Number of elements to one position on the axis.
std::int64_t inner_size(const Shape& shape, int axis) {
  std::int64_t size = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) size *= shape[i];
  return size;
}

/// An array of one's own on the current device.
Array own(const Array& x, const char* function) {
  const Array here = on_current_device(x, function);
  return x.device() == current_device() ? here.copy() : here;
}

}  // namespace

Array concatenate(const std::vector<Array>& arrays, std::int64_t axis) {
  if (arrays.empty()) throw ArgumentError("[concatenate] needs at least one array");
  const int which = normalize_axis(axis, arrays.front().rank(), "concatenate");
  Shape shape = arrays.front().shape();
  DType dtype = arrays.front().dtype();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    Shape other = arrays[i].shape();
    const bool same_rank = other.rank() == shape.rank();
    const std::int64_t length = same_rank ? other[which] : 0;
    if (same_rank) other[which] = shape[which];
    if (!same_rank || !(other == shape)) {
      fail<ShapeError>("[concatenate] shapes {} and {} differ beside axis {}",
                       arrays.front().shape(), arrays[i].shape(), which);
    }
    shape[which] += length;
    if (arrays[i].dtype() != dtype) dtype = promote(dtype, arrays[i].dtype());
  }
  Array result = Array::uninitialized(shape, dtype);
  std::int64_t position = 0;
  for (const Array& part : arrays) {
    const std::int64_t next = position + part.shape(which);
    result.slice(which, position, next).assign(on_current_device(part, "concatenate"));
    position = next;
  }
  return result;
}

Array stack(const std::vector<Array>& arrays, std::int64_t axis) {
  if (arrays.empty()) throw ArgumentError("[stack] needs at least one array");
  const int which = normalize_axis(axis, arrays.front().rank() + 1, "stack");
  std::vector<Array> layers;
  for (const Array& part : arrays) {
    if (!(part.shape() == arrays.front().shape())) {
      fail<ShapeError>(
          "[stack] expected arrays of one shape, got {} and {}; concatenate joins along an axis "
          "that exists",
          arrays.front().shape(), part.shape());
    }
    layers.push_back(on_current_device(part, "stack").expand_dims(which));
  }
  return concatenate(layers, which);
}

std::vector<Array> split(const Array& x, std::int64_t sections, std::int64_t axis) {
  const int which = normalize_axis(axis, x.rank(), "split");
  const std::int64_t length = x.shape(which);
  if (sections < 1) fail<ArgumentError>("[split] expected at least 1 section, got {}", sections);
  if (length % sections != 0) {
    fail<ShapeError>(
        "[split] axis {} of length {} cannot be split into {} equal sections; split_at takes "
        "positions",
        which, length, sections);
  }
  const std::int64_t each = length / sections;
  std::vector<Array> parts;
  for (std::int64_t i = 0; i < sections; ++i) {
    parts.push_back(x.slice(which, i * each, (i + 1) * each));
  }
  return parts;
}

std::vector<Array> split_at(const Array& x, const std::vector<std::int64_t>& positions,
                            std::int64_t axis) {
  const int which = normalize_axis(axis, x.rank(), "split_at");
  std::vector<Array> parts;
  std::int64_t from = 0;
  for (const std::int64_t position : positions) {
    parts.push_back(x.slice(which, from, position));
    from = position;
  }
  parts.push_back(x.slice(which, from));
  return parts;
}

Array flip(const Array& x, const Axes& axes) {
  Array result = x;
  for (const std::int64_t axis : normalize_axes(axes, x.rank(), "flip")) {
    result = result.slice(axis, {}, {}, -1);
  }
  return result;
}

Array roll(const Array& x, std::int64_t shift) {
  return roll(on_current_device(x, "roll").reshape({-1}), shift, 0).reshape(x.shape());
}

Array roll(const Array& x, std::int64_t shift, std::int64_t axis) {
  const int which = normalize_axis(axis, x.rank(), "roll");
  const std::int64_t length = x.shape(which);
  const std::int64_t cut = length == 0 ? 0 : (length - shift % length) % length;
  if (cut == 0) return own(x, "roll");
  const Array here = on_current_device(x, "roll");
  return concatenate({here.slice(which, cut), here.slice(which, 0, cut)}, which);
}

Array repeat(const Array& x, std::int64_t count) {
  return repeat(on_current_device(x, "repeat").reshape({-1}), count, 0);
}

Array repeat(const Array& x, std::int64_t count, std::int64_t axis) {
  if (x.rank() == 0) return repeat(at_least_1d(x), count, axis);
  check_count(count, "repeat");
  const int which = normalize_axis(axis, x.rank(), "repeat");
  Shape shape = x.shape();
  shape[which] = length_of(shape[which], count, "repeat");
  if (count_elements(shape) == 0) return Array::uninitialized(shape, x.dtype());
  const Array here = on_current_device(x, "repeat");
  return repeat_blocks(here, inner_size(x.shape(), which), count).reshape(shape);
}

Array tile(const Array& x, const Dims& counts) {
  Shape shape = x.shape();
  Dims times = counts;
  while (shape.rank() < times.rank()) shape.insert(0, 1);
  while (times.rank() < shape.rank()) times.insert(0, 1);
  Shape tiled = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    check_count(times[axis], "tile");
    tiled[axis] = length_of(shape[axis], times[axis], "tile");
  }
  if (count_elements(tiled) == 0) return Array::uninitialized(tiled, x.dtype());
  Array result = on_current_device(x, "tile");
  bool is_own = false;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (times[axis] == 1) continue;
    const std::int64_t inner = shape[axis] * inner_size(shape, axis);
    shape[axis] = tiled[axis];
    result = repeat_blocks(result, inner, times[axis]);
    is_own = true;
  }
  return (is_own ? result : own(x, "tile")).reshape(tiled);
}

}  // namespace gaia
