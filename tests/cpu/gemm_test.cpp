// SPDX-License-Identifier: MIT
/// \file
/// Products at sizes around the tiles, panels and blocks of the kernels, in every layout.
#include "../../cpu/gemm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../cpu/vector/gemm.h"
#include "../../src/array/backend.h"
#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"

using namespace gaia;
using gaia::cpu::MatrixRef;

namespace {

template <class T>
std::vector<T> numbers(std::int64_t n, int seed) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i) {
    values.push_back(static_cast<T>(std::sin(0.7 * static_cast<double>(i) + seed)));
  }
  return values;
}

template <class T>
MatrixRef<const T> matrix(const std::vector<T>& data, std::int64_t rows, std::int64_t columns,
                          bool transposed) {
  if (!transposed) return {data.data(), rows, columns, columns};
  return MatrixRef<const T>{data.data(), columns, rows, rows}.transposed();
}

/// Largest error of y = a b, in epsilons of the sum of |a b|.
template <class T>
double error(const MatrixRef<const T>& a, const MatrixRef<const T>& b, const std::vector<T>& y,
             double before) {
  double worst = 0.0;
  const auto n = static_cast<std::size_t>(b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      double sum = before;
      double scale = std::abs(before);
      for (std::int64_t k = 0; k < a.columns; ++k) {
        const double term = static_cast<double>(a.data[i * a.row_stride + k * a.column_stride]) *
                            static_cast<double>(b.data[k * b.row_stride + j * b.column_stride]);
        sum += term;
        scale += std::abs(term);
      }
      const double got =
          static_cast<double>(y[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)]);
      const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) * scale;
      const double distance = std::abs(got - sum);
      if (distance > 0.0) worst = std::max(worst, unit > 0.0 ? distance / unit : 1e300);
      if (std::isnan(got)) return 1e300;
    }
  }
  return worst;
}

struct Size {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// Calls check(left, right) for operands of a product that lie by rows or by columns.
template <class T, class Check>
void for_each_layout(const Size& s, const Check& check) {
  const auto a = numbers<T>(s.rows * s.depth, 1);
  const auto b = numbers<T>(s.depth * s.columns, 2);
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      INFO(s.rows << " x " << s.depth << " x " << s.columns << " " << left << right);
      check(matrix(a, s.rows, s.depth, left), matrix(b, s.depth, s.columns, right));
    }
  }
}

}  // namespace

FLOAT_TEST_CASE("Products are right at every size, layout and instruction set") {
  for (const Size& s : {Size{1, 1, 2},      Size{1, 37, 5},    Size{3, 16, 4},   Size{5, 33, 17},
                        Size{6, 1, 48},     Size{7, 5, 49},    Size{8, 64, 3},   Size{9, 100, 97},
                        Size{17, 3, 1},     Size{64, 31, 1},   Size{130, 7, 50}, Size{12, 385, 20},
                        Size{20, 600, 33},  Size{2, 1030, 70}, Size{9, 300, 40}, Size{24, 140, 31},
                        Size{25, 128, 7},   Size{40, 130, 2},  Size{33, 129, 6}, Size{130, 257, 5},
                        Size{3, 4100, 13},  Size{11, 2060, 4}, Size{300, 1, 1},  Size{27, 70, 400},
                        Size{211, 40, 395}, Size{30, 390, 390}}) {
    for_each_layout<T>(s, [&](const auto& x, const auto& w) {
      std::vector<T> y(static_cast<std::size_t>(s.rows * s.columns), T(0.5));
      const MatrixRef<T> to{y.data(), s.rows, s.columns, s.columns};
      const double allowed = std::sqrt(static_cast<double>(s.depth)) + 2.0;
      cpu::gemm<T>(x, w, to, true);
      CHECK(error(x, w, y, 0.5) <= allowed);
      cpu::gemm<T>(x, w, to);
      CHECK(error(x, w, y, 0.0) <= allowed);
    });
  }
}

FLOAT_TEST_CASE("A matrix packed once multiplies by any of its first rows and columns") {
  const Size whole{130, 400, 150};
  for_each_layout<T>(whole, [&](const auto& x, const auto& w) {
    std::vector<T> room(static_cast<std::size_t>(cpu::packed_room<T>(w.rows, w.columns)), T(-77));
    const cpu::PackedMatrix<T> packed = cpu::pack<T>(w, room.data());
    for (const Size& s : {whole, Size{1, 400, 1}, Size{9, 1, 150}, Size{130, 399, 97},
                          Size{24, 64, 48}, Size{129, 385, 49}}) {
      const auto a = x.rows_between(0, s.rows).columns_between(0, s.depth);
      const auto b = w.rows_between(0, s.depth).columns_between(0, s.columns);
      std::vector<T> y(static_cast<std::size_t>(s.rows * s.columns), T(0.5));
      const double allowed = std::sqrt(static_cast<double>(s.depth)) + 2.0;
      cpu::gemm<T>(a, packed, {y.data(), s.rows, s.columns, s.columns}, true);
      CHECK(error(a, b, y, 0.5) <= allowed);
      cpu::gemm<T>(a, packed, {y.data(), s.rows, s.columns, s.columns});
      CHECK(error(a, b, y, 0.0) <= allowed);
    }
  });
}

FLOAT_TEST_CASE("Products of rows that lie a large power of two apart are right") {
  for (const Size& s : {Size{35, 70, 400}, Size{16, 390, 385}, Size{193, 20, 390}}) {
    const std::int64_t apart = 2048;
    const auto a = numbers<T>(s.rows * apart, 1);
    const auto b = numbers<T>(s.depth * s.columns, 2);
    const MatrixRef<const T> left{a.data(), s.rows, s.depth, apart};
    const MatrixRef<const T> right = matrix(b, s.depth, s.columns, false);
    std::vector<T> y(static_cast<std::size_t>(s.rows * s.columns), T(0.5));
    cpu::gemm<T>(left, right, {y.data(), s.rows, s.columns, s.columns}, true);
    CHECK(error(left, right, y, 0.5) <= std::sqrt(static_cast<double>(s.depth)) + 2.0);
  }
}

FLOAT_TEST_CASE("Products with few rows or columns write their own part of a wide matrix") {
  const std::int64_t stride = 50;
  for (const Size& s : {Size{30, 200, 1}, Size{30, 200, 2}, Size{30, 200, 6}, Size{4, 200, 30},
                        Size{8, 200, 30}, Size{24, 200, 30}, Size{2, 3, 1}}) {
    for_each_layout<T>(s, [&](const auto& x, const auto& w) {
      std::vector<T> wide(static_cast<std::size_t>(s.rows * stride), T(-77));
      cpu::gemm<T>(x, w, {wide.data() + 3, s.rows, s.columns, stride});
      std::vector<T> y;
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < s.rows * stride; ++i) {
        const std::int64_t column = i % stride - 3;
        const T value = wide[static_cast<std::size_t>(i)];
        if (column >= 0 && column < s.columns) {
          y.push_back(value);
        } else if (value == T(-77)) {
          ++kept;
        }
      }
      CHECK(error(x, w, y, 0.0) <= std::sqrt(static_cast<double>(s.depth)) + 2.0);
      CHECK(kept == s.rows * (stride - s.columns));
    });
  }
}

TEST_CASE("Long sums of few rows and columns keep their digits") {
  const std::int64_t depth = 1000003;
  const std::vector<float> tenths(static_cast<std::size_t>(3 * depth), 0.1F);
  const double exact = static_cast<double>(depth) * double{0.1F} * double{0.1F};
  for (const std::int64_t rows : {1, 2, 3}) {
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        const std::int64_t columns = 4 - rows;
        std::vector<float> y(static_cast<std::size_t>(rows * columns));
        cpu::gemm<float>(matrix(tenths, rows, depth, left), matrix(tenths, depth, columns, right),
                         {y.data(), rows, columns, columns});
        INFO(rows << " x " << columns << " " << left << right);
        for (const float value : y) CHECK(value == Approx(exact).epsilon(1e-3));
      }
    }
  }
}

FLOAT_TEST_CASE("Matrices of every size are transposed, and nothing around them is written") {
  for (const std::int64_t rows : {1, 2, 3, 4, 7, 8, 9, 16, 17, 33}) {
    for (const std::int64_t columns : {1, 2, 4, 5, 8, 15, 16, 31, 40}) {
      const std::int64_t x_stride = columns + 3;
      const std::int64_t y_stride = rows + 2;
      const std::vector<T> x = numbers<T>(rows * x_stride, 1);
      std::vector<T> y(static_cast<std::size_t>(columns * y_stride), T(-77));
      std::vector<T> expected = y;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          expected[static_cast<std::size_t>(j * y_stride + i)] =
              x[static_cast<std::size_t>(i * x_stride + j)];
        }
      }
      GAIA_VECTOR_KERNEL(transpose_matrix<T>)
      (x.data(), x_stride, rows, columns, y.data(), y_stride);
      INFO(rows << " x " << columns);
      CHECK(y == expected);
    }
  }
}

FLOAT_TEST_CASE("A product on all threads has the bits of one thread's") {
  const std::int64_t rows = 205;
  const std::int64_t depth = 420;
  const std::int64_t columns = 131;
  const auto a = numbers<T>(rows * depth, 1);
  const auto b = numbers<T>(depth * columns, 2);
  CHECK(cpu::pays_in_parallel(rows, depth, columns));
  CHECK_FALSE(cpu::pays_in_parallel(rows, 1000000, 1));  // it would be padded to a panel
  for (const bool transposed : {false, true}) {
    const auto x = matrix(a, rows, depth, false);
    const auto w = matrix(b, depth, columns, transposed);
    std::vector<T> alone(static_cast<std::size_t>(rows * columns));
    std::vector<T> together(alone.size());
    cpu::gemm<T>(x, w, {alone.data(), rows, columns, columns});
    cpu::gemm_in_parallel<T>(backend(Device::cpu()), x, w,
                             {together.data(), rows, columns, columns});
    CHECK(alone == together);
    CHECK(error(x, w, together, 0.0) <= 30.0);
  }
}

TEST_CASE("Even pieces cover all, in whole units, and differ by one at most") {
  for (const std::int64_t unit : {1, 8, 48}) {
    for (std::int64_t length = 1; length <= 400; ++length) {
      const std::int64_t units = (length + unit - 1) / unit;
      for (std::int64_t pieces = 1; pieces <= std::min<std::int64_t>(units, 9); ++pieces) {
        const cpu::EvenPieces cut{length, unit, pieces};
        std::int64_t covered = 0;
        bool right = true;
        for (std::int64_t i = 0; i < pieces; ++i) {
          const std::int64_t taken = (cut.end(i) - cut.begin(i) + unit - 1) / unit;
          right = right && cut.begin(i) == covered && cut.begin(i) % unit == 0 &&
                  taken >= units / pieces && taken <= (units + pieces - 1) / pieces;
          covered = cut.end(i);
        }
        if (!right || covered != length) FAIL(length << " in " << pieces << " of " << unit);
      }
    }
  }
  CHECK(cpu::even_number_of_pieces(96, 96) == 1);
  CHECK(cpu::even_number_of_pieces(97, 96) == 2);
  CHECK(cpu::even_number_of_pieces(256, 96) == 4);
}

FLOAT_TEST_CASE("However a product is cut for threads, it has the bits of one in one piece") {
  struct Size {
    std::int64_t rows, depth, columns;
  };
  for (const Size& s :
       {Size{128, 128, 128}, Size{64, 256, 129}, Size{127, 300, 66}, Size{63, 300, 120},
        Size{64, 90, 384}, Size{20, 300, 400}, Size{100, 60, 481}, Size{129, 20, 30},
        Size{300, 50, 50}, Size{192, 400, 100}, Size{257, 400, 97}, Size{1537, 64, 513}}) {
    for (const bool transposed : {false, true}) {
      INFO(s.rows << " " << s.depth << " " << s.columns << " " << transposed);
      const auto a = numbers<T>(s.rows * s.depth, 1);
      const auto b = numbers<T>(s.depth * s.columns, 2);
      const auto x = matrix(a, s.rows, s.depth, false);
      const auto w = matrix(b, s.depth, s.columns, transposed);
      std::vector<T> whole(static_cast<std::size_t>(s.rows * s.columns));
      cpu::gemm<T>(x, w, {whole.data(), s.rows, s.columns, s.columns});
      const Array right = transposed ? from_values(b, {s.columns, s.depth}).transpose({1, 0})
                                     : from_values(b, {s.depth, s.columns});
      const Array y = matmul(from_values(a, {s.rows, s.depth}), right);
      CHECK(y.to_vector<T>() == whole);
      CHECK(error(x, w, whole, 0.0) <= 30.0);
    }
  }
}

TEST_CASE("A sum over nothing is zero, or what was there") {
  std::vector<float> y(6, 3.0F);
  const MatrixRef<const float> x{nullptr, 2, 0, 1};
  const MatrixRef<const float> w{nullptr, 0, 3, 3};
  cpu::gemm<float>(x, w, {y.data(), 2, 3, 3}, true);
  CHECK(y == std::vector<float>(6, 3.0F));
  cpu::gemm<float>(x, w, {y.data(), 2, 3, 3});
  CHECK(y == std::vector<float>(6, 0.0F));
}

FLOAT_TEST_CASE("Products of many small matrices are those of each") {
  struct Size {
    std::int64_t batch, rows, depth, columns;
  };
  for (const Size& s :
       {Size{1000, 8, 8, 8}, Size{3, 1, 5, 2}, Size{70, 3, 256, 50}, Size{5, 8, 257, 9},
        Size{300, 5, 1, 17}, Size{2, 7, 40, 200}, Size{4, 9, 8, 9}, Size{6, 8, 30, 3}}) {
    const auto operand = [](std::int64_t batch, std::int64_t rows, std::int64_t columns, int seed) {
      return from_values(numbers<T>(batch * rows * columns, seed), {batch, rows, columns});
    };
    const Array a = operand(s.batch, s.rows, s.depth, 1);
    const Array turned = operand(s.batch, s.depth, s.rows, 2).transpose({0, 2, 1});
    const Array b = operand(s.batch, s.depth, s.columns, 3);
    const Array same = operand(1, s.depth, s.columns, 4).broadcast_to(b.shape());
    for (const Array& left : {a, turned}) {
      for (const Array& right : {b, same}) {
        INFO(s.batch << " " << s.rows << " " << s.depth << " " << s.columns);
        const Array y = matmul(left, right);
        bool equal = true;
        for (std::int64_t i = 0; i < s.batch; ++i) {
          equal =
              equal && y[i].to_vector<double>() == matmul(left[i], right[i]).to_vector<double>();
        }
        CHECK(equal);
      }
    }
  }
}
