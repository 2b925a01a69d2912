// SPDX-License-Identifier: MIT
#include "closeness.h"

#include "apply.h"
#include "operands.h"
#include "ops.h"

namespace gaia {
namespace {

/// isclose, of a function whose name stands in errors.
Array closeness_of(const Array& a, const Array& b, const Closeness& closeness,
                   const char* function) {
  const DType dtype = floating_result(promote(a.dtype(), b.dtype()));
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), function);
  const Array x = prepare(a, dtype, function).broadcast_to(shape);
  const Array y = prepare(b, dtype, function).broadcast_to(shape);
  const Array allowed = add(multiply(abs(y), closeness.relative), closeness.absolute);
  const Array is_near = logical_and(less_equal(abs(subtract(x, y)), allowed), isfinite(y));
  const Array result = logical_or(is_near, equal(x, y));
  return closeness.equal_nan ? logical_or(result, logical_and(isnan(x), isnan(y))) : result;
}

}  // namespace

Array isclose(const Array& a, const Array& b, const Closeness& closeness) {
  return closeness_of(a, b, closeness, "isclose");
}

Array isclose(const Array& a, Scalar b, const Closeness& closeness) {
  return isclose(a, beside(a, b, "isclose"), closeness);
}

bool allclose(const Array& a, Scalar b, const Closeness& closeness) {
  const GPUContext there(a.device());
  return allclose(a, beside(a, b, "allclose"), closeness);
}

bool allclose(const Array& a, const Array& b, const Closeness& closeness) {
  const auto is_here = [](const Array& x) {
    return x.size() == 0 || x.device() == current_device();
  };
  if (!is_here(a) || !is_here(b)) {
    const GPUContext host(Device::cpu());
    return allclose(a.to(Device::cpu()), b.to(Device::cpu()), closeness);
  }
  return all(closeness_of(a, b, closeness, "allclose")).item() != 0.0;
}

}  // namespace gaia
