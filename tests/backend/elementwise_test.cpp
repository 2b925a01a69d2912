// SPDX-License-Identifier: MIT
/// \file
/// copy, fill, unary, binary and compare of every backend against plain loops in double.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/ops.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/long_tests.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "here.h"

namespace gaia::test {
namespace {

const std::vector<Shape> kShapes = {{},        {1},          {5},          {33}, {3, 4},
                                    {7, 1, 5}, {2, 3, 4, 5}, {1, 1, 6, 1}, {0},  {3, 0, 2},
                                    {257, 3},  {70001},      {3, 33000}};
const std::vector<DType> kFloats = {DType::float32, DType::float64};
const std::vector<DType> kIntegers = {DType::int32, DType::int64};

/// Runs test(shape, layout of the inputs) over all of them; the large shapes, which threads and
/// blocks share as they do those of any function, in few layouts, and only for every fifth
/// function.
template <class Test>
void on_each_layout(EveryNth& fifth, const Test& test) {
  const bool takes_large = fifth.takes_next();
  for (const Shape& shape : kShapes) {
    const bool is_large = count_elements(shape) > 10000;
    for (const Layout layout : all_layouts()) {
      const bool is_plain = layout == Layout::contiguous || layout == Layout::reversed;
      if (is_large && !(takes_large && is_plain)) continue;
      INFO(to_string(shape) << " " << to_string(layout));
      test(shape, layout);
    }
  }
}

DEVICE_TEST_CASE("copy casts every dtype to every other, from any layout to any layout") {
  std::mt19937_64 engine(1);
  for (const Shape& shape : kShapes) {
    const bool is_large = count_elements(shape) > 10000;
    for (const DType from : kAll) {
      for (const DType to : kAll) {
        if (is_large && to != DType::float32) continue;
        for (const Layout layout : all_layouts()) {
          if (layout == Layout::broadcast) continue;
          INFO(to_string(shape) << " " << to_string(from) << " to " << to_string(to) << " "
                                << to_string(layout));
          const Operand x = random_operand(engine, shape, from, layout, -100, 100);
          const Array y = laid_out(Values(shape), to, layout);
          here().copy(x.array.view(), y.view());
          check_near(y, map(x.values, [&](double v) { return stored(v, to); }), 0);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("copy repeats along axes of stride 0") {
  std::mt19937_64 engine(2);
  for (const Shape& shape : kShapes) {
    const Operand x = random_operand(engine, shape, DType::float32, Layout::broadcast);
    const Array y = Array::uninitialized(shape, DType::float64);
    here().copy(x.array.view(), y.view());
    check_near(y, x.values, 0);
  }
}

DEVICE_TEST_CASE("copy writes only where the view shows") {
  const Array y = zeros({3, 5}, DType::int32);
  const Array x = ones({3, 2}, DType::float64);
  here().copy(x.view(), y.slice(1, 3, 0, -2).view());
  check_equal(y, DType::int32, {3, 5}, {0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0});
}

DEVICE_TEST_CASE("fill sets every element, in every dtype and layout") {
  for (const Shape& shape : kShapes) {
    for (const DType dtype : kAll) {
      for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::reversed}) {
        const Array y = laid_out(Values(shape), dtype, layout);
        here().fill(-2.75, y.view());
        check_near(y, Values(shape, stored(-2.75, dtype)), 0);
      }
    }
  }
  // This memory was never written to, and as bool holds neither true nor false.
  const Array fresh = Array::uninitialized({9}, DType::boolean);
  here().fill(1.0, fresh.view());
  check_near(fresh, Values({9}, 1.0), 0);
}

DEVICE_TEST_CASE("unary functions agree with their definitions") {
  std::mt19937_64 engine(3);
  EveryNth fifth(5);
  for (const UnaryOp& c : unary_ops()) {
    INFO(c.name);
    on_each_layout(fifth, [&](const Shape& shape, Layout layout) {
      for (const DType dtype : kFloats) {
        const Operand x = random_operand(engine, shape, dtype, layout, c.low, c.high);
        const Array y = laid_out(Values(shape), dtype,
                                 layout == Layout::broadcast ? Layout::contiguous : layout);
        here().unary(c.function, x.array.view(), y.view());
        // Errors of the argument of exp grow with it.
        check_near(y, map(x.values, c), 16, c.scale);
      }
      if (facts_of(c.function).whole != Whole::computed) return;
      for (const DType dtype : kIntegers) {
        const Operand x = random_operand(engine, shape, dtype, layout, -99, 99);
        const Array y = Array::uninitialized(shape, dtype);
        here().unary(c.function, x.array.view(), y.view());
        check_near(y, map(x.values, c), 0);
      }
    });
  }
}

DEVICE_TEST_CASE("binary functions agree with their definitions") {
  std::mt19937_64 engine(4);
  EveryNth fifth(5);
  for (const BinaryOp& c : binary_ops()) {
    INFO(c.name);
    on_each_layout(fifth, [&](const Shape& shape, Layout layout) {
      for (const DType dtype : kFloats) {
        const Operand a = random_operand(engine, shape, dtype, layout);
        const Operand b = random_operand(engine, shape, dtype, Layout::contiguous, 0.5, 4);
        const Values expected = map(a.values, b.values, shape,
                                    [&](double p, double q) { return stored(c(p, q), dtype); });
        const Array y = Array::uninitialized(shape, dtype);
        here().binary(c.function, a.array.view(), b.array.view(), y.view());
        check_near(y, expected, c.units, c.units);
        if (layout == Layout::broadcast) return;
        here().binary(c.function, a.array.view(), b.array.view(), a.array.view());  // in place
        check_near(a.array, expected, c.units, c.units);
      }
      if (!c.of_integers) return;
      for (const DType dtype : kIntegers) {
        const Operand a = random_operand(engine, shape, dtype, layout, -99, 99);
        const Operand b = random_operand(engine, shape, dtype, Layout::reversed, -99, 99);
        const Array y = Array::uninitialized(shape, dtype);
        here().binary(c.function, a.array.view(), b.array.view(), y.view());
        check_near(y, map(a.values, b.values, shape, c), 0);
      }
    });
  }
}

TEST_CASE("Every binary function and comparison has a reference") {
  CHECK(binary_ops().size() == std::variant_size_v<Binary>);
  CHECK(comparison_ops().size() == std::variant_size_v<Comparison>);
}

TEMPLATE_TEST_CASE("Integers are divided as in Python, and powers wrap around", "", std::int32_t,
                   std::int64_t) {
  constexpr auto least = std::numeric_limits<TestType>::min();
  on_each_device([&] {
    const auto run = [](const Binary& f, TestType a, TestType b) {
      const Array left = from_values(std::vector<TestType>{a}, {1});
      const Array right = from_values(std::vector<TestType>{b}, {1});
      const Array y = Array::uninitialized({1}, left.dtype());
      here().binary(f, left.view(), right.view(), y.view());
      return y.to_vector<TestType>().front();
    };
    CHECK(run(FloorDivide{}, -7, 2) == -4);
    CHECK(run(FloorDivide{}, 7, -2) == -4);
    CHECK(run(FloorDivide{}, -8, 2) == -4);
    CHECK(run(FloorDivide{}, 7, 0) == 0);
    CHECK(run(FloorDivide{}, least, -1) == least);
    CHECK(run(Remainder{}, -7, 2) == 1);
    CHECK(run(Remainder{}, 7, -2) == -1);
    CHECK(run(Remainder{}, least, -1) == 0);
    CHECK(run(Remainder{}, 7, 0) == 0);
    CHECK(run(Fmod{}, -7, 2) == -1);
    CHECK(run(Fmod{}, 7, -2) == 1);
    CHECK(run(Fmod{}, least, -1) == 0);
    CHECK(run(Fmod{}, 7, 0) == 0);
    CHECK(run(Power{}, -3, 3) == -27);
    CHECK(run(Power{}, 0, 0) == 1);
    CHECK(run(Power{}, 2, std::numeric_limits<TestType>::digits) == least);
    CHECK(run(Power{}, 2, std::numeric_limits<TestType>::digits + 1) == 0);
  });
}

DEVICE_TEST_CASE("Functions of two numbers at zeros, infinities and NaN") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const auto run = [](const Binary& f, double a, double b) {
    const Array y = Array::uninitialized({1}, DType::float64);
    here().binary(f, full({1}, a, y.dtype()).view(), full({1}, b, y.dtype()).view(), y.view());
    return y.item();
  };
  CHECK(run(FloorDivide{}, 1, 0) == inf);
  CHECK(run(FloorDivide{}, -1, inf) == -1);
  CHECK(std::signbit(run(FloorDivide{}, -0.0, 3)));
  CHECK(std::isnan(run(FloorDivide{}, inf, 2)));
  CHECK(run(FloorDivide{}, 1.0, 0.1) == 9);  // 0.1 is a little more
  CHECK(std::isnan(run(Remainder{}, 1, 0)));
  CHECK(run(Remainder{}, -1, inf) == inf);
  CHECK(run(Remainder{}, 1, inf) == 1);
  CHECK(std::signbit(run(Remainder{}, 4, -2)));
  CHECK(run(Fmod{}, -5, inf) == -5);
  CHECK(run(Power{}, nan, 0) == 1);
  CHECK(std::isnan(run(Power{}, -1, 0.5)));
  CHECK(run(LogAddExp{}, inf, inf) == inf);
  CHECK(run(LogAddExp{}, -inf, -inf) == -inf);
  CHECK(run(LogAddExp{}, -inf, 3) == 3);
  CHECK(run(LogAddExp{}, 1000, 1000) == Approx(1000 + std::log(2.0)));
  CHECK(std::isnan(run(LogAddExp{}, nan, 1)));
  CHECK(run(Hypot{}, 3e200, 4e200) == Approx(5e200));
  CHECK(run(Hypot{}, inf, nan) == inf);
  CHECK(std::isnan(run(Maximum{}, nan, 1)));
  CHECK(std::isnan(run(Minimum{}, 1, nan)));
}

DEVICE_TEST_CASE("select takes from one or the other, in every dtype and layout") {
  std::mt19937_64 engine(8);
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 4}, Shape{0, 2}, Shape{70001}}) {
    for (const Layout layout : all_layouts()) {
      for (const DType dtype : kAll) {
        const Operand c = random_operand(engine, shape, DType::boolean, layout);
        const Operand a = random_operand(engine, shape, dtype, Layout::transposed);
        const Operand b = random_operand(engine, shape, dtype, layout);
        const Array y = laid_out(Values(shape), dtype, Layout::sliced);
        here().select(c.array.view(), a.array.view(), b.array.view(), y.view());
        Values expected = b.values;
        for (std::size_t i = 0; i < expected.numbers.size(); ++i) {
          if (c.values.numbers[i] != 0) expected.numbers[i] = a.values.numbers[i];
        }
        check_near(y, expected, 0);
      }
    }
  }
}

DEVICE_TEST_CASE("maximum and minimum of bool are or and and") {
  std::mt19937_64 engine(5);
  const Operand a = random_operand(engine, {99}, DType::boolean);
  const Operand b = random_operand(engine, {99}, DType::boolean, Layout::sliced);
  const Array y = Array::uninitialized({99}, DType::boolean);
  here().binary(Maximum{}, a.array.view(), b.array.view(), y.view());
  check_near(y, map(a.values, b.values, {99}, [](double p, double q) { return std::max(p, q); }),
             0);
  here().binary(Minimum{}, a.array.view(), b.array.view(), y.view());
  check_near(y, map(a.values, b.values, {99}, [](double p, double q) { return std::min(p, q); }),
             0);
}

DEVICE_TEST_CASE("comparisons agree with their definitions") {
  std::mt19937_64 engine(6);
  EveryNth fifth(5);
  for (const ComparisonOp& c : comparison_ops()) {
    INFO(c.name);
    on_each_layout(fifth, [&](const Shape& shape, Layout layout) {
      for (const DType dtype :
           {DType::boolean, DType::int32, DType::int64, DType::float32, DType::float64}) {
        // Whole numbers, so that some are equal.
        const Operand drawn = random_operand(engine, shape, DType::int32, layout, -3, 3);
        const Operand a = {
            laid_out(map(drawn.values, [&](double v) { return stored(v, dtype); }), dtype, layout),
            map(drawn.values, [&](double v) { return stored(v, dtype); })};
        const Operand b = random_operand(engine, shape, DType::int32, Layout::contiguous, -3, 3);
        const Values other = map(b.values, [&](double v) { return stored(v, dtype); });
        const Array y = laid_out(Values(shape), DType::boolean, Layout::sliced);
        here().compare(c.function, a.array.view(), b.array.astype(dtype).view(), y.view());
        check_near(y, map(a.values, other, shape, c.exact), 0);
      }
    });
  }
}

DEVICE_TEST_CASE("A scalar operand of stride 0 on either side is read everywhere") {
  std::mt19937_64 engine(7);
  for (const Shape& shape : {Shape{70001}, Shape{3, 5}, Shape{33, 1001}}) {
    const Operand x = random_operand(engine, shape, DType::float32);
    const Array three = full({}, 3.0).broadcast_to(shape);
    const Array y = Array::uninitialized(shape, DType::float32);
    here().binary(Subtract{}, x.array.view(), three.view(), y.view());
    check_near(y, map(x.values, [](double v) { return stored(v - 3.0, DType::float32); }), 0);
    here().binary(Subtract{}, three.view(), x.array.view(), y.view());
    check_near(y, map(x.values, [](double v) { return stored(3.0 - v, DType::float32); }), 0);
  }
}

TEST_CASE("The CPU refuses dtypes that a function does not take as a bug of ours") {
  Backend& cpu = backend(Device::cpu());
  const Array integers = zeros({2}, DType::int32);
  const Array flags = zeros({2}, DType::boolean);
  const Array halves = zeros({2}, DType::bfloat16);
  CHECK_THROWS_AS(cpu.unary(Exp{}, integers.view(), integers.view()), InternalError);
  CHECK_THROWS_AS(cpu.unary(Negate{}, flags.view(), flags.view()), InternalError);
  CHECK_THROWS_AS(cpu.unary(Negate{}, halves.view(), halves.view()), InternalError);
  CHECK_THROWS_AS(cpu.binary(Divide{}, integers.view(), integers.view(), integers.view()),
                  InternalError);
  CHECK_THROWS_AS(cpu.binary(Add{}, flags.view(), flags.view(), flags.view()), InternalError);
  CHECK_THROWS_AS(cpu.compare(Less{}, halves.view(), halves.view(), flags.view()), InternalError);
}

}  // namespace
}  // namespace gaia::test
