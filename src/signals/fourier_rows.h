// SPDX-License-Identifier: MIT
/// \file
/// Discrete Fourier transforms of rows of numbers in the host's memory; not for users.
///
/// What a row gives depends on its own numbers alone: not on the other rows, nor on the number of
/// threads.
#pragma once

#include <cstdint>

namespace gaia {

/// Complex numbers, the parts of which lie apart.
template <class T>
struct ComplexPointers {
  T* real;
  T* imag;
};

/// y[k] = scale sum_j x[j] exp(-+2 pi i j k / length), the sign being + for an inverse one, of each
/// of `rows` rows, one behind the other.  x and y are apart.
template <class T>
void transform_rows(std::int64_t rows, std::int64_t length, bool inverse, T scale,
                    ComplexPointers<const T> x, ComplexPointers<T> y);

/// The same of real numbers, which gives the first length / 2 + 1 of each row.
template <class T>
void transform_real_rows(std::int64_t rows, std::int64_t length, T scale, const T* x,
                         ComplexPointers<T> y);

/// The inverse one of rows of which the first length / 2 + 1 are given, the others being their
/// conjugates, so that it is real.  Imaginary parts of those that are their own conjugates are not
/// read.
template <class T>
void transform_to_real_rows(std::int64_t rows, std::int64_t length, T scale,
                            ComplexPointers<const T> x, T* y);

/// Numbers [start, start + kept) of the full convolution of each of `rows` rows of a, of length n,
/// with the same row of b, of length m, or with its only one; by transforms of `length`, which is n
/// + m - 1 or more.
template <class T>
struct RowConvolution {
  std::int64_t rows;
  std::int64_t n;
  std::int64_t m;
  bool has_one_b;
  std::int64_t length;
  std::int64_t start;
  std::int64_t kept;
};
template <class T>
void convolve_rows(const RowConvolution<T>& run, const T* a, const T* b, T* y);

/// A length not below `length`, of factors 2, 3 and 5 alone, whose transforms take least time.
std::int64_t fast_length(std::int64_t length);

}  // namespace gaia
