// SPDX-License-Identifier: MIT
#include "linear.h"

#include "../core/message.h"
#include "ops.h"

namespace gaia {

Array dot(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    return multiply(on_current_device(a, "dot"), on_current_device(b, "dot"));
  }
  const int inner = b.rank() == 1 ? 0 : b.rank() - 2;
  if (a.shape(-1) != b.shape(inner)) {
    fail<ShapeError>(
        "[dot] shapes {} and {} do not fit: axis {} of length {} meets axis {} of length {}",
        a.shape(), b.shape(), a.rank() - 1, a.shape(-1), inner, b.shape(inner));
  }
  const Array left = on_current_device(a, "dot");
  const Array right = on_current_device(b, "dot");
  if (b.rank() <= 2) return matmul(left, right);
  // [..., m, n] as one matrix [m, all others].
  Axes order = {inner};
  Shape shape = a.shape();
  shape.erase(shape.rank() - 1);
  std::int64_t columns = 1;
  for (int axis = 0; axis < b.rank(); ++axis) {
    if (axis == inner) continue;
    order.push_back(axis);
    shape.push_back(b.shape(axis));
    columns *= b.shape(axis);
  }
  const Array matrix = right.transpose(order).reshape({b.shape(inner), columns});
  return matmul(left, matrix).reshape(shape);
}

Array outer(const Array& a, const Array& b) {
  return multiply(on_current_device(a, "outer").reshape({a.size(), 1}),
                  on_current_device(b, "outer").reshape({1, b.size()}));
}

Array trace(const Array& x, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  return sum(on_current_device(x, "trace").diagonal(offset, axis1, axis2), {-1});
}

}  // namespace gaia
