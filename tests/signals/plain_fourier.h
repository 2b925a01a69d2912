// SPDX-License-Identifier: MIT
/// \file
/// A Fourier transform number by number.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

namespace gaia::test {

using ComplexNumbers = std::vector<std::complex<double>>;

/// sum_j x[j] exp(-+2 pi i j k / n), the sign being + for an inverse one, not divided by anything.
inline ComplexNumbers plain_fourier(const ComplexNumbers& x, bool inverse = false) {
  const std::size_t n = x.size();
  std::vector<std::complex<long double>> roots;
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = (inverse ? 2.0L : -2.0L) * std::numbers::pi_v<long double> *
                              static_cast<long double>(k) / static_cast<long double>(n);
    roots.push_back(std::polar(1.0L, angle));
  }
  ComplexNumbers y;
  for (std::size_t k = 0; k < n; ++k) {
    long double real = 0.0L;
    long double imag = 0.0L;
    for (std::size_t j = 0; j < n; ++j) {
      const std::complex<long double>& root = roots[j * k % n];
      real += x[j].real() * root.real() - x[j].imag() * root.imag();
      imag += x[j].real() * root.imag() + x[j].imag() * root.real();
    }
    y.emplace_back(static_cast<double>(real), static_cast<double>(imag));
  }
  return y;
}

}  // namespace gaia::test
