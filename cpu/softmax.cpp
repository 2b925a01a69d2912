// SPDX-License-Identifier: MIT
#include <algorithm>

#include "backend.h"
#include "strided_loop.h"
#include "vector/rows.h"

namespace gaia::cpu {
namespace {

/// Calls f(row of x, row of y, length) for every row along the last axis; rows of x that are not
/// contiguous are copied to y first.
template <class T, class F>
void for_each_row(const View& x, const View& y, const F& f) {
  const std::int64_t n = x.shape.back();
  View row_starts_x = x;  // x and y without their last axis
  View row_starts_y = y;
  row_starts_x.shape.back() = row_starts_y.shape.back() = 1;
  const StridedLoop<2> loop(row_starts_x.shape, {x.strides, y.strides});
  const bool in_place = x.strides.back() == 1 || n == 1;
  const auto normalize = [&](const Offsets<2>& at, std::int64_t rows, const Offsets<2>& step) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* from = x.as<T>() + at[0] + r * step[0];
      T* const to = y.as<T>() + at[1] + r * step[1];
      if (!in_place) {
        for (std::int64_t j = 0; j < n; ++j) to[j] = from[j * x.strides.back()];
        from = to;
      }
      f(from, to, n);
    }
  };
  loop.for_each_run(normalize, std::max<std::int64_t>(1, kElementsPerTask / n));
}

}  // namespace

void CpuBackend::softmax(const View& x, const View& y) {
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_row<T>(x, y, GAIA_VECTOR_KERNEL(softmax_row<T>));
  });
}

void CpuBackend::log_softmax(const View& x, const View& y) {
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_row<T>(x, y, GAIA_VECTOR_KERNEL(log_softmax_row<T>));
  });
}

}  // namespace gaia::cpu
