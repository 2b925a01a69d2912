// SPDX-License-Identifier: MIT
/// \file
/// Reductions, running sums and softmax where rows, columns, warps and blocks end.
#include <cmath>
#include <limits>
#include <random>

#include "../../src/array/backend.h"
#include "../backend/here.h"
#include "../support/operands.h"
#include "every_schedule.h"

namespace gaia::test {
namespace {

Array numbers(const Shape& shape, DType dtype, double low = -4.0, double high = 4.0) {
  std::mt19937_64 engine(static_cast<unsigned>(count_elements(shape)));
  return random_operand(engine, shape, dtype, Layout::contiguous, low, high).array;
}

struct Axis {
  Shape shape;
  std::vector<int> reduced;
};

// Rows short and long, columns few and many, both at once, and outputs that blocks share.
const std::vector<Axis> kCases = {{{1}, {0}},
                                  {{31}, {0}},
                                  {{257}, {0}},
                                  {{40000}, {0}},
                                  {{3, 5}, {1}},
                                  {{33, 31}, {1}},
                                  {{9, 1025}, {1}},
                                  {{2, 20011}, {1}},
                                  {{3, 4096}, {1}},
                                  {{5, 8191}, {1}},
                                  {{5, 3}, {0}},
                                  {{31, 33}, {0}},
                                  {{1025, 9}, {0}},
                                  {{4099, 70}, {0}},
                                  {{7, 5, 11}, {0, 2}},
                                  {{66, 3, 49}, {0, 2}},
                                  {{5, 3, 7, 3}, {0, 2}},
                                  {{3, 7, 4, 2, 3}, {0, 2, 4}}};

}  // namespace

TEST_CASE("Reductions join what they should where warps, blocks and splits end") {
  for (const auto& [shape, reduced] : kCases) {
    Shape kept = shape;
    for (const int axis : reduced) kept[axis] = 1;
    for (const DType dtype : {DType::int64, DType::float32}) {
      INFO(to_string(shape) << " " << to_string(dtype));
      for (const Reduction kind :
           {Reduction::sum, Reduction::mean, Reduction::max, Reduction::prod, Reduction::norm}) {
        const bool is_fraction = kind == Reduction::mean || kind == Reduction::norm;
        if (is_fraction && dtype == DType::int64) continue;
        const Array x = dtype == DType::float32 && kind == Reduction::prod
                            ? numbers(shape, dtype, 0.999, 1.001)
                            : numbers(shape, dtype);
        check_every_schedule({x}, 200, [&](const std::vector<Array>& in) {
          const Array y = Array::uninitialized(kept, dtype);
          here().reduce(kind, in[0].view(), y.view());
          return y;
        });
      }
    }
    check_every_schedule({numbers(shape, DType::float32), numbers(kept, DType::float64)}, 100,
                         [&](const std::vector<Array>& in) {
                           const Array y = Array::uninitialized(kept, DType::float64);
                           here().squares(in[0].view(), in[1].view(), y.view());
                           return y;
                         });
  }
}

TEST_CASE("Where in memory rows begin does not change the bits of what they are joined to") {
  for (const DType dtype : {DType::boolean, DType::bfloat16, DType::float32, DType::float64}) {
    for (const std::int64_t length : {129, 1027, 4096, 30001}) {
      INFO(to_string(dtype) << " " << length);
      const Array x = numbers({2, length + 3}, dtype);
      const OnEmulatedDevice emulated;
      for (const std::int64_t from : {0, 1, 3}) {
        const Array part = x.to(emulated.device()).slice(1, from, from + length);
        const Array own = part.copy();
        for (const Reduction kind : {Reduction::sum, Reduction::norm}) {
          const auto joined = [&](const Array& rows) {
            const Array y = Array::uninitialized({2, 1}, DType::float64);
            here().reduce(kind, rows.view(), y.view());
            return y.to_vector<double>();
          };
          CHECK(joined(part) == joined(own));
        }
      }
    }
  }
}

TEST_CASE("The first extreme is found in whichever part of a row it lies") {
  for (const Shape& shape : std::vector<Shape>{{1}, {300}, {70001}, {3, 20000}, {700, 33}}) {
    for (const DType dtype : {DType::boolean, DType::float64}) {
      // Few different numbers, so that they repeat in other threads and blocks.
      const Array x = numbers(shape, DType::int32, -2.9, 2.9).astype(dtype);
      for (const ArgReduction kind : {ArgReduction::max, ArgReduction::min}) {
        check_every_schedule({x}, 0, [&](const std::vector<Array>& in) {
          Shape kept = shape;
          kept.back() = 1;
          const Array y = Array::uninitialized(kept, DType::int64);
          here().arg_reduce(kind, in[0].view(), y.view());
          return y;
        });
      }
    }
  }
}

TEST_CASE("The first element that is not finite or outside is found in any block") {
  for (const std::int64_t at : {0, 255, 256, 99999, -1}) {
    std::vector<double> values(100001, 1.0);
    if (at >= 0) {
      values[static_cast<std::size_t>(at)] = std::numeric_limits<double>::infinity();
      values.back() = std::numeric_limits<double>::quiet_NaN();
    }
    const Array x = from_values(values, {100001});
    check_every_schedule({x}, 0, [&](const std::vector<Array>& in) {
      return full({1}, static_cast<double>(here().first_not_finite(in[0].view())), DType::int64);
    });
    const Array numbered = arange(0, 100001, 1, DType::int64);
    check_every_schedule({numbered}, 0, [&](const std::vector<Array>& in) {
      const std::int64_t found =
          here().first_outside(in[0].view(), at < 0 ? 0 : -5, at < 0 ? 100001 : at);
      return full({1}, static_cast<double>(found), DType::int64);
    });
  }
}

TEST_CASE("Running sums carry from warp to warp, chunk to chunk and block to block") {
  for (const Shape& shape :
       std::vector<Shape>{{1}, {31}, {33}, {257}, {1000}, {70001}, {3, 5000}, {513, 300}}) {
    for (const Layout layout : {Layout::contiguous, Layout::transposed}) {
      for (const DType dtype : {DType::boolean, DType::int64, DType::float64}) {
        INFO(to_string(shape) << " " << to_string(layout) << " " << to_string(dtype));
        std::mt19937_64 engine(5);
        const Array x = random_operand(engine, shape, dtype, layout, 0.5, 3.0).array;
        check_every_schedule({x}, 100, [&](const std::vector<Array>& in) {
          const Array y = Array::uninitialized(shape, is_floating(dtype) ? dtype : DType::int64);
          here().scan(Scan::sum, in[0].view(), y.view());
          return y;
        });
      }
    }
  }
}

TEST_CASE("Softmax of rows that a warp or a block takes") {
  for (const Shape& shape :
       std::vector<Shape>{{1}, {9, 31}, {8, 33}, {3, 256}, {3, 257}, {2, 1030}}) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      const Array x = numbers(shape, dtype);
      check_every_schedule({x}, 60, [&](const std::vector<Array>& in) {
        const Array y = Array::uninitialized(shape, dtype);
        here().softmax(in[0].view(), y.view());
        return y;
      });
      check_every_schedule({x}, 60, [&](const std::vector<Array>& in) {
        const Array y = Array::uninitialized(shape, dtype);
        here().log_softmax(in[0].view(), y.view());
        return y;
      });
    }
  }
}

TEST_CASE("Softmax of a long row keeps the digits of its sum") {
  // One number is summed many times over: a sum in float32 would be off to the same side each time.
  for (const std::int64_t length : {60000, 300000}) {
    INFO(length);
    std::vector<float> row(static_cast<std::size_t>(length), std::log(0.3f));
    row[0] = 0.0f;
    const Array x = from_values(row, {1, length});
    check_every_schedule({x}, 4, [&](const std::vector<Array>& in) {
      const Array y = Array::uninitialized({1, length}, DType::float32);
      here().softmax(in[0].view(), y.view());
      return y;
    });
  }
}

}  // namespace gaia::test
