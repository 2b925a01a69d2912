// SPDX-License-Identifier: MIT
/// \file
/// Sorting, searching and writing by positions where tiles, runs and lanes end.
#include <cmath>
#include <random>

#include "../../src/array/backend.h"
#include "../backend/here.h"
#include "../support/operands.h"
#include "every_schedule.h"

namespace gaia::test {
namespace {

/// Few different numbers, among them both zeros, infinities and NaN, or many.
Array keys(const Shape& shape, DType dtype, Layout layout, bool few) {
  std::mt19937_64 engine(static_cast<unsigned>(count_elements(shape)));
  Operand x = random_operand(engine, shape, dtype, layout, -1e6, 1e6);
  if (!few) return x.array;
  for (double& number : x.values.numbers) {
    number = static_cast<double>(engine() % 7) - 3.0;
    if (!is_floating(dtype)) continue;
    if (number == 3.0) number = std::nan("");
    if (number == 2.0) number = -INFINITY;
    if (number == 0.0 && engine() % 2 == 0) number = -0.0;
  }
  return laid_out(x.values, dtype, layout);
}

/// Rows shorter than a tile share one; the others are merged once, twice and so on.
const std::vector<Shape> kRows = {{1},       {2},       {3, 7},    {40, 31},  {5, 513}, {3, 2047},
                                  {2, 2048}, {2, 2049}, {2, 4096}, {3, 4097}, {10000}};

}  // namespace

TEST_CASE("Rows of any length are sorted as on the CPU, equal elements as they come") {
  for (const Shape& shape : kRows) {
    for (const DType dtype :
         {DType::boolean, DType::int32, DType::int64, DType::float32, DType::float64}) {
      const bool is_long = count_elements(shape) > 3000;
      if (is_long && dtype != DType::float32 && dtype != DType::int64) continue;
      for (const Layout layout : {Layout::contiguous, Layout::transposed}) {
        for (const bool few : {true, false}) {
          for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
            if (is_long && few == (order == SortOrder::descending)) continue;
            INFO(to_string(shape) << " " << to_string(dtype) << " " << to_string(layout));
            const Array x = keys(shape, dtype, layout, few && dtype != DType::boolean);
            check_every_schedule({x}, 0, [&](const std::vector<Array>& in) {
              const Array y = laid_out(Values(shape), dtype, layout);
              here().sort(order, in[0].view(), y.view());
              return y;
            });
            check_every_schedule({x}, 0, [&](const std::vector<Array>& in) {
              const Array y = laid_out(Values(shape), DType::int64, layout);
              here().argsort(order, in[0].view(), y.view());
              return y;
            });
          }
        }
      }
    }
  }
}

TEST_CASE("Searches answer as on the CPU, on either side of equal elements") {
  Values sorted({9});
  sorted.numbers = {-INFINITY, -1, -1, 0, 0, 2, 5, NAN, NAN};
  Values wanted({4, 3});
  wanted.numbers = {-INFINITY, -2, -1, -0.0, 0, 1, 2, 5, 6, INFINITY, NAN, -1};
  for (const Layout layout : {Layout::contiguous, Layout::reversed}) {
    for (const Side side : {Side::left, Side::right}) {
      check_every_schedule(
          {laid_out(sorted, DType::float64, layout), laid_out(wanted, DType::float64, layout)}, 0,
          [&](const std::vector<Array>& in) {
            const Array y = Array::uninitialized({4, 3}, DType::int64);
            here().search(side, in[0].view(), in[1].view(), y.view());
            return y;
          });
    }
  }
}

TEST_CASE("Repeated positions are written in order, be lanes few or many") {
  struct Case {
    Shape values;  ///< Indices are those of the first axis alone, or of every lane.
    std::int64_t places;
    bool shared;
  };
  const std::vector<Case> cases = {
      {{1}, 3, true},         {{64}, 5, true},        {{65}, 5, true},
      {{5000}, 3, true},      {{5000}, 9999, true},   {{300, 17}, 40, true},
      {{300, 17}, 40, false}, {{70, 4, 3}, 9, false}, {{3, 600}, 2, false}};
  std::mt19937_64 engine(6);
  for (const auto& [shape, places, shared] : cases) {
    INFO(to_string(shape) << (shared ? " shared" : ""));
    Values numbers(shape);
    for (double& number : numbers.numbers) {
      number = static_cast<double>(engine() % static_cast<unsigned>(2 * places)) -
               static_cast<double>(places);
    }
    const Array own = laid_out(numbers, DType::int64, Layout::contiguous);
    Array row = own;
    for (int axis = 1; axis < shape.rank(); ++axis) row = row.slice(axis, 0, 1);
    const Array indices = shared ? row.copy() : own;
    const Shape whole = shape;  // clang 14 does not let the function below see a binding
    Shape target = shape;
    target[0] = places;
    for (const DType dtype : {DType::boolean, DType::int32, DType::float32}) {
      const Array values = random_operand(engine, shape, dtype).array;
      const Array before = random_operand(engine, target, dtype).array;
      for (const Scatter mode : {Scatter::add, Scatter::assign}) {
        // Floating sums too have the bits of the CPU's: the order is the definition's.
        check_every_schedule({values, indices, before}, 0, [&](const std::vector<Array>& in) {
          const Array y = in[2].copy();
          here().scatter(mode, in[0].view(), 0, in[1].broadcast_to(whole).view(), y.view());
          return y;
        });
      }
    }
  }
}

TEST_CASE("Rows are gathered whole, at any alignment") {
  std::mt19937_64 engine(7);
  for (const DType dtype : {DType::boolean, DType::bfloat16, DType::float32, DType::float64}) {
    for (const std::int64_t width : {1, 6, 8, 16, 33}) {
      const Array x = random_operand(engine, {9, width + 3}, dtype).array;
      const Array indices = from_values(std::vector<std::int64_t>{3, -1, 0, 8, 3, -9, 5}, {7, 1});
      for (const std::int64_t first : {0, 1, 3}) {
        check_every_schedule({x, indices}, 0, [&](const std::vector<Array>& in) {
          const Array y = Array::uninitialized({7, width}, dtype);
          here().gather(in[0].slice(1, first, first + width).view(), 0,
                        in[1].broadcast_to({7, width}).view(), y.view());
          return y;
        });
      }
    }
  }
}

TEST_CASE("Positions of what is true are found across tiles") {
  std::mt19937_64 engine(8);
  for (const Shape& shape :
       std::vector<Shape>{{1}, {2047}, {2048}, {2049}, {7, 13, 101}, {20000}}) {
    for (const double high : {4.0, 1.2}) {  // half of them true, and about one in six
      const Operand x =
          random_operand(engine, shape, DType::float32, Layout::contiguous, 0.0, high);
      Values mask(shape);
      for (std::size_t i = 0; i < mask.numbers.size(); ++i) {
        mask.numbers[i] = x.values.numbers[i] > std::max(1.0, high / 2) ? 1.0 : 0.0;
      }
      const Array truth = laid_out(mask, DType::boolean, Layout::contiguous);
      check_every_schedule({truth}, 0, [&](const std::vector<Array>& in) {
        const std::int64_t count = here().count_true(in[0].view());
        const Array y = Array::uninitialized({count, shape.rank()}, DType::int64);
        here().positions(in[0].view(), y.view());
        return y;
      });
    }
  }
}

}  // namespace gaia::test
