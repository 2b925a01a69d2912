// SPDX-License-Identifier: MIT
/// \file
/// sort, argsort and search of every backend against plain loops, in every layout.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/sorting.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

/// Numbers of which many are equal, with NaN and infinities among those that are not integers.
Operand with_ties(std::mt19937_64& engine, const Shape& shape, DType dtype, Layout layout) {
  Values values = random_operand(engine, shape, DType::float64, layout).values;
  for (double& number : values.numbers) {
    number = is_floating(dtype) ? std::round(2.0 * number) / 2.0 : std::round(number);
    if (!is_floating(dtype)) continue;
    if (number > 3.0) number = std::nan("");
    if (number == 3.0) number = std::numeric_limits<double>::infinity();
  }
  return {laid_out(values, dtype, layout), values};
}

/// NaN is the largest.
bool is_less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

struct Sorted {
  Values numbers;
  Values places;
};

Sorted sorted(const Values& x, int axis, SortOrder order) {
  Sorted result{x, x};
  Shape starts = x.shape;
  starts[axis] = std::min<std::int64_t>(1, x.shape[axis]);
  for_each_index(starts, [&](Dims at) {
    std::vector<std::int64_t> lane;
    for (std::int64_t i = 0; i < x.shape[axis]; ++i) lane.push_back(i);
    const auto value = [&](std::int64_t i) {
      at[axis] = i;
      return x[at];
    };
    std::stable_sort(lane.begin(), lane.end(), [&](std::int64_t a, std::int64_t b) {
      return order == SortOrder::descending ? is_less(value(b), value(a))
                                            : is_less(value(a), value(b));
    });
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const double number = value(lane[i]);
      at[axis] = static_cast<std::int64_t>(i);
      result.numbers[at] = number;
      result.places[at] = static_cast<double>(lane[i]);
    }
  });
  return result;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {{1}, {9},    {6, 5}, {2, 70, 3}, {3, 1100},
                                         {0}, {0, 4}, {3, 0}, {1, 1},     {2, 3, 0}};
  return all;
}

DEVICE_TEST_CASE("sort and argsort agree with std::stable_sort along any axis, in every layout") {
  std::mt19937_64 engine(1);
  for (const Shape& shape : shapes()) {
    for (const Layout layout : all_layouts()) {
      for (const DType dtype : {DType::int32, DType::float32, DType::float64}) {
        const Operand x = with_ties(engine, shape, dtype, layout);
        for (int axis = 0; axis < shape.rank(); ++axis) {
          for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
            INFO(gaia::to_string(shape)
                 << " along " << axis << " " << gaia::to_string(dtype) << " " << to_string(layout));
            const Sorted expected = sorted(x.values, axis, order);
            check_near(sort(x.array, axis, order), expected.numbers, 0);
            check_near(argsort(x.array, axis, order), expected.places, 0);
          }
        }
      }
    }
  }
}

DEVICE_TEST_CASE("searchsorted counts what comes before, in every layout") {
  std::mt19937_64 engine(2);
  for (const std::int64_t length : {0, 1, 8, 301}) {
    for (const Shape& shape : shapes()) {
      for (const Layout layout : all_layouts()) {
        for (const DType dtype : {DType::float32, DType::float64}) {
          INFO(length << " numbers, values " << gaia::to_string(shape) << " "
                      << gaia::to_string(dtype) << " " << to_string(layout));
          const Layout line = layout == Layout::broadcast ? Layout::contiguous : layout;
          Values list = with_ties(engine, {length}, dtype, line).values;
          std::sort(list.numbers.begin(), list.numbers.end(), is_less);
          const Array among = laid_out(list, dtype, line);
          const Operand x = with_ties(engine, shape, dtype, layout);
          const auto count = [&](double number, bool equal_too) {
            return static_cast<double>(
                std::count_if(list.numbers.begin(), list.numbers.end(), [&](double one) {
                  return equal_too ? !is_less(number, one) : is_less(one, number);
                }));
          };
          check_near(searchsorted(among, x.array, Side::left),
                     map(x.values, [&](double v) { return count(v, false); }), 0);
          check_near(searchsorted(among, x.array, Side::right),
                     map(x.values, [&](double v) { return count(v, true); }), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gaia::test
