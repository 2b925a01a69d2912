// SPDX-License-Identifier: MIT
/// \file
/// Products with packed panels.  For those of few rows see gemm_few_rows.cpp.
#include "gemm.h"

#include <algorithm>

#include "simd.h"
#include "simd_lanes.h"
#include "tile.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Rows that share a panel while it is in the cache, whose left operands are packed at a time.
constexpr std::int64_t kPackedRows = kRows < 8 ? 96 : 192;

/// Rows that are packed together, side by side.
template <class T>
constexpr std::int64_t kGroup = std::max<std::int64_t>(kRows, Vec<T>::lanes);

/// Contiguous rows a multiple of so many bytes apart share few places of the caches, and contiguous
/// columns, of each of which a tile reads a line.
constexpr std::int64_t kSharedPlaces = 8192;
constexpr std::int64_t kSharedColumnPlaces = 1024;

/// From so many panels on it pays to pack such rows, and any columns.
constexpr std::int64_t kManyPanels = 8;

template <class T>
constexpr std::int64_t kPanel = kVectors * Vec<T>::lanes;

/// Numbers of a packed matrix that the second cache holds beside the rest.
template <class T>
constexpr std::int64_t kNear = (256 << 10) / sizeof(T);

/// Numbers in a line of the cache.
template <class T>
constexpr std::int64_t kLine = 64 / sizeof(T);

std::int64_t pieces(std::int64_t length, std::int64_t piece) {
  return (length + piece - 1) / piece;
}

/// What a call of the kernel writes.
template <class T>
struct Target {
  T* y;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  bool accumulate;
};

/// Rows of the left matrix, at data[row * row_stride + k * column_stride].
template <class T>
struct LeftRows {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// Rows of a panel of the right matrix, at data[k * stride].
template <class T>
struct RightRows {
  const T* data;
  std::int64_t stride;
};

/// y = a b or y += a b for a tile.
template <class T, int Rows, int Vectors, class Meanwhile>
__attribute__((noinline)) void multiply_tile(const LeftRows<T>& a, const RightRows<T>& b,
                                             std::int64_t length, const Target<T>& to,
                                             Meanwhile meanwhile) {
  constexpr int lanes = Vec<T>::lanes;
  Vec<T> sums[Rows][Vectors];
#pragma GCC unroll 16
  for (int m = 0; m < Rows; ++m) {
    // Rows of y lie apart.  They are on their way while the sums are computed.
    if (m < to.rows) {
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) __builtin_prefetch(to.y + m * to.stride + v * lanes, 1);
    }
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) sums[m][v] = Vec<T>(T(0));
  }
  add_products(a.data, a.row_stride, a.column_stride, b.data, b.stride, length, sums, meanwhile);
  if (to.rows == Rows && to.columns == Vectors * lanes) {
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
      T* const row = to.y + m * to.stride;
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) {
        if (to.accumulate) sums[m][v] += Vec<T>::load(row + v * lanes);
        sums[m][v].store(row + v * lanes);
      }
    }
    return;
  }
  // By way of memory: an array of registers that is indexed by a variable would lie there
  // throughout.
  T whole[Rows * Vectors * lanes];
#pragma GCC unroll 16
  for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) sums[m][v].store(whole + (m * Vectors + v) * lanes);
  }
  for (int m = 0; m < Rows && m < to.rows; ++m) {
    T* const row = to.y + m * to.stride;
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t n = std::clamp<std::int64_t>(to.columns - v * lanes, 0, lanes);
      Vec<T> sum = Vec<T>::load(whole + (m * Vectors + v) * lanes);
      if (to.accumulate) sum += Vec<T>::load(row + v * lanes, n);
      sum.store(row + v * lanes, n);
    }
  }
}

template <class T, int Rows, class Meanwhile>
void multiply_tile(int vectors, const LeftRows<T>& a, const RightRows<T>& b, std::int64_t length,
                   const Target<T>& to, Meanwhile meanwhile) {
  if (vectors == 1) return multiply_tile<T, Rows, 1>(a, b, length, to, meanwhile);
  if (vectors == 2) return multiply_tile<T, Rows, 2>(a, b, length, to, meanwhile);
  multiply_tile<T, Rows, kVectors>(a, b, length, to, meanwhile);
}

/// Packs up to kGroup rows of a from `first` on, columns [k, k + length), as [length, kGroup]; rows
/// past the end are 0.
template <class T>
void pack_group(const StridedMatrix<T>& a, std::int64_t first, std::int64_t k, std::int64_t length,
                T* packed) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const std::int64_t count = std::min(kGroup<T>, a.rows - first);
  const T* const from = a.data + first * a.row_stride + k * a.column_stride;
  if (a.column_stride == 1) {
    for (std::int64_t i = 0; i < kGroup<T>; i += lanes) {
      transpose_rows(from + i * a.row_stride, a.row_stride,
                     std::clamp<std::int64_t>(count - i, 0, lanes), length, packed + i, kGroup<T>);
    }
  } else if (a.row_stride == 1 && count == kGroup<T>) {
    for (std::int64_t j = 0; j < length; ++j) {
      std::copy_n(from + j * a.column_stride, kGroup<T>, packed + j * kGroup<T>);
    }
  } else {
    for (std::int64_t j = 0; j < length; ++j) {
      for (std::int64_t i = 0; i < kGroup<T>; ++i) {
        packed[j * kGroup<T> + i] = i < count ? from[i * a.row_stride + j * a.column_stride] : T(0);
      }
    }
  }
}

/// Whether rows or columns that far apart share places of the caches.
template <class T>
bool are_crowded(std::int64_t stride, std::int64_t places) {
  return stride * static_cast<std::int64_t>(sizeof(T)) % places == 0;
}

/// Whether a left matrix is packed for products with so many panels.
template <class T>
bool is_worth_packing(const StridedMatrix<T>& a, std::int64_t panels) {
  const bool many = panels >= kManyPanels;
  if (a.column_stride == 1) return many && are_crowded<T>(a.row_stride, kSharedPlaces);
  return many || a.row_stride != 1 || are_crowded<T>(a.column_stride, kSharedColumnPlaces);
}

/// A tile's rows, from number `row` on, of what `pack_group` has built of one group after another.
template <class T>
LeftRows<T> packed_left(const T* groups, std::int64_t row, std::int64_t length) {
  return {groups + row / kGroup<T> * kGroup<T> * length + row % kGroup<T>, 1, kGroup<T>};
}

/// pack_panels of whole panels of contiguous rows.
template <class T>
void pack_whole_panels(const StridedMatrix<T>& b, std::int64_t first, std::int64_t last,
                       T* packed) {
  constexpr std::int64_t rows = 8;  // rows that a turn takes
  for (std::int64_t k = 0; k < b.rows; k += rows) {
    const std::int64_t end = std::min(k + rows, b.rows);
    for (std::int64_t p = first; p < last; ++p) {
      for (std::int64_t row = k; row < end; ++row) {
        const T* const from = b.data + row * b.row_stride + p * kPanel<T>;
        T* const to = packed + (p * b.rows + row) * kPanel<T>;
        for (std::int64_t i = 0; i < kPanel<T>; i += Vec<T>::lanes) {
          Vec<T>::load(from + i).store(to + i);
        }
      }
    }
  }
}

}  // namespace

template <class T>
std::int64_t gemm_panel() {
  return kPanel<T>;
}

template <class T>
std::int64_t packed_numbers(std::int64_t rows, std::int64_t columns) {
  return rows * pieces(columns, kPanel<T>) * kPanel<T>;
}

// Panel p lies at packed + p * rows * kPanel as [rows, kPanel].
template <class T>
void pack_panels(const StridedMatrix<T>& b, std::int64_t first, std::int64_t last, T* packed) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const std::int64_t whole =
      b.column_stride == 1 ? std::clamp(b.columns / kPanel<T>, first, last) : first;
  for (std::int64_t p = first; p < whole; p += kPanelsTogether) {
    pack_whole_panels(b, p, std::min(p + kPanelsTogether, whole), packed);
  }
  for (std::int64_t p = whole; p < last; ++p) {
    T* const panel = packed + p * b.rows * kPanel<T>;
    const std::int64_t column = p * kPanel<T>;
    const std::int64_t count = std::min(kPanel<T>, b.columns - column);
    const T* const from = b.data + column * b.column_stride;
    if (b.row_stride == 1) {
      for (std::int64_t i = 0; i < kPanel<T>; i += lanes) {
        const std::int64_t here = std::clamp<std::int64_t>(count - i, 0, lanes);
        transpose_rows(from + i * b.column_stride, b.column_stride, here, b.rows, panel + i,
                       kPanel<T>);
      }
    } else {
      for (std::int64_t k = 0; k < b.rows; ++k) {
        for (std::int64_t i = 0; i < kPanel<T>; ++i) {
          panel[k * kPanel<T> + i] =
              i < count ? from[k * b.row_stride + i * b.column_stride] : T(0);
        }
      }
    }
  }
}

template <class T>
std::int64_t multiply_workspace(std::int64_t depth) {
  return kPackedRows * std::min(depth, kDepth<T>);
}

namespace {

/// multiply_packed, where `unpacked` is null or what b is on the way to be packed from.
template <class T>
void multiply(const StridedMatrix<T>& a, const PackedMatrix<T>& b, const StridedMatrix<T>* unpacked,
              std::int64_t first, std::int64_t last, T* y, std::int64_t y_stride, bool accumulate,
              T* workspace) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  const bool distant = b.rows * b.columns > kNear<T>;
  for (std::int64_t row = 0; row < a.rows; row += kPackedRows) {
    const std::int64_t end = std::min(row + kPackedRows, a.rows);
    for (std::int64_t k = 0; k < a.columns; k += kDepth<T>) {
      const std::int64_t length = std::min(kDepth<T>, a.columns - k);
      // Read where they lie, but for the last rows, which are padded to a tile.
      const bool packs = is_worth_packing(a, last - first);
      const std::int64_t in_place = packs ? row : row + (end - row) / kRows * kRows;
      for (std::int64_t r = in_place; r < end; r += kGroup<T>) {
        pack_group(a, r, k, length, workspace + (r - in_place) * length);
      }
      for (std::int64_t p = first; p < last; ++p) {
        const std::int64_t width = std::min(kPanel<T>, b.columns - p * kPanel<T>);
        T* const panel = b.data + (p * b.rows + k) * kPanel<T>;
        const int vectors = static_cast<int>(pieces(width, lanes));
        const bool is_new = unpacked != nullptr && row == 0;
        // Contiguous rows are packed by the first tile that reads them.
        const bool packs_panel = is_new && unpacked->column_stride == 1 && width == kPanel<T> &&
                                 !are_crowded<T>(unpacked->row_stride, kSharedColumnPlaces);
        if (is_new && !packs_panel && k == 0) pack_panels(*unpacked, p, p + 1, b.data);
        const std::int64_t stride = packs_panel ? unpacked->row_stride : 0;
        const T* const lies = packs_panel ? unpacked->data + k * stride + p * kPanel<T> : nullptr;
        // The same rows of the next panel, a share for every tile.
        const T* const next = panel + b.rows * kPanel<T>;
        const bool fetches = distant && !is_new && p + 1 < last;
        const std::int64_t step = std::min(pieces(kPanel<T>, pieces(end - row, kRows)), kLine<T>);
        for (std::int64_t r = row; r < end; r += kRows) {
          const Target<T> to{.y = y + r * y_stride + (p - first) * kPanel<T>,
                             .stride = y_stride,
                             .rows = std::min<std::int64_t>(kRows, end - r),
                             .columns = width,
                             .accumulate = accumulate || k > 0};
          const LeftRows<T> left =
              r < in_place ? LeftRows<T>{a.data + r * a.row_stride + k * a.column_stride,
                                         a.row_stride, a.column_stride}
                           : packed_left(workspace, r - in_place, length);
          const RightRows<T> right = {panel, kPanel<T>};
          const std::int64_t number = (r - row) / kRows;
          if (packs_panel && number == 0) {
            multiply_tile<T, kRows, kVectors>(left, {lies, stride}, length, to, Packing<T>{panel});
          } else if (fetches) {
            const Fetching<T> fetching{next + number * length * step, step};
            multiply_tile<T, kRows>(vectors, left, right, length, to, fetching);
          } else {
            multiply_tile<T, kRows>(vectors, left, right, length, to, Nothing{});
          }
        }
      }
    }
  }
}

}  // namespace

template <class T>
void multiply_packed(const StridedMatrix<T>& a, const PackedMatrix<T>& b, std::int64_t first,
                     std::int64_t last, T* y, std::int64_t y_stride, bool accumulate,
                     T* workspace) {
  const StridedMatrix<T>* const none = nullptr;
  multiply(a, b, none, first, last, y, y_stride, accumulate, workspace);
}

template <class T>
void multiply_and_pack(const StridedMatrix<T>& a, const StridedMatrix<T>& b, T* room, T* y,
                       std::int64_t y_stride, bool accumulate, T* workspace) {
  const PackedMatrix<T> packed = {room, b.rows, b.columns};
  multiply(a, packed, &b, 0, pieces(b.columns, kPanel<T>), y, y_stride, accumulate, workspace);
}

template <class T>
void transpose_matrix(const T* x, std::int64_t x_stride, std::int64_t rows, std::int64_t columns,
                      T* y, std::int64_t y_stride) {
  constexpr std::int64_t lanes = Vec<T>::lanes;
  for (std::int64_t row = 0; row < rows; row += lanes) {
    const std::int64_t count = std::min(lanes, rows - row);
    std::int64_t k = 0;
    if (count == lanes) {
      for (; k + lanes <= columns; k += lanes) {
        Vec<T> block[lanes];
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i) block[i] = Vec<T>::load(x + (row + i) * x_stride + k);
        transpose(block);
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i) block[i].store(y + (k + i) * y_stride + row);
      }
    }
    for (; k < columns; ++k) {
      for (std::int64_t i = 0; i < count; ++i)
        y[k * y_stride + row + i] = x[(row + i) * x_stride + k];
    }
  }
}

#define GAIA_GEMM(T)                                                                           \
  template void transpose_matrix(const T*, std::int64_t, std::int64_t, std::int64_t, T*,       \
                                 std::int64_t);                                                \
  template std::int64_t gemm_panel<T>();                                                       \
  template std::int64_t packed_numbers<T>(std::int64_t, std::int64_t);                         \
  template void pack_panels(const StridedMatrix<T>&, std::int64_t, std::int64_t, T*);          \
  template std::int64_t multiply_workspace<T>(std::int64_t);                                   \
  template void multiply_packed(const StridedMatrix<T>&, const PackedMatrix<T>&, std::int64_t, \
                                std::int64_t, T*, std::int64_t, bool, T*);                     \
  template void multiply_and_pack(const StridedMatrix<T>&, const StridedMatrix<T>&, T*, T*,    \
                                  std::int64_t, bool, T*);
GAIA_GEMM(float)
GAIA_GEMM(double)
#undef GAIA_GEMM

}  // namespace gaia::cpu::GAIA_VECTOR_SET
