// SPDX-License-Identifier: MIT
/// \file
/// Copies and casts.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../src/formulas/cast.h"
#include "backend.h"
#include "map.h"
#include "vector/cast.h"
#include "vector/copy.h"
#include "vector/gemm.h"

namespace gaia::cpu {
namespace {

/// Copies matrices of which x lies by columns and y by rows, tile by tile: element by element one
/// of them would be walked against the grain.  Returns false, having done nothing, for anything
/// else.
template <class T>
bool copy_transposed(const View& x, const View& y) {
  constexpr std::int64_t tile = 64;  // two of them fit the first cache
  const SharedWalk<2> walk = merge_axes<2>(y.shape, {x.strides, y.strides});
  const int row = walk.shape.rank() - 2;
  if (row < 0 || walk.strides[0][row] != 1 || walk.strides[1][row + 1] != 1) return false;
  const std::int64_t rows = walk.shape[row];
  const std::int64_t columns = walk.shape[row + 1];
  const std::int64_t x_stride = walk.strides[0][row + 1];
  const std::int64_t y_stride = walk.strides[1][row];
  if (rows < 8 || columns < 8 || y_stride < columns) return false;
  const std::int64_t down = (rows + tile - 1) / tile;
  const std::int64_t across = (columns + tile - 1) / tile;
  const auto transpose = GAIA_VECTOR_KERNEL(transpose_matrix<T>);
  const std::int64_t matrices = count_elements(walk.shape) / (rows * columns);
  parallel_for(matrices * down, [&](std::int64_t task) {
    std::int64_t rest = task / down;
    const T* from = x.as<T>();
    T* to = y.as<T>();
    for (int axis = row - 1; axis >= 0; --axis) {
      from += rest % walk.shape[axis] * walk.strides[0][axis];
      to += rest % walk.shape[axis] * walk.strides[1][axis];
      rest /= walk.shape[axis];
    }
    const std::int64_t i = task % down * tile;
    for (std::int64_t strip = 0; strip < across; ++strip) {
      const std::int64_t j = strip * tile;
      transpose(from + i + j * x_stride, x_stride, std::min(tile, columns - j),
                std::min(tile, rows - i), to + i * y_stride + j, y_stride);
    }
  });
  return true;
}

/// The type whose numbers a run of T is copied as.
template <class T>
using CopiedAs = std::conditional_t<std::is_same_v<T, bfloat16>, std::uint16_t, T>;

/// Copies runs of which one view has neighbours, and the other the same in reverse or every second
/// number.  Returns false, having done nothing, for others.
template <class T>
bool copy_near(const StridedLoop<2>& loop, const View& x, const View& y) {
  using U = CopiedAs<T>;
  const auto with = [&](auto copy_run) {
    loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>&) {
      copy_run(x.as<U>() + at[0], y.as<U>() + at[1], n);
    });
    return true;
  };
  const Offsets<2> step = loop.step();
  if (step == Offsets<2>{-1, 1}) return with(GAIA_VECTOR_KERNEL(copy_reversed<U>));
  if (step == Offsets<2>{2, 1}) return with(GAIA_VECTOR_KERNEL(copy_from_every_second<U>));
  if (step == Offsets<2>{1, 2}) return with(GAIA_VECTOR_KERNEL(copy_to_every_second<U>));
  return false;
}

/// Copies a view of which each number stands several times in a row.  Registers of it are written,
/// whose ends the next number takes.  Returns false, having done nothing, for anything else.
template <class T>
bool copy_repeated(const View& x, const View& y) {
  constexpr auto together = static_cast<std::int64_t>(16 / sizeof(T));
  constexpr std::int64_t most = 8 * together;  // longer rows are runs that are worth a walk
  const SharedWalk<2> walk = merge_axes<2>(y.shape, {x.strides, y.strides});
  const int row = walk.shape.rank() - 2;
  if (row < 0 || walk.strides[0][row + 1] != 0 || walk.strides[1][row + 1] != 1) return false;
  const std::int64_t rows = walk.shape[row];
  const std::int64_t times = walk.shape[row + 1];
  if (times < 2 || times > most || walk.strides[1][row] != times || rows < together) return false;
  const std::int64_t stride = walk.strides[0][row];
  const std::int64_t per_task = std::max<std::int64_t>(1, kElementsPerTask / times);
  const std::int64_t pieces = (rows + per_task - 1) / per_task;
  parallel_for(count_elements(walk.shape) / (rows * times) * pieces, [&](std::int64_t task) {
    const std::int64_t first = task % pieces * per_task;
    const std::int64_t last = std::min(rows, first + per_task);
    std::int64_t rest = task / pieces;
    const T* from = x.as<T>() + first * stride;
    T* to = y.as<T>() + first * times;
    for (int axis = row - 1; axis >= 0; --axis) {
      from += rest % walk.shape[axis] * walk.strides[0][axis];
      to += rest % walk.shape[axis] * walk.strides[1][axis];
      rest /= walk.shape[axis];
    }
    const std::int64_t registers = (times + together - 1) / together;
    // Numbers whose registers end in front of the end of the task's numbers.
    const std::int64_t past = (registers * together - times + times - 1) / times;
    const std::int64_t safe = std::max(first, last - past);
    std::int64_t i = first;
    for (; i < safe; ++i, from += stride, to += times) {
      std::array<T, together> many;
      many.fill(*from);
      for (std::int64_t r = 0; r < registers; ++r) {
        std::memcpy(to + r * together, many.data(), sizeof many);
      }
    }
    for (; i < last; ++i, from += stride, to += times) std::fill_n(to, times, *from);
  });
  return true;
}

}  // namespace

void CpuBackend::copy(const View& x, const View& y) {
  if (x.dtype == y.dtype && x.dtype == DType::float32 && copy_transposed<float>(x, y)) return;
  if (x.dtype == y.dtype && x.dtype == DType::float64 && copy_transposed<double>(x, y)) return;
  dispatch(x.dtype, [&](auto from) {
    dispatch(y.dtype, [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      if constexpr (std::is_same_v<From, To>) {
        if (copy_repeated<To>(x, y)) return;
      }
      const StridedLoop<2> loop(y.shape, {x.strides, y.strides});
      if (loop.step() == Offsets<2>{1, 1}) {
        if constexpr (std::is_same_v<From, To>) {
          constexpr auto bytes = static_cast<std::int64_t>(sizeof(To));
          const Stores stores = stores_for(y.count() * bytes, false);
          const auto copy_run = GAIA_VECTOR_KERNEL(copy_bytes);
          return loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>&) {
            copy_run(x.as<From>() + at[0], y.as<To>() + at[1], n * bytes, stores);
          });
        } else if constexpr (!std::is_same_v<From, bfloat16> && !std::is_same_v<To, bfloat16>) {
          const auto cast_run = GAIA_VECTOR_KERNEL(cast_row<To, From>);
          return loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>&) {
            cast_run(x.as<From>() + at[0], y.as<To>() + at[1], n);
          });
        }
      }
      if constexpr (std::is_same_v<From, To>) {
        if (copy_near<To>(loop, x, y)) return;
      }
      map<From, To>(x, y, [](From value) { return cast<To>(value); });
    });
  });
}

void CpuBackend::fill(double value, const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using U = CopiedAs<T>;
    const U filling = std::bit_cast<U>(cast<T>(value));
    const auto fill_run = GAIA_VECTOR_KERNEL(fill_row<U>);
    const StridedLoop<1> loop(y.shape, {y.strides});
    loop.for_each_run([&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
      U* const p = y.as<U>() + at[0];
      if (step[0] == 1) return fill_run(filling, p, n);
      for (std::int64_t i = 0; i < n; ++i) p[i * step[0]] = filling;
    });
  });
}

}  // namespace gaia::cpu
