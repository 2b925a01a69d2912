// SPDX-License-Identifier: MIT
/// \file
/// Convolution of signals and images: NumPy's and PyTorch's numbers, plain loops, and refusals.
#include <random>
#include <vector>

#include "../../src/array/convolution.h"
#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../reference/planes.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

using Mode = ConvolutionMode;

DEVICE_TEST_CASE("convolve1d is numpy.convolve") {
  const Array x = array({1, 2, 3});
  const Array k = array({0, 1, 0.5});
  check_equal(convolve1d(x, k), f4, {5}, {0, 1, 2.5, 4, 1.5});
  check_equal(convolve1d(x, k, Mode::same), f4, {3}, {1, 2.5, 4});
  check_equal(convolve1d(x, k, Mode::valid), f4, {1}, {2.5});
  check_equal(convolve1d(x, k, Mode::causal), f4, {3}, {0, 1, 2.5});
  const Array even = array({1, 10});
  check_equal(convolve1d(x, even), f4, {4}, {1, 12, 23, 30});
  check_equal(convolve1d(x, even, Mode::same), f4, {3}, {1, 12, 23});
  check_equal(convolve1d(x, array({1, 10, 100, 1000}), Mode::same), f4, {4}, {12, 123, 1230, 2300});
  check_equal(convolve1d(even, x, Mode::same), f4, {3}, {1, 12, 23});
  check_equal(convolve1d(even, x, Mode::valid), f4, {2}, {12, 23});
  check_equal(convolve1d(even, array({1, 2, 3}), Mode::causal), f4, {2}, {1, 12});
  check_equal(convolve1d(x.astype(i4), even.astype(i4)), f8, {4}, {1, 12, 23, 30});
  CHECK(convolve1d(x.astype(bf), k.astype(bf)).dtype() == f4);
  CHECK_THROWS_WITH_TEXT(convolve1d(Array(), ones({2})), ShapeError, "[convolve1d]");
  CHECK_THROWS_AS(convolve1d(ones({2, 2}), ones({2})), ShapeError);
}

TEST_CASE("convolve1d agrees with its definition for all lengths") {
  std::mt19937_64 engine(1);
  for (std::int64_t n = 1; n <= 9; ++n) {
    for (std::int64_t m = 1; m <= 9; ++m) {
      const Operand x = random_operand(engine, {n}, f8, Layout::reversed);
      const Operand k = random_operand(engine, {m}, f8, Layout::sliced);
      Values full(Shape{n + m - 1});
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < m; ++j) full[{i + j}] += x.values[{i}] * k.values[{j}];
      }
      const auto part = [&](std::int64_t first, std::int64_t count) {
        Values values(Shape{count});
        for (std::int64_t i = 0; i < count; ++i) values[{i}] = full[{first + i}];
        return values;
      };
      const std::int64_t longer = std::max(n, m);
      const std::int64_t shorter = std::min(n, m);
      INFO(n << " with " << m);
      check_near(convolve1d(x.array, k.array), full, 64, 16);
      check_near(convolve1d(x.array, k.array, Mode::same), part((shorter - 1) / 2, longer), 64, 16);
      check_near(convolve1d(x.array, k.array, Mode::valid), part(shorter - 1, longer - shorter + 1),
                 64, 16);
      check_near(convolve1d(x.array, k.array, Mode::causal), part(0, n), 64, 16);
    }
  }
}

DEVICE_TEST_CASE("temporal_convolution convolves columns") {
  const Array x = array({{1, 10}, {2, 20}, {3, 30}});
  check_equal(temporal_convolution(x, array({1, 0.5})), f4, {3, 2}, {1, 10, 2.5, 25, 4, 40});
  const Array each = array({{1, 0}, {0, 1}});
  check_equal(temporal_convolution(x, each), f4, {3, 2}, {1, 0, 2, 10, 3, 20});
  check_equal(temporal_convolution(x, each, Mode::full), f4, {4, 2}, {1, 0, 2, 10, 3, 20, 0, 30});
  check_equal(temporal_convolution(x, array({1, 1, 1}), Mode::valid), f4, {1, 2}, {6, 60});
  check_equal(temporal_convolution(x, array({1, 1, 1}), Mode::same), f4, {3, 2},
              {3, 30, 6, 60, 5, 50});
  CHECK(temporal_convolution(zeros({4, 0}), ones({2})).shape() == Shape{4, 0});
  CHECK_THROWS_WITH_TEXT(temporal_convolution(zeros({3, 2}), zeros({2, 3})), ShapeError,
                         "x [..., T, F] and a kernel [K] or [K, F]");
}

using Boundary = ConvolutionBoundary;

/// Position at which i of n elements is read under a boundary, or -1.
std::int64_t read_at(std::int64_t i, std::int64_t n, Boundary boundary) {
  const auto positive = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
  if (i >= 0 && i < n) return i;
  if (boundary == Boundary::zero) return -1;
  if (boundary == Boundary::wrap) return positive(i, n);
  if (boundary == Boundary::edge || n == 1) return i < 0 ? 0 : n - 1;
  const bool once = boundary == Boundary::reflect;
  const std::int64_t at = positive(i, once ? 2 * n - 2 : 2 * n);
  return at < n ? at : (once ? 2 * n - 2 - at : 2 * n - 1 - at);
}

DEVICE_TEST_CASE("Signals have boundaries, and batches of them are convolved") {
  const Array x = array({1, 2, 3, 4});
  const Array k = array({1, 10, 100});
  check_equal(convolve1d(x, k, Mode::same, Boundary::wrap), f4, {4}, {412, 123, 234, 341});
  check_equal(convolve1d(x, k, Mode::same, Boundary::reflect), f4, {4}, {212, 123, 234, 343});
  check_equal(convolve1d(x, k, Mode::same, Boundary::symmetric), f4, {4}, {112, 123, 234, 344});
  check_equal(convolve1d(x, k, Mode::causal, Boundary::edge), f4, {4}, {111, 112, 123, 234});
  check_equal(convolve1d(x, k, Mode::valid, Boundary::wrap), f4, {2}, {123, 234});
  const Array batch = stack({x.expand_dims(1), 2 * x.expand_dims(1)}, 0);
  check_equal(temporal_convolution(batch, k), f4, {2, 4, 1}, {1, 12, 123, 234, 2, 24, 246, 468});
  CHECK(temporal_convolution(zeros({0, 4, 2}), k).shape() == Shape{0, 4, 2});
  CHECK(temporal_convolution(zeros({3, 4, 0}), k, Mode::full).shape() == Shape{3, 6, 0});
  CHECK_THROWS_WITH_TEXT(temporal_convolution(ones({4}), ones({2})), ShapeError, "[..., T, F]");
}

TEST_CASE("temporal_convolution of batches agrees with its definition under every boundary") {
  std::mt19937_64 engine(6);
  for (const Boundary boundary :
       {Boundary::zero, Boundary::edge, Boundary::reflect, Boundary::symmetric, Boundary::wrap}) {
    for (const Mode mode : {Mode::full, Mode::same, Mode::causal}) {
      for (std::int64_t n = 1; n <= 5; ++n) {
        for (std::int64_t m = 1; m <= 6; ++m) {
          const Operand x = random_operand(engine, {2, 2, n, 3}, f8, Layout::transposed);
          const Operand k = random_operand(engine, {m, 3}, f8, Layout::reversed);
          const std::int64_t first = mode == Mode::same ? (std::min(n, m) - 1) / 2 : 0;
          const std::int64_t count = mode == Mode::full   ? n + m - 1
                                     : mode == Mode::same ? std::max(n, m)
                                                          : n;
          Values expected(Shape{2, 2, count, 3});
          for_each_index(expected.shape, [&](const Dims& at) {
            for (std::int64_t j = 0; j < m; ++j) {
              const std::int64_t from = read_at(first + at[2] - j, n, boundary);
              if (from < 0) continue;
              expected[at] += k.values[{j, at[3]}] * x.values[{at[0], at[1], from, at[3]}];
            }
          });
          INFO(n << " with " << m);
          check_near(temporal_convolution(x.array, k.array, mode, boundary), expected, 64, 16);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("conv2d of numbers that one can check by hand") {
  const Array x = arange(9).astype(f4).reshape({1, 1, 3, 3});
  const Array w = array({{1, 2}, {3, 4}}).reshape({1, 1, 2, 2});
  check_equal(conv2d(x, w), f4, {1, 1, 2, 2}, {27, 37, 57, 67});
  check_equal(conv2d(x, w, array({100})), f4, {1, 1, 2, 2}, {127, 137, 157, 167});
  check_equal(conv2d(x, w, {}, {.stride = {2, 2}, .padding = {1, 1}}), f4, {1, 1, 2, 2},
              {0, 11, 30, 67});
  check_equal(conv2d(x, w, {}, {.dilation = {2, 2}}), f4, {1, 1, 1, 1}, {54});
  CHECK(conv2d(zeros({0, 1, 3, 3}), w).shape() == Shape{0, 1, 2, 2});
  CHECK(conv2d(x, zeros({0, 1, 2, 2})).shape() == Shape{1, 0, 2, 2});
  check_equal(conv2d(zeros({1, 0, 2, 2}), zeros({1, 0, 2, 2}), array({3})), f4, {1, 1, 1, 1}, {3});
  CHECK(conv2d(x.astype(i4), w.astype(i4)).dtype() == f8);
  CHECK(conv2d(x.astype(bf), w.astype(bf)).dtype() == f4);
}

struct Case {
  Shape x;
  Shape weights;
  Conv2dOptions options;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{2, 3, 7, 8}, {4, 3, 3, 3}, {}},
      {{2, 3, 7, 8}, {4, 3, 3, 2}, {.padding = {1, 2}}},
      {{1, 2, 9, 7}, {3, 2, 3, 3}, {.stride = {2, 3}, .padding = {2, 1}}},
      {{2, 2, 9, 10}, {2, 2, 2, 3}, {.padding = {3, 4}, .dilation = {3, 2}}},
      {{2, 4, 6, 6}, {6, 2, 3, 3}, {.stride = {2, 1}, .padding = {1, 1}, .groups = 2}},
      {{3, 4, 5, 5}, {4, 1, 3, 3}, {.padding = {1, 1}, .groups = 4}},
      {{17, 3, 4, 5}, {5, 3, 1, 1}, {}},
      {{2, 4, 4, 5}, {6, 2, 1, 1}, {.groups = 2}},
      {{2, 3, 4, 5}, {5, 3, 1, 1}, {.stride = {2, 2}}},
      {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
      {{1, 1, 1, 1}, {2, 1, 3, 3}, {.padding = {1, 1}}},
      {{1, 2, 40, 60}, {2, 2, 5, 5}, {.padding = {2, 2}}},
      {{1, 70, 8, 9}, {2, 70, 5, 5}, {}},  // several blocks of positions
      {{1, 1, 3, 3}, {1, 1, 3, 3}, {.stride = {5, 7}, .padding = {9, 8}}},
      {{2, 1, 1, 30}, {3, 1, 1, 4}, {.stride = {1, 3}, .padding = {0, 3}, .dilation = {1, 5}}},
      {{33, 1, 3, 3}, {2, 1, 2, 2}, {}},
  };
  return all;
}

DEVICE_TEST_CASE("conv2d and its gradients agree with plain loops, in every layout") {
  std::mt19937_64 engine(2);
  for (const Case& c : cases()) {
    for (const DType dtype : {f4, f8}) {
      for (const Layout layout : all_layouts()) {
        INFO(to_string(c.x) << " " << to_string(c.weights) << " " << to_string(layout));
        const Operand x = random_operand(engine, c.x, dtype, layout, -1, 1);
        const Operand w = random_operand(engine, c.weights, dtype, layout, -1, 1);
        const Operand bias = random_operand(engine, {c.weights[0]}, dtype, layout);
        const SlidingWindow window{
            {c.weights[2], c.weights[3]}, c.options.stride, c.options.padding, c.options.dilation};
        const Array y = conv2d(x.array, w.array, bias.array, c.options);
        const double sums = static_cast<double>(c.weights[1] * c.weights[2] * c.weights[3]);
        check_near(y,
                   convolve(x.values, w.values, &bias.values, y.shape(), window, c.options.groups),
                   4 + sums, 4);
        const Operand dy = random_operand(engine, y.shape(), dtype, layout, -1, 1);
        check_near(conv2d_input_gradient(dy.array, w.array, c.x, c.options),
                   input_gradient(c.x, w.values, dy.values, window, c.options.groups), 4 + sums, 4);
        const double products = static_cast<double>(c.x[0] * y.shape(2) * y.shape(3));
        check_near(conv2d_weight_gradient(x.array, dy.array, c.weights, c.options),
                   weight_gradient(x.values, c.weights, dy.values, window, c.options.groups),
                   4 + products, 4);
      }
      if (dtype == f4 && c.x[1] > 50) break;  // once is enough of the large one
    }
  }
}

DEVICE_TEST_CASE("conv1d is conv2d with one row") {
  const Array x = array({{1, 2, 3, 4}}).reshape({1, 1, 4});
  const Array w = array({{1, 10}}).reshape({1, 1, 2});
  check_equal(conv1d(x, w), f4, {1, 1, 3}, {21, 32, 43});
  check_equal(conv1d(x, w, array({0.5}), {.stride = 2, .padding = 1}), f4, {1, 1, 3},
              {10.5, 32.5, 4.5});
  check_equal(conv1d(x, w, {}, {.dilation = 2}), f4, {1, 1, 2}, {31, 42});
  const Array dy = ones({1, 1, 3});
  check_equal(conv1d_input_gradient(dy, w, {1, 1, 4}), f4, {1, 1, 4}, {1, 11, 11, 10});
  check_equal(conv1d_weight_gradient(x, dy, {1, 1, 2}), f4, {1, 1, 2}, {6, 9});
  CHECK(conv1d(zeros({2, 4, 5}), zeros({6, 2, 3}), {}, {.groups = 2}).shape() == Shape{2, 6, 3});
}

TEST_CASE("The gradient of the weights of a long sum keeps its digits") {
  // In float32 alone a running sum of 2^25 ones would stay at 2^24.
  const Array x = ones({1}).broadcast_to({32, 1, 1024, 1024});
  const Array dw = conv2d_weight_gradient(x, x, {1, 1, 1, 1});
  CHECK(dw.item() == 33554432.0);
}

TEST_CASE("conv2d refuses what does not fit") {
  const Array x = zeros({1, 4, 5, 5});
  CHECK_THROWS_WITH(
      conv2d(zeros({4, 5, 5}), zeros({1, 4, 3, 3})),
      "[conv2d] expected x [N, C, H, W] and weights [O, C / groups, kh, kw], got shapes [4, 5, 5] "
      "and [1, 4, 3, 3]");
  CHECK_THROWS_WITH_TEXT(conv2d(x, zeros({1, 3, 3, 3})), ShapeError,
                         "x has 4 channels in each group, the weights expect 3");
  CHECK_THROWS_WITH_TEXT(conv2d(x, zeros({3, 2, 3, 3}), {}, {.groups = 2}), ArgumentError,
                         "groups that divide the 4 channels of x and the 3 of y, got 2");
  CHECK_THROWS_AS(conv2d(x, zeros({1, 4, 3, 3}), {}, {.groups = 0}), ArgumentError);
  CHECK_THROWS_WITH(conv2d(x, zeros({1, 4, 6, 3})),
                    "[conv2d] a window of 6 with dilation 1 does not fit into an axis of length 5 "
                    "with padding 0");
  CHECK_THROWS_WITH(conv2d(x, zeros({1, 4, 3, 3}), {}, {.stride = {0, 1}}),
                    "[conv2d] expected kernel, stride and dilation >= 1 and padding >= 0, got 3, "
                    "0, 1 and 0");
  CHECK_THROWS_AS(conv2d(x, zeros({1, 4, 3, 3}), {}, {.padding = {0, -1}}), ArgumentError);
  CHECK_THROWS_AS(conv2d(x, zeros({1, 4, 0, 3})), ArgumentError);
  CHECK_THROWS_WITH_TEXT(
      conv2d(x, zeros({1, 4, 3, 3}), {}, {.padding = {std::int64_t(1) << 62, 0}}), ShapeError,
      "2^63");
  CHECK_THROWS_WITH(conv2d(x, zeros({2, 4, 3, 3}), zeros({3})),
                    "[conv2d] expected a bias of shape [2], got [3]");
  CHECK_THROWS_WITH(conv2d_input_gradient(zeros({1, 2, 5, 5}), zeros({2, 4, 3, 3}), {1, 4, 5, 5}),
                    "[conv2d_input_gradient] expected dy of shape [1, 2, 3, 3], got [1, 2, 5, 5]");
  CHECK_THROWS_AS(conv2d_weight_gradient(x, zeros({1, 2, 5, 5}), {2, 4, 3, 3}), ShapeError);
  CHECK_THROWS_WITH_TEXT(conv1d(zeros({1, 4}), zeros({1, 4, 2})), ShapeError, "[conv1d]");
}

}  // namespace
}  // namespace gaia::test
