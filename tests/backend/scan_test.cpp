// SPDX-License-Identifier: MIT
/// \file
/// Products, sums of squares, running totals, positions of extremes and log_softmax of every
/// backend against plain loops.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/create.h"
#include "../reference/linear.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "here.h"

namespace gaia::test {
namespace {

const std::vector<std::pair<Shape, Axes>> kReductions = {
    {{}, {}},         {{5}, {0}},          {{3, 4}, {0}},       {{3, 4}, {1}},
    {{3, 4}, {0, 1}}, {{9, 1, 5}, {1, 2}}, {{2, 3, 4}, {0, 2}}, {{300, 7}, {0}},
    {{7, 300}, {1}},  {{2, 40}, {}},       {{0}, {0}},          {{0}, {}},
    {{0, 4}, {0}},    {{0, 4}, {1}},       {{3, 0}, {1}},       {{2, 0, 3}, {0, 1}}};
/// The last axis is walked; 16 rows at a time, so sizes around that.
const std::vector<Shape> kRows = {{1},     {5},       {1, 7},    {15, 3},   {16, 3}, {17, 3},
                                  {33, 2}, {2, 3, 4}, {3, 2000}, {1500, 9}, {0, 4},  {2, 9001}};

DType carried(DType dtype) {
  if (!is_floating(dtype)) return DType::int64;
  return dtype == DType::bfloat16 ? DType::float32 : dtype;
}

DEVICE_TEST_CASE("Products agree with plain loops") {
  std::mt19937_64 engine(1);
  for (const auto& [shape, axes] : kReductions) {
    for (const Layout layout : all_layouts()) {
      for (const DType dtype : kAll) {
        const Operand x = is_floating(dtype)
                              ? random_operand(engine, shape, dtype, layout, 0.8, 1.25)
                              : random_operand(engine, shape, dtype, layout, -1.9, 1.9);
        const Array y = Array::uninitialized(reduced_shape(shape, axes), carried(dtype));
        here().reduce(Reduction::prod, x.array.view(), y.view());
        check_near(y, reduce(Reduction::prod, x.values, axes),
                   y.dtype() == DType::float64 ? 1000 : 0.51);
      }
    }
  }
  // Integers wrap around.
  const Array y = Array::uninitialized({1}, DType::int64);
  here().reduce(Reduction::prod, full({64}, 2.0, DType::int32).view(), y.view());
  CHECK(y.item() == 0);
}

DEVICE_TEST_CASE("Sums of squares about centers agree with plain loops") {
  std::mt19937_64 engine(2);
  for (const auto& [shape, axes] : kReductions) {
    for (const Layout layout : all_layouts()) {
      for (const DType dtype : kAll) {
        const Operand x = random_operand(engine, shape, dtype, layout);
        const Shape kept = reduced_shape(shape, axes);
        const Operand center = random_operand(engine, kept, DType::float64);
        const Array y = Array::uninitialized(kept, DType::float64);
        here().squares(x.array.view(), center.array.view(), y.view());
        const Values terms = map(x.values, center.values, shape,
                                 [](double p, double c) { return (p - c) * (p - c); });
        check_near(y, reduce(Reduction::sum, terms, axes), 1000);
      }
    }
  }
}

DEVICE_TEST_CASE("Running sums and products agree with plain loops") {
  std::mt19937_64 engine(3);
  for (const Shape& shape : kRows) {
    for (const Layout layout : all_layouts()) {
      if (shape.back() > 1000 && layout != Layout::contiguous) continue;
      for (const DType dtype : kAll) {
        INFO(to_string(shape) << " " << to_string(layout) << " " << to_string(dtype));
        const Operand x = is_floating(dtype)
                              ? random_operand(engine, shape, dtype, layout, 0.999, 1.001)
                              : random_operand(engine, shape, dtype, layout, -1.9, 1.9);
        for (const Scan kind : {Scan::sum, Scan::prod}) {
          Values expected = x.values;
          for_each_index(shape, [&](const Dims& at) {
            if (at[shape.rank() - 1] == 0) return;
            Dims before = at;
            --before[shape.rank() - 1];
            if (kind == Scan::sum) expected[at] += expected[before];
            if (kind == Scan::prod) expected[at] *= expected[before];
          });
          const Array y = laid_out(Values(shape), carried(dtype), Layout::reversed);
          here().scan(kind, x.array.view(), y.view());
          // Carried in double, one rounding at the end.  The CPU adds in the order of the plain
          // loop; a GPU joins chunks, which shows where double is not rounded away.
          const bool own_order = !current_device().is_cpu() && y.dtype() == DType::float64;
          check_near(y, expected, own_order ? 1000 : 1);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("The first extreme is found, or the first NaN") {
  std::mt19937_64 engine(4);
  for (const Shape& shape : kRows) {
    for (const Layout layout : all_layouts()) {
      if (shape.back() > 1000 && layout != Layout::contiguous) continue;
      for (const DType dtype : kAll) {
        INFO(to_string(shape) << " " << to_string(layout) << " " << to_string(dtype));
        // Few distinct values, so that extremes repeat.
        Operand x = random_operand(engine, shape, DType::int32, layout, -2.9, 2.9);
        const bool with_nan = is_floating(dtype) && engine() % 2 == 0 && !x.values.numbers.empty();
        if (with_nan && layout != Layout::broadcast) {
          for (int i = 0; i < 2; ++i) {
            x.values.numbers[engine() % x.values.numbers.size()] = std::nan("");
          }
        }
        x.values = map(x.values, [&](double v) { return stored(v, dtype); });
        x.array = laid_out(x.values, dtype, layout);
        Shape kept = shape;
        kept.back() = 1;
        for (const ArgReduction kind : {ArgReduction::max, ArgReduction::min}) {
          Values expected(kept);
          for_each_index(kept, [&](const Dims& row) {
            Dims best = row;
            for (Dims at = row; at.back() < shape.back(); ++at.back()) {
              const double mine = x.values[at];
              const double other = x.values[best];
              const bool beats = kind == ArgReduction::max ? mine > other : mine < other;
              if (!std::isnan(other) && (beats || std::isnan(mine))) best = at;
            }
            expected[row] = static_cast<double>(best.back());
          });
          const Array y = laid_out(Values(kept), DType::int64, Layout::sliced);
          here().arg_reduce(kind, x.array.view(), y.view());
          check_near(y, expected, 0);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("log_softmax is the logarithm of softmax, and keeps its digits") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::mt19937_64 engine(5);
  for (const Shape& shape : {Shape{1}, Shape{5}, Shape{3, 4}, Shape{0, 4}, Shape{7, 300}}) {
    for (const Layout layout : all_layouts()) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        const Operand x = random_operand(engine, shape, dtype, layout, -30, 30);
        const Array y = Array::uninitialized(shape, dtype);
        here().log_softmax(x.array.view(), y.view());
        check_near(y, map(softmax(x.values), [](double p) { return std::log(p); }), 8, 1);
      }
    }
  }
  const auto run = [](const Array& x) {
    const Array y = Array::uninitialized(x.shape(), x.dtype());
    here().log_softmax(x.view(), y.view());
    return y;
  };
  // log(p) is the small sum of the others beside a sure thing.
  CHECK(run(array({0, -40}, DType::float64)).item({0}) == Approx(-std::exp(-40.0)).epsilon(1e-14));
  CHECK(run(array({0, -20})).item({0}) == Approx(-std::exp(-20.0)).epsilon(1e-6));
  CHECK(run(array({-1e38, 1e38})).item({1}) == 0);
  CHECK(run(array({-inf, 0, 0}, DType::float64)).item({0}) == -inf);
  CHECK(std::isnan(run(array({-inf, -inf})).item({0})));
  CHECK(std::isnan(run(array({1, std::nan(""), 2})).item({0})));
}

DEVICE_TEST_CASE("Integers are those of their stream, on every device") {
  const RandomStream stream{42, 7};
  for (const std::uint64_t first : {std::uint64_t(0), std::uint64_t(5)}) {
    const Array y = Array::uninitialized({40000}, DType::int64);
    here().random({.stream = stream,
                   .first = first,
                   .distribution = Distribution::integers,
                   .low = -3,
                   .count = 10},
                  y.view());
    const auto numbers = y.to_vector<std::int64_t>();
    bool same = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      same = same && numbers[i] == stream.integer(first + i, 10) - 3;
    }
    CHECK(same);
  }
  // All of int64, and its ends.
  const Array y = Array::uninitialized({1000}, DType::int64);
  RandomFill fill{.stream = stream, .distribution = Distribution::integers};
  fill.low = std::numeric_limits<std::int64_t>::min();
  fill.count = 0;
  here().random(fill, y.view());
  bool positive = false;
  bool negative = false;
  for (const std::int64_t number : y.to_vector<std::int64_t>()) {
    (number > (std::int64_t(1) << 62) ? positive : negative) = true;
  }
  CHECK((positive && negative));
}

}  // namespace
}  // namespace gaia::test
