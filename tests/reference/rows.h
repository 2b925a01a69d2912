// SPDX-License-Identifier: MIT
/// \file
/// Matrices as lists of rows, and what references need of them, by plain loops.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../src/array/array.h"

namespace gaia::test {

using Rows = std::vector<std::vector<double>>;

inline Rows zero_rows(std::size_t height, std::size_t width) {
  return Rows(height, std::vector<double>(width, 0.0));
}

/// Numbers as rows of this width.
inline Rows rows_of(const std::vector<double>& numbers, std::size_t width) {
  Rows rows = zero_rows(numbers.size() / width, width);
  for (std::size_t i = 0; i < numbers.size(); ++i) rows[i / width][i % width] = numbers[i];
  return rows;
}

/// Rows of a matrix of any dtype.
inline Rows rows_of(const Array& matrix) {
  return rows_of(matrix.astype(DType::float64).to_vector<double>(),
                 static_cast<std::size_t>(matrix.shape(1)));
}

/// All numbers, row after row.
inline std::vector<double> flat(const Rows& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

inline Rows product(const Rows& a, const Rows& b) {
  Rows c = zero_rows(a.size(), b.front().size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.front().size(); ++j) {
      for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

inline Rows transposed(const Rows& a) {
  Rows c = zero_rows(a.front().size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) c[j][i] = a[i][j];
  }
  return c;
}

inline Rows sum(Rows a, const Rows& b, double factor = 1.0) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += factor * b[i][j];
  }
  return a;
}

/// By Gauss and Jordan with pivots; `determinant` is the matrix's.
inline Rows inverse(Rows a, double* determinant = nullptr) {
  const std::size_t n = a.size();
  Rows b = zero_rows(n, n);
  double product_of_pivots = 1.0;
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    if (pivot != k) product_of_pivots = -product_of_pivots;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    product_of_pivots *= a[k][k];
    const double by = a[k][k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k][j] /= by;
      b[k][j] /= by;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        b[i][j] -= factor * b[k][j];
      }
    }
  }
  if (determinant != nullptr) *determinant = product_of_pivots;
  return b;
}

/// L with L L^T = a.
inline Rows cholesky(const Rows& a) {
  Rows l = zero_rows(a.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  }
  return l;
}

}  // namespace gaia::test
