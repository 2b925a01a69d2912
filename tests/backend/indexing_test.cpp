// SPDX-License-Identifier: MIT
/// \file
/// gather and scatter of every backend, over shapes, axes, dtypes and layouts, against plain loops.
#include <random>
#include <vector>

#include "../../src/array/indexing.h"
#include "../reference/values.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "here.h"

namespace gaia::test {
namespace {

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {{1},          {9},       {3, 4},       {5, 1},
                                         {2, 3, 4},    {1, 6, 1}, {40, 3},      {3, 40},
                                         {2, 1, 3, 5}, {700, 70}, {2, 300, 70}, {4, 5, 300}};
  return all;
}

/// Calls test(shape, axis, dtype, layout) for all of them; large shapes in one dtype.
template <class Test>
void for_each_case(const Test& test) {
  for (const Shape& shape : shapes()) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      for (const DType dtype : kAll) {
        if (count_elements(shape) > 1000 && dtype != DType::float32) continue;
        for (const Layout layout : all_layouts()) {
          INFO(gaia::to_string(shape)
               << " along " << axis << " " << gaia::to_string(dtype) << " " << to_string(layout));
          test(shape, axis, dtype, layout);
        }
      }
    }
  }
}

/// Indices in [-length, length), for `count` positions along the axis.
Operand random_indices(std::mt19937_64& engine, Shape shape, int axis, std::int64_t count,
                       Layout layout) {
  const auto length = static_cast<double>(shape[axis]);
  shape[axis] = count;
  // Truncated towards 0, so from -length + 1 on; -length itself has tests of its own.
  return random_operand(engine, shape, DType::int64, layout, -length, length);
}

/// Position on the axis that an index means.
std::int64_t place(double index, std::int64_t length) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(length) : index);
}

DEVICE_TEST_CASE("gather and take read what plain loops read") {
  std::mt19937_64 engine(1);
  for_each_case([&](const Shape& shape, int axis, DType dtype, Layout layout) {
    const Operand x = random_operand(engine, shape, dtype, layout);
    const Operand each = random_indices(engine, shape, axis, 3, layout);
    Values expected(each.values.shape);
    for_each_index(expected.shape, [&](const Dims& at) {
      Dims from = at;
      from[axis] = place(each.values[at], shape[axis]);
      expected[at] = x.values[from];
    });
    check_near(gather(x.array, each.array, axis), expected, 0);
    check_near(take_along_axis(x.array, each.array, axis), expected, 0);
    const Operand row = random_indices(engine, {shape[axis]}, 0, 5, layout);
    Shape taken = shape;
    taken[axis] = 5;
    expected = Values(taken);
    for_each_index(taken, [&](const Dims& at) {
      Dims from = at;
      from[axis] = place(row.values[{at[axis]}], shape[axis]);
      expected[at] = x.values[from];
    });
    check_near(take(x.array, row.array, axis), expected, 0);
  });
}

DEVICE_TEST_CASE("scatter_add and put_along_axis write what plain loops write") {
  std::mt19937_64 engine(2);
  for_each_case([&](const Shape& shape, int axis, DType dtype, Layout layout) {
    // A broadcast view cannot be written to; as values and as indices it can be read.
    const Layout target = layout == Layout::broadcast ? Layout::contiguous : layout;
    const Operand sums = random_operand(engine, shape, dtype, target);
    const Operand last = random_operand(engine, shape, dtype, target);
    const Operand each = random_indices(engine, shape, axis, 4, layout);
    const Operand values = random_operand(engine, each.values.shape, dtype, layout);
    Values added = sums.values;
    Values assigned = last.values;
    for_each_index(each.values.shape, [&](const Dims& at) {
      Dims to = at;
      to[axis] = place(each.values[at], shape[axis]);
      added[to] += values.values[at];
      assigned[to] = values.values[at];
    });
    if (dtype == DType::boolean) added = map(added, [](double n) { return n != 0 ? 1.0 : 0.0; });
    scatter_add(sums.array, each.array, values.array, axis);
    check_near(sums.array, added, 8, 8);
    put_along_axis(last.array, each.array, values.array, axis);
    check_near(last.array, assigned, 0);
  });
}

DEVICE_TEST_CASE("index_add and index_assign write what plain loops write") {
  std::mt19937_64 engine(3);
  for_each_case([&](const Shape& shape, int axis, DType dtype, Layout layout) {
    const Layout target = layout == Layout::broadcast ? Layout::contiguous : layout;
    const Operand sums = random_operand(engine, shape, dtype, target);
    const Operand last = random_operand(engine, shape, dtype, target);
    const Operand row = random_indices(engine, {shape[axis]}, 0, 6, layout);
    Shape taken = shape;
    taken[axis] = 6;
    const Operand values = random_operand(engine, taken, dtype, layout);
    Values added = sums.values;
    Values assigned = last.values;
    // In order along the axis, which is what counts where indices repeat.
    for_each_index(taken, [&](const Dims& at) {
      Dims to = at;
      to[axis] = place(row.values[{at[axis]}], shape[axis]);
      added[to] += values.values[at];
      assigned[to] = values.values[at];
    });
    if (dtype == DType::boolean) added = map(added, [](double n) { return n != 0 ? 1.0 : 0.0; });
    index_add(sums.array, row.array, values.array, axis);
    check_near(sums.array, added, 8, 8);
    index_assign(last.array, row.array, values.array, axis);
    check_near(last.array, assigned, 0);
  });
}

DEVICE_TEST_CASE("Nothing is gathered from, and scattered to, what has no elements") {
  struct Empty {
    Shape shape;
    int axis;
    std::int64_t count;  // of indices
  };
  const std::vector<Empty> cases = {{{0}, 0, 0},    {{5}, 0, 0},      {{0, 4}, 0, 0},
                                    {{0, 4}, 1, 3}, {{3, 0}, 0, 4},   {{3, 0}, 1, 0},
                                    {{3, 4}, 1, 0}, {{2, 0, 3}, 2, 2}};
  std::mt19937_64 engine(4);
  for (const Empty& of : cases) {
    for (const DType dtype : kAll) {
      for (const Layout layout : all_layouts()) {
        INFO(gaia::to_string(of.shape) << ", " << of.count << " along " << of.axis << " "
                                       << gaia::to_string(dtype) << " " << to_string(layout));
        const Layout target = layout == Layout::broadcast ? Layout::contiguous : layout;
        const Operand x = random_operand(engine, of.shape, dtype, target);
        const Operand each = random_indices(engine, of.shape, of.axis, of.count, layout);
        const Operand row = random_indices(engine, {of.shape[of.axis]}, 0, of.count, layout);
        const Operand values = random_operand(engine, each.values.shape, dtype, layout);
        const Values nothing(each.values.shape);
        check_near(gather(x.array, each.array, of.axis), nothing, 0);
        check_near(take_along_axis(x.array, each.array, of.axis), nothing, 0);
        check_near(take(x.array, row.array, of.axis), nothing, 0);
        scatter_add(x.array, each.array, values.array, of.axis);
        put_along_axis(x.array, each.array, values.array, of.axis);
        index_add(x.array, row.array, values.array, of.axis);
        index_assign(x.array, row.array, values.array, of.axis);
        check_near(x.array, x.values, 0);
      }
    }
  }
}

}  // namespace
}  // namespace gaia::test
