// SPDX-License-Identifier: MIT
#include <algorithm>

#include "backend.h"
#include "rows.h"
#include "strided_loop.h"

namespace gaia::cpu {

void CpuBackend::softmax(const View& x, const View& y) {
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = x.shape.back();
    View row_starts_x = x;  // x and y without their last axis
    View row_starts_y = y;
    row_starts_x.shape.back() = row_starts_y.shape.back() = 1;
    const StridedLoop<2> loop(row_starts_x.shape, {x.strides, y.strides});
    const auto normalize = [&](const Offsets<2>& at, std::int64_t rows, const Offsets<2>& step) {
      for (std::int64_t r = 0; r < rows; ++r) {
        const T* from = x.as<T>() + at[0] + r * step[0];
        T* to = y.as<T>() + at[1] + r * step[1];
        for (std::int64_t j = 0; j < n; ++j) to[j] = from[j * x.strides.back()];
        softmax_row(to, n);
      }
    };
    loop.for_each_run(normalize, std::max<std::int64_t>(1, kElementsPerTask / n));
  });
}

}  // namespace gaia::cpu
