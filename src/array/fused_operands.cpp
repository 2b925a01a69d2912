// SPDX-License-Identifier: MIT
#include "fused_operands.h"

#include "../core/message.h"
#include "operands.h"

namespace gaia {

DType common_dtype(std::initializer_list<DType> dtypes) {
  DType common = *dtypes.begin();
  for (const DType dtype : dtypes) {
    if (dtype != common) common = promote(common, dtype);
  }
  return common;
}

Array dense(const Array& x, DType dtype, const char* function) {
  return prepare(x, dtype, function).contiguous();
}

std::optional<View> view_of(const std::optional<Array>& x) {
  if (!x) return std::nullopt;
  return x->view();
}

void check_shape(const Array& x, const Shape& expected, const char* name, const char* function) {
  if (x.shape() == expected) return;
  fail<ShapeError>("[{}] expected {} of shape {}, got {}", function, name, expected, x.shape());
}

}  // namespace gaia
