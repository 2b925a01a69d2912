// SPDX-License-Identifier: MIT
#include "fourier_transforms.h"

#include <functional>
#include <utility>
#include <vector>

#include "../array/create.h"
#include "../array/on_host.h"
#include "../autograd/function.h"
#include "../core/message.h"
#include "fourier_library.h"
#include "fourier_rows.h"

namespace gaia {
namespace {

/// Calls f(T()) with T the type of `dtype`, float32 or float64.
template <class F>
void with_floating(DType dtype, const F& f) {
  if (dtype == DType::float32) {
    f(float());
  } else {
    f(double());
  }
}

DType dtype_of(const Complex& x) {
  return floating_result(promote(x.real.dtype(), x.imag.dtype()));
}

std::int64_t rows_of(const Array& x) { return x.size() / x.shape(-1); }

template <class T>
ComplexPointers<const T> read_from(const Array& real, const Array& imag) {
  return {real.elements<T>().data(), imag.elements<T>().data()};
}
template <class T>
ComplexPointers<T> write_to(const Array& real, const Array& imag) {
  return {real.elements<T>().data(), imag.elements<T>().data()};
}

Array contiguous_on_device(const Array& x, DType dtype, const char* function) {
  return prepare(x, dtype, function).contiguous();
}

Shape with_last(Shape shape, std::int64_t length) {
  shape.back() = length;
  return shape;
}

void check_parts(const Complex& x, const char* function) {
  if (x.real.shape() == x.imag.shape()) return;
  fail<ShapeError>("[{}] expected a real and an imaginary part of one shape, got {} and {}",
                   function, x.real.shape(), x.imag.shape());
}

/// 1 for numbers of a half spectrum that are their own conjugates, 2 for the others, which stand
/// for two; divided into 1 if `inverted`.
Array shares(std::int64_t n, bool inverted, DType dtype) {
  const Array made = full({n / 2 + 1}, inverted ? 0.5 : 2.0, dtype);
  made.slice(0, 0, 1).fill(1.0);
  if (n % 2 == 0) made.slice(0, -1).fill(1.0);
  return made;
}

}  // namespace

Complex transform_last(const Complex& x, bool inverse, double scale, const char* function) {
  check_parts(x, function);
  const DType dtype = dtype_of(x);
  if (x.real.size() == 0) {
    return {Array::uninitialized(x.real.shape(), dtype),
            Array::uninitialized(x.real.shape(), dtype)};
  }
  if (const auto done = transform_by_library(x, dtype, inverse, scale, function)) return *done;
  const std::vector<Array> made = on_host(function, [&] {
    const Array real = contiguous_on_device(x.real, dtype, function);
    const Array imag = contiguous_on_device(x.imag, dtype, function);
    std::vector<Array> y = {Array::uninitialized(x.real.shape(), dtype),
                            Array::uninitialized(x.real.shape(), dtype)};
    with_floating(dtype, [&]<class T>(T) {
      transform_rows<T>(rows_of(real), real.shape(-1), inverse, static_cast<T>(scale),
                        read_from<T>(real, imag), write_to<T>(y[0], y[1]));
    });
    return y;
  });
  return {made[0], made[1]};
}

Complex transform_real_last(const Array& x, double scale, const char* function) {
  const DType dtype = floating_result(x.dtype());
  const std::int64_t n = x.shape(-1);
  const Shape shape = with_last(x.shape(), n / 2 + 1);
  if (x.size() == 0)
    return {Array::uninitialized(shape, dtype), Array::uninitialized(shape, dtype)};
  if (const auto done = transform_real_by_library(x, dtype, scale, function)) return *done;
  const std::vector<Array> made = on_host(function, [&] {
    const Array from = contiguous_on_device(x, dtype, function);
    std::vector<Array> y = {Array::uninitialized(shape, dtype), Array::uninitialized(shape, dtype)};
    with_floating(dtype, [&]<class T>(T) {
      transform_real_rows<T>(rows_of(from), n, static_cast<T>(scale), from.elements<T>().data(),
                             write_to<T>(y[0], y[1]));
    });
    return y;
  });
  return {made[0], made[1]};
}

Array transform_to_real_last(const Complex& x, std::int64_t n, double scale, const char* function) {
  check_parts(x, function);
  const DType dtype = dtype_of(x);
  const Shape shape = with_last(x.real.shape(), n);
  if (x.real.size() == 0) return Array::uninitialized(shape, dtype);
  if (const auto done = transform_to_real_by_library(x, dtype, n, scale, function)) return *done;
  return on_host(function,
                 [&] {
                   const Array real = contiguous_on_device(x.real, dtype, function);
                   const Array imag = contiguous_on_device(x.imag, dtype, function);
                   std::vector<Array> y = {Array::uninitialized(shape, dtype)};
                   with_floating(dtype, [&]<class T>(T) {
                     transform_to_real_rows<T>(rows_of(real), n, static_cast<T>(scale),
                                               read_from<T>(real, imag), y[0].elements<T>().data());
                   });
                   return y;
                 })
      .front();
}

// Transforms are linear, so that gradients go through their adjoints: of sum_j x[j] w^(j k), the
// sum over k of dy[k] conj(w^(j k)).

ComplexTensor transform_last(const ComplexTensor& x, bool inverse, double scale,
                             const char* function) {
  const Complex y =
      transform_last(Complex{x.real.value(), x.imag.value()}, inverse, scale, function);
  const std::vector<Tensor> made = record(
      function, {x.real, x.imag}, {y.real, y.imag}, [inverse, scale, function](GradientFlow& flow) {
        const Complex dx =
            transform_last(Complex{flow.gradient(0), flow.gradient(1)}, !inverse, scale, function);
        flow.give(0, dx.real);
        flow.give(1, dx.imag);
      });
  return {made[0], made[1]};
}

ComplexTensor transform_real_last(const Tensor& x, double scale, const char* function) {
  const Complex y = transform_real_last(x.value(), scale, function);
  const std::vector<Tensor> made = record(
      function, {x}, {y.real, y.imag}, [n = x.shape(-1), scale, function](GradientFlow& flow) {
        // The real part of the adjoint sums over half the numbers, the inverse over all.
        const Array half = shares(n, true, flow.gradient(0).dtype());
        flow.give(0, transform_to_real_last(Complex{multiply(flow.gradient(0), half),
                                                    multiply(flow.gradient(1), half)},
                                            n, scale, function));
      });
  return {made[0], made[1]};
}

Tensor transform_to_real_last(const ComplexTensor& x, std::int64_t n, double scale,
                              const char* function) {
  Array y = transform_to_real_last(Complex{x.real.value(), x.imag.value()}, n, scale, function);
  return record(function, {x.real, x.imag}, std::move(y), [n, scale, function](GradientFlow& flow) {
    const Complex half = transform_real_last(flow.gradient(), scale, function);
    const Array twice = shares(n, false, half.real.dtype());
    flow.give(0, multiply(half.real, twice));
    flow.give(1, multiply(half.imag, twice));
  });
}

}  // namespace gaia
