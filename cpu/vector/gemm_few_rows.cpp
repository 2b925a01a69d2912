// SPDX-License-Identifier: MIT
/// \file
/// Products of few rows: the right matrix is read where it lies, since packing it would cost more
/// than it saves.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gemm.h"
#include "simd.h"
#include "simd_lanes.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Length of a block of `multiply_rows` along the summed axis, so that the sums of a long one keep
/// their digits: rows of b by blocks stay in the first cache, and the pages of its columns are
/// found.
template <class T>
constexpr std::int64_t kBlockAlong = 16384 / sizeof(T);
constexpr std::int64_t kBlockAcross = 256;

/// Columns, or vectors of columns, that so many rows take together: all sums fit the registers.
template <int Rows>
constexpr int kTogether = std::min(4, kRows* kVectors / Rows);

/// A product whose rows are few, for which b is read where it lies.
template <class T>
struct FewRows {
  StridedMatrix<T> a;
  StridedMatrix<T> b;
  T* y;
  std::int64_t y_stride;
};

/// Rows [row, row + Rows) by the columns [first, last) of b, which are contiguous, added up in
/// vectors of k.
template <class T, int Rows>
void multiply_by_columns(const FewRows<T>& of, std::int64_t row, std::int64_t first,
                         std::int64_t last, bool accumulate) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  constexpr int kColumns = kTogether<Rows>;
  const std::int64_t depth = of.a.columns;
  const std::int64_t whole = depth / lanes * lanes;
  const T* const left = of.a.data + row * of.a.row_stride;
  for (std::int64_t column = first; column < last; column += kColumns) {
    const T* from[kColumns];
    for (int j = 0; j < kColumns; ++j) {  // columns past the end repeat the last
      from[j] = of.b.data + std::min(column + j, last - 1) * of.b.column_stride;
    }
    Vec<T> sums[Rows][kColumns];
    for (auto& sum : sums) {
      for (Vec<T>& value : sum) value = Vec<T>(T(0));
    }
    const auto add = [&](std::int64_t k, auto load) {
      Vec<T> right[kColumns];
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) right[j] = load(from[j] + k);
#pragma GCC unroll 8
      for (int m = 0; m < Rows; ++m) {
        const Vec<T> one = load(left + m * of.a.row_stride + k);
#pragma GCC unroll 8
        for (int j = 0; j < kColumns; ++j) sums[m][j] = fma(one, right[j], sums[m][j]);
      }
    };
    for (std::int64_t k = 0; k < whole; k += lanes) {
      if constexpr (Rows == 1) {  // the next columns: there is little to do meanwhile but wait
        for (int j = 0; j < kColumns; ++j) {
          __builtin_prefetch(from[j] + k + kColumns * of.b.column_stride);
        }
      }
      add(k, [](const T* p) { return Vec<T>::load(p); });
    }
    if (whole < depth) {
      add(whole, [&](const T* p) { return Vec<T>::load(p, depth - whole); });
    }
    for (int m = 0; m < Rows; ++m) {
      T* const to = of.y + (row + m) * of.y_stride + column;
      for (int j = 0; j < kColumns && column + j < last; ++j) {
        const T total = sum(sums[m][j]);
        to[j] = accumulate ? to[j] + total : total;
      }
    }
  }
}

/// The same where the rows of b are contiguous, by vectors of them.
template <class T, int Rows>
void multiply_by_rows(const FewRows<T>& of, std::int64_t row, std::int64_t first, std::int64_t last,
                      bool accumulate) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const auto strip = [&](std::int64_t column, std::int64_t count, auto vectors) {
    constexpr int width = decltype(vectors)::value;
    Vec<T> sums[Rows][width];
#pragma GCC unroll 8
    for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) sums[m][v] = Vec<T>(T(0));
    }
    const T* left = of.a.data + row * of.a.row_stride;
    const T* right = of.b.data + column;
    for (std::int64_t k = 0; k < of.a.columns; ++k) {
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) {
        const Vec<T> from =
            count == lanes ? Vec<T>::load(right + v * lanes) : Vec<T>::load(right, count);
#pragma GCC unroll 8
        for (int m = 0; m < Rows; ++m) {
          sums[m][v] = fma(Vec<T>(left[m * of.a.row_stride]), from, sums[m][v]);
        }
      }
      left += of.a.column_stride;
      right += of.b.row_stride;
    }
#pragma GCC unroll 8
    for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) {
        T* const to = of.y + (row + m) * of.y_stride + column + v * lanes;
        if (accumulate) sums[m][v] += Vec<T>::load(to, count);
        sums[m][v].store(to, count);
      }
    }
  };
  constexpr int kWide = kTogether<Rows>;
  std::int64_t column = first;
  for (; column + kWide * lanes <= last; column += kWide * lanes) {
    strip(column, lanes, std::integral_constant<int, kWide>{});
  }
  for (; column < last; column += lanes) {
    strip(column, std::min(lanes, last - column), std::integral_constant<int, 1>{});
  }
}

/// `multiply_rows` of a block of the summed axis.
template <class T, bool ByColumns, int Rows>
void multiply_group(int rows, const FewRows<T>& of, std::int64_t row, std::int64_t first,
                    std::int64_t last, bool accumulate) {
  if constexpr (Rows > 1) {
    if (rows < Rows) {
      return multiply_group<T, ByColumns, Rows - 1>(rows, of, row, first, last, accumulate);
    }
  }
  if constexpr (ByColumns) {
    multiply_by_columns<T, Rows>(of, row, first, last, accumulate);
  } else {
    multiply_by_rows<T, Rows>(of, row, first, last, accumulate);
  }
}

/// The same for all rows, in groups that fill the registers, and as even as they go.  Columns that
/// a group has read are in the cache for the next.
template <class T, bool ByColumns>
void multiply_block(const FewRows<T>& of, bool accumulate) {
  constexpr std::int64_t chunk = ByColumns ? 24 : 24 * Vec<T>::lanes;
  const std::int64_t groups = (of.a.rows + kRows - 1) / kRows;
  for (std::int64_t first = 0; first < of.b.columns; first += chunk) {
    const std::int64_t last = std::min(first + chunk, of.b.columns);
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::int64_t row = group * of.a.rows / groups;
      const std::int64_t end = (group + 1) * of.a.rows / groups;
      multiply_group<T, ByColumns, kRows>(static_cast<int>(end - row), of, row, first, last,
                                          accumulate);
    }
  }
}

}  // namespace

template <class T>
void multiply_rows(const StridedMatrix<T>& a, const StridedMatrix<T>& b, T* y,
                   std::int64_t y_stride, bool accumulate) {
  const bool by_columns = b.column_stride != 1 && a.column_stride == 1;
  const std::int64_t block = by_columns ? kBlockAlong<T> : kBlockAcross;
  for (std::int64_t k = 0; k < a.columns; k += block) {
    FewRows<T> of{a, b, y, y_stride};
    of.a.data += k * a.column_stride;
    of.b.data += k * b.row_stride;
    of.a.columns = of.b.rows = std::min(block, a.columns - k);
    if (by_columns) {
      multiply_block<T, true>(of, accumulate || k > 0);
    } else {
      multiply_block<T, false>(of, accumulate || k > 0);
    }
  }
}

template <class T>
void multiply_rows_of_each(const StridedMatrix<T>& a, std::int64_t a_step,
                           const StridedMatrix<T>& b, std::int64_t b_step, T* y,
                           std::int64_t count) {
  FewRows<T> of{a, b, y, b.columns};
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t row = 0; row < a.rows; row += kRows) {
      const auto rows = static_cast<int>(std::min<std::int64_t>(kRows, a.rows - row));
      multiply_group<T, false, kRows>(rows, of, row, 0, b.columns, false);
    }
    of.a.data += a_step;
    of.b.data += b_step;
    of.y += a.rows * b.columns;
  }
}

template void multiply_rows_of_each(const StridedMatrix<float>&, std::int64_t,
                                    const StridedMatrix<float>&, std::int64_t, float*,
                                    std::int64_t);
template void multiply_rows_of_each(const StridedMatrix<double>&, std::int64_t,
                                    const StridedMatrix<double>&, std::int64_t, double*,
                                    std::int64_t);
template void multiply_rows(const StridedMatrix<float>&, const StridedMatrix<float>&, float*,
                            std::int64_t, bool);
template void multiply_rows(const StridedMatrix<double>&, const StridedMatrix<double>&, double*,
                            std::int64_t, bool);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
