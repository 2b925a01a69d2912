// SPDX-License-Identifier: MIT
/// \file
/// Windows taken by vectors, compared with one after the other.
#include "../../cpu/vector/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/pool2d.h"
#include "../../src/formulas/sliding_reach.h"
#include "../support/catch.h"

using namespace gaia;
using gaia::cpu::WindowRow;

namespace {

constexpr std::int64_t kWidth = 200;

/// A few numbers again and again, so that many windows hold equal ones.
template <class T>
std::vector<T> numbers(std::int64_t n, bool special) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> from =
      special ? std::vector<T>{nan, -infinity, -infinity, -infinity, infinity, T(0), T(-0.0)}
              : std::vector<T>{T(0.1), T(-0.3), T(7), T(7), T(1e-3)};
  std::mt19937 random(3);
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(from[random() % from.size()]);
  return x;
}

template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Whether n windows are what one after the other is.
template <class T>
bool check_windows(const std::vector<T>& x, const WindowRow& row, std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  std::vector<T> largest(count + 1, T(5));
  std::vector<T> means(count + 1, T(5));
  std::vector<std::int64_t> places(count + 1, -5);
  GAIA_VECTOR_KERNEL(max_of_windows<T>)(x.data(), row, n, largest.data(), places.data());
  const auto taps = static_cast<double>(row.rows * row.columns);
  GAIA_VECTOR_KERNEL(mean_of_windows<T>)(x.data(), row, n, taps, means.data());
  bool right = largest[count] == T(5) && means[count] == T(5) && places[count] == -5;
  for (std::size_t w = 0; w < count; ++w) {
    const std::int64_t start = row.first + static_cast<std::int64_t>(w) * row.stride;
    T best = -std::numeric_limits<T>::infinity();
    std::int64_t best_at = start;
    double sum = 0.0;
    for (std::int64_t i = 0; i < row.rows; ++i) {
      for (std::int64_t j = 0; j < row.columns; ++j) {
        const std::int64_t at = start + i * row.row_step + j * row.column_step;
        const T value = x[static_cast<std::size_t>(at)];
        if (is_larger_or_nan(value, best)) best_at = at;
        if (is_larger_or_nan(value, best)) best = value;
        sum += static_cast<double>(value);
      }
    }
    right = right && same(largest[w], best) && places[w] == best_at &&
            same(means[w], static_cast<T>(sum / taps));
  }
  return right;
}

}  // namespace

FLOAT_TEST_CASE("Windows side by side have the maxima and means of each") {
  const std::int64_t together = GAIA_VECTOR_KERNEL(windows_together<T>)();
  for (const std::int64_t stride : {1, 2, 3, 5}) {
    for (const std::int64_t rows : {1, 2, 3}) {
      for (const std::int64_t columns : {1, 2, 3, 4}) {
        for (const std::int64_t step : {1, 2}) {
          for (const std::int64_t n : {together, together + 1, 2 * together + 3}) {
            const WindowRow row = {.first = 7,
                                   .stride = stride,
                                   .rows = rows,
                                   .columns = columns,
                                   .row_step = step * kWidth,
                                   .column_step = step};
            // Nothing beyond the last window's last tap may be read: it is the end of the memory.
            const std::int64_t end =
                7 + (n - 1) * stride + ((rows - 1) * kWidth + columns - 1) * step;
            INFO(stride << " " << rows << " " << columns << " " << step << " " << n);
            CHECK(check_windows(numbers<T>(end + 1, false), row, n));
            CHECK(check_windows(numbers<T>(end + 1, true), row, n));
          }
        }
      }
    }
  }
}

TEST_CASE("Rows of windows are pooled as shorter ones, wherever the padding ends") {
  // Planes of one column of windows at a time have no vectors.
  for (const std::int64_t width : {15, 33, 40, 70}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      INFO(width << " " << stride);
      std::vector<double> values = numbers<double>(2 * 9 * width, false);
      const Array x = from_values(values, {1, 2, 9, width});
      const MaxPool2dOptions largest{
          .kernel = {3, 4}, .stride = Pair{2, stride}, .padding = {1, 2}};
      const AvgPool2dOptions mean{.kernel = {3, 4}, .stride = Pair{2, stride}, .padding = {1, 2}};
      const MaxPool all = max_pool2d(x, largest);
      const Array means = avg_pool2d(x, mean);
      const std::int64_t outputs = all.values.shape(3);
      bool right = true;
      for (std::int64_t j = 0; j < outputs; ++j) {
        const std::int64_t first = std::max<std::int64_t>(0, j * stride - 2);
        const std::int64_t last = std::min(width, j * stride + 2);
        const Array part = x.slice(3, first, last);
        const MaxPool one = max_pool2d(
            part, {.kernel = {3, last - first}, .stride = Pair{2, 1}, .padding = {1, 0}});
        right = right &&
                all.values.slice(3, j, j + 1).to_vector<double>() == one.values.to_vector<double>();
        // Sums of taps in order, so the same bits but for the divisor, which is 12 there.
        const Array part_mean = avg_pool2d(
            part, {.kernel = {3, last - first}, .stride = Pair{2, 1}, .padding = {1, 0}});
        const double share = static_cast<double>(last - first) / 4.0;
        const std::vector<double> wanted = (part_mean * share).to_vector<double>();
        const std::vector<double> got = means.slice(3, j, j + 1).to_vector<double>();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          right = right && std::abs(got[i] - wanted[i]) <= 1e-12;
        }
      }
      CHECK(right);
    }
  }
}
