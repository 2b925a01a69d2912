// SPDX-License-Identifier: MIT
#include "indexing.h"

#include <string>

#include "../core/message.h"
#include "backend.h"
#include "create.h"
#include "functions.h"
#include "kernel_families.h"
#include "operands.h"
#include "ops.h"
#include "reductions.h"

namespace gaia {
namespace {

/// \throws DTypeError unless a floating array holds whole numbers, small enough to be exact.
void check_whole(const Array& indices, const char* function) {
  const GPUContext here(indices.device());
  const Array numbers = indices.astype(floating_result(indices.dtype()));
  const double most = numbers.dtype() == DType::float64 ? 0x1p53 : 0x1p24;
  const Array is_whole = (floor(numbers) == numbers) & (abs(numbers) <= most);
  if (all(is_whole).item() != 0.0) return;
  const Array first = take(numbers, flatnonzero(~is_whole).slice(0, 0, 1));
  fail<DTypeError>("[{}] expected indices of int32 or int64, or whole numbers, got {} with {}",
                   function, indices.dtype(), first.item());
}

/// Indices on the current device, as int64.
Array read_indices(const Array& indices, const char* function) {
  if (indices.dtype() == DType::boolean) {
    fail<DTypeError>(
        "[{}] expected indices of int32 or int64, got bool; for masks there is masked_select",
        function);
  }
  if (!is_integer(indices.dtype())) check_whole(indices, function);
  return prepare(indices, DType::int64, function);
}

/// Refuses indices beyond [low, high); `where` completes the text.
void check_range(const Array& indices, std::int64_t low, std::int64_t high,
                 const std::string& where, const char* function) {
  if (indices.size() == 0) return;
  const Array flat = indices.contiguous().reshape({-1});
  const std::int64_t at = backend(current_device()).first_outside(flat.view(), low, high);
  if (at < 0) return;
  const std::int64_t index = flat.slice(0, at, at + 1).to_vector<std::int64_t>().front();
  fail<ArgumentError>("[{}] index {} is out of range for {}", function, index, where);
}

void check_range(const Array& indices, const Array& x, int axis, const char* function) {
  const std::int64_t length = x.shape(axis);
  check_range(indices, -length, length, message("axis {} of length {}", axis, length), function);
}

/// The shape of x with that of `indices` in place of the axis.
Shape shape_of_take(const Shape& x, int axis, const Shape& indices) {
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.push_back(x[i]);
  for (const std::int64_t length : indices) shape.push_back(length);
  for (int i = axis + 1; i < x.rank(); ++i) shape.push_back(x[i]);
  return shape;
}

/// One row of indices, repeated along all axes of x but one.
Array along(const Array& row, const Shape& x, int axis) {
  Shape lengths = Shape::filled(x.rank(), 1);
  lengths[axis] = row.size();
  Shape shape = x;
  shape[axis] = row.size();
  return row.reshape(lengths).broadcast_to(shape);
}

/// y[p] = x[p with indices[p] on the axis], checked and on the current device.
Array gather_checked(const Array& x, int axis, const Array& indices) {
  Array result = Array::uninitialized(indices.shape(), x.dtype());
  if (result.size() > 0) {
    backend_for(KernelFamily::indexing).gather(x.view(), axis, indices.view(), result.view());
  }
  return result;
}

/// Writes values, which broadcast to the shape of `indices`, to the target on whose device this
/// runs.
void scatter_checked(Scatter mode, const Array& target, int axis, const Array& indices,
                     const Array& values, const char* function) {
  if (indices.size() == 0) return;
  check_writable(target, function);
  if (mode == Scatter::add && target.dtype() == DType::bfloat16) {
    const Array sums = target.astype(DType::float32);
    scatter_checked(mode, sums, axis, indices, values, function);
    return target.assign(sums);
  }
  Array source = prepare(values, target.dtype(), function);
  if (may_overlap(source, target)) source = source.copy();
  const Array positions = may_overlap(indices, target) ? indices.copy() : indices;
  count_call(KernelFamily::indexing);
  backend(target.device())
      .scatter(mode, source.broadcast_to(indices.shape()).view(), axis, positions.view(),
               target.view());
  target.count_change();
}

/// index_add and index_assign.
void scatter_along(Scatter mode, const Array& target, const Array& indices, const Array& values,
                   std::int64_t axis, const char* function) {
  const int which = normalize_axis(axis, target.rank(), function);
  const Shape taken = shape_of_take(target.shape(), which, indices.shape());
  broadcast_strides(values.shape(), values.strides(), taken, function);
  const GPUContext there(target.device());
  const Array row = read_indices(indices, function).reshape({-1});
  check_range(row, target, which, function);
  const Array spread = along(row, target.shape(), which);
  // The axes of `indices` become one, as they are in `spread`; values that repeat along any of
  // them stay as they are where there is nothing to merge.
  const Array source =
      indices.rank() == 1
          ? values
          : on_current_device(values, function).broadcast_to(taken).reshape(spread.shape());
  scatter_checked(mode, target, which, spread, source, function);
}

void check_same_rank(const Array& x, const Array& indices, const char* function) {
  if (x.rank() == indices.rank()) return;
  fail<ShapeError>("[{}] expected x and indices of the same number of axes, got shapes {} and {}",
                   function, x.shape(), indices.shape());
}

/// The shape with another length on the axis.
Shape with_length(Shape shape, int axis, std::int64_t length) {
  shape[axis] = length;
  return shape;
}

}  // namespace

Array take(const Array& x, const Array& indices) {
  const Array flat = on_current_device(x, "take").reshape({-1});
  const Array row = read_indices(indices, "take").reshape({-1});
  check_range(row, -x.size(), x.size(), message("{} elements", x.size()), "take");
  return gather_checked(flat, 0, row).reshape(indices.shape());
}

Array take(const Array& x, const Array& indices, std::int64_t axis) {
  if (x.rank() == 0) return take(at_least_1d(x), indices, axis);
  const int which = normalize_axis(axis, x.rank(), "take");
  const Shape shape = shape_of_take(x.shape(), which, indices.shape());
  const Array row = read_indices(indices, "take").reshape({-1});
  check_range(row, x, which, "take");
  const Array source = on_current_device(x, "take");
  return gather_checked(source, which, along(row, x.shape(), which)).reshape(shape);
}

Array take_along_axis(const Array& x, const Array& indices, std::int64_t axis) {
  const int which = normalize_axis(axis, x.rank(), "take_along_axis");
  check_same_rank(x, indices, "take_along_axis");
  const Array positions = read_indices(indices, "take_along_axis");
  const Shape beside = broadcast_shapes(with_length(x.shape(), which, 1),
                                        with_length(indices.shape(), which, 1), "take_along_axis");
  check_range(positions, x, which, "take_along_axis");
  const Array source = on_current_device(x, "take_along_axis")
                           .broadcast_to(with_length(beside, which, x.shape(which)));
  return gather_checked(source, which,
                        positions.broadcast_to(with_length(beside, which, indices.shape(which))));
}

namespace {

/// x cut to the shape of `indices` along all axes but one.
Array cut_to(const Array& x, const Array& indices, int axis, const char* function) {
  check_same_rank(x, indices, function);
  Array part = x;
  for (int i = 0; i < x.rank(); ++i) {
    if (i == axis) continue;
    if (indices.shape(i) > x.shape(i)) {
      fail<ShapeError>(
          "[{}] expected indices no longer than x beside axis {}, got shapes {} and {}", function,
          axis, indices.shape(), x.shape());
    }
    part = part.slice(i, 0, indices.shape(i));
  }
  return part;
}

}  // namespace

Array gather(const Array& x, const Array& indices, std::int64_t axis) {
  const int which = normalize_axis(axis, x.rank(), "gather");
  const Array part = cut_to(x, indices, which, "gather");
  const Array positions = read_indices(indices, "gather");
  check_range(positions, x, which, "gather");
  return gather_checked(on_current_device(part, "gather"), which, positions);
}

void index_add(const Array& target, const Array& indices, const Array& values, std::int64_t axis) {
  scatter_along(Scatter::add, target, indices, values, axis, "index_add");
}

void index_assign(const Array& target, const Array& indices, const Array& values,
                  std::int64_t axis) {
  scatter_along(Scatter::assign, target, indices, values, axis, "index_assign");
}

void scatter_add(const Array& target, const Array& indices, const Array& values,
                 std::int64_t axis) {
  const int which = normalize_axis(axis, target.rank(), "scatter_add");
  const Array part = cut_to(target, indices, which, "scatter_add");
  broadcast_strides(values.shape(), values.strides(), indices.shape(), "scatter_add");
  const GPUContext there(target.device());
  const Array positions = read_indices(indices, "scatter_add");
  check_range(positions, target, which, "scatter_add");
  scatter_checked(Scatter::add, part, which, positions, values, "scatter_add");
}

void put_along_axis(const Array& target, const Array& indices, const Array& values,
                    std::int64_t axis) {
  const int which = normalize_axis(axis, target.rank(), "put_along_axis");
  check_same_rank(target, indices, "put_along_axis");
  const Shape shape = with_length(target.shape(), which, indices.shape(which));
  broadcast_strides(indices.shape(), indices.strides(), shape, "put_along_axis");
  broadcast_strides(values.shape(), values.strides(), shape, "put_along_axis");
  const GPUContext there(target.device());
  const Array positions = read_indices(indices, "put_along_axis");
  check_range(positions, target, which, "put_along_axis");
  scatter_checked(Scatter::assign, target, which, positions.broadcast_to(shape), values,
                  "put_along_axis");
}

Array one_hot(const Array& indices, std::int64_t classes, DType dtype) {
  Shape shape = indices.shape();
  shape.push_back(classes);
  const Array positions = read_indices(indices, "one_hot");
  check_range(positions, 0, classes, message("{} classes", classes), "one_hot");
  Array result = zeros(shape, dtype);
  scatter_checked(Scatter::assign, result, indices.rank(), positions.expand_dims(-1),
                  full({}, 1.0, dtype), "one_hot");
  return result;
}

}  // namespace gaia
