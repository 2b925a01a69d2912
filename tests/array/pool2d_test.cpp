// SPDX-License-Identifier: MIT
/// \file
/// Pooling of planes: PyTorch's numbers, plain loops, and refusals.
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/pool2d.h"
#include "../../src/core/error.h"
#include "../reference/planes.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("max_pool2d gives maxima and where they were") {
  const Array x = array({{1, 5, 2, 2}, {3, 4, 2, 1}, {0, 0, 9, 8}, {0, 0, 7, 6}});
  const MaxPool y = max_pool2d(x.reshape({1, 1, 4, 4}));
  check_equal(y.values, f4, {1, 1, 2, 2}, {5, 2, 0, 9});
  check_equal(y.indices, i8, {1, 1, 2, 2}, {1, 2, 8, 10});  // of equal ones the first
  check_equal(max_pool2d_gradient(y.values, y.indices, {1, 1, 4, 4}), f4, {1, 1, 4, 4},
              {0, 5, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0});
  const MaxPool z = max_pool2d(x.reshape({1, 1, 4, 4}), {.kernel = {3, 3}, .stride = Pair{1, 1}});
  check_equal(z.values, f4, {1, 1, 2, 2}, {9, 9, 9, 9});
  check_equal(max_pool2d_gradient(ones({1, 1, 2, 2}), z.indices, {1, 1, 4, 4}).reshape({16}), f4,
              {16}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0});
  CHECK(max_pool2d(x.astype(i8).reshape({1, 1, 4, 4})).values.dtype() == f8);
  CHECK(max_pool2d(x.astype(bf).reshape({1, 1, 4, 4})).values.dtype() == f4);
  CHECK(max_pool2d(zeros({0, 2, 4, 4})).values.shape() == Shape{0, 2, 2, 2});
  CHECK(max_pool2d_gradient(zeros({0, 2, 2, 2}), zeros({0, 2, 2, 2}, i8), {0, 2, 4, 4}).shape() ==
        Shape{0, 2, 4, 4});
}

DEVICE_TEST_CASE("max_pool2d lets NaN through and never takes the padding") {
  const Array x = array({{1, kNaN}, {2, 3}}).reshape({1, 1, 2, 2});
  const MaxPool y = max_pool2d(x);
  check_equal(y.values, f4, {1, 1, 1, 1}, {kNaN});
  check_equal(y.indices, i8, {1, 1, 1, 1}, {1});
  const Array low = full({1, 1, 2, 2}, -5.0);
  check_equal(max_pool2d(low, {.padding = {1, 1}}).values, f4, {1, 1, 2, 2}, {-5, -5, -5, -5});
  const MaxPool lowest = max_pool2d(full({1, 1, 2, 2}, -kInfinity), {.padding = {1, 1}});
  check_equal(lowest.values, f4, {1, 1, 2, 2}, std::vector<double>(4, -kInfinity));
  check_equal(lowest.indices, i8, {1, 1, 2, 2}, {0, 1, 2, 3});
}

DEVICE_TEST_CASE("avg_pool2d divides by what PyTorch divides by") {
  const Array x = arange(9).astype(f4).reshape({1, 1, 3, 3}) + 1.0;
  check_equal(avg_pool2d(x), f4, {1, 1, 1, 1}, {3});
  check_equal(avg_pool2d(x, {.padding = {1, 1}}), f4, {1, 1, 2, 2}, {0.25, 1.25, 2.75, 7});
  check_equal(avg_pool2d(x, {.padding = {1, 1}, .count_include_pad = false}), f4, {1, 1, 2, 2},
              {1, 2.5, 5.5, 7});
  // A window that sticks out beyond the padding counts only what is in front of its end.
  check_equal(avg_pool2d(x, {.ceil_mode = true}), f4, {1, 1, 2, 2}, {3, 4.5, 7.5, 9});
  check_equal(avg_pool2d_gradient(array({{4, 8}, {12, 16}}).reshape({1, 1, 2, 2}), {1, 1, 3, 3},
                                  {.padding = {1, 1}}),
              f4, {1, 1, 3, 3}, {1, 2, 2, 3, 4, 4, 3, 4, 4});
  CHECK(avg_pool2d(zeros({2, 0, 4, 4})).shape() == Shape{2, 0, 2, 2});
  CHECK(avg_pool2d(x.astype(i8)).dtype() == f8);
}

struct Case {
  Shape x;
  SlidingWindow window;
  bool ceil_mode = false;
  Pair y;  ///< Rows and columns of the answer.
};

DEVICE_TEST_CASE("Pooling agrees with plain loops, in every layout") {
  const std::vector<Case> cases = {
      {{2, 3, 6, 8}, {{2, 2}, {2, 2}}, false, {3, 4}},
      {{1, 2, 7, 5}, {{3, 2}, {2, 1}, {1, 1}}, false, {4, 6}},
      {{1, 2, 7, 6}, {{3, 2}, {2, 3}, {1, 1}}, true, {4, 3}},
      {{2, 1, 6, 6}, {{2, 2}, {3, 3}}, true, {2, 2}},
      {{2, 1, 5, 5}, {{2, 2}, {2, 2}}, true, {3, 3}},
      {{1, 1, 5, 5}, {{2, 2}, {3, 3}, {1, 1}}, true, {2, 2}},
      {{1, 1, 1, 1}, {{1, 1}, {4, 4}}, false, {1, 1}},
      {{3, 2, 1, 9}, {{1, 3}, {1, 2}, {0, 1}}, false, {1, 5}},
      {{40, 2, 30, 31}, {{2, 3}, {2, 3}}, false, {15, 10}},
      {{1, 2, 9, 9}, {{3, 2}, {2, 2}, {1, 0}, {2, 3}}, false, {4, 3}},
      {{1, 1, 9, 10}, {{2, 3}, {2, 2}, {1, 1}, {3, 2}}, true, {5, 5}},
  };
  std::mt19937_64 engine(3);
  for (const Case& c : cases) {
    for (const DType dtype : {f4, f8}) {
      for (const Layout layout : all_layouts()) {
        INFO(to_string(c.x) << " " << to_string(layout));
        const SlidingWindow& w = c.window;
        const Shape y_shape = {c.x[0], c.x[1], c.y[0], c.y[1]};
        const Operand x = random_operand(engine, c.x, dtype, layout, -3, 3);
        const Operand dy = random_operand(engine, y_shape, dtype, layout, -1, 1);
        Values indices;
        const Values maxima = max_pool(x.values, y_shape, w, indices);
        const MaxPool y =
            max_pool2d(x.array, {w.kernel, w.stride, w.padding, w.dilation, c.ceil_mode});
        check_near(y.values, maxima, 0);
        check_near(y.indices, indices, 0);
        Values dx(c.x);
        for_each_index(y_shape, [&](const Dims& at) {
          const auto place = static_cast<std::int64_t>(indices[at]);
          dx[{at[0], at[1], place / c.x[3], place % c.x[3]}] += dy.values[at];
        });
        check_near(max_pool2d_gradient(dy.array, y.indices, c.x), dx, 8, 4);
        if (w.dilation != Pair{1, 1}) continue;
        for (const bool count : {false, true}) {
          const AvgPool2dOptions options{w.kernel, w.stride, w.padding, c.ceil_mode, count};
          // A window that sticks out beyond the padding is checked against PyTorch's numbers.
          const bool sticks_out = count && c.ceil_mode;
          if (sticks_out) continue;
          check_near(avg_pool2d(x.array, options), avg_pool(x.values, y_shape, w, count), 8, 3);
          check_near(avg_pool2d_gradient(dy.array, c.x, options),
                     avg_pool_gradient(c.x, dy.values, w, count), 8, 3);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("The 1-d forms pool signals") {
  const Array x = array({1, 3, 2, 5, 4}).reshape({1, 1, 5});
  const MaxPool y = max_pool1d(x);
  check_equal(y.values, f4, {1, 1, 2}, {3, 5});
  check_equal(y.indices, i8, {1, 1, 2}, {1, 3});
  check_equal(max_pool1d(x, {.ceil_mode = true}).values, f4, {1, 1, 3}, {3, 5, 4});
  check_equal(max_pool1d(x, {.kernel = 2, .stride = 1, .dilation = 2}).values, f4, {1, 1, 3},
              {2, 5, 4});
  check_equal(max_pool1d_gradient(array({{7, 8}}).reshape({1, 1, 2}), y.indices, {1, 1, 5}), f4,
              {1, 1, 5}, {0, 7, 0, 8, 0});
  check_equal(avg_pool1d(x, {.kernel = 3, .stride = 2, .padding = 1}), f4, {1, 1, 3},
              {static_cast<float>(4.0 / 3), static_cast<float>(10.0 / 3), 3});
  check_equal(avg_pool1d_gradient(array({{2, 4}}).reshape({1, 1, 2}), {1, 1, 5}), f4, {1, 1, 5},
              {1, 1, 2, 2, 0});
}

TEST_CASE("Pooling refuses what does not fit") {
  const Array x = zeros({1, 1, 4, 4});
  CHECK_THROWS_WITH(max_pool2d(zeros({4, 4})),
                    "[max_pool2d] expected x [N, C, H, W], got shape [4, 4]");
  CHECK_THROWS_WITH(avg_pool2d(x, {.kernel = {5, 2}}),
                    "[avg_pool2d] a window of 5 with dilation 1 does not fit into an axis of "
                    "length 4 with padding 0");
  CHECK_THROWS_WITH(max_pool2d(x, {.padding = {2, 0}}),
                    "[max_pool2d] expected a padding of at most half of the kernel 2, got 2");
  CHECK_THROWS_AS(max_pool2d(x, {.stride = Pair{0, 1}}), ArgumentError);
  CHECK_THROWS_WITH(max_pool2d(x, {.padding = {1, 0}, .dilation = {5, 1}}),
                    "[max_pool2d] window 0 along axis 2 reads only padding; use a smaller dilation "
                    "or padding");
  CHECK_THROWS_AS(max_pool2d_gradient(zeros({1, 1, 2, 2}), zeros({1, 1, 2, 1}, i8), {1, 1, 4, 4}),
                  ShapeError);
  CHECK_THROWS_WITH_TEXT(
      max_pool2d_gradient(zeros({1, 1, 1, 1}), full({1, 1, 1, 1}, 16, i8), {1, 1, 4, 4}),
      ArgumentError, "index 16 is out of range");
  CHECK_THROWS_WITH(avg_pool2d_gradient(zeros({1, 1, 3, 2}), {1, 1, 4, 4}),
                    "[avg_pool2d_gradient] expected dy of shape [1, 1, 2, 2], got [1, 1, 3, 2]");
  CHECK_THROWS_AS(max_pool1d(x), ShapeError);
}

}  // namespace
}  // namespace gaia::test
