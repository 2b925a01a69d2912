// SPDX-License-Identifier: MIT
#include "fused_operands.h"

#include <string>

#include "ops.h"

namespace gaia {

DType common_dtype(std::initializer_list<DType> dtypes) {
  DType common = *dtypes.begin();
  for (const DType dtype : dtypes) {
    if (dtype != common) common = promote(common, dtype);
  }
  return common;
}

Array dense(const Array& x, DType dtype, const char* function) {
  return on_current_device(x, function).astype(dtype).contiguous();
}

std::optional<View> view_of(const std::optional<Array>& x) {
  if (!x) return std::nullopt;
  return x->view();
}

Array sum_to(const Array& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int missing = x.rank() - shape.rank();
  Axes repeated;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis < missing || (shape[axis - missing] == 1 && x.shape(axis) != 1)) {
      repeated.push_back(axis);
    }
  }
  return repeated.empty() ? x : sum(x, repeated, true).reshape(shape);
}

void check_shape(const Array& x, const Shape& expected, const char* name, const char* function) {
  if (x.shape() == expected) return;
  throw ShapeError("[" + std::string(function) + "] expected " + name + " of shape " +
                   to_string(expected) + ", got " + to_string(x.shape()));
}

}  // namespace gaia
