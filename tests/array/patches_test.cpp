// SPDX-License-Identifier: MIT
/// \file
/// Windows as columns and back: numbers that one can check by hand, plain loops, and refusals.
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/patches.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("unfold and fold of numbers that one can check by hand") {
  const Array x = arange(9).astype(f4).reshape({1, 1, 3, 3});
  const SlidingWindow window = {.kernel = {2, 2}};
  const Array columns = unfold(x, window);
  check_equal(columns, f4, {1, 4, 4}, {0, 1, 3, 4, 1, 2, 4, 5, 3, 4, 6, 7, 4, 5, 7, 8});
  check_equal(fold(columns, {3, 3}, window), f4, {1, 1, 3, 3}, {0, 2, 2, 6, 16, 10, 6, 14, 8});
  check_equal(unfold(x, {.kernel = {1, 3}, .stride = {2, 1}, .padding = {1, 0}}), f4, {1, 3, 3},
              {0, 3, 0, 0, 4, 0, 0, 5, 0});
  check_equal(unfold(x.astype(i4)[0], window), i4, {4, 4},
              {0, 1, 3, 4, 1, 2, 4, 5, 3, 4, 6, 7, 4, 5, 7, 8});
  check_equal(fold(columns[0], {3, 3}, window), f4, {1, 3, 3}, {0, 2, 2, 6, 16, 10, 6, 14, 8});
  CHECK(fold(columns.astype(bf), {3, 3}, window).dtype() == f4);
  CHECK(unfold(zeros({0, 2, 3, 3}), window).shape() == Shape{0, 8, 4});
  CHECK(fold(zeros({0, 8, 4}), {3, 3}, window).shape() == Shape{0, 2, 3, 3});
}

TEST_CASE("unfold and fold agree with their definitions") {
  std::mt19937_64 engine(9);
  const std::vector<SlidingWindow> windows = {
      {.kernel = {1, 1}},
      {.kernel = {3, 2}, .stride = {2, 1}},
      {.kernel = {2, 3}, .padding = {1, 2}},
      {.kernel = {2, 2}, .stride = {2, 3}, .padding = {2, 0}, .dilation = {2, 3}}};
  for (const SlidingWindow& window : windows) {
    for (const Layout layout : all_layouts()) {
      const Operand x = random_operand(engine, {2, 2, 5, 6}, f8, layout);
      const std::int64_t kh = window.kernel[0];
      const std::int64_t kw = window.kernel[1];
      const std::int64_t h = count_windows(5, window, 0, false, "test");
      const std::int64_t w = count_windows(6, window, 1, false, "test");
      Values unfolded(Shape{2, 2 * kh * kw, h * w});
      const Operand columns = random_operand(engine, unfolded.shape, f8, layout);
      Values folded(Shape{2, 2, 5, 6});
      for_each_index(Shape{2, 2, kh, kw, h, w}, [&](const Dims& at) {
        const std::int64_t row =
            at[4] * window.stride[0] - window.padding[0] + at[2] * window.dilation[0];
        const std::int64_t column =
            at[5] * window.stride[1] - window.padding[1] + at[3] * window.dilation[1];
        if (row < 0 || row >= 5 || column < 0 || column >= 6) return;
        const Dims place = {at[0], (at[1] * kh + at[2]) * kw + at[3], at[4] * w + at[5]};
        unfolded[place] = x.values[{at[0], at[1], row, column}];
        folded[{at[0], at[1], row, column}] += columns.values[place];
      });
      check_near(unfold(x.array, window), unfolded, 0.0);
      check_near(fold(columns.array, {5, 6}, window), folded, 16.0, 8.0);
    }
  }
}

TEST_CASE("unfold and fold tell what does not fit") {
  CHECK_THROWS_WITH_TEXT(unfold(ones({3, 3}), {}), ShapeError, "[unfold] expected x [N, C, H, W]");
  CHECK_THROWS_WITH_TEXT(unfold(ones({1, 1, 3, 3}), {.kernel = {4, 1}}), ShapeError,
                         "does not fit");
  CHECK_THROWS_WITH_TEXT(unfold(ones({1, 1, 3, 3}), {.stride = {0, 1}}), ArgumentError, "stride");
  CHECK_THROWS_WITH_TEXT(fold(ones({1, 4, 5}), {3, 3}, {.kernel = {2, 2}}), ShapeError,
                         "[fold] expected columns [N, C x 4, 4]");
  CHECK_THROWS_WITH_TEXT(fold(ones({1, 3, 4}), {3, 3}, {.kernel = {2, 2}}), ShapeError, "[fold]");
  CHECK_THROWS_WITH_TEXT(fold(ones({1, 4, 4}), {0, 3}, {}), ArgumentError, "at least 1 by 1");
  const std::int64_t many = std::int64_t{1} << 32;
  CHECK_THROWS_WITH_TEXT(fold(ones({1, 4, 4}), {many, many}, {.kernel = {many, many}}), ShapeError,
                         "longer than 2^63");
  CHECK_THROWS_WITH_TEXT(fold(ones({4}), {3, 3}, {.kernel = {2, 2}}), ShapeError, "[fold]");
}

}  // namespace
}  // namespace gaia::test
