// SPDX-License-Identifier: MIT
/// \file
/// Discrete Fourier transforms under NumPy's names, of arrays and of tensors.
///
///     const Complex spectrum = rfft(x);                     // [..., n / 2 + 1]
///     const Array back = irfft(spectrum, {.n = x.shape(-1)});
///
/// Complex numbers are pairs of arrays (autograd/complex.h).  float32 stays, bfloat16 gives
/// float32, all else float64.  Any length is fast: one with a large prime factor takes a few times
/// as long. Each row is transformed by itself, so that its bits depend neither on other rows nor on
/// the number of threads.  A CUDA device computes by cuFFT, looked up at the first use; where there
/// is none the host does, which counts as a transfer.
///
/// Errors: ShapeError for axes that are not there, ArgumentError for lengths below 1.
#pragma once

#include <cstdint>
#include <optional>

#include "../autograd/complex.h"

namespace gaia {

/// Which of a transform and its inverse is divided, and by what.
enum class FourierNorm : std::uint8_t {
  backward,  ///< The inverse by n.
  ortho,     ///< Both by sqrt(n).
  forward,   ///< The transform by n.
};

struct FourierOptions {
  /// Length of the transform: x is cut, or filled up with zeros at its end.  The length of x if
  /// left out; of irfft, 2 (m - 1) of m numbers.
  std::optional<std::int64_t> n = {};
  std::int64_t axis = -1;
  FourierNorm norm = FourierNorm::backward;
};

struct Fourier2Options {
  Shape s = {};  ///< Lengths of the transform along `axes`; those of x if empty.
  Axes axes = {-2, -1};
  FourierNorm norm = FourierNorm::backward;
};

/// y[k] = sum_j x[j] exp(-2 pi i j k / n), 0 <= k < n, along an axis.
Complex fft(const Complex& x, const FourierOptions& options = {});
Complex fft(const Array& x, const FourierOptions& options = {});
ComplexTensor fft(const ComplexTensor& x, const FourierOptions& options = {});
ComplexTensor fft(const Tensor& x, const FourierOptions& options = {});

/// y[j] = 1 / n sum_k x[k] exp(2 pi i j k / n): the inverse of fft.
Complex ifft(const Complex& x, const FourierOptions& options = {});
ComplexTensor ifft(const ComplexTensor& x, const FourierOptions& options = {});

/// The first n / 2 + 1 numbers of fft of real ones, of which the others are conjugates; by half the
/// work.
Complex rfft(const Array& x, const FourierOptions& options = {});
ComplexTensor rfft(const Tensor& x, const FourierOptions& options = {});

/// The inverse of rfft, which is real.  Imaginary parts of x[0], and of x[n / 2] of an even n, are
/// not read.
Array irfft(const Complex& x, const FourierOptions& options = {});
Tensor irfft(const ComplexTensor& x, const FourierOptions& options = {});

/// fft along two axes, or as many as `axes` names.
Complex fft2(const Complex& x, const Fourier2Options& options = {});
Complex fft2(const Array& x, const Fourier2Options& options = {});
ComplexTensor fft2(const ComplexTensor& x, const Fourier2Options& options = {});
ComplexTensor fft2(const Tensor& x, const Fourier2Options& options = {});
/// The inverse of fft2.
Complex ifft2(const Complex& x, const Fourier2Options& options = {});
ComplexTensor ifft2(const ComplexTensor& x, const Fourier2Options& options = {});

/// Frequencies of fft of n numbers that are `d` apart: 0, 1, ..., -2, -1 over n d.
/// \throws ArgumentError for n < 1.
Array fftfreq(std::int64_t n, double d = 1.0, DType dtype = DType::float64);
/// Those of rfft: 0, 1, ..., n / 2 over n d.
Array rfftfreq(std::int64_t n, double d = 1.0, DType dtype = DType::float64);

/// Along `axes` (all if empty) rolled by half a length, so that frequency 0 comes into the middle.
Array fftshift(const Array& x, const Axes& axes = {});
Tensor fftshift(const Tensor& x, const Axes& axes = {});
Complex fftshift(const Complex& x, const Axes& axes = {});
ComplexTensor fftshift(const ComplexTensor& x, const Axes& axes = {});
/// The inverse of fftshift.
Array ifftshift(const Array& x, const Axes& axes = {});
Tensor ifftshift(const Tensor& x, const Axes& axes = {});
Complex ifftshift(const Complex& x, const Axes& axes = {});
ComplexTensor ifftshift(const ComplexTensor& x, const Axes& axes = {});

}  // namespace gaia
