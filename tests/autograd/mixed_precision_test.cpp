// SPDX-License-Identifier: MIT
#include "../../src/autograd/mixed_precision.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/error.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Numbers = std::vector<double>;

/// The nearest number with 8 bits of mantissa, of two that are equally near the even one.
double rounded(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8);
}

Numbers numbers_of(const Array& x) { return x.astype(DType::float64).to_vector<double>(); }

void check_close(const Array& found, const Numbers& expected, double relative = 1e-5) {
  const Numbers numbers = numbers_of(found);
  REQUIRE(numbers.size() == expected.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CHECK(numbers[i] == Approx(expected[i]).epsilon(relative).margin(1e-5));
  }
}

Array random(const Shape& shape, std::uint64_t stream) {
  return random_normal(shape, 0.0, 1.0, DType::float32, {91, stream});
}

}  // namespace

DEVICE_TEST_CASE("a product in mixed precision is that of rounded factors, added up in float32") {
  constexpr std::size_t kRows = 6;
  constexpr std::size_t kInputs = 37;
  constexpr std::size_t kOutputs = 5;
  const Tensor x(random({2, 3, kInputs}, 1), true);
  const Tensor w(random({kOutputs, kInputs}, 2), true);
  const Tensor b(random({kOutputs}, 3), true);
  const Tensor y = linear_bfloat16(x, w, b);
  CHECK(y.dtype() == DType::float32);
  CHECK(y.shape() == Shape{2, 3, kOutputs});
  const Array dy = random({2, 3, kOutputs}, 4);
  y.backward({.gradient = dy});

  const Numbers xs = numbers_of(x.value());
  const Numbers ws = numbers_of(w.value());
  const Numbers bs = numbers_of(b.value());
  const Numbers slopes = numbers_of(dy);
  Numbers expected(kRows * kOutputs);
  Numbers dx(xs.size());
  Numbers dw(ws.size());
  Numbers db(kOutputs);
  for (std::size_t n = 0; n < kRows; ++n) {
    for (std::size_t o = 0; o < kOutputs; ++o) {
      const double slope = slopes[n * kOutputs + o];
      double sum = bs[o];
      for (std::size_t i = 0; i < kInputs; ++i) {
        const double x16 = rounded(xs[n * kInputs + i]);
        const double w16 = rounded(ws[o * kInputs + i]);
        sum += x16 * w16;
        dx[n * kInputs + i] += slope * w16;
        dw[o * kInputs + i] += slope * x16;
      }
      expected[n * kOutputs + o] = sum;
      db[o] += slope;
    }
  }
  check_close(y.value(), expected);
  check_close(x.grad(), dx);
  check_close(w.grad(), dw);
  check_close(b.grad(), db);
  // Gradients of parameters are not rounded to bfloat16.
  CHECK(w.grad().dtype() == DType::float32);
  bool is_any_finer = false;
  for (const double g : numbers_of(w.grad())) is_any_finer |= g != rounded(g);
  CHECK(is_any_finer);
}

TEST_CASE("a product in mixed precision without a bias, of no rows, and what does not fit") {
  const Tensor w(random({4, 3}, 5), true);
  check_close(linear_bfloat16(Tensor(array({1.0F, 0.0F, 0.0F})), w).value(),
              {rounded(numbers_of(w.value())[0]), rounded(numbers_of(w.value())[3]),
               rounded(numbers_of(w.value())[6]), rounded(numbers_of(w.value())[9])});
  const Tensor none = linear_bfloat16(Tensor(zeros({0, 3})), w);
  CHECK(none.shape() == Shape{0, 4});
  none.backward({.gradient = zeros({0, 4})});
  CHECK(numbers_of(w.grad()) == Numbers(12, 0.0));
  CHECK_THROWS_WITH_TEXT(linear_bfloat16(Tensor(zeros({2, 4})), w), ShapeError,
                         "[linear] expected inputs [..., 3], got shape [2, 4]");
}

DEVICE_TEST_CASE("every activation in mixed precision is that of float32, rounded") {
  for (const Activation f : kActivations) {
    INFO(to_string(f));
    const Array values = random({4, 50}, 6) * 2.0;
    const Tensor x(values, true);
    const Tensor y = activate_bfloat16(f, x);
    CHECK(y.dtype() == DType::bfloat16);
    Numbers expected = numbers_of(activate(f, values));
    for (double& one : expected) one = rounded(one);
    const Numbers found = numbers_of(y.value());
    for (std::size_t i = 0; i < found.size(); ++i) {
      // A number in the middle may fall to either side, by the rounding of the device.
      CHECK(found[i] == Approx(expected[i]).epsilon(0x1p-7).margin(1e-30));
    }
    const Array dy = random({4, 50}, 7);
    y.backward({.gradient = dy});
    const Tensor full(values, true);
    activate(f, full).backward({.gradient = dy.astype(DType::bfloat16).astype(DType::float32)});
    const Numbers slopes = numbers_of(x.grad());
    const Numbers exact = numbers_of(full.grad());
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      CHECK(std::abs(slopes[i] - exact[i]) < 0.04 * (1.0 + std::abs(numbers_of(dy)[i])));
    }
  }
}

DEVICE_TEST_CASE("numbers that are rounded pass gradients as if they were not") {
  const Tensor x(random({30}, 8), true);
  const Tensor y = round_to_bfloat16(x);
  CHECK(y.dtype() == DType::float32);
  Numbers expected = numbers_of(x.value());
  for (double& one : expected) one = rounded(one);
  CHECK(numbers_of(y.value()) == expected);
  const Array dy = random({30}, 9);
  y.backward({.gradient = dy});
  CHECK(numbers_of(x.grad()) == numbers_of(dy));
}
