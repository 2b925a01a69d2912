// SPDX-License-Identifier: MIT
/// \file
/// Convolutions by transforms compared with sums.
#include <algorithm>
#include <random>

#include "../../src/array/ops.h"
#include "../../src/signals/fourier_convolution.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

/// The numbers of the full convolution from `start` on, along all axes.
Values plain_convolution(const Values& a, const Values& b, const Shape& shape, const Dims& start) {
  Values y(shape);
  for_each_index(shape, [&](const Dims& at) {
    double sum = 0.0;
    for_each_index(b.shape, [&](const Dims& j) {
      Dims i = at;
      for (int axis = 0; axis < at.rank(); ++axis) {
        i[axis] += start[axis] - j[axis];
        if (i[axis] < 0 || i[axis] >= a.shape[axis]) return;
      }
      sum += a[i] * b[j];
    });
    y[at] = sum;
  });
  return y;
}

TEST_CASE("fftconvolve is a sum, of every mode, rank and dtype") {
  std::mt19937_64 engine(1);
  std::uniform_int_distribution<std::int64_t> length(1, 8);
  for (int trial = 0; trial < 60; ++trial) {
    const int rank = 1 + trial % 3;
    const DType dtype = trial % 2 == 0 ? DType::float64 : DType::float32;
    Shape shape_a;
    Shape shape_b;
    for (int axis = 0; axis < rank; ++axis) {
      shape_a.push_back(length(engine) + 1);
      shape_b.push_back(std::min(shape_a[axis], length(engine) + 1));
    }
    const Operand a = random_operand(engine, shape_a, dtype, Layout::sliced);
    const Operand b = random_operand(engine, shape_b, dtype, Layout::transposed);
    CAPTURE(to_string(shape_a), to_string(shape_b), to_string(dtype));
    Shape full = shape_a;
    Shape valid = shape_a;
    Dims start = shape_a;
    Dims behind = shape_a;
    for (int axis = 0; axis < rank; ++axis) {
      full[axis] += shape_b[axis] - 1;
      valid[axis] -= shape_b[axis] - 1;
      start[axis] = (shape_b[axis] - 1) / 2;
      behind[axis] = shape_b[axis] - 1;
    }
    const double scale = 200.0;
    check_near(fftconvolve(a.array, b.array),
               plain_convolution(a.values, b.values, full, Dims::filled(rank, 0)), 8, scale);
    check_near(fftconvolve(a.array, b.array, ConvolutionMode::same),
               plain_convolution(a.values, b.values, shape_a, start), 8, scale);
    const Values inside = plain_convolution(a.values, b.values, valid, behind);
    check_near(fftconvolve(a.array, b.array, ConvolutionMode::valid), inside, 8, scale);
    check_near(fftconvolve(b.array, a.array, ConvolutionMode::valid), inside, 8, scale);
  }
}

TEST_CASE("fftconvolve along some axes broadcasts along the others") {
  std::mt19937_64 engine(2);
  const Operand a = random_operand(engine, {3, 40}, DType::float64);
  const Operand b = random_operand(engine, {1, 7}, DType::float64);
  const Array all = fftconvolve(a.array, b.array, ConvolutionMode::full, {1});
  REQUIRE(all.shape() == Shape{3, 46});
  for (std::int64_t row = 0; row < 3; ++row) {
    CHECK(all_close(all[row], convolve1d(a.array[row], b.array[0]), 0.0, 1e-12));
  }
  CHECK(fftconvolve(zeros({0}), ones({3})).shape() == Shape{0});
  CHECK(fftconvolve(full({}, 3.0), full({}, 2.0)).item() == 6.0);
  CHECK(fftconvolve(ones({3}, DType::int32), ones({2}, DType::int32)).dtype() == DType::float64);
}

DEVICE_TEST_CASE("fftconvolve is the same on every device") {
  const Array x = array({1, 2, 3, 4});
  const std::vector<double> y = fftconvolve(x, array({1, -1})).to_vector<double>();
  const std::vector<double> wanted = {1, 1, 1, 1, -4};
  REQUIRE(y.size() == wanted.size());
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(y[i] - wanted[i]) < 1e-5);
}

TEST_CASE("fftconvolve refuses shapes and modes that do not fit") {
  CHECK_THROWS_WITH_TEXT(fftconvolve(ones({3, 2}), ones({2, 3}), ConvolutionMode::valid),
                         ShapeError, "at least as long as the other along all axes");
  CHECK_THROWS_WITH_TEXT(fftconvolve(ones({3}), ones({1, 3})), ShapeError, "as many axes of both");
  CHECK_THROWS_WITH_TEXT(fftconvolve(ones({3, 4}), ones({2, 4}), ConvolutionMode::full, {1}),
                         ShapeError, "broadcast along axis 0");
  CHECK_THROWS_WITH_TEXT(fftconvolve(ones({3}), ones({2}), ConvolutionMode::causal), ArgumentError,
                         "full, same or valid");
}

}  // namespace
}  // namespace gaia::test
