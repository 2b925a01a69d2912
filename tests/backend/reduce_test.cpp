// SPDX-License-Identifier: MIT
/// \file
/// reduce and first_not_finite of every backend against plain loops.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/ops.h"
#include "../reference/linear.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/long_tests.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "here.h"

namespace gaia::test {
namespace {

constexpr Reduction kKinds[] = {Reduction::sum, Reduction::mean, Reduction::max, Reduction::min,
                                Reduction::prod};

bool has_identity(Reduction kind) { return kind == Reduction::sum || kind == Reduction::mean; }

DType result_of(Reduction kind, DType dtype) {
  if (kind == Reduction::sum && !is_floating(dtype)) return DType::int64;
  if (kind == Reduction::mean && !is_floating(dtype)) return DType::float64;
  return dtype == DType::bfloat16 ? DType::float32 : dtype;
}

/// All reductions but products, which leave the range of numbers.
void check_reduce(const Operand& x, const Axes& axes) {
  const Shape shape = reduced_shape(x.values.shape, axes);
  const bool lacks_elements = x.values.numbers.empty() && !Values(shape).numbers.empty();
  double total = 0;
  for (const double number : x.values.numbers) total += std::abs(number);
  for (const Reduction kind : kKinds) {
    if (kind == Reduction::prod) continue;
    if (lacks_elements && !has_identity(kind)) continue;
    INFO(to_string(x.values.shape)
         << " over " << to_string(axes) << ", kind " << static_cast<int>(kind));
    const DType dtype = result_of(kind, x.array.dtype());
    const Array y = Array::uninitialized(shape, dtype);
    here().reduce(kind, x.array.view(), y.view());
    // Sums are carried in double, so what is left is one rounding (and in float64 a few).
    const double units = has_identity(kind) ? (dtype == DType::float64 ? 16.0 : 0.51) : 0.0;
    check_near(y, reduce(kind, x.values, axes), units, dtype == DType::float64 ? total : 0.0);
  }
}

DEVICE_TEST_CASE("Reductions agree with plain loops, over any axes, in every layout") {
  std::mt19937_64 engine(1);
  const std::vector<std::pair<Shape, std::vector<Axes>>> cases = {
      {{}, {{}}},
      {{1}, {{}, {0}}},
      {{5}, {{}, {0}}},
      {{1025}, {{0}}},
      {{3, 4}, {{}, {0}, {1}, {0, 1}}},
      {{9, 1, 5}, {{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}}},
      {{2, 3, 4, 5}, {{0}, {2}, {0, 2}, {1, 3}, {0, 1, 3}, {1, 2}, {0, 1, 2, 3}}},
      {{600, 7}, {{0}, {1}, {0, 1}}},
      {{3, 300, 5}, {{1}, {0, 1}, {0, 2}}},
      {{0}, {{0}, {}}},
      {{3, 0, 2}, {{0}, {1}, {0, 1}, {0, 1, 2}}},
      {{0, 3, 5}, {{0}, {1}, {2}, {1, 2}}},
      {{0, 8}, {{0}, {1}}},
  };
  for (const auto& [shape, lists] : cases) {
    for (const Axes& axes : lists) {
      for (const Layout layout : all_layouts()) {
        INFO(to_string(layout));
        for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16, DType::int32,
                                  DType::int64, DType::boolean}) {
          check_reduce(random_operand(engine, shape, dtype, layout, -50, 50), axes);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("Reductions of large arrays agree with plain loops") {
  std::mt19937_64 engine(2);
  for (const DType dtype : {DType::float32, DType::float64}) {
    if (dtype == DType::float64 && !long_tests()) continue;
    check_reduce(random_operand(engine, {200003}, dtype), {0});
    check_reduce(random_operand(engine, {200003}, dtype, Layout::reversed), {0});
    check_reduce(random_operand(engine, {1000, 211}, dtype), {0});
    check_reduce(random_operand(engine, {1000, 211}, dtype), {1});
    check_reduce(random_operand(engine, {1000, 211}, dtype, Layout::transposed), {0});
    check_reduce(random_operand(engine, {1000, 211}, dtype, Layout::transposed), {0, 1});
    check_reduce(random_operand(engine, {70, 3, 530}, dtype), {0, 1});
    check_reduce(random_operand(engine, {70, 3, 530}, dtype), {0, 2});
  }
}

DEVICE_TEST_CASE("reduce writes only where the view shows") {
  const Array x = ones({4, 3});
  const Array y = zeros({1, 7});
  here().reduce(Reduction::sum, x.view(), y.slice(1, 5, {}, -2).view());
  check_equal(y, DType::float32, {1, 7}, {0, 4, 0, 4, 0, 4, 0});
}

DEVICE_TEST_CASE("reduce lets NaN through from any place of any lane") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t n : {1, 3, 8, 17, 1030, 70000}) {
      for (std::int64_t at = 0; at < n; at += n > 10000 ? 34999 : n > 100 ? 101 : 1) {
        const Array x = ones({n, 6}, dtype);
        x.slice(0, at, at + 1).slice(1, 2, 3).fill(std::nan(""));
        for (const Reduction kind : kKinds) {
          const Array columns = Array::uninitialized({1, 6}, dtype);
          here().reduce(kind, x.view(), columns.view());
          const Array rows = Array::uninitialized({n, 1}, dtype);
          here().reduce(kind, x.view(), rows.view());
          const Array all = Array::uninitialized({1, 1}, dtype);
          here().reduce(kind, x.view(), all.view());
          CHECK(std::isnan(columns.item({0, 2})));
          CHECK_FALSE(std::isnan(columns.item({0, 1})));
          CHECK(std::isnan(rows.item({at, 0})));
          CHECK(std::isnan(all.item()));
          if (n > 3) CHECK_FALSE(std::isnan(rows.item({(at + 1) % n, 0})));
          here().reduce(kind, x.slice(1, 2, 3).broadcast_to({n, 6}).view(), columns.view());
          CHECK(std::isnan(columns.item({0, 4})));
        }
      }
    }
  }
}

DEVICE_TEST_CASE("first_not_finite is the first in row-major order, in every layout") {
  std::mt19937_64 engine(3);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{9}, Shape{3, 4}, Shape{40, 50}, Shape{0}}) {
      for (const Layout layout : all_layouts()) {
        if (layout == Layout::broadcast) continue;
        Values values = random_operand(engine, shape, dtype).values;
        CHECK(here().first_not_finite(laid_out(values, dtype, layout).view()) == -1);
        if (values.numbers.empty()) continue;
        const std::size_t first = engine() % values.numbers.size();
        values.numbers[first] = std::numeric_limits<double>::infinity();
        values.numbers.back() = std::nan("");
        CHECK(here().first_not_finite(laid_out(values, dtype, layout).view()) ==
              static_cast<std::int64_t>(first));
      }
    }
  }
}

}  // namespace
}  // namespace gaia::test
