// SPDX-License-Identifier: MIT
#include "../core/message.h"
#include "apply.h"
#include "backend.h"
#include "create.h"
#include "fused.h"
#include "fused_operands.h"
#include "operands.h"
#include "ops.h"
#include "unfused.h"

namespace gaia {
namespace {

/// [..., out] beside x [..., in].
Shape with_last(const Shape& shape, std::int64_t length) {
  Shape result = shape;
  result.back() = length;
  return result;
}

void check_forward(const Array& x, const Array& weights, const std::optional<Array>& bias,
                   const char* function) {
  const bool fits = x.rank() >= 1 && weights.rank() == 2 && x.shape(-1) == weights.shape(1);
  if (!fits) {
    fail<ShapeError>("[{}] expected x [..., in] and weights [out, in], got {} and {}", function,
                     x.shape(), weights.shape());
  }
  if (bias) check_shape(*bias, {weights.shape(0)}, "a bias [out]", function);
}

void check_backward(const Array& dy, const Array& x, const Array& weights, const Array& z) {
  check_forward(x, weights, std::nullopt, "linear_gelu_backward");
  const Shape expected = with_last(x.shape(), weights.shape(0));
  check_shape(dy, expected, "dy", "linear_gelu_backward");
  check_shape(z, expected, "z", "linear_gelu_backward");
}

/// All axes but the last as one.
Array as_rows(const Array& x) {
  const Shape leading(std::span(x.shape().begin(), static_cast<std::size_t>(x.rank() - 1)));
  return x.reshape({count_elements(leading), x.shape(-1)});
}

Array gelu_slope(GeluForm form, const Array& z, const Array& dy) {
  const Array y = gelu(z, form);
  if (form == GeluForm::exact) return unary_gradient(GeluExact{}, z, y, dy);
  return unary_gradient(GeluTanh{}, z, y, dy);
}

LinearGeluResult forward(const Array& x, const Array& weights, const std::optional<Array>& bias,
                         GeluForm form, bool keeps_z) {
  check_forward(x, weights, bias, "linear_gelu");
  const DType dtype =
      common_dtype({x.dtype(), weights.dtype(), bias ? bias->dtype() : weights.dtype()});
  if (!runs_fused(FusedKernel::linear_gelu, dtype)) {
    return unfused::linear_gelu_forward(x, weights, bias, form);
  }
  const Array input = as_rows(dense(x, dtype, "linear_gelu"));
  const Array matrix = dense(weights, dtype, "linear_gelu");
  std::optional<Array> offset;
  if (bias) offset = dense(*bias, dtype, "linear_gelu");
  const Shape shape = with_last(x.shape(), weights.shape(0));
  const Array y = Array::uninitialized(shape, dtype);
  std::optional<Array> z;
  if (keeps_z) z = Array::uninitialized(shape, dtype);
  if (y.size() > 0) {
    const auto rows_of = [](const std::optional<Array>& array) -> std::optional<View> {
      if (!array) return std::nullopt;
      return as_rows(*array).view();
    };
    backend(current_device())
        .linear_gelu({.form = form,
                      .precision = matmul_precision(),
                      .x = input.view(),
                      .weights = matrix.view(),
                      .bias = view_of(offset),
                      .z = rows_of(z),
                      .y = as_rows(y).view()});
  }
  return {y, z.value_or(Array())};
}

}  // namespace

Array linear_gelu(const Array& x, const Array& weights, const std::optional<Array>& bias,
                  GeluForm form) {
  return forward(x, weights, bias, form, false).y;
}

LinearGeluResult linear_gelu_forward(const Array& x, const Array& weights,
                                     const std::optional<Array>& bias, GeluForm form) {
  return forward(x, weights, bias, form, true);
}

LinearGeluGradients linear_gelu_backward(const Array& dy, const Array& x, const Array& weights,
                                         const Array& z, GeluForm form,
                                         const LinearGeluWanted& wanted) {
  const char* const function = "linear_gelu_backward";
  check_backward(dy, x, weights, z);
  const DType dtype = common_dtype({dy.dtype(), x.dtype(), weights.dtype(), z.dtype()});
  if (!runs_fused(FusedKernel::linear_gelu_backward, dtype)) {
    return unfused::linear_gelu_backward(dy, x, weights, z, form, wanted);
  }
  const Array input = as_rows(dense(x, dtype, function));
  const Array matrix = dense(weights, dtype, function);
  const Array slopes = as_rows(dense(dy, dtype, function));
  const Array drive = as_rows(dense(z, dtype, function));
  const Array dz = Array::uninitialized(drive.shape(), dtype);
  std::optional<Array> dx;
  std::optional<Array> dweights;
  std::optional<Array> dbias;
  if (wanted.x) dx = Array::uninitialized(input.shape(), dtype);
  if (wanted.weights) dweights = Array::uninitialized(matrix.shape(), dtype);
  if (wanted.bias) dbias = Array::uninitialized({matrix.shape(0)}, dtype);
  backend(current_device())
      .linear_gelu_backward({.form = form,
                             .precision = matmul_precision(),
                             .dy = slopes.view(),
                             .x = input.view(),
                             .weights = matrix.view(),
                             .z = drive.view(),
                             .dz = dz.view(),
                             .dx = view_of(dx),
                             .dweights = view_of(dweights),
                             .dbias = view_of(dbias)});
  return {dx ? dx->reshape(x.shape()) : Array(), dweights.value_or(Array()),
          dbias.value_or(Array())};
}

namespace unfused {

LinearGeluResult linear_gelu_forward(const Array& x, const Array& weights,
                                     const std::optional<Array>& bias, GeluForm form) {
  check_forward(x, weights, bias, "linear_gelu");
  Array z = matmul(x, weights.transpose());
  if (bias) z = z + *bias;
  return {gelu(z, form), z};
}

LinearGeluGradients linear_gelu_backward(const Array& dy, const Array& x, const Array& weights,
                                         const Array& z, GeluForm form,
                                         const LinearGeluWanted& wanted) {
  check_backward(dy, x, weights, z);
  const Array drive = on_current_device(z, "linear_gelu_backward");
  const Array dz = gelu_slope(form, drive.astype(floating_result(z.dtype())), dy);
  LinearGeluGradients gradients;
  if (wanted.x) gradients.x = matmul(dz, weights);
  if (wanted.weights) gradients.weights = matmul(as_rows(dz).transpose(), as_rows(x));
  if (wanted.bias) gradients.bias = sum(as_rows(dz), {0});
  return gradients;
}

}  // namespace unfused
}  // namespace gaia
