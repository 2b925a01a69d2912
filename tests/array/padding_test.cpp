// SPDX-License-Identifier: MIT
/// \file
/// Padding: NumPy's numbers, an independent loop over positions, every layout, and refusals.
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/padding.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

using Mode = PadMode;

DEVICE_TEST_CASE("pad is numpy.pad in every mode") {
  const Array x = array({1, 2, 3, 5}, i8);
  const auto padded = [&](Mode mode, PadOptions options = {}) {
    options.mode = mode;
    return pad(x, {{2, 3}}, options);
  };
  check_equal(padded(Mode::constant), i8, {9}, {0, 0, 1, 2, 3, 5, 0, 0, 0});
  check_equal(padded(Mode::constant, {.values = {{7, 8}}}), i8, {9}, {7, 7, 1, 2, 3, 5, 8, 8, 8});
  check_equal(padded(Mode::edge), i8, {9}, {1, 1, 1, 2, 3, 5, 5, 5, 5});
  check_equal(padded(Mode::linear_ramp, {.values = {{-3, 0}}}), i8, {9},
              {-3, -1, 1, 2, 3, 5, 3, 1, 0});
  check_equal(padded(Mode::maximum), i8, {9}, {5, 5, 1, 2, 3, 5, 5, 5, 5});
  check_equal(padded(Mode::maximum, {.stat_lengths = {{2, 1}}}), i8, {9},
              {2, 2, 1, 2, 3, 5, 5, 5, 5});
  check_equal(padded(Mode::minimum), i8, {9}, {1, 1, 1, 2, 3, 5, 1, 1, 1});
  check_equal(padded(Mode::mean), i8, {9}, {3, 3, 1, 2, 3, 5, 3, 3, 3});  // of 2.75
  check_equal(padded(Mode::mean, {.stat_lengths = {{2, 2}}}), i8, {9},
              {2, 2, 1, 2, 3, 5, 4, 4, 4});  // 1.5: to the even one
  check_equal(padded(Mode::median), i8, {9}, {2, 2, 1, 2, 3, 5, 2, 2, 2});
  check_equal(padded(Mode::reflect), i8, {9}, {3, 2, 1, 2, 3, 5, 3, 2, 1});
  check_equal(padded(Mode::symmetric), i8, {9}, {2, 1, 1, 2, 3, 5, 5, 3, 2});
  check_equal(padded(Mode::reflect, {.reflect_type = ReflectType::odd}), i8, {9},
              {-1, 0, 1, 2, 3, 5, 7, 8, 9});
  check_equal(padded(Mode::symmetric, {.reflect_type = ReflectType::odd}), i8, {9},
              {0, 1, 1, 2, 3, 5, 5, 7, 8});
  check_equal(padded(Mode::wrap), i8, {9}, {3, 5, 1, 2, 3, 5, 1, 2, 3});
  CHECK(padded(Mode::empty).shape() == Shape{9});
}

DEVICE_TEST_CASE("pad goes axis by axis, and keeps the dtype") {
  const Array x = array({{1, 2}, {3, 4}});
  check_equal(pad(x, {{1, 0}, {0, 2}}, {.mode = Mode::constant, .values = {{8, 8}, {9, 7}}}), f4,
              {3, 4}, {8, 8, 7, 7, 1, 2, 7, 7, 3, 4, 7, 7});
  check_equal(pad(x, 1, {.mode = Mode::reflect}), f4, {4, 4},
              {4, 3, 4, 3, 2, 1, 2, 1, 4, 3, 4, 3, 2, 1, 2, 1});
  check_equal(pad(x > 2, 1), b1, {4, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0});
  CHECK(pad(x.astype(bf), 1, {.mode = Mode::mean}).dtype() == bf);
  check_equal(pad(array({{7}}), {{0, 0}, {2, 1}}, {.mode = Mode::reflect}), f4, {1, 4},
              {7, 7, 7, 7});
  check_equal(pad(zeros({0}), 2, {.values = {{3, 4}}}), f4, {4}, {3, 3, 4, 4});
  CHECK(pad(zeros({0, 2}), {{0, 0}, {1, 1}}, {.mode = Mode::edge}).shape() == Shape{0, 4});
  check_equal(pad(full({}, 3.0), 2), f4, {}, {3});
}

/// Position at which i of an axis of n elements is read, i outside too.
std::int64_t mirrored(std::int64_t i, std::int64_t n, Mode mode) {
  const auto positive = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
  if (mode == Mode::wrap) return positive(i, n);
  if (mode == Mode::edge || n == 1) return std::min(std::max<std::int64_t>(i, 0), n - 1);
  const std::int64_t period = mode == Mode::reflect ? 2 * n - 2 : 2 * n;
  const std::int64_t at = positive(i, period);
  return at < n ? at : (mode == Mode::reflect ? period - at : period - 1 - at);
}

TEST_CASE("pad mirrors and wraps again and again, in every layout") {
  std::mt19937_64 engine(5);
  for (const Mode mode : {Mode::edge, Mode::reflect, Mode::symmetric, Mode::wrap}) {
    for (const Layout layout : all_layouts()) {
      for (const Shape& shape : {Shape{1, 3, 2}, Shape{4, 1, 5}, Shape{2, 2, 3}}) {
        const Operand x = random_operand(engine, shape, f8, layout);
        const std::vector<PadWidth> widths = {{5, 0}, {1, 9}, {7, 8}};
        Values expected(Shape{shape[0] + 5, shape[1] + 10, shape[2] + 15});
        for_each_index(expected.shape, [&](const Dims& at) {
          Dims from = at;
          for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t before = widths[static_cast<std::size_t>(axis)].before;
            from[axis] = mirrored(at[axis] - before, shape[axis], mode);
          }
          expected[at] = x.values[from];
        });
        check_near(pad(x.array, widths, {.mode = mode}), expected, 0.0);
      }
    }
  }
}

TEST_CASE("pad tells what does not fit") {
  const Array x = ones({2, 3});
  CHECK_THROWS_WITH_TEXT(pad(x, -1), ArgumentError, "[pad] expected widths of at least 0");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_WITH_TEXT(pad(x, most), ShapeError, "longer than 2^63");
  CHECK_THROWS_AS(pad(x, most / 4), Error);
  CHECK_THROWS_WITH_TEXT(pad(x, {{1, 1}, {1, 1}, {1, 1}}), ShapeError,
                         "[pad] expected widths for 1 axis or for each of 2, got 3");
  CHECK_THROWS_WITH_TEXT(pad(x, 1, {.values = {{1, 1}, {1, 1}, {1, 1}}}), ShapeError, "values");
  CHECK_THROWS_WITH_TEXT(pad(zeros({2, 0}), 1, {.mode = Mode::wrap}), ShapeError,
                         "axis 1 has no elements");
  CHECK_THROWS_WITH_TEXT(pad(x, 1, {.mode = Mode::minimum, .stat_lengths = {{0, 1}}}),
                         ArgumentError, "at least 1");
  CHECK_THROWS_WITH_TEXT(pad(x, 1, {.mode = Mode::mean, .stat_lengths = {{-1, 1}}}), ArgumentError,
                         "stat_lengths of at least 0");
  CHECK_THROWS_WITH_TEXT(pad(x > 0, 1, {.mode = Mode::reflect, .reflect_type = ReflectType::odd}),
                         DTypeError, "got bool");
}

}  // namespace
}  // namespace gaia::test
