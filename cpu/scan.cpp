// SPDX-License-Identifier: MIT
/// \file
/// What is carried along the last axis: running sums and products, positions of extremes.
///
/// Rows are walked some at a time side by side, so that memory is read in order where rows are
/// neighbours in it and not only where elements of a row are.
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "backend.h"
#include "map.h"
#include "reduce_loops.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kSideBySide = 16;

using RowOffsets = std::array<std::int64_t, static_cast<std::size_t>(kSideBySide)>;

/// f(count, offsets in x, offsets in y) for every `count` <= kSideBySide rows, in parallel; both
/// views without their last axes.
template <class F>
void for_rows(const View& x, const View& y, const F& f) {
  const auto without_last = [](const Dims& dims) {
    Dims result = dims;
    result.erase(result.rank() - 1);
    return result;
  };
  const Shape outer = without_last(x.shape);
  const Strides outer_x = without_last(x.strides);
  const Strides outer_y = without_last(y.strides);
  const std::int64_t rows = count_elements(outer);
  const std::int64_t length = std::max<std::int64_t>(1, x.shape.back());
  const std::int64_t blocks_per_task =
      std::max<std::int64_t>(1, kElementsPerTask / (length * kSideBySide));
  const std::int64_t blocks = (rows + kSideBySide - 1) / kSideBySide;
  parallel_for((blocks + blocks_per_task - 1) / blocks_per_task, [&](std::int64_t task) {
    const std::int64_t end = std::min(blocks, (task + 1) * blocks_per_task);
    for (std::int64_t block = task * blocks_per_task; block < end; ++block) {
      const std::int64_t first = block * kSideBySide;
      const std::int64_t count = std::min(kSideBySide, rows - first);
      RowOffsets in{};
      RowOffsets out{};
      for (std::int64_t r = 0; r < count; ++r) {
        in[static_cast<std::size_t>(r)] = offset_of(first + r, outer, outer_x);
        out[static_cast<std::size_t>(r)] = offset_of(first + r, outer, outer_y);
      }
      f(static_cast<std::size_t>(count), in, out);
    }
  });
}

template <class T, class U, class F>
void scan_with(const View& x, const View& y, const F& join) {
  using Sum = std::conditional_t<std::is_floating_point_v<U>, double, U>;
  const std::int64_t n = x.shape.back();
  const bool contiguous = x.strides.back() == 1 && y.strides.back() == 1;
  for_rows(x, y, [&](std::size_t count, const RowOffsets& in, const RowOffsets& out) {
    if (count == 1 && contiguous) {
      const T* const from = x.as<T>() + in[0];
      U* const to = y.as<U>() + out[0];
      auto carried = static_cast<Sum>(read(from[0]));
      to[0] = static_cast<U>(carried);
      std::int64_t i = 1;
      if constexpr (std::is_integral_v<Sum>) {
        // Exact in any order: of four numbers one step waits for those before.
        for (; i + 4 <= n; i += 4) {
          Sum some[4];
          some[0] = static_cast<Sum>(read(from[i]));
          for (std::int64_t k = 1; k < 4; ++k) {
            some[k] = join(some[k - 1], static_cast<Sum>(read(from[i + k])));
          }
          for (std::int64_t k = 0; k < 4; ++k) to[i + k] = static_cast<U>(join(carried, some[k]));
          carried = join(carried, some[3]);
        }
      }
      for (; i < n; ++i) {
        carried = join(carried, static_cast<Sum>(read(from[i])));
        to[i] = static_cast<U>(carried);
      }
      return;
    }
    Sum carried[static_cast<std::size_t>(kSideBySide)] = {};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < count; ++r) {
        const auto next = static_cast<Sum>(read(x.as<T>()[in[r] + i * x.strides.back()]));
        carried[r] = i == 0 ? next : join(carried[r], next);
        y.as<U>()[out[r] + i * y.strides.back()] = static_cast<U>(carried[r]);
      }
    }
  });
}

/// Position of the first element that is `before` all others, or NaN.
template <class T, class F>
void first_with(const View& x, const View& y, const F& before) {
  const std::int64_t n = x.shape.back();
  for_rows(x, y, [&](std::size_t count, const RowOffsets& in, const RowOffsets& out) {
    decltype(read(T{})) best[static_cast<std::size_t>(kSideBySide)] = {};
    std::int64_t where[static_cast<std::size_t>(kSideBySide)] = {};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < count; ++r) {
        const auto next = read(x.as<T>()[in[r] + i * x.strides.back()]);
        const bool found_nan = best[r] != best[r];
        if (i == 0 || (!found_nan && (before(next, best[r]) || next != next))) {
          best[r] = next;
          where[r] = i;
        }
      }
    }
    for (std::size_t r = 0; r < count; ++r) y.as<std::int64_t>()[out[r]] = where[r];
  });
}

/// The same for rows of neighbours: by vectors the block that holds it, then its place there.
template <class T>
void first_in_rows(const View& x, const View& y, bool largest) {
  constexpr std::int64_t block = 1024;
  const auto extreme = [=] {
    if constexpr (std::is_floating_point_v<T>) {
      return largest ? GAIA_VECTOR_KERNEL(largest_of_row<T>)
                     : GAIA_VECTOR_KERNEL(smallest_of_row<T>);
    } else {
      return largest ? GAIA_VECTOR_KERNEL(join_row<Largest<T>, T>)
                     : GAIA_VECTOR_KERNEL(join_row<Smallest<T>, T>);
    }
  }();
  const std::int64_t n = x.shape.back();
  for_rows(x, y, [&](std::size_t count, const RowOffsets& in, const RowOffsets& out) {
    for (std::size_t r = 0; r < count; ++r) {
      const T* const row = x.as<T>() + in[r];
      T best{};
      std::int64_t at = 0;
      for (std::int64_t start = 0; start < n && best == best; start += block) {
        const T here = extreme(row + start, std::min(block, n - start));
        if (start > 0 && !(largest ? here > best : here < best) && here == here) continue;
        best = here;
        at = start;
      }
      while (best == best ? row[at] != best : row[at] == row[at]) ++at;
      y.as<std::int64_t>()[out[r]] = at;
    }
  });
}

/// The same where rows lie side by side: for columns of neighbours, blocks of which threads share.
template <class T>
void first_in_columns_of(const View& x, const View& y, bool largest) {
  constexpr std::int64_t width = 256;
  const int last = x.rank() - 1;
  const std::int64_t rows = x.shape[last];
  const std::int64_t columns = x.shape[last - 1];
  const std::int64_t per_task = std::max(width, columns / num_threads());
  const std::int64_t blocks = (columns + per_task - 1) / per_task;
  const auto without_both = [=](Dims dims) {
    dims.erase(last);
    dims.erase(last - 1);
    return dims;
  };
  const Shape outer = without_both(x.shape);
  const Strides outer_x = without_both(x.strides);
  const Strides outer_y = without_both(y.strides);
  parallel_for(count_elements(outer) * blocks, [&](std::int64_t task) {
    const std::int64_t first = task % blocks * per_task;
    const std::int64_t n = std::min(per_task, columns - first);
    const T* const from = x.as<T>() + offset_of(task / blocks, outer, outer_x) + first;
    std::vector<std::int64_t> where(static_cast<std::size_t>(n));
    GAIA_VECTOR_KERNEL(first_in_columns<T>)
    (from, x.strides[last], rows, n, largest, where.data());
    const std::int64_t target = offset_of(task / blocks, outer, outer_y);
    for (std::int64_t i = 0; i < n; ++i) {
      y.as<std::int64_t>()[target + (first + i) * y.strides[last - 1]] =
          where[static_cast<std::size_t>(i)];
    }
  });
}

}  // namespace

void CpuBackend::scan(Scan kind, const View& x, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Read = decltype(read(T{}));
    using U = std::conditional_t<std::is_floating_point_v<Read>, Read, std::int64_t>;
    if (y.dtype != dtype_of<U>()) unexpected("scan", y.dtype);
    if (kind == Scan::sum) {
      scan_with<T, U>(x, y, [](auto a, auto b) { return Add{}.value(a, b); });
    } else {
      scan_with<T, U>(x, y, [](auto a, auto b) { return Multiply{}.value(a, b); });
    }
  });
}

void CpuBackend::arg_reduce(ArgReduction kind, const View& x, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bfloat16> && !std::is_same_v<T, bool>) {
      const bool is_long = x.shape.back() >= 32;  // worth a call for each row
      if (is_long && x.strides.back() == 1)
        return first_in_rows<T>(x, y, kind == ArgReduction::max);
      const int beside = x.rank() - 2;
      if (beside >= 0 && x.strides[beside] == 1 && x.shape[beside] >= 16 &&
          x.shape.back() <= std::numeric_limits<std::int32_t>::max()) {
        return first_in_columns_of<T>(x, y, kind == ArgReduction::max);
      }
    }
    if (kind == ArgReduction::max) {
      first_with<T>(x, y, [](auto a, auto b) { return a > b; });
    } else {
      first_with<T>(x, y, [](auto a, auto b) { return a < b; });
    }
  });
}

}  // namespace gaia::cpu
