// SPDX-License-Identifier: MIT
/// \file
/// The part of indexing.h that goes by masks.
#include "../core/message.h"
#include "backend.h"
#include "create.h"
#include "indexing.h"
#include "kernel_families.h"
#include "operands.h"

namespace gaia {
namespace {

/// The positions [count, rank] where `mask`, on the current device and at least 1-d, is true.
Array positions_of(const Array& mask) {
  const Array truth = mask.contiguous();
  const std::int64_t count =
      truth.size() == 0 ? 0 : backend(current_device()).count_true(truth.view());
  Array result = Array::uninitialized({count, mask.rank()}, DType::int64);
  if (count > 0) backend_for(KernelFamily::indexing).positions(truth.view(), result.view());
  return result;
}

/// The same as numbers in row-major order.
Array flat_positions_of(const Array& mask) {
  return positions_of(mask.contiguous().reshape({-1})).reshape({-1});
}

/// Refuses masks that are none for x.
void check_mask(const Array& x, const Array& mask, const char* function) {
  if (mask.dtype() != DType::boolean) {
    fail<DTypeError>("[{}] expected a mask of bool, got {}; for indices there is take", function,
                     mask.dtype());
  }
  bool fits = mask.rank() <= x.rank();
  for (int axis = 0; fits && axis < mask.rank(); ++axis) {
    fits = mask.shape(axis) == x.shape(axis);
  }
  if (!fits) {
    fail<ShapeError>("[{}] expected a mask of x's shape or of its leading axes, got {} for {}",
                     function, mask.shape(), x.shape());
  }
}

/// The shape of x with the axes of its mask as one, of length `count`.
Shape merged(const Shape& x, int mask_rank, std::int64_t count) {
  Shape shape = {count};
  for (int axis = mask_rank; axis < x.rank(); ++axis) shape.push_back(x[axis]);
  return shape;
}

}  // namespace

Array masked_select(const Array& x, const Array& mask) {
  check_mask(x, mask, "masked_select");
  const Array positions = flat_positions_of(on_current_device(mask, "masked_select"));
  const Array source = on_current_device(x, "masked_select");
  return take(source.reshape(merged(x.shape(), mask.rank(), mask.size())), positions, 0);
}

void masked_assign(const Array& target, const Array& mask, const Array& values) {
  check_mask(target, mask, "masked_assign");
  const GPUContext there(target.device());
  const Array positions = flat_positions_of(on_current_device(mask, "masked_assign"));
  broadcast_strides(values.shape(), values.strides(),
                    merged(target.shape(), mask.rank(), positions.size()), "masked_assign");
  if (target.size() == 0) return;
  check_writable(target, "masked_assign");
  const Array rows = target.reshape(merged(target.shape(), mask.rank(), mask.size()));
  index_assign(rows, positions, values);
  // Where strides do not allow a view, `rows` is a copy.
  if (!may_overlap(rows, target)) target.assign(rows.reshape(target.shape()));
}

void masked_fill(const Array& target, const Array& mask, double value) {
  check_mask(target, mask, "masked_fill");
  if (target.size() == 0) return;
  const GPUContext there(target.device());
  check_writable(target, "masked_fill");
  Array truth = on_current_device(mask, "masked_fill");
  if (may_overlap(truth, target)) truth = truth.copy();
  // The axes that the mask does not have are of length 1 in it.
  Shape shape = mask.shape();
  while (shape.rank() < target.rank()) shape.push_back(1);
  const Array spread = truth.reshape(shape).broadcast_to(target.shape());
  const Array filling = full({}, value, target.dtype()).broadcast_to(target.shape());
  backend(current_device()).select(spread.view(), filling.view(), target.view(), target.view());
  target.count_change();
}

Array argwhere(const Array& x) {
  const Array mask = prepare(x, DType::boolean, "argwhere");
  if (x.rank() > 0) return positions_of(mask);
  return Array::uninitialized({flat_positions_of(mask).size(), 0}, DType::int64);
}

std::vector<Array> nonzero(const Array& x) {
  if (x.rank() == 0) {
    throw ShapeError("[nonzero] expected at least 1 dimension, got a 0-d array; use item()");
  }
  const Array rows = positions_of(prepare(x, DType::boolean, "nonzero"));
  std::vector<Array> positions;
  for (int axis = 0; axis < x.rank(); ++axis) positions.push_back(rows.select(1, axis));
  return positions;
}

Array flatnonzero(const Array& x) {
  return flat_positions_of(prepare(x, DType::boolean, "flatnonzero"));
}

}  // namespace gaia
