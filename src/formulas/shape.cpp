// SPDX-License-Identifier: MIT
#include "shape.h"

#include <limits>

#include "../core/checked.h"
#include "../core/message.h"

namespace gaia {
namespace {

[[noreturn]] void too_many_axes(std::size_t rank) {
  fail<ShapeError>("[shape] expected at most {} axes, got {}", kMaxRank, rank);
}

}  // namespace

Dims::Dims(std::span<const std::int64_t> values) {
  if (values.size() > kMaxRank) too_many_axes(values.size());
  std::copy(values.begin(), values.end(), values_.begin());
  rank_ = static_cast<int>(values.size());
}

Dims Dims::filled(int rank, std::int64_t value) {
  if (rank > kMaxRank) too_many_axes(static_cast<std::size_t>(rank));
  Dims dims;
  dims.rank_ = rank;
  std::fill_n(dims.values_.begin(), rank, value);
  return dims;
}

void Dims::push_back(std::int64_t value) { insert(rank_, value); }

void Dims::insert(int position, std::int64_t value) {
  if (rank_ == kMaxRank) too_many_axes(kMaxRank + 1);
  std::copy_backward(values_.begin() + position, values_.begin() + rank_,
                     values_.begin() + rank_ + 1);
  values_[static_cast<std::size_t>(position)] = value;
  ++rank_;
}

void Dims::erase(int position) {
  std::copy(values_.begin() + position + 1, values_.begin() + rank_, values_.begin() + position);
  --rank_;
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (int i = 0; i < dims.rank(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  return text + "]";
}

std::int64_t count_elements(const Shape& shape) {
  std::int64_t count = 1;
  bool is_empty = false;
  for (const std::int64_t length : shape) {
    if (length < 0) fail<ShapeError>("[shape] negative length in {}", shape);
    if (length == 0) is_empty = true;
  }
  if (is_empty) return 0;
  for (const std::int64_t length : shape) {
    const auto product = checked_multiply(count, length);
    if (!product) fail<ShapeError>("[shape] {} has more than 2^63 elements", shape);
    count = *product;
  }
  return count;
}

Strides row_major_strides(const Shape& shape) {
  Strides strides = Strides::filled(shape.rank(), 1);
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    // An empty array is never read, so any stride will do for it.
    strides[axis] = checked_multiply(strides[axis + 1], shape[axis + 1])
                        .value_or(std::numeric_limits<std::int64_t>::max());
  }
  return strides;
}

int normalize_axis(std::int64_t axis, int rank, const char* function) {
  const std::int64_t from_front = axis < 0 ? axis + rank : axis;
  if (from_front < 0 || from_front >= rank) {
    fail<ShapeError>("[{}] axis {} does not exist in {} dimensions", function, axis, rank);
  }
  return static_cast<int>(from_front);
}

Axes normalize_axes(const Axes& axes, int rank, const char* function) {
  Axes result;
  if (axes.empty()) {
    for (int axis = 0; axis < rank; ++axis) result.push_back(axis);
    return result;
  }
  for (const std::int64_t axis : axes) {
    const int from_front = normalize_axis(axis, rank, function);
    if (std::find(result.begin(), result.end(), from_front) != result.end()) {
      fail<ShapeError>("[{}] axis {} given twice in {}", function, from_front, axes);
    }
    result.push_back(from_front);
  }
  return result;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* function) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  const int offset = longer.rank() - shorter.rank();
  Shape result = longer;
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    const std::int64_t mine = longer[axis + offset];
    const std::int64_t other = shorter[axis];
    if (mine != other && mine != 1 && other != 1) {
      fail<ShapeError>("[{}] shapes {} and {} do not broadcast: axis {} has {} and {}", function, a,
                       b, axis + offset, mine, other);
    }
    result[axis + offset] = mine == 1 ? other : mine;
  }
  return result;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target,
                          const char* function) {
  const int offset = target.rank() - shape.rank();
  bool fits = offset >= 0;
  Strides result = Strides::filled(target.rank(), 0);
  for (int axis = 0; fits && axis < shape.rank(); ++axis) {
    if (shape[axis] == target[axis + offset]) {
      result[axis + offset] = strides[axis];
    } else {
      fits = shape[axis] == 1;
    }
  }
  if (!fits) fail<ShapeError>("[{}] shape {} does not broadcast to {}", function, shape, target);
  return result;
}

}  // namespace gaia
