// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "backend.h"
#include "rows.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// y = x along the last axis, and then f(row of y, its length) for every row.
template <class T, class F>
void for_each_row(const View& x, const View& y, const F& f) {
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
      f(to, n);
    }
  };
  loop.for_each_run(normalize, std::max<std::int64_t>(1, kElementsPerTask / n));
}

/// x - max - log(sum exp(x - max)); the largest term of the sum is 1, and the others are carried
/// apart from it, so that answers near 0 keep their digits.
template <class T>
void log_softmax_row(T* x, std::int64_t n) {
  const std::int64_t at = std::max_element(x, x + n) - x;
  const T largest = x[at];
  const double others = sum_of<double>(n, [=](std::int64_t i) {
    return i == at ? 0.0 : static_cast<double>(std::exp(x[i] - largest));
  });
  // NaN where the largest is: of NaN, of infinity, and of -infinity throughout.
  const double total = std::log1p(others) + static_cast<double>(largest - largest);
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(static_cast<double>(x[i] - largest) - total);
  }
}

}  // namespace

void CpuBackend::softmax(const View& x, const View& y) {
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_row<T>(x, y, [](T* row, std::int64_t n) { softmax_row(row, n); });
  });
}

void CpuBackend::log_softmax(const View& x, const View& y) {
  dispatch_floating(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_row<T>(x, y, [](T* row, std::int64_t n) { log_softmax_row(row, n); });
  });
}

}  // namespace gaia::cpu
