// SPDX-License-Identifier: MIT
#include "gemm.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "../src/core/parallel.h"
#include "vector/rows.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

/// Numbers of the right matrix that are packed at a time, and their length along the summed axis:
/// about what the second cache holds.
constexpr std::int64_t kPackedNumbers = 1 << 17;
constexpr std::int64_t kPackedDepth = 512;

/// The same where all threads share what is packed.
constexpr std::int64_t kSharedNumbers = 1 << 24;

/// Rows of a task then, of which there are more where there are many, and panels of columns.
constexpr std::int64_t kRowsPerTask = 96;
constexpr std::int64_t kManyRows = 1536;
constexpr std::int64_t kPanelsPerTask = 16;

/// Up to this many rows, packing a right matrix of contiguous rows costs more than it saves.
constexpr std::int64_t kFewRows = 8;

/// The same of one of contiguous columns, whose packing turns it over, and for few columns: where
/// the sums are long enough that adding up the lanes of a vector at their end does not count.
constexpr std::int64_t kFewRowsAlong = 24;
constexpr std::int64_t kFewColumns = 6;
constexpr std::int64_t kLongSum = 128;
/// And for shorter sums along columns.
constexpr std::int64_t kVeryFewRows = 5;

template <class T>
StridedMatrix<T> strided(const MatrixRef<const T>& m) {
  return {m.data, m.rows, m.columns, m.row_stride, m.column_stride};
}

/// Memory of this thread, which is kept.
template <class T>
T* scratch(std::int64_t numbers) {
  thread_local std::unique_ptr<T[]> memory;
  thread_local std::int64_t room = 0;
  if (room < numbers) {
    memory.reset(new T[static_cast<std::size_t>(numbers)]);
    room = numbers;
  }
  return memory.get();
}

/// Whether the left matrix has to be copied for `multiply_rows`: it wants both along the sum then.
template <class T>
bool copies_left(const MatrixRef<const T>& a, const MatrixRef<const T>& b) {
  return b.column_stride != 1 && a.column_stride != 1;
}

bool has_few_columns(std::int64_t columns, std::int64_t depth) {
  return columns == 1 || (columns <= kFewColumns && depth >= kLongSum);
}

template <class T>
bool has_few_rows(const MatrixRef<const T>& a, const MatrixRef<const T>& b) {
  if (b.column_stride == 1) return a.rows <= kFewRows;
  return a.rows <= (a.columns >= kLongSum ? kFewRowsAlong : kVeryFewRows);
}

/// y = a b or y += a b where the sums have no terms.
template <class T>
void add_nothing(const MatrixRef<T>& y, bool accumulate) {
  for (std::int64_t i = 0; i < y.rows && !accumulate; ++i) {
    std::fill_n(y.data + i * y.row_stride, y.columns, T(0));
  }
}

/// y = a b or y += a b where a has few rows, and b is read where it lies.  `memory` has room
/// for a where that has to be copied.
template <class T>
void multiply_few_rows(MatrixRef<const T> a, const MatrixRef<const T>& b, const MatrixRef<T>& y,
                       bool accumulate, T* memory) {
  if (copies_left(a, b)) {  // so that both lie along the sum
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t k = 0; k < a.columns; ++k) {
        memory[i * a.columns + k] = a.data[i * a.row_stride + k * a.column_stride];
      }
    }
    a = {memory, a.rows, a.columns, a.columns};
  }
  GAIA_VECTOR_KERNEL(multiply_rows<T>)
  (strided(a), strided(b), y.data, y.row_stride, accumulate);
}

/// The same where b has few columns: y^T = b^T a^T.
template <class T>
void multiply_few_columns(const MatrixRef<const T>& a, const MatrixRef<const T>& b,
                          const MatrixRef<T>& y, bool accumulate) {
  const MatrixRef<const T> left = b.transposed();
  const MatrixRef<const T> right = a.transposed();
  const std::int64_t copied = copies_left(left, right) ? left.rows * left.columns : 0;
  T* const memory = scratch<T>(copied + y.rows * y.columns);
  if (y.columns == 1 && y.row_stride == 1) {
    return multiply_few_rows<T>(left, right, {y.data, 1, y.rows, y.rows}, accumulate, memory);
  }
  T* const turned = memory + copied;
  multiply_few_rows<T>(left, right, {turned, y.columns, y.rows, y.rows}, false, memory);
  for (std::int64_t i = 0; i < y.rows; ++i) {
    for (std::int64_t j = 0; j < y.columns; ++j) {
      T& to = y.data[i * y.row_stride + j];
      to = (accumulate ? to : T(0)) + turned[j * y.rows + i];
    }
  }
}

}  // namespace

template <class T>
void gemm(const MatrixRef<const T>& a, const MatrixRef<const T>& b, const MatrixRef<T>& y,
          bool accumulate) {
  const std::int64_t depth = a.columns;
  if (depth == 0) return add_nothing(y, accumulate);
  if (y.rows == 1 && y.columns == 1) {
    const double sum =
        GAIA_VECTOR_KERNEL(inner_product<T>)(a.data, a.column_stride, b.data, b.row_stride, depth);
    *y.data = static_cast<T>(accumulate ? static_cast<double>(*y.data) + sum : sum);
    return;
  }
  if (y.columns < y.rows && has_few_columns(y.columns, depth)) {
    return multiply_few_columns(a, b, y, accumulate);
  }
  if (has_few_rows(a, b)) {
    T* const memory = copies_left(a, b) ? scratch<T>(y.rows * depth) : nullptr;
    return multiply_few_rows(a, b, y, accumulate, memory);
  }
  const std::int64_t panel = GAIA_VECTOR_KERNEL(gemm_panel<T>)();
  const std::int64_t length = std::min(depth, kPackedDepth);
  const std::int64_t columns =
      std::min(y.columns, std::max<std::int64_t>(1, kPackedNumbers / length / panel) * panel);
  const std::int64_t packed = GAIA_VECTOR_KERNEL(packed_numbers<T>)(length, columns);
  T* const memory = scratch<T>(packed + GAIA_VECTOR_KERNEL(multiply_workspace<T>)(length));
  for (std::int64_t first = 0; first < y.columns; first += columns) {
    const auto strip = b.columns_between(first, std::min(y.columns, first + columns));
    for (std::int64_t k = 0; k < depth; k += length) {
      const std::int64_t end = std::min(depth, k + length);
      GAIA_VECTOR_KERNEL(multiply_and_pack<T>)
      (strided(a.columns_between(k, end)), strided(strip.rows_between(k, end)), memory,
       y.data + first, y.row_stride, accumulate || k > 0, memory + packed);
    }
  }
}

template <class T>
std::int64_t packed_room(std::int64_t rows, std::int64_t columns) {
  return GAIA_VECTOR_KERNEL(packed_numbers<T>)(rows, columns);
}

template <class T>
PackedMatrix<T> pack(const MatrixRef<const T>& b, T* room) {
  const std::int64_t panel = GAIA_VECTOR_KERNEL(gemm_panel<T>)();
  GAIA_VECTOR_KERNEL(pack_panels<T>)(strided(b), 0, (b.columns + panel - 1) / panel, room);
  return {room, b.rows, b.columns};
}

template <class T>
void gemm(const MatrixRef<const T>& a, const PackedMatrix<T>& b, const MatrixRef<T>& y,
          bool accumulate) {
  if (a.columns == 0) return add_nothing(y, accumulate);
  const std::int64_t panel = GAIA_VECTOR_KERNEL(gemm_panel<T>)();
  T* const memory = scratch<T>(GAIA_VECTOR_KERNEL(multiply_workspace<T>)(a.columns));
  GAIA_VECTOR_KERNEL(multiply_packed<T>)
  (strided(a), {b.data, b.rows, y.columns}, 0, (y.columns + panel - 1) / panel, y.data,
   y.row_stride, accumulate, memory);
}

bool pays_in_parallel(std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  return columns > kFewColumns && rows >= 2 * kRowsPerTask && depth * columns >= kPackedNumbers / 4;
}

template <class T>
void gemm_in_parallel(Backend& backend, const MatrixRef<const T>& a, const MatrixRef<const T>& b,
                      const MatrixRef<T>& y) {
  const std::int64_t panel = GAIA_VECTOR_KERNEL(gemm_panel<T>)();
  const std::int64_t columns =
      std::min(y.columns, std::max<std::int64_t>(1, kSharedNumbers / a.columns / panel) * panel);
  const Workspace<T> packed(backend, GAIA_VECTOR_KERNEL(packed_numbers<T>)(a.columns, columns));
  const std::int64_t row_tasks =
      even_number_of_pieces(y.rows, y.rows < kManyRows ? kRowsPerTask : 2 * kRowsPerTask);
  const EvenPieces row_pieces{y.rows, kRowUnit, row_tasks};
  for (std::int64_t first = 0; first < y.columns; first += columns) {
    const auto strip = b.columns_between(first, std::min(y.columns, first + columns));
    const std::int64_t panels = (strip.columns + panel - 1) / panel;
    parallel_for((panels + kPanelsTogether - 1) / kPanelsTogether, [&](std::int64_t task) {
      const std::int64_t p = task * kPanelsTogether;
      GAIA_VECTOR_KERNEL(pack_panels<T>)
      (strided(strip), p, std::min(panels, p + kPanelsTogether), packed.data());
    });
    const std::int64_t groups = (panels + kPanelsPerTask - 1) / kPanelsPerTask;
    parallel_for(row_tasks * groups, [&](std::int64_t task) {
      const std::int64_t row = row_pieces.begin(task / groups);
      const std::int64_t begin = task % groups * kPanelsPerTask;
      const auto rows = a.rows_between(row, row_pieces.end(task / groups));
      T* const memory = scratch<T>(GAIA_VECTOR_KERNEL(multiply_workspace<T>)(a.columns));
      GAIA_VECTOR_KERNEL(multiply_packed<T>)
      (strided(rows), {packed.data(), a.columns, strip.columns}, begin,
       std::min(panels, begin + kPanelsPerTask),
       y.data + row * y.row_stride + first + begin * panel, y.row_stride, false, memory);
    });
  }
}

#define GAIA_PACKED(T)                                              \
  template std::int64_t packed_room<T>(std::int64_t, std::int64_t); \
  template PackedMatrix<T> pack(const MatrixRef<const T>&, T*);     \
  template void gemm(const MatrixRef<const T>&, const PackedMatrix<T>&, const MatrixRef<T>&, bool);
GAIA_PACKED(float)
GAIA_PACKED(double)
#undef GAIA_PACKED

template void gemm_in_parallel(Backend&, const MatrixRef<const float>&,
                               const MatrixRef<const float>&, const MatrixRef<float>&);
template void gemm_in_parallel(Backend&, const MatrixRef<const double>&,
                               const MatrixRef<const double>&, const MatrixRef<double>&);
template void gemm(const MatrixRef<const float>&, const MatrixRef<const float>&,
                   const MatrixRef<float>&, bool);
template void gemm(const MatrixRef<const double>&, const MatrixRef<const double>&,
                   const MatrixRef<double>&, bool);

}  // namespace gaia::cpu
