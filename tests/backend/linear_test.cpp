// SPDX-License-Identifier: MIT
/// \file
/// matmul and softmax of every backend against plain loops in long double.
#include <random>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/ops.h"
#include "../reference/linear.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "here.h"

namespace gaia::test {
namespace {

void check_matmul(const Operand& a, const Operand& b, const Shape& y_shape) {
  // Products of bfloat16 numbers are answered as exactly as those of float32.
  const DType dtype = a.array.dtype() == DType::bfloat16 ? DType::float32 : a.array.dtype();
  const Array y = Array::uninitialized(y_shape, dtype);
  const auto spread = [&](const Array& x) {
    Shape shape = x.shape();
    for (int axis = 0; axis < x.rank() - 2; ++axis) shape[axis] = y_shape[axis];
    return x.broadcast_to(shape);
  };
  here().matmul(spread(a.array).view(), spread(b.array).view(), y.view(), MatmulPrecision::full);
  const auto inner = static_cast<double>(a.values.shape.back());
  // Numbers below 2 give products below 4; each of k terms may be rounded.
  check_near(y, matmul(a.values, b.values, y_shape), 4 + inner, 4);
}

DEVICE_TEST_CASE("matmul agrees with plain loops for every pair of layouts") {
  std::mt19937_64 engine(1);
  const std::vector<Shape> sizes = {{1, 1, 1},    {1, 5, 1},  {5, 1, 5},   {3, 4, 5},
                                    {16, 16, 16}, {17, 8, 3}, {1, 40, 30}, {30, 40, 1},
                                    {129, 7, 5},  {4, 0, 3},  {0, 3, 2},   {2, 3, 0}};
  for (const Shape& mkn : sizes) {
    for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
      for (const Layout left : all_layouts()) {
        for (const Layout right : all_layouts()) {
          INFO(to_string(mkn) << " " << to_string(left) << " " << to_string(right));
          check_matmul(random_operand(engine, {mkn[0], mkn[1]}, dtype, left, -2, 2),
                       random_operand(engine, {mkn[1], mkn[2]}, dtype, right, -2, 2),
                       {mkn[0], mkn[2]});
        }
      }
    }
  }
}

DEVICE_TEST_CASE("matmul agrees with plain loops for batches, repeated or not") {
  std::mt19937_64 engine(2);
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    for (const Layout layout : all_layouts()) {
      INFO(to_string(layout));
      check_matmul(random_operand(engine, {4, 3, 5}, dtype, layout, -2, 2),
                   random_operand(engine, {4, 5, 2}, dtype, layout, -2, 2), {4, 3, 2});
      check_matmul(random_operand(engine, {1, 3, 5}, dtype, layout, -2, 2),
                   random_operand(engine, {4, 5, 2}, dtype, layout, -2, 2), {4, 3, 2});
      check_matmul(random_operand(engine, {3, 1, 2, 5}, dtype, layout, -2, 2),
                   random_operand(engine, {1, 4, 5, 2}, dtype, layout, -2, 2), {3, 4, 2, 2});
      check_matmul(random_operand(engine, {0, 2, 5}, dtype, layout, -2, 2),
                   random_operand(engine, {1, 5, 2}, dtype, layout, -2, 2), {0, 2, 2});
    }
  }
}

DEVICE_TEST_CASE("matmul of integers and bool agrees with plain loops") {
  std::mt19937_64 engine(8);
  for (const DType dtype : {DType::int32, DType::int64, DType::boolean}) {
    for (const Layout left : all_layouts()) {
      for (const Layout right : all_layouts()) {
        for (const Shape& mkn :
             {Shape{1, 1, 1}, Shape{3, 4, 5}, Shape{129, 7, 5}, Shape{4, 0, 3}}) {
          INFO(to_string(dtype) << " " << to_string(left) << " " << to_string(right));
          const Operand a = random_operand(engine, {2, mkn[0], mkn[1]}, dtype, left, -9, 9);
          const Operand b = random_operand(engine, {2, mkn[1], mkn[2]}, dtype, right, -9, 9);
          const Array y = Array::uninitialized({2, mkn[0], mkn[2]}, dtype);
          here().matmul(a.array.view(), b.array.view(), y.view(), MatmulPrecision::full);
          Values expected = matmul(a.values, b.values, y.shape());
          if (dtype == DType::boolean) {
            for (double& number : expected.numbers) number = number != 0.0 ? 1.0 : 0.0;
          }
          check_near(y, expected, 0);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("matmul agrees with plain loops where panels, blocks and threads meet") {
  std::mt19937_64 engine(3);
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    for (const Shape& mkn : {Shape{127, 65, 33}, Shape{128, 64, 64}, Shape{300, 70, 31}}) {
      check_matmul(random_operand(engine, {mkn[0], mkn[1]}, dtype, Layout::contiguous, -2, 2),
                   random_operand(engine, {mkn[1], mkn[2]}, dtype, Layout::transposed, -2, 2),
                   {mkn[0], mkn[2]});
    }
  }
}

DEVICE_TEST_CASE("matmul reads overlapping windows of a series") {
  std::mt19937_64 engine(4);
  const Operand series = random_operand(engine, {300}, DType::float64);
  const Operand weights = random_operand(engine, {16, 3}, DType::float64);
  const Array windows = series.array.windows(200, 16, 1);
  Values samples(Shape{200, 16});
  for_each_index(samples.shape,
                 [&](const Dims& at) { samples[at] = series.values[{at[0] + at[1]}]; });
  check_matmul({windows, samples}, weights, {200, 3});
}

DEVICE_TEST_CASE("softmax agrees with a plain loop, in every layout") {
  std::mt19937_64 engine(5);
  for (const Shape& shape :
       {Shape{1}, Shape{7}, Shape{16}, Shape{3, 4}, Shape{2, 1, 5}, Shape{4, 3, 1},
        Shape{2, 3, 4, 5}, Shape{0, 3}, Shape{3, 0, 2}, Shape{2, 1000}, Shape{3000, 12}}) {
    for (const Layout layout : all_layouts()) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        INFO(to_string(shape) << " " << to_string(layout));
        const Operand x = random_operand(engine, shape, dtype, layout, -20, 20);
        const Array y = Array::uninitialized(shape, dtype);
        here().softmax(x.array.view(), y.view());
        check_near(y, softmax(x.values), 64);  // x - max rounds, at 40
      }
    }
  }
}

}  // namespace
}  // namespace gaia::test
