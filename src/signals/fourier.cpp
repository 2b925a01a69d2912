// SPDX-License-Identifier: MIT
#include "fourier.h"

#include <cmath>
#include <vector>

#include "../array/create.h"
#include "../core/message.h"
#include "fourier_transforms.h"
#include "lengths.h"

namespace gaia {
namespace {

void check_length(std::int64_t n, const char* function) {
  require(n >= 1, "[{}] expected a length n of 1 or more, got {}", function, n);
}

/// By what sums are multiplied.
double scale_of(FourierNorm norm, bool inverse, std::int64_t n) {
  const auto length = static_cast<double>(n);
  switch (norm) {
    case FourierNorm::ortho:
      return 1.0 / std::sqrt(length);
    case FourierNorm::forward:
      return inverse ? 1.0 : 1.0 / length;
    case FourierNorm::backward:
      break;
  }
  return inverse ? 1.0 / length : 1.0;
}

template <class T>
ComplexOf<T> swap_axes(const ComplexOf<T>& x, int axis) {
  return {x.real.swapaxes(axis, -1), x.imag.swapaxes(axis, -1)};
}

/// x with `axis` last, and n numbers along it.
template <class T>
ComplexOf<T> ready(const ComplexOf<T>& x, int axis, std::int64_t n) {
  const ComplexOf<T> last = swap_axes(x, axis);
  return {with_length(last.real, n), with_length(last.imag, n)};
}

template <class T>
ComplexOf<T> complex_along(const ComplexOf<T>& x, const FourierOptions& options, bool inverse,
                           const char* function) {
  const int axis = normalize_axis(options.axis, x.real.rank(), function);
  const std::int64_t n = options.n.value_or(x.real.shape(axis));
  check_length(n, function);
  if (!(x.real.shape() == x.imag.shape())) {
    fail<ShapeError>("[{}] expected a real and an imaginary part of one shape, got {} and {}",
                     function, x.real.shape(), x.imag.shape());
  }
  return swap_axes(
      transform_last(ready(x, axis, n), inverse, scale_of(options.norm, inverse, n), function),
      axis);
}

template <class T>
ComplexOf<T> real_along(const T& x, const FourierOptions& options) {
  const int axis = normalize_axis(options.axis, x.rank(), "rfft");
  const std::int64_t n = options.n.value_or(x.shape(axis));
  check_length(n, "rfft");
  return swap_axes(transform_real_last(with_length(x.swapaxes(axis, -1), n),
                                       scale_of(options.norm, false, n), "rfft"),
                   axis);
}

template <class T>
T to_real_along(const ComplexOf<T>& x, const FourierOptions& options) {
  const int axis = normalize_axis(options.axis, x.real.rank(), "irfft");
  const std::int64_t n = options.n.value_or(2 * (x.real.shape(axis) - 1));
  check_length(n, "irfft");
  if (!(x.real.shape() == x.imag.shape())) {
    fail<ShapeError>("[irfft] expected a real and an imaginary part of one shape, got {} and {}",
                     x.real.shape(), x.imag.shape());
  }
  return transform_to_real_last(ready(x, axis, n / 2 + 1), n, scale_of(options.norm, true, n),
                                "irfft")
      .swapaxes(axis, -1);
}

template <class T>
ComplexOf<T> along_axes(ComplexOf<T> x, const Fourier2Options& options, bool inverse,
                        const char* function) {
  if (!options.s.empty() && options.s.rank() != options.axes.rank()) {
    fail<ShapeError>("[{}] expected as many lengths s as axes, got {} and {}", function, options.s,
                     options.axes);
  }
  for (int i = options.axes.rank() - 1; i >= 0; --i) {
    FourierOptions one{.n = {}, .axis = options.axes[i], .norm = options.norm};
    if (!options.s.empty()) one.n = options.s[i];
    x = complex_along(x, one, inverse, function);
  }
  return x;
}

Complex as_complex(const Array& x) { return {x, zeros(x.shape(), floating_result(x.dtype()))}; }
ComplexTensor as_complex(const Tensor& x) {
  return {x, Tensor(zeros(x.shape(), floating_result(x.dtype())))};
}

template <class T>
T shifted(T x, const Axes& axes, bool back, const char* function) {
  for (const std::int64_t axis : normalize_axes(axes, x.rank(), function)) {
    const std::int64_t n = x.shape(static_cast<int>(axis));
    x = roll(x, back ? -(n / 2) : n / 2, axis);
  }
  return x;
}

Array frequencies(std::int64_t n, double d, DType dtype, bool half, const char* function) {
  check_length(n, function);
  const double step = 1.0 / (static_cast<double>(n) * d);
  std::vector<double> values;
  for (std::int64_t k = 0; k < (half ? n / 2 + 1 : n); ++k) {
    values.push_back(step * static_cast<double>(half || k < (n + 1) / 2 ? k : k - n));
  }
  const Shape shape{static_cast<std::int64_t>(values.size())};
  return from_values(values, shape).astype(dtype);
}

}  // namespace

Complex fft(const Complex& x, const FourierOptions& options) {
  return complex_along(x, options, false, "fft");
}
Complex fft(const Array& x, const FourierOptions& options) {
  return complex_along(as_complex(x), options, false, "fft");
}
ComplexTensor fft(const ComplexTensor& x, const FourierOptions& options) {
  return complex_along(x, options, false, "fft");
}
ComplexTensor fft(const Tensor& x, const FourierOptions& options) {
  return complex_along(as_complex(x), options, false, "fft");
}

Complex ifft(const Complex& x, const FourierOptions& options) {
  return complex_along(x, options, true, "ifft");
}
ComplexTensor ifft(const ComplexTensor& x, const FourierOptions& options) {
  return complex_along(x, options, true, "ifft");
}

Complex rfft(const Array& x, const FourierOptions& options) { return real_along(x, options); }
ComplexTensor rfft(const Tensor& x, const FourierOptions& options) {
  return real_along(x, options);
}

Array irfft(const Complex& x, const FourierOptions& options) { return to_real_along(x, options); }
Tensor irfft(const ComplexTensor& x, const FourierOptions& options) {
  return to_real_along(x, options);
}

Complex fft2(const Complex& x, const Fourier2Options& options) {
  return along_axes(x, options, false, "fft2");
}
Complex fft2(const Array& x, const Fourier2Options& options) {
  return along_axes(as_complex(x), options, false, "fft2");
}
ComplexTensor fft2(const ComplexTensor& x, const Fourier2Options& options) {
  return along_axes(x, options, false, "fft2");
}
ComplexTensor fft2(const Tensor& x, const Fourier2Options& options) {
  return along_axes(as_complex(x), options, false, "fft2");
}
Complex ifft2(const Complex& x, const Fourier2Options& options) {
  return along_axes(x, options, true, "ifft2");
}
ComplexTensor ifft2(const ComplexTensor& x, const Fourier2Options& options) {
  return along_axes(x, options, true, "ifft2");
}

Array fftfreq(std::int64_t n, double d, DType dtype) {
  return frequencies(n, d, dtype, false, "fftfreq");
}
Array rfftfreq(std::int64_t n, double d, DType dtype) {
  return frequencies(n, d, dtype, true, "rfftfreq");
}

Array fftshift(const Array& x, const Axes& axes) { return shifted(x, axes, false, "fftshift"); }
Tensor fftshift(const Tensor& x, const Axes& axes) { return shifted(x, axes, false, "fftshift"); }
Complex fftshift(const Complex& x, const Axes& axes) {
  return {fftshift(x.real, axes), fftshift(x.imag, axes)};
}
ComplexTensor fftshift(const ComplexTensor& x, const Axes& axes) {
  return {fftshift(x.real, axes), fftshift(x.imag, axes)};
}
Array ifftshift(const Array& x, const Axes& axes) { return shifted(x, axes, true, "ifftshift"); }
Tensor ifftshift(const Tensor& x, const Axes& axes) { return shifted(x, axes, true, "ifftshift"); }
Complex ifftshift(const Complex& x, const Axes& axes) {
  return {ifftshift(x.real, axes), ifftshift(x.imag, axes)};
}
ComplexTensor ifftshift(const ComplexTensor& x, const Axes& axes) {
  return {ifftshift(x.real, axes), ifftshift(x.imag, axes)};
}

}  // namespace gaia
