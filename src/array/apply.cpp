// SPDX-License-Identifier: MIT
#include "apply.h"

#include <optional>

#include "../core/message.h"
#include "backend.h"
#include "create.h"
#include "fused_operands.h"
#include "kernel_families.h"

namespace gaia {
namespace {

bool is_gelu(const Unary& f) {
  return std::holds_alternative<GeluTanh>(f) || std::holds_alternative<GeluExact>(f);
}

/// The view of an array in `dtype` on the current device, broadcast to `shape`.  The usual array is
/// all that already, and is only looked at.
class Operand {
 public:
  Operand(const Array& x, DType dtype, const Shape& shape, Device here, const char* function)
      : made_(is_all(x, dtype, shape, here)
                  ? std::nullopt
                  : std::optional(prepare(x, dtype, function).broadcast_to(shape))),
        view_(made_ ? made_->view() : x.view()) {}

  const View& view() const { return view_; }

 private:
  static bool is_all(const Array& x, DType dtype, const Shape& shape, Device here) {
    return x.dtype() == dtype && x.device() == here && x.shape() == shape;
  }

  std::optional<Array> made_;
  View view_;
};

Shape common_shape(const Array& a, const Array& b, const char* function) {
  return a.shape() == b.shape() ? a.shape() : broadcast_shapes(a.shape(), b.shape(), function);
}

}  // namespace

Array apply(const Unary& f, const Array& x, DType dtype, const char* function) {
  const Array input = prepare(x, dtype, function);
  Array result = Array::uninitialized(x.shape(), dtype);
  apply(f, input, result);
  return result;
}

Array apply(const Unary& f, const Array& x, const char* function) {
  return apply(f, x, floating_result(x.dtype()), function);
}

void apply(const Unary& f, const Array& x, const Array& y) {
  if (x.size() > 0) {
    backend_for(KernelFamily::elementwise).unary(f, x.view(), y.view());
    y.count_change();
  }
  if (is_gelu(f)) count_launch(FusedKernel::gelu);
}

Array unary_gradient(const Unary& f, const Array& x, const Array& y, const Array& dy) {
  const DType dtype = x.dtype();
  if ((dtype != DType::float32 && dtype != DType::float64) || y.dtype() != dtype) {
    fail<DTypeError>(
        "[unary_gradient] expected x and y both float32 or both float64, got {} and {}", dtype,
        y.dtype());
  }
  if (!(x.shape() == y.shape())) {
    fail<ShapeError>("[unary_gradient] expected x and y of one shape, got {} and {}", x.shape(),
                     y.shape());
  }
  const Array in = on_current_device(x, "unary_gradient");
  const Array out = on_current_device(y, "unary_gradient");
  const Array above = prepare(dy, dtype, "unary_gradient").broadcast_to(x.shape());
  Array result = Array::uninitialized(x.shape(), dtype);
  if (x.size() > 0) {
    backend_for(KernelFamily::elementwise)
        .unary_slope(f, in.view(), out.view(), above.view(), result.view());
  }
  if (is_gelu(f)) count_launch(FusedKernel::gelu_backward);
  return result;
}

Array apply(const Binary& f, const Array& a, const Array& b, DType dtype, const char* function) {
  const Device here = current_device();
  const Shape shape = common_shape(a, b, function);
  const Operand left(a, dtype, shape, here, function);
  const Operand right(b, dtype, shape, here, function);
  Array result = Array::uninitialized(shape, dtype);
  if (result.size() > 0) {
    backend_for(KernelFamily::elementwise).binary(f, left.view(), right.view(), result.view());
  }
  return result;
}

Array compare(const Comparison& f, const Array& a, const Array& b, const char* function) {
  const DType dtype = promote(a.dtype(), b.dtype());
  const Device here = current_device();
  const Shape shape = common_shape(a, b, function);
  const Operand left(a, dtype, shape, here, function);
  const Operand right(b, dtype, shape, here, function);
  Array result = Array::uninitialized(shape, DType::boolean);
  if (result.size() > 0) {
    backend_for(KernelFamily::elementwise).compare(f, left.view(), right.view(), result.view());
  }
  return result;
}

DType dtype_beside(DType dtype, Scalar scalar, const char* function) {
  if (is_floating(dtype)) return computing(dtype);
  if (scalar.floating) return DType::float64;
  if (dtype != DType::int32) return DType::int64;
  if (static_cast<std::int32_t>(scalar.integer) != scalar.integer) {
    fail<ArgumentError>(
        "[{}] expected a number that fits into int32, got {}; use astype(DType::int64) first",
        function, scalar.integer);
  }
  return DType::int32;
}

Array beside(const Array& x, Scalar scalar, const char* function) {
  const DType dtype = dtype_beside(x.dtype(), scalar, function);
  if (is_floating(dtype)) return full({}, scalar.value, dtype);
  return from_values(std::span<const std::int64_t>(&scalar.integer, 1), Shape{}).astype(dtype);
}

}  // namespace gaia
